import { describe, expect, it } from "vitest";

import { Hues } from "./hues";
import type { LogRecord } from "@/api/types";

import { NONE, Outline } from "./outline";
import {
  type Column,
  columnOf,
  columnsOf,
  legendOf,
  listed,
  type MadeColumn,
  ownerAt,
  rowOfSeq,
  seqAt,
  treeAround,
} from "./overview";
import { logOf, random, recordsOf } from "./testing";

const TALK = [
  { kind: "run_started" },
  { kind: "message_queued", component: "team/boss", recipient: "team/a", type: "Say", hash: "h" },
  { kind: "invocation_started", call: "agent", component: "team/a", hash: "h" },
  { kind: "invocation_started", call: "model", component: "team/a/model", parent: 2, hash: "p" },
  { kind: "stream_chunk", invocation: 3, parent: 2, hash: "c" },
  {
    kind: "invocation_ended",
    call: "model",
    component: "team/a/model",
    invocation: 3,
    parent: 2,
    failed: true,
    hash: "e",
  },
  { kind: "edited", component: "team/a", op: "mock_output", hash: "o" },
  { kind: "message_queued", component: "team/a", recipient: "team/boss", type: "Reply", hash: "r" },
  { kind: "run_ended" },
] as const;

const alone = (outline: Outline, everything = false) =>
  columnOf({ run: "r1", cut: 0, outline, base: 0 }, null, everything);

function after(told: readonly LogRecord[], cut: number): Outline {
  const outline = new Outline();
  for (const record of told.slice(cut)) outline.push({ ...record, seq: record.seq - cut });
  return outline;
}

describe("the columns of a tree", () => {
  const tree = [
    { run: "r1", parent: null, cut: null },
    { run: "r2", parent: "r1", cut: 5 },
  ];
  const own = logOf([...TALK.slice(0, 5), { kind: "noted", hash: "n" }, { kind: "run_ended" }]);
  const rows = (column: Column | undefined) =>
    Array.from({ length: column?.length ?? 0 }, (_, row) => (column === undefined ? NONE : seqAt(column, row)));

  it("show a fork with what it has itself, until its parent has all that it shares", () => {
    const parent = new Outline();
    const made = new Map<string, MadeColumn>();
    const drawn = () => columnsOf(tree, false, (run) => ({ outline: run === "r1" ? parent : own, base: 0 }), made);
    const told = recordsOf(TALK);
    for (const upto of [0, 4, 5, 9]) {
      for (const record of told.slice(parent.length, upto)) parent.push(record);
      const [, fork] = drawn();
      expect(rows(fork)).toEqual([0, 1, 2, 3, 5, 6]);
      expect([fork?.parent?.run, fork?.shared]).toEqual(upto < 5 ? [undefined, 0] : ["r1", 4]);
    }
  });

  it("show what a fork shares that was stopped before any record of its own", () => {
    const whole = logOf(TALK);
    const nothing = logOf([]);
    const outlineOf = (run: string, base: number) =>
      run === "r1" ? { outline: whole, base: 0 } : { outline: nothing, base };
    const [, fork] = columnsOf(tree, false, outlineOf, new Map());
    expect([fork?.run, fork?.length, fork?.seqs.length]).toEqual(["r2", fork?.shared, 0]);
    expect(fork?.length).toBeGreaterThan(0);
  });

  it("are the same while nothing has come", () => {
    const made = new Map<string, MadeColumn>();
    const drawn = () => columnsOf(tree, false, () => ({ outline: own, base: 0 }), made);
    const [first] = drawn();
    expect(drawn()[0]).toBe(first);
  });
});

