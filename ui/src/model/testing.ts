/** Logs for tests, written as short as they can be. */

import type { LogRecord } from "@/api/types";

import { Outline } from "./outline";

type Told = { kind: LogRecord["kind"] } & { [name: string]: unknown };

/** Records numbered from 0, a millisecond apart. */
export function recordsOf(told: readonly Told[]): LogRecord[] {
  return told.map((record, seq) => ({ seq, at: 1000 + seq / 1000, ...record }) as unknown as LogRecord);
}

/** The outline of records. */
export function logOf(told: readonly Told[]): Outline {
  const outline = new Outline();
  for (const record of recordsOf(told)) outline.push(record);
  return outline;
}

/** Numbers under a limit that look random and are the same each time. */
export function random(seed: number): (limit: number) => number {
  let state = seed | 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}
