/**
 * The changes that a person is about to make, each at its record: a menu anywhere opens the editor in the details, and what
 * was written stays while one looks elsewhere, closes the editor, or loads the page again.
 */

import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

import type { Change } from "@/model/telling";

export interface Begun {
  op: Change["op"];
  /** Whether its editor is open. */
  open: boolean;
  /** What was written; undefined while that is nothing. */
  value?: unknown;
}

interface Editing {
  byRecord: Record<string, Begun>;
  begin: (run: string, seq: number, op: Change["op"]) => void;
  write: (run: string, seq: number, value: unknown) => void;
  /** Close the editor; what was written comes back when it is opened again. */
  close: (run: string, seq: number) => void;
  forget: (run: string, seq: number) => void;
}

const key = (run: string, seq: number) => `${run} ${seq}`;

export const useEditing = create<Editing>()(
  persist(
    (set) => {
      const change = (run: string, seq: number, to: (begun: Begun) => Begun) =>
        set(({ byRecord }) => {
          const begun = byRecord[key(run, seq)];
          return begun === undefined ? {} : { byRecord: { ...byRecord, [key(run, seq)]: to(begun) } };
        });
      return {
        byRecord: {},
        begin: (run, seq, op) =>
          set(({ byRecord }) => {
            const begun = byRecord[key(run, seq)];
            const kept = begun?.op === op ? begun : { op };
            return { byRecord: { ...byRecord, [key(run, seq)]: { ...kept, open: true } } };
          }),
        write: (run, seq, value) => change(run, seq, (begun) => ({ ...begun, value })),
        close: (run, seq) => change(run, seq, (begun) => ({ ...begun, open: false })),
        forget: (run, seq) =>
          set(({ byRecord }) => {
            const { [key(run, seq)]: _, ...others } = byRecord;
            return { byRecord: others };
          }),
      };
    },
    { name: "outtake-editing", version: 1, storage: createJSONStorage(() => sessionStorage) },
  ),
);

/** The change that is being made at a record. */
export function useBegun(run: string, seq: number): Begun | null {
  return useEditing(({ byRecord }) => byRecord[key(run, seq)] ?? null);
}

/** Whether the editor of a record is open. */
export function isEdited(run: string, seq: number): boolean {
  return useEditing.getState().byRecord[key(run, seq)]?.open === true;
}
