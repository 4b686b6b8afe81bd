/** What a card says: the steps of a turn in lines, and its answer, out of the glances that have come. */

import type { Glance } from "@/api/schema";
import { oneLine } from "@/kit/words";
import { namesNext, onFewLines, withoutAnswer } from "@/model/gist";
import { shortName } from "@/model/names";
import { NONE, type Outline } from "@/model/outline";
import type { Part, Turns } from "@/model/turns";

export interface Step {
  kind: "thought" | "model" | "tool" | "said" | "note";
  /** The record that it is selected by. */
  seq: number;
  end: number;
  component: string;
  /** Whom something was said to. */
  to: string[];
  /** What went in, of a tool; what was thought or said. */
  text: string;
  result: string;
  failed: boolean;
  running: boolean;
}

export interface Answer {
  seq: number;
  glance: Glance;
}

/** Every record that a card looks at. */
export function recordsOfCard(turns: Turns, turn: number, most: number): number[] {
  const seqs = [turns.starts[turn] ?? NONE, turns.ends[turn] ?? NONE, turns.asked[turn] ?? NONE];
  for (const part of turns.partsOf(turn)) {
    if (seqs.length >= most) break;
    seqs.push(part.seq);
    if (part.end !== part.seq) seqs.push(part.end);
  }
  return [...new Set(seqs)].filter((seq) => seq !== NONE);
}

type Glances = (seq: number) => Glance | undefined;
/** What is new in what a record says at length. */
type Gists = (seq: number) => string | undefined;

/** What a turn answered: what it returned, else what it said last. */
export function answerIn(turns: Turns, turn: number, glances: Glances): Answer | null {
  const end = turns.ends[turn] ?? NONE;
  const returned = glances(end);
  if (returned?.form === "error") return { seq: end, glance: returned };
  const said = turns.partsOf(turn).findLast(({ kind }) => kind === "said");
  const spoken = said === undefined ? undefined : glances(said.seq);
  const says = returned !== undefined && returned.form !== "empty";
  if (said !== undefined && spoken !== undefined && (!says || isSame(spoken, returned)))
    return { seq: said.seq, glance: spoken };
  if (says) return { seq: end, glance: returned };
  return null;
}

/** Whether two records say the same, as far as glances tell. */
export function isSame(one: Glance, other: Glance | undefined): boolean {
  if (other === undefined) return false;
  const [first, second] = [oneLine(one.text, 200), oneLine(other.text, 200)];
  return first !== "" && (first === second || (first.length > 20 && second.includes(first)));
}

/** The steps of a turn that a card tells before it is opened. */
export function stepsOf(
  outline: Outline,
  turns: Turns,
  turn: number,
  glances: Glances,
  gists: Gists,
  answer: Answer | null,
  live: boolean,
): Step[] {
  const parts = turns.partsOf(turn);
  const said = parts.filter(({ kind }) => kind === "said").map(({ seq }) => glances(seq));
  const known = [...said, answer?.glance];
  const next = parts.filter(({ kind }) => kind === "said").flatMap((part) => recipientsOf(outline, part));
  const steps: Step[] = [];
  for (const part of parts) {
    if (part.kind === "turn" || part.seq === answer?.seq) continue;
    const more = stepsOfPart(outline, part, glances, gists, known, live && part.end === NONE);
    for (const step of more) {
      if (step.kind === "thought") step.text = withoutAnswer(step.text, answer?.glance.text ?? "");
      const told = step.kind === "thought" && (step.text === "" || namesNext(step.text, next));
      if (!told && !isRepeated(steps.at(-1), step)) steps.push(step);
    }
  }
  return steps;
}

function isRepeated(before: Step | undefined, step: Step): boolean {
  return before?.kind === "thought" && step.kind === "thought" && before.text === step.text;
}

