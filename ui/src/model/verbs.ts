/** What a person can do about a record: change it and go on, go back to it, try it again, try it several times. */

import type { ForkRequest } from "@/api/schema";

import { NONE, type Outline } from "./outline";
import { type Change, changesOf, startOf } from "./telling";

/** How often *Try n times* tries. */
export const TRIES = 5;

export interface RecordVerb {
  id: "change" | "back" | "again" | "times";
  label: string;
  /** The key that does it to the selected record. */
  key: string;
  about: string;
}

export const RECORD_VERBS: { readonly [id in RecordVerb["id"]]: RecordVerb } = {
  change: { id: "change", label: "Change and go on", key: "E", about: "Say something else here, and go on from there" },
  back: {
    id: "back",
    label: "Go back to here",
    key: "B",
    about: "A fork that is held right before this record: step on from there",
  },
  again: { id: "again", label: "Try again", key: "T", about: "Execute this afresh in a fork, and go on" },
  times: {
    id: "times",
    label: `Try ${TRIES} times`,
    key: "N",
    about: `${TRIES} forks that execute this afresh, and how they come out`,
  },
};

/** The verbs that a record offers, the one that most people want first: what failed is tried again. */
export function verbsOf(outline: Outline, seq: number): RecordVerb[] {
  const { change, back, again, times } = RECORD_VERBS;
  const kind = outline.kind(seq);
  if (kind === "run_started" || kind === "run_ended") return [];
  const changes = changesOf(outline, seq).length > 0 ? [change] : [];
  const trying = retry(outline, seq) === null ? [] : [again, times];
  return outline.has(seq, "failed") ? [...trying, ...changes, back] : [...changes, back, ...trying];
}

/**
 * A fork that executes the invocation of a record afresh; null where there is none that could be.  Of an agent or a step
 * everything from its start on is: what it is made of is asked anew.
 */
export function retry(outline: Outline, seq: number): ForkRequest | null {
  const start = startOf(outline, seq);
  if (start === NONE) return null;
  const call = outline.call(start);
  if (call === "flow" || call === null) return null;
  if (call === "model" || call === "tool") return { at: start, edits: [{ op: "execute", seq: start }] };
  return { at: start, reuse: "prefix" };
}

/** The change that *Change and go on* begins with. */
export function firstChange(outline: Outline, seq: number): Change | undefined {
  return changesOf(outline, seq)[0];
}
