import { describe, expect, it } from "vitest";

import type { RecordsOutline } from "@/api/schema";

import { FLAGS, KINDS, CALLS, NONE, Outline, subjectOf } from "./outline";
import { logOf, recordsOf } from "./testing";

const told: RecordsOutline = {
  run: "r1",
  first: 0,
  count: 3,
  total: 3,
  origin: 1000,
  kinds: [...KINDS],
  calls: [...CALLS],
  flags: [...FLAGS],
  names: ["team/a", "team/b", "Reset"],
  columns: {
    kind: [1, 1, 4],
    at: [0, 1, 1],
    component: [0, 0, 1],
    call: [-1, -1, 0],
    invocation: [0, 0, 0],
    parent: [0, 1, 0],
    message: [0, 0, 1],
    recipient: [1, 1, -1],
    type: [2, 2, -1],
    span: [0, 0, 0],
    flags: [256, 256, 0],
  },
};
const NOTHING = "2afb9b83f9314e5d029766197f539792";

describe("an outline", () => {
  it("says the same of records that were pushed and of records that were told in columns", () => {
    const whole = new Outline();
    whole.append(told);
    const live = logOf([
      { kind: "message_queued", component: "team/a", recipient: "team/b", type: "Reset", hash: NOTHING },
      { kind: "message_queued", component: "team/a", recipient: "team/b", type: "Reset", parent: 0 },
      { kind: "invocation_started", call: "agent", component: "team/b", message: 1, parent: 0, hash: "h" },
    ]);
    for (let seq = 0; seq < 3; seq++) {
      const seen = (of: Outline) => [
        of.kind(seq),
        of.call(seq),
        of.component(seq),
        of.recipient(seq),
        of.type(seq),
        of.reference(seq, "message"),
        of.reference(seq, "parent"),
        Math.round(of.at(seq)),
        FLAGS.filter((flag) => of.has(seq, flag)),
      ];
      expect(seen(live)).toEqual(seen(whole));
    }
  });

  it("passes over what it has, and asks for what is missing", () => {
    const outline = new Outline();
    outline.append(told);
    outline.append(told);
    expect(outline.length).toBe(3);
    const [record] = recordsOf([{ kind: "noted" }]);
    if (record === undefined) throw new Error("no record");
    expect(outline.push({ ...record, seq: 1 })).toBe(false);
    expect(() => outline.push({ ...record, seq: 9 })).toThrow("3 to 8 are missing");
    expect(outline.push({ ...record, seq: 3 })).toBe(true);
  });

  it("forgets what a replay took back", () => {
    const outline = new Outline();
    outline.append(told);
    const { version } = outline;
    outline.truncate(0);
    expect([outline.length, outline.version > version]).toEqual([1, true]);
  });

  it("tells of a message and of a result what was done to them later, until that is taken back", () => {
    const outline = logOf([
      { kind: "message_queued", message: 0 },
      { kind: "message_queued", message: 1 },
      { kind: "invocation_started", call: "tool", invocation: 2 },
      { kind: "invocation_ended", call: "tool", invocation: 2 },
      { kind: "edited", op: "mock_output", invocation: 2, by: "user" },
      { kind: "edited", op: "replace_message", message: 0, by: "user" },
      { kind: "message_dropped", message: 1 },
      { kind: "edited", op: "replace_message" },
    ]);
    const flags = () => [outline.has(0, "edited"), outline.has(1, "dropped"), outline.has(3, "edited")];
    expect(flags()).toEqual([true, true, true]);
    expect([4, 5, 6, 7].map((seq) => subjectOf(outline, seq))).toEqual([3, 0, 1, NONE]);
    expect([0, 1, 2, 3].map((seq) => [...outline.doneTo(seq)])).toEqual([[5], [6], [], [4]]);
    outline.truncate(5);
    expect([0, 1, 3].map((seq) => [...outline.doneTo(seq)])).toEqual([[5], [], [4]]);
    expect(flags()).toEqual([true, false, true]);
    outline.truncate(3);
    expect(flags()).toEqual([false, false, false]);
  });
});
