/** The three steps that show a new user what a demo's run is for: it is wrong, why, change and fork. */

import type { RunSummary } from "@/api/schema";

export const STEPS = ["wrong", "why", "change"] as const;
export type CoachStep = (typeof STEPS)[number];

/** What the demo's runs are started with, and called; see `outtake.demo.programs`. */
const SPECS = new Set(["team.py:get_team", "plain_team.py:team"]);
const NAME = "demo";

type Known = Pick<RunSummary, "run" | "parent" | "name" | "spec" | "created" | "edits" | "outcome">;

/** The demo's own run that this one is, or was forked from; null of any other program. */
export function demoOf(byId: ReadonlyMap<string, Known>, id: string): Known | null {
  let at = byId.get(id);
  const seen = new Set<string>();
  while (at !== undefined && at.parent !== null && !seen.has(at.run)) {
    seen.add(at.run);
    at = byId.get(at.parent);
  }
  return at !== undefined && at.parent === null && at.name === NAME && SPECS.has(at.spec) ? at : null;
}

/** What the window shows, as far as a step is done by it. */
export interface Seen {
  /** The record where the wrong thing was said first is selected. */
  first: boolean;
  /** The path that led to it is open. */
  path: boolean;
  /** Something was changed in a fork of the demo's run. */
  changed: boolean;
}

/** How many steps are done: who has done a later one needs no earlier one. */
export function stepsDone({ first, path, changed }: Seen): number {
  return changed ? 3 : path ? 2 : first ? 1 : 0;
}

/** The last run of this family that came to the right answer. */
export function rightOf(byId: ReadonlyMap<string, Known>, root: string): string | null {
  const right = [...byId.values()].filter(
    ({ run, outcome }) => outcome === "passed" && demoOf(byId, run)?.run === root,
  );
  return right.toSorted((a, b) => b.created - a.created)[0]?.run ?? null;
}

/** Whether a run of this family was changed in a fork. */
export function isChanged(byId: ReadonlyMap<string, Known>, root: string): boolean {
  return [...byId.values()].some(({ run, edits }) => edits.length > 0 && demoOf(byId, run)?.run === root);
}
