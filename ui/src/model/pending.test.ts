import { describe, expect, it } from "vitest";

import { answersTo, movedBefore } from "./pending";

const hold = { when: "before", offers: [], failed: false, message: null } as const;
const labels = (of: Parameters<typeof answersTo>[0]) => answersTo(of).map((answer) => answer.label);

describe("what is held", () => {
  it("before it runs goes on, is changed, replaced, or left out", () => {
    expect(labels({ ...hold, offers: [] })).toEqual([
      "Let it go on",
      "Change the input…",
      "Give the result…",
      "Let it fail…",
      "Leave it out",
    ]);
    expect(labels({ ...hold, offers: [], message: 4 })[1]).toBe("Change the message…");
  });

  it("for its effects is served first", () => {
    expect(labels({ ...hold, offers: ["record", "proceed", "mock_output"] }).slice(0, 2)).toEqual([
      "Serve the recorded result",
      "Run it again",
    ]);
  });

  it("may leave a state as it is", () => {
    expect(labels({ ...hold, offers: ["proceed", "skip", "mock_output"] }).slice(0, 2)).toEqual([
      "Execute them again, then continue",
      "Continue without",
    ]);
  });

  it("has exactly one usual answer", () => {
    for (const when of ["before", "after", "input", "diverged"] as const)
      for (const failed of [false, true])
        expect(answersTo({ ...hold, offers: [], when, failed }).filter((answer) => answer.usual)).toHaveLength(1);
  });

  it("is told what was given", () => {
    const [, change, give, fail] = answersTo({ ...hold, offers: [] });
    expect(change?.release("in")).toEqual({ verb: "proceed", value: "in" });
    expect(give?.release("out")).toEqual({ verb: "serve", value: "out" });
    expect(fail?.release("why")).toEqual({ verb: "serve", value: "why", failed: true });
  });
});

describe("a message in the queue", () => {
  it("goes to any place of it", () => {
    const queue = [3, 5, 8];
    const ordered = (seq: number, place: number) => {
      const before = movedBefore(queue, seq, place);
      if (before === undefined) return queue;
      const rest = queue.filter((one) => one !== seq);
      return rest.toSpliced(before === null ? rest.length : rest.indexOf(before), 0, seq);
    };
    expect(ordered(3, 1)).toEqual([5, 3, 8]);
    expect(ordered(3, 2)).toEqual([5, 8, 3]);
    expect(ordered(8, 0)).toEqual([8, 3, 5]);
    expect(ordered(5, 9)).toEqual([3, 8, 5]);
    expect(ordered(5, 1)).toEqual(queue);
    expect(ordered(4, 0)).toEqual(queue);
  });
});
