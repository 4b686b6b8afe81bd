/**
 * The changes that a person is about to make, each at its record: a menu anywhere opens the editor in the details, and closing
 * the editor keeps what was written.
 */

import type { Change } from "@/model/telling";

import { unfinished } from "./unfinished";

export interface Begun {
  op: Change["op"];
  /** Whether its editor is open. */
  open: boolean;
  /** What was written, for each kind of change that is possible there. */
  values: { [op in Change["op"]]?: unknown };
}

const useEdits = unfinished<Begun>("editing");
const key = (run: string, seq: number) => `${run} ${seq}`;
const begunAt = (run: string, seq: number) => useEdits.getState().byKey[key(run, seq)];

/** The change that is being made at a record. */
export function useBegun(run: string, seq: number): Begun | null {
  return useEdits(({ byKey }) => byKey[key(run, seq)] ?? null);
}

/** Whether the editor of a record is open. */
export function isEdited(run: string, seq: number): boolean {
  return begunAt(run, seq)?.open === true;
}

/** Open the editor of a change, with what was written there before. */
export function beginEdit(run: string, seq: number, op: Change["op"]): void {
  useEdits.getState().put(key(run, seq), { op, open: true, values: begunAt(run, seq)?.values ?? {} });
}

export function writeEdit(run: string, seq: number, value: unknown): void {
  change(run, seq, (begun) => ({ ...begun, values: { ...begun.values, [begun.op]: value } }));
}

/** Close the editor; what was written comes back when it is opened again. */
export function closeEdit(run: string, seq: number): void {
  change(run, seq, (begun) => ({ ...begun, open: false }));
}

/** Close the editor, and throw away what was written in it. */
export function forgetEdit(run: string, seq: number): void {
  change(run, seq, (begun) => {
    const { [begun.op]: _, ...values } = begun.values;
    return { ...begun, open: false, values };
  });
}

function change(run: string, seq: number, to: (begun: Begun) => Begun): void {
  const begun = begunAt(run, seq);
  if (begun === undefined) return;
  const next = to(begun);
  const isNothing = !next.open && Object.keys(next.values).length === 0;
  useEdits.getState().put(key(run, seq), isNothing ? undefined : next);
}
