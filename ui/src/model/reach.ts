/** What a fork will execute and what it takes from the record, in words, before it is made. */

import type { CallReach, Edit } from "@/api/schema";
import { money } from "@/kit/words";

import type { Outline } from "./outline";

/** More places than this are not asked about for one change. */
const MOST = 8;

/**
 * The records whose reach is that of these changes: an output's is its end.  Null where one of them cannot be told before
 * it is made.
 *
 * @param ends the end of each invocation by its start, as `endsOf` gives it
 */
export function reachedBy(outline: Outline, ends: ArrayLike<number>, edits: readonly Edit[]): number[] | null {
  const found = new Set<number>();
  for (const { op, seq, component, occurrence } of edits) {
    if (op === "inject" || op === "set_config") return null;
    const isInput = op === "replace_message" || op === "replace_input";
    const starts = typeof seq === "number" ? [seq] : startsOf(outline, component ?? "", occurrence ?? null);
    if (starts === null) return null;
    for (const start of starts) found.add(isInput ? start : (ends[start] ?? 0) || start);
  }
  return [...found].toSorted((a, b) => a - b);
}

function startsOf(outline: Outline, component: string, occurrence: number | null): number[] | null {
  const found: number[] = [];
  for (let seq = 0; seq < outline.length; seq++)
    if (outline.kind(seq) === "invocation_started" && outline.component(seq) === component) found.push(seq);
  const meant = occurrence === null ? found : found.slice(occurrence - 1, occurrence);
  return meant.length > MOST ? null : meant;
}

/** About: what is asked anew may be answered by calls that the record does not know. */
export function tellReach(reach: CallReach | null): string {
  if (reach === null) return "";
  const { all, could, tokens, cost } = reach;
  const calls = `${could} ${could === 1 ? "call" : "calls"}`;
  const spent = [
    tokens.in + tokens.out > 0 ? `${(tokens.in + tokens.out).toLocaleString("en")} tokens` : "",
    money(cost),
  ];
  const known = spent.filter(Boolean).join(", ");
  const rest = all - could;
  const took = known && ` (here they took ${known})`;
  return `About ${calls} will be executed, as far as the record tells${took}; ${rest} ${rest === 1 ? "comes" : "come"} from the record.`;
}
