/** Runs as trees: forks below what they were forked from. */

import type { RunSummary } from "@/api/schema";

export interface Branch {
  run: RunSummary;
  depth: number;
}

/** All runs as a list of trees, each run followed by its forks; without recursion, as forks of forks have no end. */
export function branchesOf(runs: readonly RunSummary[]): Branch[] {
  const ids = new Set(runs.map((run) => run.run));
  const forks = new Map<string, RunSummary[]>();
  const roots: RunSummary[] = [];
  for (const run of runs) {
    if (run.parent === null || !ids.has(run.parent)) roots.push(run);
    else forks.set(run.parent, [...(forks.get(run.parent) ?? []), run]);
  }
  const todo: Branch[] = roots.toReversed().map((run) => ({ run, depth: 0 }));
  const branches: Branch[] = [];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { depth } = next;
    branches.push(next);
    for (const run of (forks.get(next.run.run) ?? []).toReversed()) todo.push({ run, depth: depth + 1 });
  }
  return branches;
}

/** The tree that a run belongs to, as `branchesOf` gives it. */
export function treeOf(runs: readonly RunSummary[], id: string): Branch[] {
  const byId = new Map(runs.map((run) => [run.run, run]));
  let root = byId.get(id);
  while (root?.parent && byId.has(root.parent)) root = byId.get(root.parent);
  if (root === undefined) return [];
  const all = branchesOf(runs);
  const first = all.findIndex((branch) => branch.run === root);
  const after = all.findIndex((branch, n) => n > first && branch.depth === 0);
  return all.slice(first, after < 0 ? undefined : after);
}
