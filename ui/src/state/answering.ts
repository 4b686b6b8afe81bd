/** Answers to what is held that are being written and are not given yet: kept while a person looks elsewhere. */

import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

import type { RunInfo } from "@/api/schema";

export interface Written {
  /** The label of the answer that it is. */
  label: string;
  /** Undefined while nothing of it has been changed. */
  value: unknown;
}

interface Answering {
  byHold: Record<string, Written>;
  write: (run: string, hold: number, written: Written) => void;
  forget: (run: string, hold: number) => void;
}

const key = (run: string, hold: number) => `${run} ${hold}`;

export const useAnswering = create<Answering>()(
  persist(
    (set) => ({
      byHold: {},
      write: (run, hold, written) => set(({ byHold }) => ({ byHold: { ...byHold, [key(run, hold)]: written } })),
      forget: (run, hold) =>
        set(({ byHold }) => {
          const { [key(run, hold)]: _, ...others } = byHold;
          return { byHold: others };
        }),
    }),
    { name: "outtake-answering", version: 1, storage: createJSONStorage(() => sessionStorage) },
  ),
);

/** What is being written as the answer to something that is held. */
export function useWritten(run: string, hold: number): Written | null {
  return useAnswering(({ byHold }) => byHold[key(run, hold)] ?? null);
}

type Held = Pick<RunInfo, "run" | "held">;

/** Whether something was written for what a run holds: going on in another way would throw it away. */
export function isAnswered(run: Held, { byHold }: Pick<Answering, "byHold"> = useAnswering.getState()): boolean {
  return run.held.some(({ hold }) => byHold[key(run.run, hold)]?.value !== undefined);
}

/** The same, for as long as it is shown. */
export function useIsAnswered(run: Held | null): boolean {
  return useAnswering((answering) => run !== null && isAnswered(run, answering));
}
