/** What one record says, what it belongs to, and what can be changed about it. */

import { Anchor, Button, Group, Skeleton } from "@mantine/core";
import { type ReactNode, useRef } from "react";

import type { Code, StateRestored } from "@/api/schema";
import type { LogRecord } from "@/api/types";
import { BodyView } from "@/kit/body/BodyView";
import { TextDiff } from "@/kit/diff/TextDiff";
import { duration, money } from "@/kit/words";
import { ASPECT_NAMES } from "@/model/aspects";
import { shortName } from "@/model/names";
import { NONE, type Outline } from "@/model/outline";
import { clockOf, endsOf, letterOf } from "@/model/rows";
import { soleText } from "@/model/body";
import { changesOf, startOf, tell, waiter } from "@/model/telling";
import { verbsOf } from "@/model/verbs";
import { useBody, useTold } from "@/state/bodies";
import { useCode } from "@/state/code";
import { beginEdit, useBegun } from "@/state/editing";
import { useOfOutline } from "@/state/following";
import { useRecord } from "@/state/run";
import { SourceLink } from "@/kit/SourceLink";
import { ASPECT_ICONS, UnknownIcon, VERB_ICONS } from "@/views/records/icons";
import { Origins } from "@/views/why/Origins";
import { useWorkspace } from "@/views/workspace/context";

import { ChangeEditor } from "./ChangeEditor";
import classes from "./Details.module.css";
import { NewRemark, Remarks } from "./Remarks";
import { useRecordVerb } from "./useRecordVerb";

export function RecordDetails({ seq }: { seq: number }) {
  const { id, run, view } = useWorkspace();
  const { outline } = view;
  const says = useRef<HTMLDivElement>(null);
  const begun = useBegun(id, seq);
  const record = useRecord(run, seq);
  const told = tell(outline, seq, letterOf(outline, seq));
  const changes = changesOf(outline, seq);
  const changing = begun?.open ? changes.find(({ op }) => op === begun.op) : undefined;
  const Icon = ASPECT_ICONS[told.aspect] ?? UnknownIcon;
  return (
    <article className={classes["details"]} aria-label={`Record ${seq}`}>
      <header className={classes["head"]}>
        <Icon size={18} stroke={1.7} aria-label={ASPECT_NAMES[told.aspect] ?? told.aspect} />
        <h2 className={classes["title"]}>
          {shortName(told.who)}
          {told.to.length > 0 && <> → {told.to.map(shortName).join(", ")}</>}
          {told.verb !== "" && <span className={classes["verb"]}> {told.verb}</span>}
        </h2>
        <span className={classes["number"]}>#{seq}</span>
      </header>
      {changing === undefined ? (
        <Actions seq={seq} />
      ) : (
        <ChangeEditor key={`${changing.op} ${seq}`} seq={seq} change={changing} />
      )}
      <Remarks run={id} seq={seq} />
      <div ref={says}>{record === undefined ? <Skeleton height={90} /> : <Says record={record} />}</div>
      <Origins key={seq} seq={seq} says={says} />
      <Facts seq={seq} record={record} />
      <NewRemark run={id} seq={seq} />
    </article>
  );
}

function Actions({ seq }: { seq: number }) {
  const { id, view } = useWorkspace();
  const doVerb = useRecordVerb();
  const imported = view.info?.imported === true;
  const changes = changesOf(view.outline, seq);
  if (imported)
    return <p className="quiet">This is an imported log: it can be read, searched, compared and annotated, not run.</p>;
  return (
    <Group gap={6} mb={12}>
      {verbsOf(view.outline, seq).map((verb, n) => {
        const variant = n === 0 ? "light" : "default";
        const Icon = VERB_ICONS[verb.id];
        return verb.id === "change" ? (
          changes.map((change, nth) => (
            <Button
              key={change.op}
              variant={nth === 0 ? variant : "default"}
              leftSection={<Icon size={14} />}
              title={nth === 0 ? `${verb.about} (${verb.key})` : verb.about}
              onClick={() => beginEdit(id, seq, change.op)}
            >
              {change.label}
            </Button>
          ))
        ) : (
          <Button
            key={verb.id}
            variant={variant}
            leftSection={<Icon size={14} />}
            title={`${verb.about} (${verb.key})`}
            onClick={() => void doVerb(verb.id, seq)}
          >
            {verb.label}
          </Button>
        );
      })}
    </Group>
  );
}

