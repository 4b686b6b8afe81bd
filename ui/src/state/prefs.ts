/** What a person likes, kept in this browser: where panels live, how the overview is coloured, sizes. */

import { create } from "zustand";
import { persist } from "zustand/middleware";

import type { Density, Dock, PanelId } from "./place";

export type Colouring = "kind" | "type" | "sender" | "recipient";

interface Prefs {
  docks: Record<PanelId, Dock>;
  colouring: Colouring;
  density: Density;
  /** Whether to tell of runs while one looks elsewhere. */
  notices: boolean;
  move: (panel: PanelId, dock: Dock) => void;
  colour: (by: Colouring) => void;
  read: (density: Density) => void;
  notify: (notices: boolean) => void;
}

const DOCKS: Record<PanelId, Dock> = {
  details: "side",
  overview: "bottom",
  trace: "bottom",
  graph: "bottom",
  compare: "bottom",
  pending: "side",
  mocks: "side",
  console: "bottom",
};

export const usePrefs = create<Prefs>()(
  persist(
    (set) => ({
      docks: DOCKS,
      colouring: "sender",
      density: "story",
      notices: false,
      move: (panel, dock) => set((prefs) => ({ docks: { ...prefs.docks, [panel]: dock } })),
      colour: (colouring) => set({ colouring }),
      read: (density) => set({ density }),
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
