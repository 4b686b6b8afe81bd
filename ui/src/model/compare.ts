/**
 * How two runs differ, as a list to read: one entry for a message that several got, what only keeps a framework going left
 * out, and what is alike in between as a number.
 */

import type { Difference, Glance, Item, Pair } from "@/api/schema";

import { ownerOf } from "./names";

/** What differs of the same message or invocation in two runs. */
export type What = "message" | "input" | "output" | "error" | "only here" | "only there";

export interface Change {
  key: string;
  change: Pair["change"];
  kind: string;
  /** Who sends or is invoked. */
  component: string;
  recipients: readonly string[];
  type: string;
  a: Item | null;
  b: Item | null;
  what: readonly What[];
  /** It only passes on what another entry says. */
  plumbing: boolean;
  /** Pairs before it, since the one before, that are the same. */
  alike: number;
}

/** A difference, or how many pairs in a line are alike: those from number `from` of all that are. */
export type Entry = { form: "change"; change: Change } | { form: "alike"; alike: number; from: number };

const ARROW = " -> ";

/** Whether a record of one of the two runs has a body that says something; true where that is not known. */
export type Says = (side: "a" | "b", seq: number) => boolean;

/** All differences, in order; one that was sent to several in a line is one. */
export function changesOf(difference: Pick<Difference, "changes">, says: Says = () => true): Change[] {
  const changes: Change[] = [];
  for (const pair of difference.changes) {
    const item = pair.b ?? pair.a;
    if (item === null) continue;
    const [component = "", recipient] = item.component.split(ARROW);
    const last = changes.at(-1);
    if (last && recipient !== undefined && pair.alike === 0 && sameLetter(last, pair, component)) {
      changes[changes.length - 1] = { ...last, recipients: [...last.recipients, recipient] };
      continue;
    }
    changes.push({
      key: `${pair.a?.seq ?? ""}-${pair.b?.seq ?? ""}`,
      change: pair.change,
      kind: item.kind,
      component,
      recipients: recipient === undefined ? [] : [recipient],
      type: item.type,
      a: pair.a,
      b: pair.b,
      what: whatOf(pair),
      plumbing: isPlumbing(pair, recipient, says),
      alike: pair.alike,
    });
  }
  return changes;
}

function sameLetter(last: Change, pair: Pair, component: string): boolean {
  return (
    last.kind === "message" &&
    last.change === pair.change &&
    last.component === component &&
    last.a?.body === pair.a?.body &&
    last.b?.body === pair.b?.body
  );
}

function whatOf({ a, b }: Pair): What[] {
  if (a === null) return ["only there"];
  if (b === null) return ["only here"];
  if (a.kind === "message") return ["message"];
  const what: What[] = [];
  if (a.digest !== b.digest) what.push("input");
  if (a.failed || b.failed) what.push("error");
  else if (a.output !== b.output) what.push("output");
  return what;
}

/** Messages that say nothing, deliveries of one that is listed itself, and what is repeated to a framework's output. */
function isPlumbing({ a, b }: Pair, recipient: string | undefined, says: Says): boolean {
  const items = [a, b].filter((item) => item !== null);
  const silent = (a === null || !says("a", a.seq)) && (b === null || !says("b", b.seq));
  if (recipient !== undefined) return silent || recipient.endsWith("/output");
  const delivered = items.every((item) => item.kind === "agent" && item.type !== "" && !item.failed);
  return delivered && (a === null || b === null || a.output === b.output);
}

/** The hash of what is compared on the line of a difference: of a tool what it was asked, of a model what it said. */
export function comparedOf({ what, kind }: Pick<Change, "what" | "kind">, item: Item | null): string | null {
  if (item === null) return null;
  const result = what.includes("output") || what.includes("error");
  const asked = !result || (kind !== "model" && what.includes("input")) || !item.output;
  return asked ? (item.body ?? item.output) : item.output;
}

/** Two values at a glance, as what differs of them: what was said, else what was thought; null where neither does. */
export interface Differing {
  thought: boolean;
  before: string;
  after: string;
}

