import { describe, expect, it } from "vitest";

import { NONE } from "./outline";
import { logOf, random } from "./testing";
import {
  acrossOf,
  barAt,
  beginOf,
  byOrder,
  byTime,
  clockText,
  eventNear,
  extentOf,
  firstAfter,
  neighbour,
  ticksOf,
  type Trace,
  traceOf,
  wholeOf,
} from "./trace";
import { pixelOf, type Viewport } from "./viewport";

const TEAM = [
  { kind: "run_started" },
  { kind: "invocation_started", call: "flow", component: "team" },
  { kind: "invocation_started", call: "agent", component: "a", parent: 1 },
  { kind: "invocation_started", call: "agent", component: "b", parent: 1 },
  { kind: "invocation_started", call: "model", component: "a/model", parent: 2 },
  { kind: "stream_chunk", invocation: 4, parent: 2 },
  { kind: "invocation_started", call: "tool", component: "b/tools/t", parent: 3 },
  { kind: "invocation_ended", call: "model", component: "a/model", invocation: 4, parent: 2 },
  { kind: "invocation_ended", call: "agent", component: "a", invocation: 2, parent: 1 },
  { kind: "span_started", component: "b/tools/t", parent: 6, name: "fetch" },
  { kind: "noted", component: "b/tools/t", parent: 6, span: 9, type: "thought" },
  { kind: "span_ended", component: "b/tools/t", parent: 6, span: 9 },
  { kind: "message_queued", component: "b", recipient: "a", parent: 3 },
  { kind: "invocation_started", call: "agent", component: "a", parent: 1 },
] as const;

describe("a trace", () => {
  const trace = traceOf(logOf(TEAM));
  const rowOf = (seq: number) => trace.rows[trace.barOf[seq] ?? 0];

  it("puts what goes on inside right below, and what goes on beside on a lane of its own", () => {
    expect([...trace.starts]).toEqual([1, 2, 3, 4, 6, 9, 13]);
    expect([...trace.ends]).toEqual([NONE, 8, NONE, 7, NONE, 11, NONE]);
    expect([1, 2, 4, 3, 6, 9, 13].map(rowOf)).toEqual([0, 1, 2, 3, 4, 5, 1]);
    expect(trace.height).toBe(6);
  });

  it("puts events where they happened", () => {
    expect([...trace.events]).toEqual([0, 10, 12]);
    expect([...trace.eventRows]).toEqual([0, 5, 3]);
    expect(trace.barOf[5]).toBe(trace.barOf[4]);
  });

  it("ends what was never ended with what encloses it", () => {
    const lost = traceOf(logOf([...TEAM, { kind: "invocation_ended", call: "agent", invocation: 3, parent: 1 }]));
    expect(lost.ends[lost.barOf[6] ?? 0]).toBe(14);
    expect(lost.ends[lost.barOf[1] ?? 0]).toBe(NONE);
  });

  it("finds what is at a place", () => {
    const scale = byOrder(trace.length);
    expect(barAt(trace, scale, 1, 5, 0)).toBe(trace.barOf[2]);
    expect(barAt(trace, scale, 1, 10, 0)).toBe(NONE);
    expect(barAt(trace, scale, 1, 10, 1.5)).toBe(trace.barOf[2]);
    expect(barAt(trace, scale, 1, 12, 1.5)).toBe(trace.barOf[13]);
    expect(eventNear(trace, scale, 5, 10.4, 0.5)).toBe(10);
    expect(eventNear(trace, scale, 5, 12, 0.5)).toBe(NONE);
  });

  it("finds the bar beside another", () => {
    const bar = (seq: number) => trace.barOf[seq] ?? NONE;
    expect(neighbour(trace, bar(2), "out")).toBe(bar(1));
    expect(neighbour(trace, bar(1), "out")).toBe(NONE);
    expect(neighbour(trace, bar(1), "in")).toBe(bar(2));
    expect(neighbour(trace, bar(4), "in")).toBe(NONE);
    expect(neighbour(trace, bar(2), "after")).toBe(bar(13));
    expect(neighbour(trace, bar(13), "before")).toBe(bar(2));
    expect(neighbour(trace, bar(13), "after")).toBe(NONE);
  });

  it("leaves out the time between a fork's beginning and its own records", () => {
    const outline = logOf([{ kind: "run_started" }, { kind: "noted" }, { kind: "noted" }, { kind: "run_ended" }]);
    const clock = (cut: number) => [...(byTime(outline, cut, null).clock ?? [])].map(Math.round);
    expect(clock(0)).toEqual([0, 1, 2, 3]);
    expect(clock(2)).toEqual([0, 1, 1, 2]);
    expect(byTime(outline, 0, 1_000_010).total).toBe(10);
  });

  it("holds for any run: bars of a row never overlap, and lie below what encloses them, inside it", () => {
    const pick = random(11);
    for (let round = 0; round < 60; round++) {
      const outline = logOf(anyRun(pick));
      const trace = traceOf(outline);
      for (const scale of [byOrder(outline.length), byTime(outline, pick(outline.length), null)]) {
        checkRows(trace, scale);
        for (let bar = 0; bar < trace.starts.length; bar++) {
          const parent = trace.parents[bar] ?? NONE;
          const [start, end] = extentOf(trace, scale, bar);
          expect(end).toBeGreaterThanOrEqual(start);
          if (parent !== NONE) {
            expect(trace.rows[bar]).toBeGreaterThan(trace.rows[parent] ?? 0);
            expect(extentOf(trace, scale, parent)[0]).toBeLessThanOrEqual(start);
          }
          const row = trace.rows[bar] ?? 0;
          const found = trace.byRow[firstAfter(trace, scale, row, start)];
          if (end > start) expect(found).toBe(bar);
        }
      }
      for (let row = 0; row < trace.height; row++) expectFilled(trace, row);
    }
  });
});

