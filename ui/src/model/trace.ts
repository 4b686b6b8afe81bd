/**
 * The time line of a run: a bar for each invocation and each span, in rows by what encloses it, and marks for events.
 *
 * What goes on inside a bar is right below it.  Of what goes on at the same time inside the same bar, each has a lane of
 * its own, as high as what is inside it.  A bar begins and ends with a record, so that the rows do not depend on whether
 * one looks at times or at numbers.
 */

import { NONE, type Outline } from "./outline";
import { type Bounds, fitted, framing, type Viewport } from "./viewport";

export interface Trace {
  /**
   * The record that begins each bar, in order, and the one that ends it, or `NONE` while it goes on.  What was never
   * ended, ends with what encloses it.
   */
  starts: Int32Array;
  ends: Int32Array;
  /** The bar around each, or `NONE`. */
  parents: Int32Array;
  rows: Int32Array;
  /** How many rows there are. */
  height: number;
  /** Bars by row, and in a row by when they begin: of row n, from `rowStarts[n]` to `rowStarts[n + 1]`. */
  byRow: Int32Array;
  rowStarts: Int32Array;
  /** Records that are events, and in which row each is. */
  events: Int32Array;
  eventRows: Int32Array;
  eventsByRow: Int32Array;
  eventRowStarts: Int32Array;
  /** For each record the bar that it begins or ends, else the one that it is in, or `NONE`. */
  barOf: Int32Array;
  /** How many records there are. */
  length: number;
}

/** Lanes beside each other that are looked through for a free one. */
const LANES_TRIED = 256;
const FOREVER = 2 ** 31 - 1;
/** Part of what ran that is left free before it. */
const MARGIN = 0.01;

export function traceOf(outline: Outline): Trace {
  const { length } = outline;
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  const parents = new Int32Array(length);
  const barOf = new Int32Array(length).fill(NONE);
  const events = new Int32Array(length);
  let bars = 0;
  let marks = 0;
  const around = (record: number): number => (record === NONE ? NONE : (barOf[record] ?? NONE));
  for (let seq = 0; seq < length; seq++) {
    const kind = outline.kind(seq);
    const outer = around(outline.reference(seq, "parent"));
    if (kind === "invocation_started" || kind === "span_started") {
      starts[bars] = seq;
      ends[bars] = NONE;
      parents[bars] = outer;
      barOf[seq] = bars++;
    } else if (kind === "invocation_ended" || kind === "span_ended") {
      const own = around(outline.reference(seq, kind === "span_ended" ? "span" : "invocation"));
      if (own !== NONE && ends[own] === NONE) ends[own] = seq;
      barOf[seq] = own === NONE ? outer : own;
    } else if (kind === "stream_chunk" || kind === "value_read") {
      const own = around(outline.reference(seq, "invocation"));
      barOf[seq] = own === NONE ? outer : own;
    } else {
      const span = kind === "noted" ? around(outline.reference(seq, "span")) : NONE;
      barOf[seq] = span === NONE ? outer : span;
      events[marks++] = seq;
    }
  }
  for (let bar = 0; bar < bars; bar++) {
    const outer = parents[bar] ?? NONE;
    const end = outer === NONE ? NONE : (ends[outer] ?? NONE);
    if (ends[bar] === NONE && end !== NONE) ends[bar] = Math.max(end, starts[bar] ?? 0);
  }
  const own = { starts: starts.subarray(0, bars), ends: ends.subarray(0, bars), parents: parents.subarray(0, bars) };
  const rows = rowsOf(own.starts, own.ends, own.parents);
  const height = rows.reduce((most, row) => Math.max(most, row + 1), 1);
  const eventRows = new Int32Array(marks);
  for (let n = 0; n < marks; n++) {
    const bar = barOf[events[n] ?? 0] ?? NONE;
    eventRows[n] = bar === NONE ? 0 : (rows[bar] ?? 0);
  }
  const [byRow, rowStarts] = sorted(rows, height);
  const [eventsByRow, eventRowStarts] = sorted(eventRows, height);
  return {
    ...own,
    rows,
    height,
    byRow,
    rowStarts,
    events: events.subarray(0, marks),
    eventRows,
    eventsByRow,
    eventRowStarts,
    barOf,
    length,
  };
}

