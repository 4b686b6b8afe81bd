import { describe, expect, it } from "vitest";

import type { Outline } from "./outline";
import { DEFAULT_ASPECTS, type RowChoice } from "./row-choice";
import { clockOf, depthsOf, rowAt, rowsOf as rowsBy } from "./rows";
import { logOf } from "./testing";
import { Turns } from "./turns";

const ALL: RowChoice = {
  aspects: DEFAULT_ASPECTS,
  components: null,
  found: null,
  plumbing: false,
  folded: new Set(),
  held: new Set(),
  errors: false,
  changes: false,
};
const rowsOf = (log: Outline, choice: RowChoice, calls = false) => {
  const turns = new Turns();
  turns.update(log);
  return rowsBy(log, choice, turns, calls);
};
const team = () =>
  logOf([
    { kind: "run_started" },
    { kind: "invocation_started", call: "flow", component: "team" },
    { kind: "message_queued", component: "team/boss", recipient: "team/a", type: "Say", parent: 1, hash: "h" },
    { kind: "message_queued", component: "team/boss", recipient: "team/b", type: "Say", parent: 1, hash: "h" },
    { kind: "message_queued", component: "team/boss", recipient: "team/b", type: "Reset", parent: 1 },
    { kind: "invocation_started", call: "agent", component: "team/a", parent: 1, message: 2, hash: "h" },
    { kind: "invocation_started", call: "model", component: "team/a/model", parent: 5, hash: "p" },
    { kind: "stream_chunk", invocation: 6, parent: 5, hash: "c" },
    { kind: "invocation_ended", call: "model", component: "team/a/model", invocation: 6, parent: 5, hash: "o" },
    { kind: "invocation_ended", call: "agent", component: "team/a", invocation: 5, parent: 1 },
    { kind: "invocation_started", call: "agent", component: "team/b", parent: 1, message: 3, hash: "h" },
    { kind: "invocation_ended", call: "agent", component: "team/b", invocation: 10, parent: 1 },
    { kind: "run_ended" },
  ]);

describe("rows", () => {
  it("show a copy of a message by itself when something was done to that copy", () => {
    const sent = (recipient: string) =>
      ({ kind: "message_queued", component: "a", recipient, type: "T", hash: "h" }) as const;
    const log = logOf([{ ...sent("b"), edited: true }, sent("c"), sent("d"), { kind: "message_dropped", message: 1 }]);
    const { seqs, counts } = rowsOf(log, ALL);
    expect([...seqs].map((seq, row) => [seq, counts[row]])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    log.truncate(2);
    expect([...rowsOf(log, ALL).counts]).toEqual([3]);
  });

  it("tell a call and its return, and the message that it takes, as one", () => {
    expect([...rowsOf(team(), ALL, true).seqs]).toEqual([0, 1, 5, 6, 12]);
    expect([...rowsOf(team(), { ...ALL, found: new Set([8]) }, true).seqs]).toEqual([6]);
  });

  it("of errors, leave only what failed and what is around it", () => {
    const log = logOf([
      { kind: "invocation_started", call: "agent", component: "a" },
      { kind: "invocation_started", call: "tool", component: "a/tools/t", parent: 0 },
      { kind: "invocation_ended", call: "tool", component: "a/tools/t", invocation: 1, parent: 0, failed: true },
      { kind: "invocation_ended", call: "agent", component: "a", invocation: 0 },
      { kind: "invocation_started", call: "agent", component: "b" },
    ]);
    expect([...rowsOf(log, { ...ALL, errors: true }).seqs]).toEqual([0, 1, 2]);
    expect([...rowsOf(log, { ...ALL, errors: true }, true).seqs]).toEqual([0, 1]);
  });

  it("join a message to several recipients and leave the plumbing out", () => {
    const rows = rowsOf(team(), ALL);
    expect([...rows.seqs]).toEqual([0, 1, 2, 5, 6, 8, 12]);
    expect([...rows.counts]).toEqual([1, 1, 2, 1, 1, 1, 1]);
    expect(rows.plumbing).toBe(4);
  });

  it("show the plumbing when asked", () => {
    expect([...rowsOf(team(), { ...ALL, plumbing: true }).seqs]).toEqual([0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12]);
  });

  it("show what is held, whatever it is", () => {
    expect([...rowsOf(team(), { ...ALL, held: new Set([10]) }).seqs]).toEqual([0, 1, 2, 5, 6, 8, 10, 12]);
  });

  it("fold an invocation with all that is inside", () => {
    expect([...rowsOf(team(), { ...ALL, folded: new Set([5]) }).seqs]).toEqual([0, 1, 2, 5, 12]);
  });

  it("narrow to components with their parts", () => {
    expect([...rowsOf(team(), { ...ALL, components: new Set(["team/a"]) }).seqs]).toEqual([2, 5, 6, 8]);
  });

  it("narrow to what a search found", () => {
    expect([...rowsOf(team(), { ...ALL, found: new Set([8, 12]) }).seqs]).toEqual([8, 12]);
  });

  it("find the row of a record, or the last before it", () => {
    const rows = rowsOf(team(), ALL);
    expect([0, 3, 7, 12, 99].map((seq) => rows.seqs[rowAt(rows, seq)])).toEqual([0, 2, 6, 12, 12]);
  });
});

describe("the clock", () => {
  it("leaves out what lies between a run and its fork", () => {
    const outline = logOf([{ kind: "run_started" }, { kind: "noted", at: 1001 }, { kind: "noted", at: 1061 }]);
    expect([0, 1, 2].map(clockOf(outline, null))).toEqual([0, 1000, 61_000]);
    expect([0, 1, 2].map(clockOf(outline, 2))).toEqual([0, 1000, 1000]);
  });
});

describe("depths", () => {
  it("count the invocations around a record", () => {
    expect([...depthsOf(team())]).toEqual([0, 0, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 0]);
  });
});
