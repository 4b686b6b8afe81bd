import { describe, expect, it } from "vitest";

import { changesOf, spoken, tell } from "./telling";
import { logOf } from "./testing";

const outline = logOf([
  { kind: "run_started" },
  { kind: "message_queued", component: "team/boss", recipient: "team/a", type: "Say", hash: "h" },
  { kind: "message_queued", component: "team/boss", recipient: "team/b", type: "Say", hash: "h" },
  { kind: "invocation_started", call: "tool", component: "team/a/tools/look", edited: true },
  { kind: "invocation_ended", call: "tool", component: "team/a/tools/look", invocation: 3, failed: true },
  { kind: "run_ended", status: "failed" },
]);

describe("a record in words", () => {
  it("names all who get a message", () => {
    const told = tell(outline, 1, 2);
    expect(told).toMatchObject({ aspect: "message", who: "team/boss", to: ["team/a", "team/b"], type: "Say" });
    expect(spoken(told)).toBe("boss, message to a, b");
  });

  it("says what is special", () => {
    expect(tell(outline, 3)).toMatchObject({ verb: "called", marks: ["edited"] });
    expect(spoken(tell(outline, 4))).toBe("a · look, failed");
    expect(tell(outline, 5).verb).toBe("The run has failed");
  });

  it("says that an edit is yours, and what it is about", () => {
    const edits = logOf([
      { kind: "message_queued", component: "team/boss", recipient: "team/a", type: "Say", hash: "h" },
      { kind: "edited", op: "replace_message", component: "team/boss", message: 0, hash: "i", was: "h" },
    ]);
    expect(spoken(tell(edits, 1))).toBe("you, changed the message of boss");
  });

  it("tells what was read, and that time has passed", () => {
    const reading = logOf([
      { kind: "value_read", source: "clock" },
      { kind: "value_read", source: "timer poll" },
    ]);
    expect(tell(reading, 0)).toMatchObject({ verb: "read clock" });
    expect(tell(reading, 1)).toMatchObject({ verb: "waited in", type: "poll" });
  });
});

describe("the changes that a record offers", () => {
  it("name the start of an invocation", () => {
    expect(changesOf(outline, 1).map(({ op, seq }) => [op, seq])).toEqual([["replace_message", 1]]);
    expect(changesOf(outline, 3).map(({ op, seq }) => [op, seq])).toEqual([
      ["replace_input", 3],
      ["mock_output", 3],
    ]);
    expect(changesOf(outline, 4).map(({ op, seq }) => [op, seq])).toEqual([["mock_output", 3]]);
    expect(changesOf(outline, 0)).toEqual([]);
  });
});
