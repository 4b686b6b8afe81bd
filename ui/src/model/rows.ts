/**
 * The rows of a history: which records of a run are shown, how deep each lies, and what is folded away.
 *
 * A row is a record, or several in a line that say the same to several recipients.  What only keeps a framework going (empty
 * control messages, deliveries that led to nothing) is plumbing, and left out unless it is asked for.
 */

import { aspectOf } from "./aspects";
import { isControl, type RowChoice, rowTest } from "./row-choice";
import { isSameLetter, NONE, type Outline } from "./outline";
import type { Turns } from "./turns";

export interface Rows {
  length: number;
  /** How many records they were made of, those that are not shown included. */
  records: number;
  /** The record of each row; of several, the first. */
  seqs: Int32Array;
  /** How many records each row stands for. */
  counts: Int32Array;
  depths: Uint8Array;
  /** How many records are left out as plumbing. */
  plumbing: number;
}

const DEEPEST = 255;

/** The rows that a choice gives; with `calls`, an invocation's start stands for its end too, and for the message that it takes. */
export function rowsOf(outline: Outline, choice: RowChoice, turns: Turns, calls = false): Rows {
  const { length } = outline;
  const seqs = new Int32Array(length);
  const counts = new Int32Array(length);
  const depths = new Uint8Array(length);
  const inside = depthsOf(outline);
  const hidden = choice.folded.size > 0 ? hiddenIn(outline, choice.folded) : null;
  const plumbing = plumbingOf(outline);
  const told = calls ? toldByCalls(outline, plumbing, turns) : null;
  const shown = choice.components === null ? () => true : rowTest(outline, choice.components);
  let row = -1;
  let left = 0;
  let lastShown = NONE;
  for (let seq = 0; seq < length; seq++) {
    if (hidden?.[seq] || told?.[seq]) continue;
    if (!choice.aspects.has(aspectOf(outline, seq))) continue;
    if (choice.found !== null && !choice.found.has(seq) && !(calls && choice.found.has(turns.end(seq)))) continue;
    if (choice.errors && !outline.has(seq, "failed") && turns.errorsOf(seq) === 0) continue;
    if (choice.changes && !isChange(outline, seq, calls ? turns.end(seq) : NONE)) continue;
    if (!shown(seq)) continue;
    if (plumbing[seq]) {
      left++;
      if (!choice.plumbing && !choice.held.has(seq)) continue;
    }
    if (row >= 0 && lastShown === seq - 1 && isSameLetter(outline, seq)) {
      counts[row] = (counts[row] ?? 0) + 1;
    } else {
      row++;
      seqs[row] = seq;
      counts[row] = 1;
      depths[row] = inside[seq] ?? 0;
    }
    lastShown = seq;
  }
  const rows = row + 1;
  return {
    length: rows,
    records: length,
    seqs: seqs.subarray(0, rows),
    counts: counts.subarray(0, rows),
    depths: depths.subarray(0, rows),
    plumbing: left,
  };
}

/** The row that shows a record, or the last one before it. */
export function rowAt(rows: Rows, seq: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows.seqs[middle] ?? 0) <= seq) low = middle;
    else high = middle - 1;
  }
  return rows.length === 0 ? NONE : low;
}

/** Whether a row shows exactly this record, as its first or as one of several. */
export function showsAt(rows: Rows, row: number, seq: number): boolean {
  const first = rows.seqs[row];
  return first !== undefined && seq >= first && seq < first + (rows.counts[row] ?? 1);
}

/** How many invocations each record lies in. */
export function depthsOf(outline: Outline): Uint8Array {
  const depths = new Uint8Array(outline.length);
  for (let seq = 0; seq < outline.length; seq++) {
    const own = outline.kind(seq) === "invocation_ended" ? outline.reference(seq, "invocation") : NONE;
    if (own !== NONE) depths[seq] = depths[own] ?? 0;
    else {
      const parent = outline.reference(seq, "parent");
      if (parent !== NONE) depths[seq] = Math.min(DEEPEST, (depths[parent] ?? 0) + 1);
    }
  }
  return depths;
}

/** The record that an invocation ended with, by the record that it began with; 0 where it has not. */
export function endsOf(outline: Outline): Int32Array {
  const ends = new Int32Array(outline.length);
  for (let seq = 0; seq < outline.length; seq++) {
    if (outline.kind(seq) !== "invocation_ended") continue;
    const start = outline.reference(seq, "invocation");
    if (start !== NONE) ends[start] = seq;
  }
  return ends;
}

