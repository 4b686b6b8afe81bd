import { describe, expect, it } from "vitest";

import type { Explanation, PathStep } from "@/api/schema";

import { againAfter, partsOf, tellStep, tellUse, turningPoint } from "./explaining";

function step(seq: number, kind: string, call: PathStep["call"] = null, says = false): PathStep {
  return {
    seq,
    kind,
    call,
    says,
    component: "team/surfer",
    recipient: null,
    invocation: null,
    hash: null,
    failed: false,
    relation: null,
    match: null,
  };
}

function explained(first: number | null, path: PathStep[]): Explanation {
  const told = { run: "r1", outcome: "failed", expected: "519", answer: "525", said: "525" } as const;
  return { ...told, first, origin: "tool", path, change: null };
}

describe("a path to a wrong answer", () => {
  const path = [
    step(0, "run_started"),
    step(3, "invocation_started", "flow"),
    step(40, "message_queued"),
    step(67, "invocation_ended", "tool"),
    step(90, "message_queued"),
    step(106, "invocation_ended", "model"),
    step(119, "invocation_ended", "model"),
    step(127, "invocation_ended", "tool", true),
    step(137, "invocation_ended", "tool", true),
    step(142, "invocation_ended", "model", true),
    step(244, "run_ended", null, true),
  ];

  it("has what is near the first saying, and the rest folded", () => {
    expect(partsOf(explained(127, path))).toEqual([
      "earlier",
      "earlier",
      "earlier",
      "led",
      "led",
      "led",
      "led",
      "first",
      "again",
      "passed",
      "passed",
    ]);
    expect(againAfter(partsOf(explained(127, path)), path, 7)).toEqual([137]);
  });

  it("goes through everybody who passed it on, and folds many", () => {
    const hands = Array.from({ length: 12 }, (_, n) => ({
      ...step(200 + n, "noted", null, true),
      component: `team/${n}`,
    }));
    const parts = partsOf(explained(127, [step(127, "invocation_ended", "tool", true), ...hands]));
    expect(parts.filter((part) => part === "passed")).toHaveLength(5);
    expect(parts.slice(4, 6)).toEqual(["between", "between"]);
  });

  it("turns at the last decision before", () => {
    expect(turningPoint(explained(127, path))).toBe(119);
    expect(turningPoint(explained(null, path))).toBe(142);
    expect(turningPoint(explained(null, []))).toBeNull();
  });

  it("is told in words of what each did", () => {
    expect(path.map(tellStep)).toEqual([
      "the input",
      "was asked",
      "said",
      "gave",
      "said",
      "decided",
      "decided",
      "gave",
      "gave",
      "said",
      "the answer",
    ]);
  });

  it("leads somewhere where nothing says the wrong thing", () => {
    expect(partsOf(explained(null, path)).filter((part) => part === "led")).toHaveLength(4);
  });
});

describe("a repair that did not help", () => {
  const told = (change: Explanation["change"], first: number | null = 120) =>
    tellUse({ ...explained(first, []), change }, "r1")
      .map(({ text }) => text)
      .join("");

  it("is told by how far it went", () => {
    expect(told({ at: 119, calls: 3, first: 130, again: 140 }, 120)).toBe(
      "The change at #119 of r1 was used by 3 calls, first #130; #140 said 525 all the same.",
    );
    expect(told({ at: 119, calls: 1, first: 130, again: null }, 120)).toBe(
      "The change at #119 of r1 was used by 1 call, first #130; 525 was there before it.",
    );
    expect(told({ at: null, calls: 0, first: null, again: 140 })).toBe(
      "The change made no difference: no later call was asked anything else than in r1.",
    );
    expect(told(null)).toBe("");
  });

  it("leads to the records", () => {
    const pieces = tellUse({ ...explained(140, []), change: { at: 1, calls: 3, first: 130, again: 140 } }, "r1");
    expect(pieces.flatMap(({ seq }) => seq ?? [])).toEqual([130, 140]);
  });
});
