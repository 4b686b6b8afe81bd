/** How the next fork of a run is to be made; kept in this browser until it is. */

import { create } from "zustand";
import { persist } from "zustand/middleware";

import type { Repeat, Reuse } from "@/model/mocks";

export interface Forking {
  reuse: Reuse;
  repeat: Repeat;
  /** Whether calls that failed are served after the cut, too. */
  serveFailures: boolean;
  /** Where it is cut; null is at the first change. */
  at: number | null;
  /** Components that are executed in any case. */
  live: string[];
  pause: boolean;
  name: string;
}

const USUAL: Forking = {
  reuse: "matching",
  repeat: "ask",
  serveFailures: false,
  at: null,
  live: [],
  pause: false,
  name: "",
};

interface Forkings {
  byRun: Record<string, Partial<Forking>>;
  change: (run: string, to: Partial<Forking>) => void;
  forget: (run: string) => void;
}

export const useForkings = create<Forkings>()(
  persist(
    (set) => ({
      byRun: {},
      change: (run, to) => set(({ byRun }) => ({ byRun: { ...byRun, [run]: { ...byRun[run], ...to } } })),
      forget: (run) => set(({ byRun }) => ({ byRun: { ...byRun, [run]: {} } })),
    }),
    { name: "outtake-forking", version: 1 },
  ),
);

/** How the next fork of a run is to be made, and how to say so. */
export function useForking(run: string): [Forking, (to: Partial<Forking>) => void] {
  const { byRun, change } = useForkings();
  return [{ ...USUAL, ...byRun[run] }, (to) => change(run, to)];
}
