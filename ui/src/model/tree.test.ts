import { describe, expect, it } from "vitest";

import type { RunSummary } from "@/api/schema";

import { branchesOf, treeOf } from "./tree";

const run = (id: string, parent: string | null = null) => ({ run: id, parent }) as RunSummary;
const runs = [run("r1"), run("r2", "r1"), run("r3"), run("r4", "r1"), run("r5", "r2"), run("r6", "gone")];

describe("runs as trees", () => {
  it("put forks below their parents", () => {
    expect(branchesOf(runs).map(({ run, depth }) => `${depth}${run.run}`)).toEqual(
      ["0r1", "1r2", "2r5", "1r4", "0r3", "0r6"], //
    );
  });

  it("find the tree of a run", () => {
    expect(treeOf(runs, "r5").map(({ run }) => run.run)).toEqual(["r1", "r2", "r5", "r4"]);
    expect(treeOf(runs, "r6").map(({ run }) => run.run)).toEqual(["r6"]);
    expect(treeOf(runs, "r9")).toEqual([]);
  });
});