/** The row of each bar: below what encloses it, with a lane of its own beside what goes on at the same time. */
function rowsOf(starts: Int32Array, ends: Int32Array, parents: Int32Array): Int32Array {
  const bars = starts.length;
  const lanes = new Int32Array(bars);
  // Of each bar that encloses others, and last of them all: until when each lane is taken, then how high it is.
  const inside: (number[] | undefined)[] = Array.from({ length: bars + 1 });
  const holder = (bar: number) => (parents[bar] === NONE ? bars : (parents[bar] ?? bars));
  // What is inside may go on for longer than what encloses it.
  const until = ends.map((end, bar) => (end === NONE ? FOREVER : Math.max(end, starts[bar] ?? 0)));
  for (let bar = bars - 1; bar >= 0; bar--) {
    const parent = parents[bar] ?? NONE;
    if (parent !== NONE) until[parent] = Math.max(until[parent] ?? 0, until[bar] ?? 0);
  }
  for (let bar = 0; bar < bars; bar++) {
    const taken = (inside[holder(bar)] ??= []);
    const start = starts[bar] ?? 0;
    const tried = Math.min(taken.length, LANES_TRIED);
    let lane = 0;
    while (lane < tried && (taken[lane] ?? 0) > start) lane++;
    if (lane === tried) lane = taken.length;
    taken[lane] = until[bar] ?? FOREVER;
    lanes[bar] = lane;
  }
  for (const heights of inside) heights?.fill(0);
  for (let bar = bars - 1; bar >= 0; bar--) {
    const high = 1 + sum(inside[bar]);
    const heights = inside[holder(bar)];
    const lane = lanes[bar] ?? 0;
    if (heights && (heights[lane] ?? 0) < high) heights[lane] = high;
  }
  for (const heights of inside) {
    let above = 0;
    heights?.forEach((high, lane) => {
      heights[lane] = above;
      above += high;
    });
  }
  const rows = new Int32Array(bars);
  for (let bar = 0; bar < bars; bar++) {
    const parent = parents[bar] ?? NONE;
    const first = parent === NONE ? 0 : (rows[parent] ?? 0) + 1;
    rows[bar] = first + (inside[holder(bar)]?.[lanes[bar] ?? 0] ?? 0);
  }
  return rows;
}

function sum(numbers: readonly number[] | undefined): number {
  let all = 0;
  if (numbers) for (const number of numbers) all += number;
  return all;
}

/** Places sorted by their row, in order within it, and where each row begins. */
function sorted(rows: Int32Array, height: number): [Int32Array, Int32Array] {
  const begins = new Int32Array(height + 1);
  for (const row of rows) begins[row + 1] = (begins[row + 1] ?? 0) + 1;
  for (let row = 0; row < height; row++) begins[row + 1] = (begins[row + 1] ?? 0) + (begins[row] ?? 0);
  const next = begins.slice();
  const places = new Int32Array(rows.length);
  for (let n = 0; n < rows.length; n++) {
    const row = rows[n] ?? 0;
    const at = next[row] ?? 0;
    places[at] = n;
    next[row] = at + 1;
  }
  return [places, begins];
}

/** Where records are across: by their number, or by when they were written. */
export interface Scale {
  by: "order" | "time";
  /** Milliseconds from the first record; only by time. */
  clock: Float64Array | null;
  /** Where everything ends. */
  total: number;
}

export function byOrder(length: number): Scale {
  return { by: "order", clock: null, total: Math.max(1, length) };
}

/**
 * Times since the first record, which never go back.  Between what a fork shares with its parent and what is its own, a
 * person thought about it: that time is left out.  What still goes on, does so until `now`.
 */
export function byTime(outline: Outline, cut: number, now: number | null): Scale {
  const { length } = outline;
  const clock = new Float64Array(length);
  let left = outline.at(0);
  let last = 0;
  for (let seq = 0; seq < length; seq++) {
    if (seq === cut && seq > 0) left += Math.max(0, outline.at(seq) - left - last);
    last = Math.max(last, outline.at(seq) - left);
    clock[seq] = last;
  }
  return { by: "time", clock, total: Math.max(1, last, now === null || length === 0 ? 0 : now - left) };
}

/** Where a record is across. */
export function acrossOf(scale: Scale, seq: number): number {
  return scale.clock === null ? seq : (scale.clock[seq] ?? scale.total);
}

/** Where the first bar begins: a program may take its time until then, while it is loaded. */
export function beginOf(trace: Trace, scale: Scale): number {
  const [first] = trace.starts;
  return first === undefined ? 0 : acrossOf(scale, first);
}

/** All that ran, as large as it fits. */
export function wholeOf(trace: Trace, scale: Scale, bounds: Bounds): Viewport {
  if (scale.by === "order") return fitted(bounds);
  const begin = beginOf(trace, scale);
  return framing(bounds, begin - (scale.total - begin) * MARGIN, scale.total);
}

/** Where a bar begins and ends across. */
export function extentOf(trace: Trace, scale: Scale, bar: number): [start: number, end: number] {
  const start = acrossOf(scale, trace.starts[bar] ?? 0);
  const end = trace.ends[bar] ?? NONE;
  if (end === NONE) return [start, scale.total];
  return [start, scale.clock === null ? end + 1 : acrossOf(scale, end)];
}

