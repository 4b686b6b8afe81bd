/** Answers to what is held that are being written and are not given yet. */

import type { RunInfo } from "@/api/schema";

import { unfinished } from "./unfinished";

export interface Written {
  /** The label of the answer that it is. */
  label: string;
  /** Undefined while nothing of it has been changed. */
  value: unknown;
}

const useAnswers = unfinished<Written>("answering");
const key = (run: string, hold: number) => `${run} ${hold}`;

/** What is being written as the answer to something that is held. */
export function useWritten(run: string, hold: number): Written | null {
  return useAnswers(({ byKey }) => byKey[key(run, hold)] ?? null);
}

export function writeAnswer(run: string, hold: number, written: Written): void {
  useAnswers.getState().put(key(run, hold), written);
}

export function forgetAnswer(run: string, hold: number): void {
  useAnswers.getState().put(key(run, hold), undefined);
}

type Held = Pick<RunInfo, "run" | "held">;

/** Whether something was written for what a run holds: going on in another way would throw it away. */
export function isAnswered(run: Held, { byKey } = useAnswers.getState()): boolean {
  return run.held.some(({ hold }) => byKey[key(run.run, hold)]?.value !== undefined);
}

/** The same, for as long as it is shown. */
export function useIsAnswered(run: Held | null): boolean {
  return useAnswers((answers) => run !== null && isAnswered(run, answers));
}
