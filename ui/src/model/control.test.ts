import { describe, expect, it } from "vitest";

import type { Hold } from "@/api/schema";

import { tellHold, UNGIVEN, whyNot } from "./control";

const hold = { hold: 1, when: "before", component: "team/a/tools/look", call: "tool", type: "" } as Hold;
const live = { live: true, imported: false };

describe("what can be done", () => {
  it("depends on what is held", () => {
    expect(whyNot({ ...live, status: "running", held: [] }, "pause", false)).toBe("");
    expect(whyNot({ ...live, status: "running", held: [] }, "step", false)).toMatch("pause first");
    expect(whyNot({ ...live, status: "held", held: [hold] }, "step", false)).toBe("");
    expect(whyNot({ ...live, status: "held", held: [hold] }, "step", true)).toBe(UNGIVEN);
    expect(whyNot({ ...live, status: "held", held: [hold] }, "stop", true)).toBe("");
    expect(whyNot({ ...live, status: "held", held: [hold] }, "pause", false)).not.toBe("");
  });

  it("is only to end a program that has not connected yet", () => {
    expect(whyNot({ ...live, status: "reconnecting", held: [] }, "pause", false)).toMatch("lives");
    expect(whyNot({ ...live, status: "reconnecting", held: [] }, "stop", false)).toBe("");
  });

  it("is nothing for what has ended, and it says so", () => {
    expect(whyNot({ live: false, imported: false, status: "completed", held: [] }, "stop", false)).toMatch("fork");
    expect(whyNot({ live: false, imported: true, status: "completed", held: [] }, "stop", false)).toMatch("imported");
  });
});

describe("a hold", () => {
  it("is told in words", () => {
    expect(tellHold(hold)).toBe("tool a · look is about to run");
    expect(tellHold({ ...hold, when: "after", failed: true })).toBe("tool a · look has failed");
  });
});