describe("a column", () => {
  it("has a row for each record that says something, or for all", () => {
    const outline = logOf(TALK);
    expect([...alone(outline).seqs]).toEqual([0, 1, 2, 3, 5, 6, 7, 8]);
    expect([...alone(outline, true).seqs]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect([...alone(outline).edits]).toEqual([5]);
    expect([...alone(outline).failures]).toEqual([4]);
  });

  it("finds the row of a record, or the last before it", () => {
    const column = alone(logOf(TALK));
    expect([0, 3, 4, 5, 8, 99].map((seq) => rowOfSeq(column, seq))).toEqual([0, 3, 3, 4, 7, 7]);
    expect(seqAt(column, 99)).toBe(NONE);
  });

  it("shares the rows before the cut with its parent", () => {
    const parent = alone(logOf(TALK));
    const other = recordsOf([...TALK.slice(0, 5), { kind: "noted", hash: "n" }, { kind: "run_ended" }]);
    const fork = columnOf({ run: "r2", cut: 5, outline: after(other, 5), base: 5 }, parent, false);
    expect(fork.shared).toBe(4);
    expect(Array.from({ length: fork.length }, (_, row) => seqAt(fork, row))).toEqual([0, 1, 2, 3, 5, 6]);
    expect(ownerAt(fork, 3)).toBe(parent);
    expect(ownerAt(fork, 4)).toBe(fork);
  });

  it("is the same whether all of a fork is known, or only what comes after its cut", () => {
    const parent = alone(logOf(TALK));
    const told = recordsOf([...TALK.slice(0, 6), { kind: "noted", hash: "n" }]);
    const whole = columnOf({ run: "r2", cut: 6, outline: after(told, 0), base: 0 }, parent, false);
    const rest = columnOf({ run: "r2", cut: 6, outline: after(told, 6), base: 6 }, parent, false);
    expect([...whole.seqs]).toEqual([...rest.seqs]);
    expect(whole.length).toBe(rest.length);
  });

  it("holds in any tree: rows go up by number, and shared ones are the parent's", () => {
    const pick = random(3);
    const kinds = ["message_queued", "noted", "stream_chunk", "edited", "span_started"] as const;
    for (let round = 0; round < 40; round++) {
      const log = (length: number) =>
        recordsOf(Array.from({ length }, () => ({ kind: kinds[pick(kinds.length)] ?? "noted", hash: "x" })));
      const columns: Column[] = [];
      for (let n = 0; n < 6; n++) {
        const parent = columns[pick(columns.length)] ?? null;
        const end = parent === null ? 0 : parent.base + parent.outline.length;
        const cut = parent === null ? 0 : parent.cut + pick(end - parent.cut + 1);
        const outline = after(log(cut + pick(60)), cut);
        columns.push(columnOf({ run: `r${n}`, cut, outline, base: cut }, parent, pick(2) === 0 && parent === null));
      }
      for (const column of columns) {
        const rows = Array.from({ length: column.length }, (_, row) => seqAt(column, row));
        expect(rows).toEqual(rows.toSorted((one, other) => one - other));
        expect(new Set(rows).size).toBe(rows.length);
        rows.forEach((seq, row) => {
          expect(rowOfSeq(column, seq)).toBe(row);
          if (row < column.shared && column.parent) expect(seqAt(column.parent, row)).toBe(seq);
          else expect(seq).toBeGreaterThanOrEqual(column.cut);
        });
      }
    }
  });
});

describe("a legend", () => {
  it("counts kinds in their usual order", () => {
    const column = alone(logOf(TALK));
    const told = listed(legendOf([column], "kind", new Hues())).map(({ entry }) => [entry.label, entry.count]);
    expect(told).toEqual([
      ["Messages", 2],
      ["Agents", 1],
      ["Model calls", 2],
      ["Edits", 1],
      ["Start and end", 2],
    ]);
  });

  it("tells senders by who owns the model, and says what has none", () => {
    const told = listed(legendOf([alone(logOf(TALK))], "sender", new Hues())).map(({ entry }) => [
      entry.label,
      entry.count,
    ]);
    expect(told).toEqual([
      ["a", 5],
      ["boss", 1],
      ["None or other", 2],
    ]);
  });

  it("gives agents the colours that they have everywhere, and others none", () => {
    const hues = new Hues();
    const outline = logOf([...TALK, { kind: "invocation_started", call: "agent", component: "c", parent: 1 }]);
    hues.update(outline);
    const { entries } = legendOf([alone(outline)], "sender", hues);
    expect(entries.find(({ label }) => label === "c")?.colour).toBe(hues.of("c"));
    expect(entries.find(({ label }) => label === "boss")?.colour).toBeNull();
  });

  it("gives each row of its own one entry, and counts each record once", () => {
    const parent = alone(logOf(TALK));
    const fork = columnOf({ run: "r2", cut: 3, outline: after(recordsOf(TALK), 3), base: 3 }, parent, false);
    for (const colouring of ["kind", "type", "sender", "recipient"] as const) {
      const legend = legendOf([parent, fork], colouring, new Hues());
      const rows = parent.seqs.length + fork.seqs.length;
      expect(legend.entries.reduce((sum, { count }) => sum + count, 0)).toBe(rows);
      expect(legend.of.get(fork)?.length).toBe(fork.seqs.length);
      const own = legendOf([parent, fork], colouring, new Hues(), "r2");
      expect(own.entries.reduce((sum, { count }) => sum + count, 0)).toBe(fork.length);
    }
  });
});

describe("the tree around a run", () => {
  it("lists each run before its forks", () => {
    const runs = [
      { run: "r1", parent: null },
      { run: "r2", parent: "r1" },
      { run: "r3", parent: "r1" },
      { run: "r4", parent: "r2" },
      { run: "r5", parent: null },
      { run: "r6", parent: "gone" },
    ];
    const told = (id: string) => treeAround(runs, id).map(({ run, depth }) => `${run.run}/${depth}`);
    expect(told("r4")).toEqual(["r1/0", "r2/1", "r4/2", "r3/1"]);
    expect(told("r6")).toEqual(["r6/0"]);
    expect(told("r9")).toEqual([]);
  });
});