function stepsOfPart(
  outline: Outline,
  part: Part,
  glances: Glances,
  gists: Gists,
  known: readonly (Glance | undefined)[],
  running: boolean,
): Step[] {
  const { seq, end } = part;
  const base = {
    seq,
    end,
    component: outline.component(seq),
    to: NOBODY,
    text: "",
    result: "",
    failed: false,
    running,
  };
  const begun = glances(seq);
  const back = end === NONE ? undefined : glances(end);
  const failed = outline.has(seq, "failed") || (end !== NONE && outline.has(end, "failed"));
  switch (part.kind) {
    case "note": {
      const text = gists(seq) ?? (begun?.thought || begun?.text || outline.type(seq));
      return [{ ...base, kind: failed || !isThought(outline, seq) ? "note" : "thought", text, failed }];
    }
    case "said":
      if (begun === undefined || begun.text === "") return [];
      return [{ ...base, kind: "said", text: gists(seq) ?? begun.text, to: recipientsOf(outline, part) }];
    case "tool":
      return [{ ...base, kind: "tool", text: begun?.text ?? "", result: gists(end) ?? back?.text ?? "", failed }];
    default: {
      const steps: Step[] = [];
      if (back?.thought) steps.push({ ...base, seq: end, kind: "thought", text: back.thought });
      const says = back !== undefined && back.calls === 0 && back.form !== "thought" && back.text !== "";
      if (failed || running || (says && !known.some((other) => other !== undefined && isSame(back, other))))
        steps.push({ ...base, kind: "model", text: gists(end) ?? back?.text ?? "", failed });
      return steps;
    }
  }
}

const NOBODY: string[] = [];

/** What a record says, on few lines: what is new in it where it says much. */
export function summaryOf(glance: Glance, gist: string | undefined): string {
  return plain(gist === undefined ? glance.text : onFewLines(gist));
}

/** Whom a message went to, each by its short name. */
export function recipientsOf(outline: Outline, part: Part): string[] {
  const paths = Array.from({ length: part.end - part.seq + 1 }, (_, n) => outline.recipient(part.seq + n));
  return [...new Set(paths)].map(shortName);
}

const THOUGHTS = /thought|think|reason|ledger|plan/i;

/** Whether a note is what somebody thought, and not a line of a log. */
export function isThought(outline: Outline, seq: number): boolean {
  return THOUGHTS.test(outline.type(seq));
}

/** Of many steps, the first ones and, after those that are left out, the last ones and what failed before them. */
export function fewOf(
  steps: readonly Step[],
  most: number,
): { first: readonly Step[]; left: number; last: readonly Step[] } {
  if (steps.length <= most) return { first: steps, left: 0, last: [] };
  const first = steps.slice(0, Math.ceil(most / 2));
  const tail = steps.length - (most - first.length);
  const last = steps.filter((step, n) => n >= tail || (n >= first.length && step.failed));
  return { first, left: steps.length - first.length - last.length, last };
}

/** A JSON object as names and values; null where it is something else, or only the beginning of one. */
export function fieldsOf(text: string): [string, string][] | null {
  if (!text.startsWith("{")) return null;
  try {
    const value = JSON.parse(text) as { [name: string]: unknown };
    return Object.entries(value).map(([name, item]) => [name, typeof item === "string" ? item : JSON.stringify(item)]);
  } catch {
    return null;
  }
}

/** What a glance says, an object as its names and values; one with a single member as that. */
export function inWords(glance: Glance): string {
  const told = glance.form === "json" ? fieldsOf(glance.text) : null;
  const [sole] = told ?? [];
  if (sole !== undefined && told?.length === 1) return plain(sole[1]);
  return told === null ? plain(glance.text) : told.map(([name, value]) => `${name}: ${value}`).join(", ");
}

/** A text without the marks of Markdown, for where it is shown on a few lines. */
export function plain(text: string): string {
  return text
    .replaceAll(/^\s*#{1,6}\s+/gm, "")
    .replaceAll(/^\s*```.*$\n?/gm, "")
    .replaceAll(/`([^`\n]+)`/g, "$1")
    .replaceAll(/\[([^\]\n]+)\]\([^)\s]+\)/g, "$1")
    .replaceAll(/(\*\*|__)(\S(?:.*?\S)?)\1/g, "$2")
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}
