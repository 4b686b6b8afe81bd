import { describe, expect, it } from "vitest";

import { tellReach } from "./reach";
import { logOf } from "./testing";
import { countTries, tellTries } from "./tries";
import { firstChange, retry, verbsOf } from "./verbs";

const outline = logOf([
  { kind: "run_started" },
  { kind: "invocation_started", call: "agent", component: "team/a" },
  { kind: "invocation_started", call: "model", component: "team/a/model", parent: 1 },
  { kind: "invocation_ended", call: "model", component: "team/a/model", invocation: 2, parent: 1 },
  { kind: "invocation_started", call: "tool", component: "team/a/tools/look", parent: 1 },
  { kind: "invocation_ended", call: "tool", component: "team/a/tools/look", invocation: 4, parent: 1, failed: true },
  { kind: "invocation_ended", call: "agent", component: "team/a", invocation: 1 },
  { kind: "message_queued", component: "team/a", recipient: "team/b", type: "Say" },
  { kind: "run_ended", status: "completed" },
]);
const named = (seq: number) => verbsOf(outline, seq).map(({ id }) => id);

describe("what can be done about a record", () => {
  it("is to change it first", () => {
    expect(named(3)).toEqual(["change", "back", "again", "times"]);
    expect(named(7)).toEqual(["change", "back"]);
    expect(firstChange(outline, 3)).toMatchObject({ op: "mock_output", seq: 2 });
  });

  it("is to try again first where it failed", () => {
    expect(named(5)).toEqual(["again", "times", "change", "back"]);
  });

  it("is nothing at the ends of a run", () => {
    expect(named(0)).toEqual([]);
    expect(named(8)).toEqual([]);
  });

  it("executes a call afresh, and everything from the start of an agent's turn on", () => {
    expect(retry(outline, 3)).toEqual({ at: 2, edits: [{ op: "execute", seq: 2 }] });
    expect(retry(outline, 6)).toEqual({ at: 1, reuse: "prefix" });
    expect(retry(outline, 7)).toBeNull();
  });
});

describe("what a fork will execute", () => {
  it("is told with what it cost", () => {
    const reach = { all: 22, could: 13, cannot: 0, tokens: { in: 5000, out: 21 }, cost: 0.02, seconds: 1 };
    expect(tellReach(reach)).toBe(
      "About 13 calls will be executed, as far as the record tells (here they took 5,021 tokens, $0.02); 9 come from the record.",
    );
    expect(tellReach({ ...reach, all: 2, could: 1, tokens: { in: 0, out: 0 }, cost: 0 })).toBe(
      "About 1 call will be executed, as far as the record tells; 1 comes from the record.",
    );
    expect(tellReach(null)).toBe("");
  });
});

describe("several tries", () => {
  it("are counted by how they came out", () => {
    const ended = (outcome: "passed" | "failed" | null, status = "completed") =>
      ({ status, outcome, live: false }) as Parameters<typeof countTries>[0][number];
    const going = { status: "running", outcome: null, live: true } as Parameters<typeof countTries>[0][number];
    const counted = countTries([
      ended("passed"),
      ended("passed"),
      ended("failed"),
      ended(null, "failed"),
      ended(null),
      going,
      undefined,
    ]);
    expect(tellTries(counted)).toBe("2 right, 1 wrong, 1 ended, 1 failed, 2 still going");
  });
});