/** The bodies of a record, each under what it is. */
function Says({ record }: { record: LogRecord }) {
  const { view } = useWorkspace();
  const { outline } = view;
  switch (record.kind) {
    case "invocation_started":
      return (
        <>
          <OneBody hash={record.hash} label="Input" />
          <Result seq={record.seq} />
        </>
      );
    case "invocation_ended":
      return (
        <>
          <OneBody hash={record.hash} label={record.failed ? "Error" : "Output"} />
          {record.changes && <OneBody hash={record.changes} label="What it read and changed" />}
          <Input seq={startOf(outline, record.seq)} />
        </>
      );
    case "message_queued":
      return <OneBody hash={record.hash} label="Message" />;
    case "edited":
      return <Edited hash={record.hash} was={record.was} />;
    case "run_started":
      return <OneBody hash={record.hash} label="Input of the run" />;
    case "run_ended":
      return <OneBody hash={record.hash} label={record.status === "failed" ? "Error" : "Output of the run"} />;
    case "config_set":
      return <OneBody hash={record.hash} label={`New value of ${record.key ?? "the setting"}`} />;
    case "value_read":
      return waiter(record.source ?? "") === undefined ? (
        <BodyView value={record.value} label={`Read from ${record.source ?? "the program"}`} />
      ) : (
        <BodyView value={record.value} label="Seconds that were waited, and the numbers of the timers" />
      );
    case "state_restored":
      return <Restored record={record} />;
    case "noted":
    case "span_started":
    case "span_ended":
    case "stream_chunk":
    case "message_dropped":
    case "message_moved":
      return record.hash ? <OneBody hash={record.hash} label="What it says" /> : null;
  }
}

const RESTORED = {
  loaded: "What was saved of it is loaded",
  repeated: "An earlier call is executed again",
  skipped: "An earlier call is left out",
} as const;

/** A step that brought a state outside the process to where the record left it. */
function Restored({ record }: { record: StateRestored }) {
  const same = record.same !== false;
  return (
    <>
      <p>
        {RESTORED[record.how ?? "repeated"]}: {record.component}, record {record.invocation} (step {record.number ?? 1}{" "}
        of {record.total ?? 1}).
      </p>
      {!same && <p className={classes["error"]}>This differs from the record. {record.reason}</p>}
      {record.hash && !same && <OneBody hash={record.hash} label="What it gave now" />}
      {record.was && <OneBody hash={record.was} label="What is recorded" />}
    </>
  );
}

function OneBody({ hash, label }: { hash: string | null | undefined; label: string }) {
  const { data, error, isPlaceholderData } = useTold(hash);
  if (!hash) return <BodyView value={null} label={label} />;
  if (error) return <p className={classes["error"]}>{error.message}</p>;
  if (data === undefined || isPlaceholderData) return <Skeleton height={60} mb={8} />;
  return <BodyView value={data.value} label={label} thought={data.thought} said={data.said} />;
}

/** How an invocation came back, below what it was given. */
function Result({ seq }: { seq: number }) {
  const { run, view, select } = useWorkspace();
  const ends = useOfOutline(view.outline, endsOf);
  const end = ends[seq] ?? 0;
  const record = useRecord(run, end > 0 ? end : undefined);
  if (end === 0) return <p className="quiet">It has not come back{view.info?.live ? " yet" : ""}.</p>;
  if (record?.kind !== "invocation_ended") return null;
  return (
    <>
      <OneBody hash={record.hash} label={record.failed ? "Error" : "Output"} />
      <Anchor component="button" size="sm" onClick={() => select(end)}>
        Result #{end}
      </Anchor>
    </>
  );
}

function Input({ seq }: { seq: number }) {
  const { run } = useWorkspace();
  const record = useRecord(run, seq === NONE ? undefined : seq);
  return record?.hash ? <OneBody hash={record.hash} label="Input" /> : null;
}

/** What an edit replaced, and by what. */
function Edited({ hash, was }: { hash: string | null | undefined; was: string | null | undefined }) {
  const after = useBody(hash);
  const before = useBody(was);
  if (!was) return <OneBody hash={hash} label="What it says now" />;
  if (after.data === undefined || before.data === undefined) return <Skeleton height={60} />;
  return <TextDiff before={asText(before.data)} after={asText(after.data)} labels={["Before", "After"]} />;
}

function asText(value: unknown): string {
  return soleText(value) ?? JSON.stringify(value, null, 2) ?? "";
}

