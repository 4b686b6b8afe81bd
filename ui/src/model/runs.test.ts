import { describe, expect, it } from "vitest";

import type { RunSummary } from "@/api/schema";

import { fits, readRunsPlace } from "./filters";
import { answerOf, deletable, flatRows, knownTargets, relatives, treeRows, withForks } from "./runs";

function run(id: number, about: Partial<RunSummary> = {}): RunSummary {
  return {
    run: `r${id}`,
    name: "",
    status: "completed",
    live: false,
    spec: "team.py:get_team",
    parent: null,
    cut: null,
    edits: [],
    records: 10,
    created: id,
    ended: id + 1,
    input: "How many?",
    output: "525",
    error: "",
    calls: { model: id, tool: 0 },
    tokens: null,
    cost: null,
    seconds: null,
    outcome: null,
    expected: null,
    imported: false,
    untrusted: false,
    ...about,
  } as RunSummary;
}

const family = [run(1), run(2, { parent: "r1" }), run(3), run(4, { parent: "r1" }), run(5, { parent: "r2" })];
const told = (rows: ReturnType<typeof treeRows>) => rows.map(({ run, depth }) => `${" ".repeat(depth)}${run.run}`);

describe("trees", () => {
  it("begin with the newest, and put forks under what they were forked from", () => {
    expect(told(treeRows(family, {}, new Set()))).toEqual(["r3", "r1", " r2", "  r5", " r4"]);
  });

  it("leave out what is closed, and say how much there is", () => {
    const rows = treeRows(family, {}, new Set(["r1"]));
    expect(told(rows)).toEqual(["r3", "r1"]);
    expect(rows[1]).toMatchObject({ forks: 2, open: false });
  });

  it("keep what leads to a run that is looked for", () => {
    const runs = [...family, run(6, { parent: "r2", output: "519" })];
    const rows = treeRows(runs, { q: "519" }, new Set());
    expect(told(rows)).toEqual(["r1", " r2", "  r6"]);
    expect(rows.map(({ aside }) => aside)).toEqual([true, true, false]);
  });

  it("show a fork of a run that is gone by itself", () => {
    expect(told(treeRows([run(2, { parent: "r1" })], {}, new Set()))).toEqual(["r2"]);
  });
});

describe("flat lists", () => {
  it("are sorted, what is not known last", () => {
    const runs = [run(1), run(2, { calls: null }), run(3)];
    const ids = (by: "calls" | "run", down: boolean) => flatRows(runs, {}, { by, down }, 9).map(({ run }) => run.run);
    expect(ids("calls", true)).toEqual(["r3", "r1", "r2"]);
    expect(ids("calls", false)).toEqual(["r1", "r3", "r2"]);
    expect(ids("run", true)).toEqual(["r3", "r2", "r1"]);
  });
});

describe("filters", () => {
  it("want every word, wherever it is said", () => {
    expect(fits(run(1), { q: "525 TEAM" })).toBe(true);
    expect(fits(run(1), { q: "525 crew" })).toBe(false);
  });

  it("know states and outcomes", () => {
    expect(fits(run(1, { live: true, status: "held" }), { status: "live" })).toBe(true);
    expect(fits(run(1, { status: "lost" }), { status: "stopped" })).toBe(true);
    expect(fits(run(1), { outcome: "unknown" })).toBe(true);
    expect(fits(run(1, { outcome: "passed" }), { outcome: "failed" })).toBe(false);
  });

  it("come out of an address, without what makes no sense", () => {
    expect(readRunsPlace({ q: 525, status: "odd", outcome: "passed", x: 1 })).toEqual({ q: "525", outcome: "passed" });
  });
});

it("relatives come before strangers", () => {
  const runs = [...family, run(6, { spec: "other.py" })];
  expect(relatives(runs, "r2").map(({ run }) => run)).toEqual(["r1", "r5", "r4", "r3", "r6"]);
});

it("forks are deleted before what they were forked from, and what other forks need stays", () => {
  expect(deletable(family, new Set(["r1", "r2", "r4", "r5"]))).toEqual({ order: ["r5", "r4", "r2", "r1"], kept: [] });
  expect(deletable(family, new Set(["r1", "r2"]))).toEqual({ order: [], kept: ["r2", "r1"] });
  expect(deletable([run(1, { live: true })], new Set(["r1"]))).toEqual({ order: [], kept: ["r1"] });
});

it("a run goes with all that was forked from it", () => {
  expect([...withForks(family, ["r2"])]).toEqual(["r2", "r5"]);
  expect(withForks(family, ["r1"]).size).toBe(4);
});

it("targets are known from runs, not from logs that were imported", () => {
  const runs = [run(1), run(2, { spec: "log.json", imported: true }), run(3, { input: "Who?" })];
  expect(knownTargets(runs)).toEqual([{ spec: "team.py:get_team", run: "r3", input: "Who?" }]);
});

describe("what an output says", () => {
  it("is a text without the JSON around it, wherever it was cut", () => {
    expect(answerOf("Roy White")).toBe("Roy White");
    expect(answerOf('{"answer": "He said \\"no\\"\\nand went", "messages": 3}')).toBe('He said "no" and went');
    expect(answerOf('{"answer": "cut in the mid')).toBe("cut in the mid");
    expect(answerOf('{"average": 3.5, "best": ["Femi", "Bo')).toBe("average: 3.5, best: Femi, Bo");
  });
});
