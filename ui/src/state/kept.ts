/**
 * The breakpoints of each run, as far as they are known here: those of one that has ended go with the next fork of it, or when
 * it is run again.
 */

import { create } from "zustand";
import { persist } from "zustand/middleware";

import type { Breakpoint } from "@/api/schema";

interface Kept {
  byRun: Record<string, Breakpoint[]>;
  keep: (run: string, points: Breakpoint[]) => void;
}

export const useKept = create<Kept>()(
  persist(
    (set) => ({
      byRun: {},
      keep: (run, points) => set(({ byRun }) => ({ byRun: { ...byRun, [run]: points } })),
    }),
    { name: "outtake-breakpoints", version: 1 },
  ),
);

export function keptOf(run: string): readonly Breakpoint[] {
  return useKept.getState().byRun[run] ?? [];
}

/** The conditions that go with what is started from a run. */
export function conditionsFrom(run: string): string[] {
  return keptOf(run)
    .filter((point) => point.enabled)
    .map((point) => point.text);
}
