/** The messages that are queued, in the order of their delivery: changed, dropped, put elsewhere, or run up to. */

import { ActionIcon, Button, Menu } from "@mantine/core";
import {
  IconArrowBarToDown,
  IconArrowBarToUp,
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconGripVertical,
  IconPencil,
  IconPlayerTrackNext,
  IconTrash,
} from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import type { MessageQueued } from "@/api/schema";
import { onEscape } from "@/kit/escape";
import { ValueEditor } from "@/kit/ValueEditor";
import { oneLine } from "@/kit/words";
import { soleText, untyped } from "@/model/body";
import { shortName } from "@/model/names";
import { movedBefore } from "@/model/pending";
import { isFields, type Schema } from "@/model/schema";
import { dropMessage, editMessage, moveMessage, runTo } from "@/state/commands";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Pending.module.css";

export interface QueueProps {
  queued: readonly MessageQueued[];
  /** Messages whose delivery is what is held. */
  held: ReadonlySet<number>;
  schemaOf: (component: string, type: string) => Schema | null;
  onChanged: () => void;
}

export function Queue({ queued, held, schemaOf, onChanged }: QueueProps) {
  const { id } = useWorkspace();
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const order = queued.map((message) => message.seq);
  const move = async (seq: number, place: number) => {
    const before = movedBefore(order, seq, place);
    if (before === undefined) return;
    await moveMessage(id, seq, before);
    onChanged();
  };
  return (
    <ol className={classes["queue"]}>
      {queued.map((message, place) => (
        <li
          key={message.seq}
          className={classes["message"]}
          data-over={over === message.seq && dragged !== message.seq}
          onDragOver={(event) => {
            if (dragged === null) return;
            event.preventDefault();
            setOver(message.seq);
          }}
          onDrop={(event) => {
            event.preventDefault();
            if (dragged !== null) void move(dragged, place);
            setDragged(null);
            setOver(null);
          }}
        >
          <Message
            message={message}
            isHeld={held.has(message.seq)}
            schema={schemaOf(message.recipient ?? "", message.type ?? "")}
            first={place === 0}
            last={place === queued.length - 1}
            onMove={(to) => void move(message.seq, to === "first" ? 0 : to === "last" ? order.length : place + to)}
            onDrag={(on) => {
              setDragged(on ? message.seq : null);
              if (!on) setOver(null);
            }}
            onChanged={onChanged}
          />
        </li>
      ))}
    </ol>
  );
}

interface MessageProps {
  message: MessageQueued;
  isHeld: boolean;
  schema: Schema | null;
  first: boolean;
  last: boolean;
  onMove: (to: -1 | 1 | "first" | "last") => void;
  onDrag: (on: boolean) => void;
  onChanged: () => void;
}

function Message({ message, isHeld, schema, first, last, onMove, onDrag, onChanged }: MessageProps) {
  const { id, view, select } = useWorkspace();
  const [editing, setEditing] = useState(false);
  const { seq } = message;
  const body: unknown = message.body;
  const said =
    soleText(body) ?? (isFields(body) && Object.keys(body).length === 0 ? "" : JSON.stringify(untyped(body)));
  const name = `message ${seq} from ${shortName(message.component ?? "")} to ${shortName(message.recipient ?? "")}`;
  return (
    <>
      <div className={classes["line"]}>
        <button
          type="button"
          className={classes["grip"]}
          draggable={!isHeld}
          disabled={isHeld}
          aria-label={`Move ${name}: arrow keys, or drag`}
          title="Move it: arrow keys, or drag"
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = "move";
            event.dataTransfer.setData("text/plain", String(seq));
            onDrag(true);
          }}
          onDragEnd={() => onDrag(false)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
            event.preventDefault();
            onMove(event.key === "ArrowUp" ? -1 : 1);
          }}
        >
          <IconGripVertical size={14} />
        </button>
        <button type="button" className={classes["open"]} onClick={() => select(seq)}>
          <div>
            <b>{shortName(message.component ?? "")}</b> → <b>{shortName(message.recipient ?? "")}</b>{" "}
            <span className={classes["said"]}>
              #{seq}
              {isHeld && " · being delivered"}
              {message.injected && " · added"}
              {(message.edited || view.outline.has(seq, "edited")) && " · edited"}
              {message.type !== "" && ` · ${message.type}`}
            </span>
          </div>
          <div className={classes["said"]}>{oneLine(said ?? "", 200) || "says nothing"}</div>
        </button>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon size="sm" aria-label={`What to do with ${name}`} title="What to do with it">
              <IconDots size={15} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPlayerTrackNext size={14} />} onClick={() => void runTo(id, seq)}>
              Run to here
            </Menu.Item>
            <Menu.Item leftSection={<IconPencil size={14} />} disabled={isHeld} onClick={() => setEditing(true)}>
              Edit…
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<IconArrowUp size={14} />} disabled={first || isHeld} onClick={() => onMove(-1)}>
              Move up
            </Menu.Item>
            <Menu.Item leftSection={<IconArrowDown size={14} />} disabled={last || isHeld} onClick={() => onMove(1)}>
              Move down
            </Menu.Item>
            <Menu.Item
              leftSection={<IconArrowBarToUp size={14} />}
              disabled={first || isHeld}
              onClick={() => onMove("first")}
            >
              Make it the first
            </Menu.Item>
            <Menu.Item
              leftSection={<IconArrowBarToDown size={14} />}
              disabled={last || isHeld}
              onClick={() => onMove("last")}
            >
              Make it the last
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={14} />}
              disabled={isHeld}
              onClick={() => void dropMessage(id, seq).then(onChanged)}
            >
              Drop
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {editing && (
        <EditMessage
          value={body}
          label={`Content of ${name}`}
          schema={isFields(body) && "$type" in body ? null : schema}
          onSave={async (value) => {
            if (!(await editMessage(id, seq, value))) return;
            setEditing(false);
            onChanged();
          }}
          onCancel={() => setEditing(false)}
        />
      )}
    </>
  );
}

interface EditProps {
  value: unknown;
  label: string;
  schema: Schema | null;
  onSave: (value: unknown) => Promise<void>;
  onCancel: () => void;
}

function EditMessage({ value, label, schema, onSave, onCancel }: EditProps) {
  const [next, setNext] = useState(value);
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={box} role="group" aria-label={label} className={classes["editor"]} onKeyDown={onEscape(onCancel)}>
      <ValueEditor
        value={next}
        label={label}
        schema={schema}
        autoFocus
        onChange={(to, wrong) => {
          setNext(to);
          setProblem(wrong);
        }}
        onSubmit={() => problem === null && void onSave(next)}
      />
      {problem !== null && (
        <div role="alert" className={classes["problem"]}>
          {problem}
        </div>
      )}
      <div className={classes["buttons"]} style={{ paddingInline: 0 }}>
        <Button disabled={problem !== null} onClick={() => void onSave(next)}>
          Save
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
