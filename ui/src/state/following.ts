/** What is worked out of a run's outline, anew when records have come, and not too often for a long run. */

import { useEffect, useMemo, useRef, useState } from "react";

import type { Outline } from "@/model/outline";

/** Records from which a new picture of the whole costs so much that it is not made with every batch. */
const LARGE = 20_000;
const PAUSE = 250;

/** A number that changes when the outline has: at once for a short run, a few times a second for a long one. */
export function useOutlineVersion(outline: Outline): number {
  const [told, setTold] = useState(outline.version);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const { version, length } = outline;
  const small = length < LARGE;
  useEffect(() => {
    if (small || told === version) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setTold(outline.version);
    }, PAUSE);
  }, [small, told, version, outline]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return small ? version : told;
}

/** Something made out of the outline, kept until there is more of it. */
export function useOfOutline<T>(outline: Outline, make: (outline: Outline) => T): T {
  const version = useOutlineVersion(outline);
  // The outline is changed in place; its version tells.
  // oxlint-disable-next-line react/exhaustive-deps
  return useMemo(() => make(outline), [outline, version, make]);
}
