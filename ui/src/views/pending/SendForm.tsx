/** A new message: to a component or a topic, of a type that it accepts; in a fork, where the run has ended. */

import { Autocomplete, Button, NativeSelect, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";

import type { Edit } from "@/api/schema";
import { onEscape } from "@/kit/escape";
import { ValueEditor } from "@/kit/ValueEditor";
import { oneLine } from "@/kit/words";
import { messageTypes } from "@/model/components";
import { shortName } from "@/model/names";
import { initialOf, isFields, propertiesOf, resolved, type Schema } from "@/model/schema";
import { fork, sendMessage } from "@/state/commands";
import { useComponents } from "@/state/components";
import { useDrafts } from "@/state/drafts";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Pending.module.css";

export function SendForm({ to, onClose }: { to: string; onClose: () => void }) {
  const { id, view, place, go } = useWorkspace();
  const navigate = useNavigate();
  const add = useDrafts((drafts) => drafts.add);
  const { nodes, byPath } = useComponents(id, view);
  const able = useMemo(() => {
    const told = nodes.filter((node) => messageTypes(node.told).length > 0);
    return told.length > 0 ? told : nodes.filter((node) => node.kind === "agent");
  }, [nodes]);
  const [component, setComponent] = useState(to);
  const types = messageTypes(byPath.get(component)?.told ?? null);
  const [asked, setAsked] = useState("");
  const known = types.find(([name]) => name === asked) ?? types[0];
  const type = known?.[0] ?? asked;
  const schema = known === undefined ? null : fromUser(known[1]);
  const [given, setGiven] = useState<{ type: string; value: unknown; problem: string | null } | null>(null);
  const first = firstOf(schema);
  const value = given?.type === type ? given.value : first;
  const problem = given?.type === type ? given.problem : null;
  const box = useRef<HTMLFormElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
    box.current?.querySelector("input")?.focus({ preventScroll: true });
  }, []);
  const [busy, setBusy] = useState(false);
  const live = view.info?.live === true;
  const at = place.at ?? view.outline.length;
  const missing = component.trim() === "" ? "Say to whom" : problem;
  const edit: Edit = { op: "inject", component, value, ...(type !== "" && { type }) };

  const send = async () => {
    if (missing !== null || busy) return;
    setBusy(true);
    const done = await sendMessage(id, { component, value, type });
    setBusy(false);
    if (!done) return;
    notifications.show({ message: `Sent to ${shortName(component)}`, autoClose: 3000 });
    onClose();
  };
  const forkHere = async () => {
    if (missing !== null || busy) return;
    setBusy(true);
    const made = await fork(id, { at, edits: [edit] });
    setBusy(false);
    if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
  };
  const collect = () => {
    add(id, edit, `Send to ${shortName(component)}: “${oneLine(saidBy(value), 60)}”`);
    onClose();
    go({ tray: true });
  };
  return (
    <form
      ref={box}
      className={classes["send"]}
      aria-label="Send a message"
      onKeyDown={onEscape(onClose)}
      onSubmit={(event) => {
        event.preventDefault();
        void (live ? send() : forkHere());
      }}
    >
      <Autocomplete
        label="To"
        size="xs"
        description="A component, or topic:NAME"
        classNames={{ description: "quiet" }}
        value={component}
        onChange={setComponent}
        data={able.map((node) => node.path)}
        mb={8}
      />
      {types.length > 0 ? (
        <NativeSelect
          label="Type"
          size="xs"
          mb={8}
          value={type}
          onChange={(event) => setAsked(event.currentTarget.value)}
          data={types.map(([name]) => name)}
        />
      ) : (
        <TextInput
          label="Type"
          size="xs"
          mb={8}
          placeholder="where there are several"
          value={asked}
          onChange={(event) => setAsked(event.currentTarget.value)}
        />
      )}
      <ValueEditor
        key={`${component} ${type}`}
        label="The message"
        text={takesText(schema)}
        schema={schema}
        value={value}
        onChange={(next, wrong) => setGiven({ type, value: next, problem: wrong })}
        onSubmit={() => void (live ? send() : forkHere())}
      />
      {problem !== null && (
        <div role="alert" className={classes["problem"]}>
          {problem}
        </div>
      )}
      <div className={classes["buttons"]} style={{ paddingInline: 0, paddingBottom: 0 }}>
        <Button type="submit" loading={busy} disabled={missing !== null} title={missing ?? ""}>
          {live ? "Send" : `Fork from ${at === view.outline.length ? "the end" : `#${at}`} with it`}
        </Button>
        {!live && (
          <Button variant="default" disabled={missing !== null} onClick={collect}>
            Add to changes
          </Button>
        )}
        <Button variant="subtle" color="gray" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** The schema of a message that comes from the user where nothing else is said. */
function fromUser(schema: Schema): Schema {
  const properties = schema["properties"];
  const source = isFields(properties) ? properties["source"] : null;
  if (!isFields(properties) || !isFields(source) || source["type"] !== "string") return schema;
  return { ...schema, properties: { ...properties, source: { default: "user", ...source } } };
}

/** Whether a text may stand for such a message: its content is one, or nothing is known about it. */
function takesText(schema: Schema | null): boolean {
  if (schema === null) return true;
  const own = resolved(schema, schema).schema;
  return propertiesOf(own).some(
    (one) => one.name === "content" && resolved(one.schema, schema).schema["type"] === "string",
  );
}

function firstOf(schema: Schema | null): unknown {
  return takesText(schema) || schema === null ? "" : initialOf(schema);
}

function saidBy(value: unknown): string {
  if (typeof value === "string") return value;
  return isFields(value) && typeof value["content"] === "string" ? value["content"] : JSON.stringify(value);
}
