import { describe, expect, it } from "vitest";

import { demoOf, isChanged, rightOf, stepsDone } from "./coach";

const run = (id: string, parent: string | null, spec = "plain_team.py:team", edits: unknown[] = []) => ({
  run: id,
  parent,
  name: parent === null ? "demo" : "",
  spec,
  created: Number(id.slice(1)),
  edits: edits as never[],
  outcome: edits.length > 0 ? ("passed" as const) : ("failed" as const),
});
const byId = (...runs: ReturnType<typeof run>[]) => new Map(runs.map((each) => [each.run, each]));

describe("whose run it is", () => {
  it("is the demo's, and so are its forks", () => {
    const runs = byId(run("r1", null), run("r2", "r1"), run("r3", "r2"), run("r4", null, "mine.py:team"));
    expect(demoOf(runs, "r3")?.run).toBe("r1");
    expect(demoOf(runs, "r4")).toBeNull();
    expect(demoOf(runs, "r9")).toBeNull();
  });
  it("ends where the list goes in circles, or a parent is gone", () => {
    expect(demoOf(byId(run("r1", "r2"), run("r2", "r1")), "r1")).toBeNull();
    expect(demoOf(byId(run("r2", "r1")), "r2")).toBeNull();
  });
  it("is changed once a fork of it was", () => {
    expect(isChanged(byId(run("r1", null), run("r2", "r1")), "r1")).toBe(false);
    expect(isChanged(byId(run("r1", null), run("r2", "r1", "plain_team.py:team", [{}])), "r1")).toBe(true);
  });
  it("is right in the last fork that is", () => {
    const right = (id: string, parent: string) => run(id, parent, "plain_team.py:team", [{}]);
    expect(rightOf(byId(run("r1", null), right("r2", "r1"), right("r3", "r2"), run("r4", "r1")), "r1")).toBe("r3");
    expect(rightOf(byId(run("r1", null), run("r2", "r1")), "r1")).toBeNull();
  });
});

describe("steps", () => {
  it("are done in order, and a later one stands for the earlier ones", () => {
    expect(stepsDone({ first: false, path: false, changed: false })).toBe(0);
    expect(stepsDone({ first: true, path: false, changed: false })).toBe(1);
    expect(stepsDone({ first: false, path: true, changed: false })).toBe(2);
    expect(stepsDone({ first: false, path: false, changed: true })).toBe(3);
  });
});
