/** Forks that try one point of a run several times, as long as the page is open: how they come out is counted. */

import { create } from "zustand";

export interface Tries {
  /** The record from which they go on. */
  seq: number;
  runs: readonly string[];
}

interface State {
  byRun: Readonly<Record<string, readonly Tries[]>>;
}

const useTriesState = create<State>()(() => ({ byRun: {} }));
const NOTHING: readonly Tries[] = [];

/** What was tried from a run, the newest first. */
export function useTries(run: string): readonly Tries[] {
  return useTriesState(({ byRun }) => byRun[run] ?? NOTHING);
}

export function addTries(run: string, tries: Tries): void {
  useTriesState.setState(({ byRun }) => ({ byRun: { ...byRun, [run]: [tries, ...(byRun[run] ?? [])] } }));
}

/** Show these no more; the forks stay. */
export function dropTries(run: string, tries: Tries): void {
  useTriesState.setState(({ byRun }) => ({
    byRun: { ...byRun, [run]: (byRun[run] ?? []).filter((each) => each !== tries) },
  }));
}
