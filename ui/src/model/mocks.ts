/** Changes and mocks in words, as a file, and what became of them in the fork that was made with them. */

import type { Edit, ForkRequest, Report } from "@/api/schema";
import { count } from "@/kit/words";

import { shortName } from "./names";
import { NONE, type Outline } from "./outline";

export type Reuse = NonNullable<ForkRequest["reuse"]>;
export type Repeat = NonNullable<ForkRequest["repeat"]>;

/** What is served from the record after the cut. */
export const REUSES: readonly { value: Reuse; label: string; about: string }[] = [
  {
    value: "matching",
    label: "What matches",
    about: "Whatever is asked the same is served; only what the changes touch is executed.",
  },
  {
    value: "prefix",
    label: "Up to the cut",
    about: "Everything after the cut is executed: fresh answers, at the full price.",
  },
  { value: "none", label: "Nothing", about: "All of it is executed again from the start, with the changes." },
];

/** What happens when a call with an effect would be made a second time. */
export const REPEATS: readonly { value: Repeat; label: string; about: string }[] = [
  { value: "ask", label: "Ask", about: "A call that may change something and was made before is held: you decide." },
  { value: "serve", label: "Serve", about: "It gets its recorded result and is not made again." },
  { value: "run", label: "Run", about: "It is made again." },
];

export const ANSWERS = ["mock_output", "raise", "drop", "execute"] as const;
export type Answer = (typeof ANSWERS)[number];
export const ANSWER_NAMES: { [answer in Answer]: string } = {
  mock_output: "returns",
  raise: "fails with",
  drop: "is left out",
  execute: "is executed in any case",
};

/** What an edit does, in words. */
export function tellMock(edit: Edit): string {
  const which = whichOf(edit);
  switch (edit.op) {
    case "replace_message":
      return `${which} says something else`;
    case "replace_input":
      return `${which} gets another input`;
    case "mock_output":
      return `${which} returns this`;
    case "raise":
      return `${which} fails with this`;
    case "drop":
      return `${which} is left out`;
    case "execute":
      return `${which} is executed in any case`;
    case "inject":
      return `A new message to ${shortName(edit.component ?? "")}`;
    case "set_config":
      return `${edit.key ?? "a setting"} of ${shortName(edit.component ?? "")}`;
  }
}

function whichOf({ op, seq, component, occurrence, where }: Edit): string {
  const name = component ? shortName(component) : "";
  if (seq !== null && seq !== undefined)
    return `${op === "replace_message" ? "Message " : ""}#${seq}${name && ` of ${name}`}`;
  const narrow = where === null || where === undefined ? "" : ", where the input fits,";
  return occurrence ? `Call ${occurrence} of ${name}${narrow}` : `Every call of ${name}${narrow}`;
}

/** Whether an edit has a value that can be changed. */
export function hasValue(edit: Edit): boolean {
  return edit.op !== "drop" && edit.op !== "execute";
}

/** The first record that edits change, where the fork is cut unless somebody says otherwise. */
export function cutOf(edits: readonly Edit[]): number | null {
  const named = edits.map(({ seq }) => seq).filter((seq): seq is number => seq !== null && seq !== undefined);
  return named.length > 0 ? Math.min(...named) : null;
}

/** Which edit a refusal of the server is about: the one whose record or component it names; else none. */
export function refusedBy(message: string, edits: readonly Edit[]): number {
  const records = [...message.matchAll(/\brecord (\d+)/g)].map(([, number]) => Number(number));
  const names = [...message.matchAll(/'([^']+)'/g)].map(([, name]) => name);
  return edits.findIndex(
    ({ seq, component, key }) =>
      (typeof seq === "number" && records.includes(seq)) ||
      (typeof seq !== "number" && (names.includes(component ?? "") || names.includes(key ?? ""))),
  );
}

