/** One collected change: what it does, its value, and how to change or remove it. */

import { ActionIcon, Button, Group, Tooltip } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import type { Edit } from "@/api/schema";
import { plainText } from "@/kit/diff/plain";
import { onEscape } from "@/kit/escape";
import { ValueEditor } from "@/kit/ValueEditor";
import { soleText, untyped } from "@/model/body";
import { hasValue } from "@/model/mocks";
import type { Draft } from "@/state/drafts";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Mocks.module.css";

export interface DraftCardProps {
  draft: Draft;
  /** Why the server does not take it. */
  refusal: string | null;
  save: (edit: Edit) => void;
  remove: () => void;
  /** Told when its value is being changed, and when it no longer is. */
  onChanging: (changing: boolean) => void;
}

export function DraftCard({ draft: { edit, told, chosen }, refusal, save, remove, onChanging }: DraftCardProps) {
  const { select } = useWorkspace();
  const [value, setValue] = useState<unknown>(undefined);
  const [problem, setProblem] = useState<string | null>(null);
  const editing = value !== undefined;
  const seq = chosen ?? edit.seq ?? null;
  const end = () => {
    setValue(undefined);
    setProblem(null);
    onChanging(false);
  };
  const done = () => {
    if (problem !== null) return;
    save({ ...edit, value });
    end();
  };
  return (
    <article className={classes["draft"]} data-refused={refusal !== null || undefined} aria-label={told}>
      <div className={classes["head"]}>
        {seq === null ? (
          <b>{told}</b>
        ) : (
          <button type="button" className={classes["link"]} title="Select its record" onClick={() => select(seq)}>
            {told}
          </button>
        )}
        <span className={classes["space"]} />
        {hasValue(edit) && !editing && (
          <Tooltip label="Change its value">
            <ActionIcon
              size="sm"
              aria-label={`Change: ${told}`}
              onClick={() => {
                setValue(edit.value ?? null);
                onChanging(true);
              }}
            >
              <IconPencil size={14} />
            </ActionIcon>
          </Tooltip>
        )}
        <Tooltip label="Remove it">
          <ActionIcon size="sm" aria-label={`Remove: ${told}`} onClick={remove}>
            <IconTrash size={14} />
          </ActionIcon>
        </Tooltip>
      </div>
      {edit.where !== null && edit.where !== undefined && (
        <p className={classes["where"]}>
          where the input fits <code>{JSON.stringify(edit.where)}</code>
        </p>
      )}
      {hasValue(edit) &&
        (editing ? (
          <div role="group" aria-label={`Value: ${told}`} onKeyDown={onEscape(end)}>
            <ValueEditor
              value={value}
              label={told}
              text
              autoFocus
              onChange={(to, why) => {
                setValue(to);
                setProblem(why);
              }}
              onSubmit={done}
            />
            {problem !== null && <p className={classes["problem"]}>{problem}</p>}
            <Group gap={6} mt={6}>
              <Button disabled={problem !== null} onClick={done}>
                Keep
              </Button>
              <Button variant="subtle" color="gray" onClick={end}>
                Cancel
              </Button>
            </Group>
          </div>
        ) : (
          <pre className={classes["value"]}>{soleText(edit.value) ?? plainText(untyped(edit.value))}</pre>
        ))}
      {refusal !== null && (
        <p role="alert" className={classes["problem"]}>
          {refusal}
        </p>
      )}
    </article>
  );
}
