/** Which change a person is about to make, so that a menu anywhere can open the editor in the details. */

import { create } from "zustand";

import type { Change } from "@/model/telling";

interface Editing {
  run: string;
  /** The record that is being changed. */
  seq: number;
  op: Change["op"] | null;
  begin: (run: string, seq: number, op: Change["op"]) => void;
  end: () => void;
}

export const useEditing = create<Editing>()((set) => ({
  run: "",
  seq: -1,
  op: null,
  begin: (run, seq, op) => set({ run, seq, op }),
  end: () => set({ op: null }),
}));
