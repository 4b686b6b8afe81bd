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
  /** What was written, for each kind of change that is possible there. */
  values: { [op in Change["op"]]?: unknown };
}

interface Editing {
  byRecord: Record<string, Begun>;
  begin: (run: string, seq: number, op: Change["op"]) => void;
  write: (run: string, seq: number, value: unknown) => void;
  /** Close the editor; what was written comes back when it is opened again. */
  close: (run: string, seq: number) => void;
  /** Close the editor, and throw away what was written in it. */
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
            const values = byRecord[key(run, seq)]?.values ?? {};
            return { byRecord: { ...byRecord, [key(run, seq)]: { op, open: true, values } } };
          }),
        write: (run, seq, value) =>
          change(run, seq, (begun) => ({ ...begun, values: { ...begun.values, [begun.op]: value } })),
        close: (run, seq) => change(run, seq, (begun) => ({ ...begun, open: false })),
        forget: (run, seq) =>
          change(run, seq, (begun) => {
            const { [begun.op]: _, ...values } = begun.values;
            return { ...begun, open: false, values };
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
