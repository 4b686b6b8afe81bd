/** Answers to what is held that are being written and are not given yet: kept while a person looks elsewhere. */

import { create } from "zustand";

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

export const useAnswering = create<Answering>()((set) => ({
  byHold: {},
  write: (run, hold, written) => set(({ byHold }) => ({ byHold: { ...byHold, [key(run, hold)]: written } })),
  forget: (run, hold) =>
    set(({ byHold }) => {
      const { [key(run, hold)]: _, ...others } = byHold;
      return { byHold: others };
    }),
}));

/** What is being written as the answer to something that is held. */
export function useWritten(run: string, hold: number): Written | null {
  return useAnswering(({ byHold }) => byHold[key(run, hold)] ?? null);
}
