/** Say something else here, and go on from there in a fork; or collect it with other changes; or, live, change it now. */

import { Button, Group, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconGitFork, IconPlus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";

import type { Edit } from "@/api/schema";
import { onEscape } from "@/kit/escape";
import { ValueEditor } from "@/kit/ValueEditor";
import { callsThatStay, readConversation, type Tool } from "@/model/conversation";
import { endsOf } from "@/model/rows";
import { isFields } from "@/model/schema";
import { tellReach } from "@/model/reach";
import { type Change, tellEdit } from "@/model/telling";
import { useBody } from "@/state/bodies";
import { editMessage, fork } from "@/state/commands";
import { useComponents } from "@/state/components";
import { useDrafts } from "@/state/drafts";
import { closeEdit, forgetEdit, useBegun, writeEdit } from "@/state/editing";
import { useOfOutline } from "@/state/following";
import { useReach } from "@/state/reach";
import { useRecord } from "@/state/run";
import { Templates } from "@/views/inspector/Templates";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Details.module.css";

const HEADS: { [op in Change["op"]]: string } = {
  replace_message: "The message says instead",
  replace_input: "The input is instead",
  mock_output: "It returns instead",
};

export function ChangeEditor({ seq, change }: { seq: number; change: Change }) {
  const { run, view } = useWorkspace();
  const ends = useOfOutline(view.outline, endsOf);
  const source = change.op === "mock_output" ? (ends[change.seq] ?? 0) || null : change.seq;
  const record = useRecord(run, source ?? undefined);
  const body = useBody(record?.hash);
  const loading =
    source !== null && (record === undefined || (record.hash && (body.data === undefined || body.isPlaceholderData)));
  if (loading) return <Skeleton height={120} mb={12} />;
  const failed = record?.kind === "invocation_ended" && record.failed === true;
  const value = record?.hash && !failed ? body.data : "";
  return <Editor seq={seq} change={change} value={value} reaches={source ?? change.seq} failed={failed} />;
}

interface EditorProps {
  seq: number;
  change: Change;
  value: unknown;
  /** The record whose reach is that of the change: an output is its end. */
  reaches: number;
  /** Whether the call had failed: there is no result to begin from. */
  failed: boolean;
}

function Editor({ seq, change, value, reaches, failed }: EditorProps) {
  const { id, view } = useWorkspace();
  const navigate = useNavigate();
  const add = useDrafts((drafts) => drafts.add);
  const written = useBegun(id, seq)?.values[change.op];
  const next = written === undefined ? value : written;
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const onClose = () => forgetEdit(id, seq);
  const { info, outline } = view;
  const reach = useReach(id, reaches);
  const component = outline.component(change.seq);
  const call = outline.call(change.seq);
  const gives = change.op === "mock_output";
  const tools = useToolsOf(gives && call === "model" ? change.seq : null);
  const { byPath } = useComponents(id, view);
  const accepts = change.op === "replace_input" ? byPath.get(component)?.told?.accepts["arguments"] : undefined;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!box.current?.contains(document.activeElement)) {
      box.current?.querySelector<HTMLElement>("textarea, input:not([type=radio])")?.focus();
      box.current?.scrollIntoView({ block: "nearest" });
    }
    // One's own words are written in place of these: a short text is selected, so that one sees where typing goes.
    const field = document.activeElement;
    if (gives && field instanceof HTMLTextAreaElement && field.value.length <= SHORT) field.select();
  }, [gives]);
  const queued = info?.live === true && change.op === "replace_message";
  const edit: Edit = { op: change.op, seq: change.seq, value: next };
  const told = tellEdit(seq, change, component);

  const staying = useMemo(() => (gives ? callsThatStay(value, next) : []), [gives, value, next]);

  const save = async () => {
    if (problem !== null || busy) return;
    setBusy(true);
    const made = await fork(id, { at: change.seq, edits: [edit] });
    setBusy(false);
    if (!made) return;
    onClose();
    notifications.show({
      title: `${made.run} goes on from #${seq}`,
      message: "Whatever the change does not touch is served from the record.",
    });
    void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
  };
  const collect = () => {
    if (problem !== null) return;
    add(id, edit, told, seq);
    onClose();
  };
  const now = async () => {
    if (problem !== null) return;
    if (await editMessage(id, change.seq, next)) onClose();
  };
  return (
    <section
      ref={box}
      className={classes["editor"]}
      data-staying={staying.length > 0 || undefined}
      aria-label={change.label}
      onKeyDown={onEscape(() => closeEdit(id, seq))}
    >
      <Group justify="space-between" mb={6} gap={6}>
        <h3 className={classes["editorHead"]}>{HEADS[change.op]}</h3>
        {gives && (
          <Templates
            component={component}
            except={failed ? undefined : reaches}
            onUse={(from) => writeEdit(id, seq, from)}
          />
        )}
      </Group>
      <div className={classes["written"]}>
        <ValueEditor
          value={next}
          base={value}
          label={change.label}
          text={change.op === "replace_message"}
          schema={isFields(accepts) ? accepts : null}
          tools={tools}
          autoFocus
          onChange={(to, why) => {
            writeEdit(id, seq, to);
            setProblem(why);
          }}
          onSubmit={() => void save()}
        />
      </div>
      {problem !== null && (
        <p role="alert" className={classes["error"]}>
          {problem}
        </p>
      )}
      <Group gap={6} mt={8}>
        <Button
          leftSection={<IconGitFork size={14} />}
          loading={busy}
          disabled={problem !== null}
          onClick={() => void save()}
        >
          Change and go on
        </Button>
        {queued && (
          <Button variant="default" disabled={problem !== null} onClick={() => void now()}>
            Change in this run
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconPlus size={14} />}
          disabled={problem !== null}
          title="Collect several changes, then run them in one fork"
          onClick={collect}
        >
          Add to changes
        </Button>
        <Button variant="subtle" color="gray" onClick={onClose}>
          Cancel
        </Button>
      </Group>
      <div className={classes["about"]}>
        {staying.length > 0 && (
          <p role="status" className={classes["staying"]}>
            It still calls <code>{staying.join(", ")}</code> now; afterwards the agent reads your words.
          </p>
        )}
        <p className={classes["hint"]}>
          {gives && (call === "model" ? "The model itself is not asked. " : "The call itself is not made. ")}
          {tellReach(reach) || `A fork of ${id} goes on from #${seq}.`} #{seq} stays as it is here.
        </p>
      </div>
    </section>
  );
}

const NO_TOOLS: readonly Tool[] = [];
/** Characters of a text that is selected when its editor opens. */
const SHORT = 400;

/** The tools that a model was told of in a call; undefined where it is no call of a model. */
function useToolsOf(seq: number | null): readonly Tool[] | undefined {
  const { run } = useWorkspace();
  const record = useRecord(run, seq ?? undefined);
  const { data, isPlaceholderData } = useBody(record?.hash);
  const asked = isPlaceholderData ? undefined : data;
  return useMemo(() => (seq === null ? undefined : (readConversation(asked)?.tools ?? NO_TOOLS)), [seq, asked]);
}
