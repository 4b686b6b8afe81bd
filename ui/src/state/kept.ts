/**
 * The breakpoints of each run, as far as they are known here: those of one that has ended go with the next fork of it, or when
 * it is run again.
 */

import { create } from "zustand";
import { persist } from "zustand/middleware";

import type { Breakpoint, RunInfo } from "@/api/schema";

interface Kept {
  byRun: Record<string, Breakpoint[]>;
  keep: (run: string, points: Breakpoint[]) => void;
}

export const useKept = create<Kept>()(
  persist(
    (set) => ({
      byRun: {},
      keep: (run, points) =>
        set(({ byRun }) => {
          const { [run]: _, ...others } = byRun;
          return { byRun: points.length === 0 ? others : { ...others, [run]: points } };
        }),
    }),
    { name: "outtake-breakpoints", version: 1 },
  ),
);

export function keptOf(run: string): readonly Breakpoint[] {
  return useKept.getState().byRun[run] ?? [];
}

/** What is said of a live run holds: others set and remove breakpoints, too. */
export function keepTold({ run, live, breakpoints }: Pick<RunInfo, "run" | "live" | "breakpoints">): void {
  const told = breakpoints ?? [];
  if (live && JSON.stringify(told) !== JSON.stringify(keptOf(run))) useKept.getState().keep(run, told);
}

/** The conditions that go with what is started from a run. */
export function conditionsFrom(run: string): string[] {
  return keptOf(run)
    .filter((point) => point.enabled)
    .map((point) => point.text);
}
