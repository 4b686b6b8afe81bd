/** How densely the history tells the run: what the address says, else what this person reads usually. */

import { useSearch } from "@tanstack/react-router";

import type { Density } from "./place";
import { usePrefs } from "./prefs";

export function useDensity(): Density {
  const { density } = useSearch({ from: "/runs/$run" });
  const usual = usePrefs((prefs) => prefs.density);
  return density ?? usual;
}