/** The first place among those of a row whose bar ends after `across`. */
export function firstAfter(trace: Trace, scale: Scale, row: number, across: number, from?: number): number {
  let low = from ?? trace.rowStarts[row] ?? 0;
  let high = trace.rowStarts[row + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    const [, end] = extentOf(trace, scale, trace.byRow[middle] ?? 0);
    if (end <= across) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first place among the events of a row that is not before `across`. */
export function firstEventFrom(trace: Trace, scale: Scale, row: number, across: number, from?: number): number {
  let low = from ?? trace.eventRowStarts[row] ?? 0;
  let high = trace.eventRowStarts[row + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (acrossOf(scale, eventAt(trace, middle)) < across) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The record of an event, by its place in `eventsByRow`. */
export function eventAt(trace: Trace, place: number): number {
  return trace.events[trace.eventsByRow[place] ?? 0] ?? NONE;
}

/** The bar of a row that is nearest to `across`, if it is at most `reach` away; else `NONE`. */
export function barAt(trace: Trace, scale: Scale, row: number, across: number, reach: number): number {
  let nearest = NONE;
  let least = reach;
  const last = trace.rowStarts[row + 1] ?? 0;
  const first = Math.max(trace.rowStarts[row] ?? 0, firstAfter(trace, scale, row, across) - 1);
  for (let place = first; place < Math.min(last, first + 3); place++) {
    const bar = trace.byRow[place] ?? 0;
    const [start, end] = extentOf(trace, scale, bar);
    const away = Math.max(0, start - across, across - end);
    if (away <= least && (nearest === NONE || away < least)) {
      nearest = bar;
      least = away;
    }
  }
  return nearest;
}

/** The event of a row that is nearest to `across`, if it is at most `reach` away; else `NONE`. */
export function eventNear(trace: Trace, scale: Scale, row: number, across: number, reach: number): number {
  let nearest = NONE;
  let least = reach;
  const last = trace.eventRowStarts[row + 1] ?? 0;
  for (let place = firstEventFrom(trace, scale, row, across - reach); place < last; place++) {
    const seq = eventAt(trace, place);
    const away = acrossOf(scale, seq) - across;
    if (away > reach) break;
    if (Math.abs(away) <= least) {
      nearest = seq;
      least = Math.abs(away);
    }
  }
  return nearest;
}

export type Direction = "in" | "out" | "before" | "after";

/** The bar beside one: the one around it, the first inside it, or the one before or after it in its row. */
export function neighbour(trace: Trace, bar: number, direction: Direction): number {
  if (direction === "out") return trace.parents[bar] ?? NONE;
  if (direction === "in") {
    const end = trace.ends[bar] === NONE ? FOREVER : (trace.ends[bar] ?? FOREVER);
    for (let inner = bar + 1; inner < trace.starts.length && (trace.starts[inner] ?? 0) < end; inner++)
      if (trace.parents[inner] === bar) return inner;
    return NONE;
  }
  const row = trace.rows[bar] ?? 0;
  const by = direction === "after" ? 1 : -1;
  const first = trace.rowStarts[row] ?? 0;
  const last = trace.rowStarts[row + 1] ?? 0;
  let low = first;
  for (let high = last; low < high;) {
    const middle = (low + high) >> 1;
    if ((trace.byRow[middle] ?? 0) < bar) low = middle + 1;
    else high = middle;
  }
  const place = low + by;
  return place >= first && place < last ? (trace.byRow[place] ?? NONE) : NONE;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TIMES = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((n) => n * SECOND))
  .concat([1, 2, 5, 10, 15, 30].map((n) => n * MINUTE))
  .concat([1, 2, 3, 6, 12, 24].map((n) => n * HOUR));

/** Round places between `from` and `to` for the marks of an axis, `most` of them, and how far apart they are. */
export function ticksOf(by: Scale["by"], from: number, to: number, most: number): { values: number[]; step: number } {
  const least = (to - from) / Math.max(1, most);
  const power = 10 ** Math.ceil(Math.log10(Math.max(1, least)) - 1);
  const round = [1, 2, 5, 10].map((times) => Math.max(1, times * power));
  const steps = by === "time" ? TIMES : round;
  const step = steps.find((step) => step >= least) ?? round.find((step) => step >= least) ?? Math.max(1, least);
  const values: number[] = [];
  for (let value = Math.ceil(from / step) * step; value <= to; value += step) values.push(value);
  return { values, step };
}

const two = (n: number) => String(n).padStart(2, "0");

/** A time since the beginning, as exactly as marks this far apart need. */
export function clockText(milliseconds: number, step: number): string {
  if (milliseconds < SECOND && step < SECOND) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < MINUTE) {
    const digits = step >= SECOND ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3;
    return `${(milliseconds / SECOND).toFixed(digits)} s`;
  }
  const whole = Math.floor(milliseconds / SECOND);
  const rest = step < SECOND ? (milliseconds / SECOND - whole).toFixed(step >= 100 ? 1 : 3).slice(1) : "";
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const short = hours > 0 ? `${hours}:${two(minutes)}` : `${minutes}`;
  return `${short}:${two(seconds)}${rest}`;
}
