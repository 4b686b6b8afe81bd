/** What can be done about a record, where one is: change it, fork, hold there next time, or look at it from another side. */

import { Menu } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import {
  IconEye,
  IconGitFork,
  IconHandStop,
  IconLink,
  IconPencil,
  IconPlayerTrackNext,
  IconTimeline,
} from "@tabler/icons-react";

import { shortName } from "@/model/names";
import { changesOf } from "@/model/telling";
import { verbsOf } from "@/model/verbs";
import { breakOn } from "@/state/breakpoints";
import { fork, runTo } from "@/state/commands";
import { beginEdit, isEdited } from "@/state/editing";
import { useRecordVerb } from "@/views/details/useRecordVerb";
import { VERB_ICONS } from "@/views/records/icons";
import { useWorkspace } from "@/views/workspace/context";
import { useShow } from "@/views/workspace/docking";

import classes from "./History.module.css";

export interface MenuAt {
  seq: number;
  x: number;
  y: number;
}

export function RecordMenu({ at, onClose }: { at: MenuAt | null; onClose: () => void }) {
  const { id } = useWorkspace();
  const close = () => {
    onClose();
    // Who has begun to edit is in the editor already.
    if (at === null || !isEdited(id, at.seq)) document.querySelector<HTMLElement>("[role=grid]")?.focus();
  };
  return (
    <Menu opened={at !== null} onClose={close} position="bottom-start" withinPortal returnFocus={false} shadow="md">
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label="What can be done"
          className={classes["at"]}
          style={{ left: at?.x ?? 0, top: at?.y ?? 0 }}
        />
      </Menu.Target>
      <Menu.Dropdown>{at !== null && <Items seq={at.seq} />}</Menu.Dropdown>
    </Menu>
  );
}

function Items({ seq }: { seq: number }) {
  const { id, view, go } = useWorkspace();
  const navigate = useNavigate();
  const show = useShow();
  const doVerb = useRecordVerb();
  const { outline, info } = view;
  const component = outline.component(seq);
  const call = outline.call(seq);
  const queued = outline.kind(seq) === "message_queued";
  const imported = info?.imported === true;
  const why = imported ? "An imported log has no program to go on with" : "";
  const forkHere = async () => {
    const made = await fork(id, { at: seq });
    if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
  };
  return (
    <>
      <Menu.Label>
        #{seq} {shortName(component)}
      </Menu.Label>
      {changesOf(outline, seq).map((change) => (
        <Menu.Item
          key={change.op}
          leftSection={<IconPencil size={14} />}
          disabled={imported}
          title={why}
          onClick={() => {
            show("inspector");
            beginEdit(id, seq, change.op);
          }}
        >
          {change.label}…
        </Menu.Item>
      ))}
      {verbsOf(outline, seq)
        .filter(({ id: verb }) => verb !== "change")
        .map((verb) => {
          const Icon = VERB_ICONS[verb.id];
          return (
            <Menu.Item
              key={verb.id}
              leftSection={<Icon size={14} />}
              rightSection={<kbd>{verb.key}</kbd>}
              disabled={imported}
              title={why || verb.about}
              onClick={() => void doVerb(verb.id, seq)}
            >
              {verb.label}
            </Menu.Item>
          );
        })}
      <Menu.Item
        leftSection={<IconGitFork size={14} />}
        disabled={imported}
        title={why}
        onClick={() => void forkHere()}
      >
        Fork here without a change
      </Menu.Item>
      {info?.live === true && queued && (
        <Menu.Item leftSection={<IconPlayerTrackNext size={14} />} onClick={() => void runTo(id, seq)}>
          Run to here
        </Menu.Item>
      )}
      {component !== "" && call !== null && (
        <Menu.Item
          leftSection={<IconHandStop size={14} />}
          disabled={imported}
          title={why}
          onClick={() => void breakOn(id, { component, kind: call })}
        >
          Break on {shortName(component)}
        </Menu.Item>
      )}
      <Menu.Divider />
      {component !== "" && (
        <Menu.Item leftSection={<IconEye size={14} />} onClick={() => go({ only: component }, "push")}>
          Only {shortName(component)}
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconTimeline size={14} />} onClick={() => show("trace")}>
        Show in the trace
      </Menu.Item>
      <Menu.Item
        leftSection={<IconLink size={14} />}
        onClick={() => void navigator.clipboard.writeText(`${location.origin}/runs/${id}?at=${seq}`)}
      >
        Copy link
      </Menu.Item>
    </>
  );
}
