import { describe, expect, it } from "vitest";

import { noticesOf } from "./notices";

const run = { run: "r1", name: "demo", status: "running", live: true, outcome: null, output: "", error: "" } as const;
const before = new Map([["r1", run]]);
const ended = { ...run, live: false } as const;

describe("notices", () => {
  it("tell of a run that is held, once", () => {
    const held = { ...run, status: "held" } as const;
    expect(noticesOf(before, [held])).toEqual([
      { run: "r1", title: "r1 demo is held", body: "It waits for an answer." },
    ]);
    expect(noticesOf(new Map([["r1", held]]), [held])).toEqual([]);
  });

  it("tell how a run ended", () => {
    const wrong = { ...ended, status: "completed", outcome: "failed", output: "525" } as const;
    expect(noticesOf(before, [wrong])[0]).toMatchObject({ title: "r1 demo has finished", body: "Wrong. 525" });
    const failed = { ...ended, status: "failed", error: "ValueError: no" } as const;
    expect(noticesOf(before, [failed])[0]).toMatchObject({ title: "r1 demo has failed", body: "ValueError: no" });
  });

  it("say nothing of what a person did, nor of what was never seen to run", () => {
    expect(noticesOf(before, [{ ...ended, status: "stopped" }])).toEqual([]);
    expect(noticesOf(new Map(), [{ ...ended, status: "completed" }])).toEqual([]);
  });
});
