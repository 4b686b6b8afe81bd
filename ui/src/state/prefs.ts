/** What a person likes, kept in this browser: where panels live, how the overview is coloured, sizes. */

import { create } from "zustand";
import { persist } from "zustand/middleware";

import { EDITORS } from "@/model/editors";

import type { Density, Dock, PanelId } from "./place";

export type Colouring = "kind" | "type" | "sender" | "recipient";

interface Prefs {
  docks: Record<PanelId, Dock>;
  colouring: Colouring;
  density: Density;
  /** The address that opens a line of source, see `@/model/editors`. */
  editor: string;
  /** Whether to tell of runs while one looks elsewhere. */
  notices: boolean;
  move: (panel: PanelId, dock: Dock) => void;
  colour: (by: Colouring) => void;
  read: (density: Density) => void;
  openWith: (editor: string) => void;
  notify: (notices: boolean) => void;
}

const DOCKS: Record<PanelId, Dock> = {
  inspector: "side",
  overview: "bottom",
  trace: "bottom",
  graph: "bottom",
  compare: "bottom",
  console: "bottom",
};

export const usePrefs = create<Prefs>()(
  persist(
    (set) => ({
      docks: DOCKS,
      colouring: "sender",
      density: "story",
      editor: EDITORS[0]?.address ?? "",
      notices: false,
      move: (panel, dock) => set((prefs) => ({ docks: { ...prefs.docks, [panel]: dock } })),
      colour: (colouring) => set({ colouring }),
      read: (density) => set({ density }),
      openWith: (editor) => set({ editor }),
      notify: (notices) => set({ notices }),
    }),
    {
      name: "outtake",
      version: 1,
      merge: (kept, fresh) => {
        const before = (kept ?? {}) as Partial<Prefs>;
        return { ...fresh, ...before, docks: { ...fresh.docks, ...before.docks } };
      },
    },
  ),
);
