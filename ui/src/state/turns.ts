/** The turns of a run and the colours of its agents, kept up with its records. */

import { Hues } from "@/model/hues";
import type { Outline } from "@/model/outline";
import { Turns } from "@/model/turns";

import { useOfOutline } from "./following";

interface Known {
  turns: Turns;
  hues: Hues;
}

const known = new WeakMap<Outline, Known>();

/** The same objects as long as the outline is the same; `version` changes when there is more of it. */
function followed(outline: Outline): Known & { version: number } {
  const { turns, hues } = known.get(outline) ?? { turns: new Turns(), hues: new Hues() };
  known.set(outline, { turns, hues });
  turns.update(outline);
  hues.update(outline);
  return { turns, hues, version: outline.version };
}

/** The turns and the colours of a run. */
export function useTurns(outline: Outline): Known & { version: number } {
  return useOfOutline(outline, followed);
}
