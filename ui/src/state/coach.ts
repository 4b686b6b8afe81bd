/** How far a new user has come with the demo's three steps, and whether they want to see them; kept in this browser. */

import { create } from "zustand";
import { persist } from "zustand/middleware";

interface Coach {
  /** Shown no more, on no run. */
  dismissed: boolean;
  /** Steps that are done, by the demo's run and when it began: a store may be another one tomorrow. */
  done: Readonly<Record<string, number>>;
  dismiss: () => void;
  reach: (demo: string, done: number) => void;
}

export const useCoach = create<Coach>()(
  persist(
    (set) => ({
      dismissed: false,
      done: {},
      dismiss: () => set({ dismissed: true }),
      reach: (demo, done) => set((coach) => ({ done: { ...coach.done, [demo]: done } })),
    }),
    { name: "outtake-coach", version: 1 },
  ),
);
