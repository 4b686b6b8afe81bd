/** The rows of the history, by what the address says is shown. */

import { useCallback, useMemo } from "react";

import { DEFAULT_ASPECTS, type RowChoice, type Rows, rowsOf } from "@/model/rows";
import type { Outline } from "@/model/outline";
import { useOfOutline } from "@/state/following";
import { aspectsOf, type Place } from "@/state/place";

export function useRows(
  outline: Outline,
  place: Place,
  folded: ReadonlySet<number>,
  found: ReadonlySet<number> | null,
  held: ReadonlySet<number>,
): Rows {
  const { kinds, only, plumbing } = place;
  const choice = useMemo<RowChoice>(
    () => ({
      aspects: (kinds === undefined ? null : aspectsOf({ kinds })) ?? DEFAULT_ASPECTS,
      components: only === undefined ? null : new Set(only.split(",")),
      found,
      plumbing: plumbing === true,
      folded,
      held,
    }),
    [kinds, only, plumbing, folded, found, held],
  );
  const make = useCallback((of: Outline) => rowsOf(of, choice), [choice]);
  return useOfOutline(outline, make);
}