function hiddenIn(outline: Outline, folded: ReadonlySet<number>): Uint8Array {
  const hidden = new Uint8Array(outline.length);
  for (let seq = 0; seq < outline.length; seq++) {
    const own = outline.kind(seq) === "invocation_ended" ? outline.reference(seq, "invocation") : NONE;
    const around = own !== NONE ? own : outline.reference(seq, "parent");
    if (around !== NONE && (folded.has(around) || hidden[around])) hidden[seq] = 1;
  }
  return hidden;
}

/** How many records in a line say the same to several recipients, this one the first. */
export function letterOf(outline: Outline, seq: number): number {
  let count = 1;
  while (seq + count < outline.length && isSameLetter(outline, seq + count)) count++;
  return count;
}

/**
 * Which records only keep a framework going: messages without content, and deliveries of a message in which nothing
 * happened.  Whatever was held, edited or failed is never plumbing.
 */
export function plumbingOf(outline: Outline): Uint8Array {
  const { length } = outline;
  const plumbing = new Uint8Array(length);
  const busy = new Uint8Array(length);
  for (let seq = 0; seq < length; seq++) {
    const kind = outline.kind(seq);
    const parent = outline.reference(seq, "parent");
    if (parent !== NONE && kind !== "invocation_ended" && kind !== "stream_chunk") busy[parent] = 1;
    if (kind === "message_queued") plumbing[seq] = isControl(outline, seq) ? 1 : 0;
    if (kind !== "invocation_ended") continue;
    const start = outline.reference(seq, "invocation");
    if (start === NONE || outline.reference(start, "message") === NONE || outline.call(start) !== "agent") continue;
    const remarkable = ["failed", "edited", "mocked", "dropped"] as const;
    const quiet = outline.has(seq, "empty") && !remarkable.some((flag) => outline.has(seq, flag));
    if (!quiet || outline.has(start, "edited")) continue;
    plumbing[seq] = 1;
    if (!busy[start]) plumbing[start] = 1;
  }
  return plumbing;
}

/** Which records the rows of calls tell: ends of invocations, and messages that one of them takes. */
function toldByCalls(outline: Outline, plumbing: Uint8Array, turns: Turns): Uint8Array {
  const told = new Uint8Array(outline.length);
  for (let seq = 0; seq < outline.length; seq++) {
    if (outline.kind(seq) !== "invocation_started" || plumbing[seq]) continue;
    const end = turns.end(seq);
    if (end !== NONE) told[end] = 1;
    const message = outline.reference(seq, "message");
    const kept =
      message === NONE || CHANGED.some((flag) => outline.has(message, flag)) || outline.has(message, "by_user");
    if (kept || outline.has(message, "empty")) continue;
    told[message] = 1;
    for (let copy = message; copy > 0 && isSameLetter(outline, copy); copy--) told[copy - 1] = 1;
    for (let copy = message + 1; copy < outline.length && isSameLetter(outline, copy); copy++) told[copy] = 1;
  }
  return told;
}

const CHANGED = ["edited", "injected", "mocked", "dropped"] as const;

/** Whether something was changed by a record, or about it. */
function isChange(outline: Outline, seq: number, end: number): boolean {
  const kind = outline.kind(seq);
  if (kind === "edited" || kind === "config_set" || kind === "message_dropped" || kind === "message_moved") return true;
  return CHANGED.some((flag) => outline.has(seq, flag) || (end !== NONE && outline.has(end, flag)));
}

const CALLS_THAT_SPEAK = new Set(["model", "tool", "step", "task"]);

/** Whether a row is high enough for a few lines of what the record says: where that is new, and worth reading. */
export function speaks(outline: Outline, seq: number): boolean {
  switch (outline.kind(seq)) {
    case "message_queued":
    case "edited":
    case "noted":
    case "run_started":
    case "run_ended":
      return !outline.has(seq, "empty");
    case "invocation_ended":
      return (
        outline.has(seq, "failed") || (!outline.has(seq, "empty") && CALLS_THAT_SPEAK.has(outline.call(seq) ?? ""))
      );
    default:
      return false;
  }
}

/**
 * Milliseconds of a record since its run began.  A fork goes on at another time than its parent: what lies between is left
 * out.
 */
export function clockOf(outline: Outline, cut: number | null): (seq: number) => number {
  const origin = outline.length > 0 ? outline.at(0) : 0;
  const gap = cut !== null && cut > 0 && cut < outline.length ? outline.at(cut) - outline.at(cut - 1) : 0;
  return (seq) => outline.at(seq) - origin - (cut !== null && seq >= cut ? gap : 0);
}