/** The mocks among edits as a file that `--mocks` reads, and how many edits are none. */
export function mocksFile(
  edits: readonly Edit[],
  live: readonly string[],
): { document: { mocks: object[]; live?: (string | number)[] }; others: number } {
  const mocks: object[] = [];
  const executed: (string | number)[] = [...live];
  let others = 0;
  for (const { op, seq, component, call, occurrence, where, value } of edits) {
    if (op === "mock_output" || op === "raise") {
      const place =
        typeof seq === "number" ? { seq } : { [KINDS.has(call ?? "") ? (call ?? "") : "component"]: component };
      mocks.push({
        ...place,
        ...(where !== null && where !== undefined && { where }),
        ...(typeof seq !== "number" && occurrence && { nth: occurrence }),
        [op === "raise" ? "raise" : "output"]: value,
      });
    } else if (op === "execute" && typeof seq === "number") executed.push(seq);
    else if (op === "execute" && component && !occurrence) executed.push(component);
    else others++;
  }
  return { document: { mocks, ...(executed.length > 0 && { live: executed }) }, others };
}

const KINDS = new Set(["step", "task", "agent", "tool", "model"]);

/** Whether an edit can hold from the start of a run, where there are no records yet that it could name. */
export function holdsFromStart({ seq, op }: Edit): boolean {
  return (seq === null || seq === undefined) && op !== "inject" && op !== "set_config";
}

/** The components that were invoked, with what they are. */
export function invokedIn(outline: Outline): { component: string; call: string }[] {
  const found = new Map<number, string>();
  for (let seq = 0; seq < outline.length; seq++) {
    if (outline.kind(seq) !== "invocation_started") continue;
    const number = outline.componentNumber(seq);
    if (number !== NONE && !found.has(number)) found.set(number, outline.call(seq) ?? "");
  }
  return [...found]
    .map(([number, call]) => ({ component: outline.names[number] ?? "", call }))
    .toSorted((a, b) => a.component.localeCompare(b.component, "en"));
}

/** Where the last call of a component that did not fail has ended; none where there was none. */
export function lastResult(outline: Outline, component: string): number | null {
  return earlierResults(outline, component, 1)[0] ?? null;
}

/** Where the calls of a component that did not fail have ended, the last one first. */
export function earlierResults(outline: Outline, component: string, most: number): number[] {
  const found: number[] = [];
  for (let seq = outline.length - 1; seq >= 0 && found.length < most; seq--) {
    const ended = outline.kind(seq) === "invocation_ended" && !outline.has(seq, "failed");
    if (ended && outline.component(seq) === component) found.push(seq);
  }
  return found;
}

export type Fate = Report["lines"][number]["fate"];
export const FATES: readonly Fate[] = ["executed", "served", "mocked", "dropped", "running", "not reached"];

/** What a bar of a report counts, as in *27 agent turns executed*. */
const COUNTED: { [kind: string]: string } = {
  model: "model call",
  tool: "tool call",
  agent: "agent turn",
};

/** A bar in words: *27 agent turns executed, 38 served*. */
export function tellBar({ kind, parts }: Bar, live: boolean): string {
  return parts
    .map(({ fate, count: number }, n) => {
      const counted = n === 0 ? count(number, COUNTED[kind] ?? kind) : String(number);
      return `${counted} ${fateName(fate, live)}`;
    })
    .join(", ");
}

/** A fate in words: what had begun when its run ended goes on no more. */
export function fateName(fate: Fate, live: boolean): string {
  if (fate === "mocked") return "given by you";
  return fate === "running" && !live ? "not finished" : fate;
}

/** Invocations by what became of them, for each kind that there is. */
export interface Bar {
  kind: string;
  total: number;
  parts: { fate: Fate; count: number }[];
}

const ORDER = ["model", "tool", "step", "task", "agent", "flow"];

/** A bar for each kind of invocation, those that cost the most first. */
export function barsOf(counts: Report["counts"]): Bar[] {
  const bars = new Map<string, Bar>();
  for (const fate of FATES)
    for (const [kind, count] of Object.entries(counts[fate] ?? {})) {
      if (count === 0) continue;
      const bar = bars.get(kind) ?? { kind, total: 0, parts: [] };
      bar.total += count;
      bar.parts.push({ fate, count });
      bars.set(kind, bar);
    }
  return [...bars.values()].toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

/** The lines of a report that are looked for. */
export function linesOf(report: Report, fate: Fate | null, kind: string | null): Report["lines"] {
  return report.lines.filter((line) => (fate === null || line.fate === fate) && (kind === null || line.kind === kind));
}