function checkRows(trace: Trace, scale: ReturnType<typeof byOrder>): void {
  for (let row = 0; row < trace.height; row++) {
    let free = -1;
    for (let place = trace.rowStarts[row] ?? 0; place < (trace.rowStarts[row + 1] ?? 0); place++) {
      const [start, end] = extentOf(trace, scale, trace.byRow[place] ?? 0);
      expect(start).toBeGreaterThanOrEqual(free);
      free = end;
    }
  }
}

/** No row is without a bar, unless the run has none at all. */
function expectFilled(trace: Trace, row: number): void {
  if (trace.starts.length > 0) expect(trace.rowStarts[row + 1]).toBeGreaterThan(trace.rowStarts[row] ?? 0);
}

type Told = Parameters<typeof logOf>[0][number];

/** Invocations that begin inside others that go on, in any order, and end, mostly when nothing inside them goes on. */
function anyRun(pick: (limit: number) => number): Told[] {
  const told: Told[] = [{ kind: "run_started" }];
  const going: { seq: number; parent: number | null; inside: number }[] = [];
  for (let turn = 0; turn < 20 + pick(120); turn++) {
    const seq = told.length;
    const one = going[pick(going.length + 1)];
    const what = pick(5);
    if (what < 2 || one === undefined) {
      told.push({ kind: "invocation_started", call: "agent", component: "a", parent: one?.seq ?? null });
      going.push({ seq, parent: one?.seq ?? null, inside: 0 });
      if (one) one.inside++;
    } else if (what < 4 && (one.inside === 0 || pick(8) === 0)) {
      told.push({ kind: "invocation_ended", call: "agent", component: "a", invocation: one.seq, parent: one.parent });
      going.splice(going.indexOf(one), 1);
      const outer = going.find(({ seq }) => seq === one.parent);
      if (outer) outer.inside--;
    } else told.push({ kind: "noted", component: "a", parent: one.seq });
  }
  return told;
}

describe("all of a trace", () => {
  const loaded = logOf([
    { kind: "run_started", at: 0 },
    { kind: "invocation_started", call: "flow", component: "team", at: 9 },
    { kind: "invocation_ended", call: "flow", component: "team", invocation: 1, at: 10 },
  ]);
  const bounds = { total: 10_000, size: 500, most: 60 };
  const at = (view: Viewport, unit: number) => Math.round(pixelOf(view, unit));

  it("by time is what ran, without the time that the program took to load", () => {
    const clock = byTime(loaded, 0, null);
    const view = wholeOf(traceOf(loaded), clock, bounds);
    expect([beginOf(traceOf(loaded), clock), clock.total]).toEqual([9000, 10_000]);
    expect([at(view, 9000), at(view, 10_000)]).toEqual([5, 500]);
  });

  it("by order is every record, as is that of a run in which nothing ran", () => {
    expect(wholeOf(traceOf(loaded), byOrder(3), { ...bounds, total: 3, most: 500 }).from).toBe(0);
    const begun = logOf([{ kind: "run_started" }]);
    expect(wholeOf(traceOf(begun), byTime(begun, 0, null), { ...bounds, total: 1 }).from).toBe(0);
  });
});

describe("an axis", () => {
  it("has round marks", () => {
    expect(ticksOf("order", 0, 1000, 5)).toEqual({ values: [0, 200, 400, 600, 800, 1000], step: 200 });
    expect(ticksOf("order", 3.2, 6.1, 10)).toEqual({ values: [4, 5, 6], step: 1 });
    expect(ticksOf("time", 0, 120_000, 5).values).toEqual([0, 30_000, 60_000, 90_000, 120_000]);
    expect(ticksOf("time", 0, 5 * 86_400_000, 4).values.length).toBeLessThan(8);
  });

  it("says times as exactly as is needed", () => {
    expect(clockText(250, 50)).toBe("250 ms");
    expect(clockText(1250, 50)).toBe("1.25 s");
    expect(clockText(5000, 1000)).toBe("5 s");
    expect(clockText(65_000, 5000)).toBe("1:05");
    expect(clockText(65_500, 500)).toBe("1:05.5");
    expect(clockText(3_725_000, 60_000)).toBe("1:02:05");
  });

  it("is where the records are", () => {
    const outline = logOf([{ kind: "run_started" }, { kind: "run_ended" }]);
    expect(acrossOf(byOrder(2), 1)).toBe(1);
    expect(acrossOf(byTime(outline, 0, null), 1)).toBeCloseTo(1);
  });
});
