/** Moving through a long run: from error to error, from change to change, to the answer; and the densities, by key. */

import { useHotkeys } from "@mantine/hooks";
import { useCallback, useMemo } from "react";

import { NONE } from "@/model/outline";
import { answerOf, nextOf, type Turns } from "@/model/turns";
import { DENSITIES, type Density } from "@/state/place";
import { usePrefs } from "@/state/prefs";
import { useTurns } from "@/state/turns";
import { useWorkspace } from "@/views/workspace/context";

export const DENSITY_NAMES: { [density in Density]: string } = { story: "Story", calls: "Calls", records: "Records" };

export const DENSITY_ABOUT: { [density in Density]: { key: string; about: string } } = {
  story: { key: "S", about: "Turns of agents, with what each thought, did and answered" },
  calls: { key: "C", about: "A call and what came back on one row" },
  records: { key: "R", about: "Every record of the log" },
};

/** Show the history in another density; it is kept for the next run. */
export function useSetDensity(): (density: Density) => void {
  const { go } = useWorkspace();
  const read = usePrefs((prefs) => prefs.read);
  return useCallback(
    (density) => {
      read(density);
      go({ density });
    },
    [go, read],
  );
}

export interface Reading {
  errors: number;
  changes: number;
  /** Go to the next one, or the one before; past the last is the first. */
  toError: (back: boolean) => void;
  toChange: (back: boolean) => void;
  toAnswer: () => void;
}

/** Where one can go from what is selected. */
export function useReading(turns: Turns): Reading {
  const { place, select } = useWorkspace();
  const at = place.at ?? -1;
  return useMemo(() => {
    const to = (seq: number) => seq !== NONE && select(seq);
    return {
      errors: turns.errors.length,
      changes: turns.changes.length,
      toError: (back) => to(nextOf(turns.errors, at, back)),
      toChange: (back) => to(nextOf(turns.changes, at, back)),
      toAnswer: () => to(answerOf(turns)),
    };
    // The turns change in place: their lengths tell.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [turns, turns.length, at, select]);
}

/** The same for who has no turns at hand, as the palette. */
export function useReadingOfRun(): Reading {
  const { view } = useWorkspace();
  const { turns } = useTurns(view.outline);
  return useReading(turns);
}

export function useReadingKeys(turns: Turns): void {
  const { toError, toChange, toAnswer } = useReading(turns);
  const setDensity = useSetDensity();
  useHotkeys([
    ...DENSITIES.map((density): [string, () => void] => [DENSITY_ABOUT[density].key, () => setDensity(density)]),
    ["X", () => toError(false)],
    ["shift+X", () => toError(true)],
    ["F8", () => toError(false)],
    ["shift+F8", () => toError(true)],
    ["D", () => toChange(false)],
    ["shift+D", () => toChange(true)],
    ["A", () => toAnswer()],
  ]);
}
