/** What two sequences share, in order: the shortest edit between them. */

import { diffArrays } from "diff";

/** A stretch that differs: `a[fromA, toA)` became `b[fromB, toB)`. */
export interface Stretch {
  fromA: number;
  toA: number;
  fromB: number;
  toB: number;
}

/** Items that an edit may change while the shortest one is searched; what takes more counts as replaced whole. */
const MOST_CHANGED = 1500;

/** The stretches in which two sequences differ, in order. */
export function stretchesOf<T>(a: readonly T[], b: readonly T[], most = MOST_CHANGED): Stretch[] {
  const changes = diffArrays([...a], [...b], { maxEditLength: most });
  if (changes === undefined) return [betweenEnds(a, b)];
  const stretches: Stretch[] = [];
  let [x, y] = [0, 0];
  let open: Stretch | null = null;
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      open = null;
      x += count;
      y += count;
      continue;
    }
    if (open === null) stretches.push((open = { fromA: x, toA: x, fromB: y, toB: y }));
    if (removed) x += count;
    else y += count;
    open.toA = x;
    open.toB = y;
  }
  return stretches;
}

/** Everything but what two sequences begin and end with. */
function betweenEnds<T>(a: readonly T[], b: readonly T[]): Stretch {
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let [toA, toB] = [a.length, b.length];
  while (toA > from && toB > from && a[toA - 1] === b[toB - 1]) {
    toA--;
    toB--;
  }
  return { fromA: from, toA, fromB: from, toB };
}
