/** Changes that a person has collected for the next fork of a run, and not made yet; kept in this browser until then. */

import { create } from "zustand";
import { persist } from "zustand/middleware";

import type { Edit } from "@/api/schema";

export interface Draft {
  id: number;
  edit: Edit;
  /** What it does, in words. */
  told: string;
  /** The record at which a person made it, where that is another than the edit names: the end of a call, of its start. */
  chosen?: number;
}

interface Drafts {
  byRun: Record<string, Draft[]>;
  add: (run: string, edit: Edit, told: string, chosen?: number) => void;
  remove: (run: string, id: number) => void;
  change: (run: string, id: number, edit: Edit, told: string) => void;
  clear: (run: string) => void;
  /** Have exactly these: what was there before something was removed, or what another run was made with. */
  put: (run: string, drafts: Draft[]) => void;
}

/** The collected changes of every run. */
export const useDrafts = create<Drafts>()(
  persist(
    (set) => {
      const update = (run: string, to: (drafts: Draft[]) => Draft[]) =>
        set(({ byRun }) => ({ byRun: { ...byRun, [run]: to(byRun[run] ?? []) } }));
      return {
        byRun: {},
        add: (run, edit, told, chosen) =>
          update(run, (drafts) => [
            ...drafts,
            { id: (drafts.at(-1)?.id ?? 0) + 1, edit, told, ...(chosen !== undefined && { chosen }) },
          ]),
        remove: (run, id) => update(run, (drafts) => drafts.filter((draft) => draft.id !== id)),
        change: (run, id, edit, told) =>
          update(run, (drafts) => drafts.map((draft) => (draft.id === id ? { ...draft, edit, told } : draft))),
        clear: (run) => update(run, () => []),
        put: (run, drafts) => update(run, () => drafts),
      };
    },
    { name: "outtake-drafts", version: 1 },
  ),
);