function Facts({ seq, record }: { seq: number; record: LogRecord | undefined }) {
  const { view, select, go } = useWorkspace();
  const { outline } = view;
  const hands = outline.doneTo(seq);
  const { id, run } = useWorkspace();
  const start = startOf(outline, seq);
  const started = useRecord(run, start === NONE ? undefined : start);
  const code = useCode(id, view.info?.live ?? false);
  const facts: [string, ReactNode][] = [];
  const link = (to: number) => (
    <Anchor component="button" size="sm" onClick={() => select(to)}>
      #{to} {shortName(outline.component(to))}
    </Anchor>
  );
  const component = outline.component(seq);
  if (component !== "")
    facts.push([
      "Component",
      <Anchor key="c" component="button" size="sm" onClick={() => go({ component }, "push")}>
        {component}
      </Anchor>,
    ]);
  const type = outline.type(seq);
  if (type !== "") facts.push(["Type", type]);
  for (const [name, label] of [
    ["parent", "Inside"],
    ["message", "Message"],
  ] as const) {
    const to = outline.reference(seq, name);
    if (to !== NONE) facts.push([label, link(to)]);
  }
  const causes = record?.caused_by ?? [];
  if (causes.length > 0)
    facts.push(["Caused by", causes.slice(0, 12).map((cause) => <span key={cause}>{link(cause)} </span>)]);
  if (record?.kind === "invocation_ended") {
    const { how = "executed", seconds = 0, tokens_in = 0, tokens_out = 0, cost = 0 } = record;
    // A log of another program may not tell how long something took.
    if (seconds > 0 || view.info?.imported !== true) facts.push(["Took", `${duration(seconds)}${HOW[how] ?? ""}`]);
    if (tokens_in + tokens_out > 0)
      facts.push(["Tokens", `${tokens_in.toLocaleString("en")} in, ${tokens_out.toLocaleString("en")} out`]);
    if (cost > 0) facts.push(["Cost", money(cost)]);
  }
  if (hands.length > 0)
    facts.push([
      "Then",
      hands.map((hand) => (
        <Anchor key={hand} component="button" size="sm" onClick={() => select(hand)}>
          #{hand} {tell(outline, hand).verb}{" "}
        </Anchor>
      )),
    ]);
  if (started?.kind === "invocation_started" && (started.functions ?? []).length > 0)
    facts.push(["Source", <Source key="s" functions={started.functions ?? []} component={component} code={code} />]);
  const prompt = code?.prompts.find((one) => one.component === component);
  if (code !== null && prompt !== undefined)
    facts.push([
      "Prompt",
      <span key="p">
        <b>changed since {code.run}</b> in <SourceLink path={`${code.folder}/${prompt.file}`}>{prompt.file}</SourceLink>
        : “{prompt.now}”
      </span>,
    ]);
  if (record?.kind === "invocation_started" && record.effects) facts.push(["Effects", record.effects]);
  if (view.info?.timed !== false) facts.push(["Time", timeOf(outline, seq, view.info?.cut ?? null)]);
  return (
    <dl className={classes["facts"]}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SourceProps {
  /** Each as path:qualname. */
  functions: readonly string[];
  component: string;
  code: Code | null;
}

/** The program's own functions that a call executes, and whether they are others now. */
function Source({ functions, component, code }: SourceProps) {
  const renewed = code?.renewed.some((one) => one.component === component) === true;
  return (
    <>
      {functions.map((told) => {
        const [path = "", name = ""] = splitLast(told);
        return (
          <span key={told}>
            <SourceLink path={code === null ? path : `${code.folder}/${path}`}>{path}</SourceLink>{" "}
            <span className="mono">{name}</span>{" "}
          </span>
        );
      })}
      {renewed && <b>changed since {code.run}</b>}
    </>
  );
}

function splitLast(told: string): [string, string] {
  const colon = told.lastIndexOf(":");
  return [told.slice(0, colon), told.slice(colon + 1)];
}

const HOW: { [how: string]: string } = {
  reused: ", when it was executed; served from the record here",
  mocked: ", given by you instead of executing it",
  dropped: ", left out",
};

/** When it was, and how long after the start, without the time that a person took to make the fork. */
function timeOf(outline: Outline, seq: number, cut: number | null): string {
  const at = new Date(outline.at(seq));
  const since = clockOf(outline, cut)(seq) / 1000;
  return `${at.toLocaleTimeString("en-GB")}.${String(at.getMilliseconds()).padStart(3, "0")}, ${duration(since)} after the start`;
}
