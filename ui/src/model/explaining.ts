/** Why a run came out wrong, in words. */

import type { Explanation, PathStep } from "@/api/schema";
import { count } from "@/kit/words";

/** Steps before the first that says the wrong thing that are shown at once. */
export const NEAR = 4;

const ORIGINS: { [origin in NonNullable<Explanation["origin"]>]: string } = {
  input: "it came with the input",
  tool: "a tool gave it",
  person: "a person gave it",
  model: "a model said it first",
  agent: "the log does not tell from what",
  program: "the program's own code made it",
  error: "the error came up there",
};

export function tellOrigin(origin: Explanation["origin"]): string {
  return origin === null ? "" : ORIGINS[origin];
}

/** Steps that passed the wrong thing on which are always shown: the last ones. */
export const LAST = 2;
/** Others that are shown before the rest is folded. */
const PASSING = 3;

/** `earlier` and `between` are folded; `again` is told by the step before it, of the same component. */
export type Part = "earlier" | "led" | "first" | "between" | "passed" | "again";

/**
 * What each step of the path is: far before the wrong thing, what led to it, its first saying, and who passed it on, the
 * last ones in any case.
 */
export function partsOf({ path, first }: Explanation): Part[] {
  const at = first === null ? path.length : path.findIndex(({ seq }) => seq >= first);
  const until = at < 0 ? path.length : at;
  let passing = 0;
  return path.map(({ seq, component }, n) => {
    if (seq === first) return "first";
    if (n < until) return n < until - NEAR ? "earlier" : "led";
    if (n >= path.length - LAST) return "passed";
    if (n > until && path[n - 1]?.component === component) return "again";
    return ++passing > PASSING ? "between" : "passed";
  });
}

/** The steps in which the component of a step says it again, right after it. */
export function againAfter(parts: readonly Part[], path: readonly PathStep[], n: number): number[] {
  const seqs: number[] = [];
  for (let at = n + 1; parts[at] === "again"; at++) seqs.push(path[at]?.seq ?? 0);
  return seqs;
}

/** What the component did there. */
export function tellStep({ kind, call, says }: PathStep): string {
  switch (kind) {
    case "run_started":
      return "the input";
    case "run_ended":
      return "the answer";
    case "message_queued":
      return "said";
    case "invocation_started":
      return "was asked";
    case "invocation_ended":
      if (says) return call === "model" ? "said" : "gave";
      return call === "model" ? "decided" : "gave";
    default:
      return kind.replaceAll("_", " ");
  }
}

/** The record at which a change is tried first: the last decision before the wrong thing was said. */
export function turningPoint({ path, first }: Explanation): number | null {
  const before = path.filter(({ seq, kind, call }) => {
    const decides = kind === "message_queued" || (kind === "invocation_ended" && call === "model");
    return decides && (first === null || seq <= first);
  });
  return before.at(-1)?.seq ?? null;
}

/** A piece of a sentence; one with a number is a link to that record. */
export interface Piece {
  text: string;
  seq?: number;
}

/** Why a fork that was changed is wrong all the same, as far as it is known: how far the change went. */
export function tellUse({ change, said, first }: Explanation, parent: string): Piece[] {
  if (change === null) return [];
  const where = change.at === null ? "" : ` at #${change.at} of ${parent}`;
  if (change.first === null)
    return [
      { text: `The change${where} made no difference: no later call was asked anything else than in ${parent}.` },
    ];
  const used: Piece[] = [
    { text: `The change${where} was used by ${count(change.calls, "call")}, first ` },
    { text: `#${change.first}`, seq: change.first },
  ];
  if (said === null) return [...used, { text: "." }];
  if (change.again !== null)
    return [
      ...used,
      { text: "; " },
      { text: `#${change.again}`, seq: change.again },
      { text: ` said ${said} all the same.` },
    ];
  return first === null || first >= change.first
    ? [...used, { text: "." }]
    : [...used, { text: `; ${said} was there before it.` }];
}