export function differingAtAGlance(before: Glance, after: Glance): Differing | null {
  if (before.text !== after.text) return { thought: false, before: before.text, after: after.text };
  if (before.thought !== after.thought) return { thought: true, before: before.thought, after: after.thought };
  return null;
}

/** The list to show: the differences of some components, and what is alike between them. */
export function entriesOf(
  changes: readonly Change[],
  same: number,
  shown: { plumbing: boolean; component: string | null },
): Entry[] {
  const entries: Entry[] = [];
  let alike = 0;
  let told = 0;
  const fold = () => {
    if (alike > 0) entries.push({ form: "alike", alike, from: told - alike });
    alike = 0;
  };
  for (const change of changes) {
    alike += change.alike;
    told += change.alike;
    if (change.plumbing && !shown.plumbing) continue;
    if (shown.component !== null && ownerOf(change.component) !== shown.component) continue;
    fold();
    entries.push({ form: "change", change });
  }
  alike += same - told;
  told = same;
  fold();
  return entries;
}

/** How many differences each component has, the most first. */
export function componentsOf(changes: readonly Change[], plumbing: boolean): { component: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const change of changes) {
    if (change.plumbing && !plumbing) continue;
    const owner = ownerOf(change.component);
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return [...counts]
    .map(([component, count]) => ({ component, count }))
    .toSorted((a, b) => b.count - a.count || a.component.localeCompare(b.component, "en"));
}

/** One figure of two runs. */
export interface Figure {
  name: string;
  a: number | null;
  b: number | null;
  form: "number" | "seconds" | "dollars";
}

type Ran = Difference["a"];

/** What the figures count as served; an agent's turn consists of these. */
const SERVED = ["model", "tool", "step", "task"] as const;
const GIVEN = [...SERVED, "agent"] as const;
const callsOf = (of: Ran, kind: "model" | "tool") => of.executed?.[kind] ?? 0;
const sumOf = (of: Ran, how: "reused" | "mocked", kinds: readonly (typeof GIVEN)[number][]) =>
  kinds.reduce((all, kind) => all + (of[how]?.[kind] ?? 0), 0);

/** What became of an invocation other than being executed, as the figures of its run count it; empty where that is nothing. */
export function fateOf({ kind, how, ended }: Pick<Item, "kind" | "how" | "ended">, cut: number): string {
  const served = how === "reused" || (ended > 0 && ended < cut);
  if (served) return SERVED.some((counted) => counted === kind) ? "served" : "";
  if (how === "mocked") return "given by you";
  return how === "dropped" ? "dropped" : "";
}

/** What the two runs did, in figures; those that are nothing in both are left out. */
export function figuresOf({ a, b }: Pick<Difference, "a" | "b">): Figure[] {
  const figure = (name: string, of: (run: Ran) => number | null, form: Figure["form"] = "number") => ({
    name,
    a: of(a),
    b: of(b),
    form,
  });
  const figures = [
    figure("Model calls", (run) => callsOf(run, "model")),
    figure("Tool calls", (run) => callsOf(run, "tool")),
    figure("Served", (run) => sumOf(run, "reused", SERVED)),
    figure("Given by you", (run) => sumOf(run, "mocked", GIVEN)),
    figure("Tokens in", (run) => run.tokens?.input ?? 0),
    figure("Tokens out", (run) => run.tokens?.output ?? 0),
    figure("Cost", (run) => run.cost ?? 0, "dollars"),
    figure("Time in calls", (run) => run.seconds ?? 0, "seconds"),
    figure("Records", (run) => run.records),
  ];
  return figures.filter(({ a, b }) => a !== 0 || b !== 0);
}

/** The change from one figure to another in hundredths, or null where there is nothing to start from. */
export function percentOf(before: number, after: number): number | null {
  return before === 0 ? null : Math.round(((after - before) / before) * 100);
}

/** The two ends of a comparison: the earlier run first, whichever of the two one is at. */
export function endsOf(
  own: { run: string; created: number },
  other: { run: string; created: number },
): [string, string] {
  return other.created < own.created ? [other.run, own.run] : [own.run, other.run];
}
