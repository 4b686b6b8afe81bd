/** Breakpoints set, changed and removed: with the program of a live run, in this browser for one that has ended. */

import { api, got } from "@/api/client";
import type { Breakpoint } from "@/api/schema";
import { conditionOn } from "@/model/conditions";

import { attempt } from "./commands";
import { keptOf, useKept } from "./kept";
import { followedRun } from "./run";

const NONE: readonly Breakpoint[] = [];
const at = (run: string) => ({ params: { path: { run } } });
const isLive = (run: string) => followedRun(run).snapshot().info?.live === true;

/** Hold where a condition is true.  Says why where it cannot be read, and gives false. */
export async function setBreakpoint(run: string, condition: string): Promise<boolean> {
  const points = keptOf(run);
  const there = points.find((point) => point.text === condition);
  if (there !== undefined) {
    await changeBreakpoint(run, there.id, { enabled: true });
    return true;
  }
  if (!isLive(run)) {
    const id = Math.max(0, ...points.map((point) => point.id)) + 1;
    useKept.getState().keep(run, [...points, { id, text: condition, enabled: true }]);
    return true;
  }
  const body = { condition };
  return changed(run, "Cannot set the breakpoint", () =>
    got(api.POST("/api/runs/{run}/breakpoints", { ...at(run), body })),
  );
}

/** Hold wherever a component is invoked, or any of a kind. */
export function breakOn(run: string, what: { component?: string; kind?: string }): Promise<boolean> {
  return setBreakpoint(run, conditionOn(what));
}

export async function changeBreakpoint(run: string, id: number, to: { enabled: boolean } | "removed"): Promise<void> {
  if (!isLive(run)) {
    const points = keptOf(run);
    const next =
      to === "removed"
        ? points.filter((point) => point.id !== id)
        : points.map((point) => (point.id === id ? { ...point, ...to } : point));
    useKept.getState().keep(run, next);
    return;
  }
  const params = { path: { run, id } };
  await changed(run, "Cannot change the breakpoint", () =>
    to === "removed"
      ? got(api.DELETE("/api/runs/{run}/breakpoints/{id}", { params }))
      : got(api.PATCH("/api/runs/{run}/breakpoints/{id}", { params, body: to })),
  );
}

async function changed(
  run: string,
  what: string,
  asking: () => Promise<{ breakpoints: Breakpoint[] }>,
): Promise<boolean> {
  const told = await attempt(what, asking);
  if (told !== undefined) useKept.getState().keep(run, told.breakpoints);
  return told !== undefined;
}

/** The breakpoints of a run, as far as they are known here. */
export function useBreakpoints(run: string): readonly Breakpoint[] {
  return useKept((kept) => kept.byRun[run]) ?? NONE;
}
