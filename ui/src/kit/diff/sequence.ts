/** What two sequences share, in order: the shortest edit between them, by the algorithm of Myers. */

/** A stretch that differs: `a[fromA, toA)` became `b[fromB, toB)`. */
export interface Stretch {
  fromA: number;
  toA: number;
  fromB: number;
  toB: number;
}

/** Steps that are searched for the shortest edit; what takes more counts as replaced whole. */
const MOST_STEPS = 1500;

/** The stretches in which two sequences differ, in order. */
export function stretchesOf<T>(a: readonly T[], b: readonly T[], most = MOST_STEPS): Stretch[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  if (start === endA && start === endB) return [];
  const whole = { fromA: start, toA: endA, fromB: start, toB: endB };
  if (start === endA || start === endB) return [whole];
  const kept = common(a.slice(start, endA), b.slice(start, endB), most);
  return kept === null ? [whole] : between(kept, start, whole);
}

/** Pairs of places at which two sequences have the same, or null where looking for them takes too long. */
function common<T>(a: readonly T[], b: readonly T[], most: number): [number, number][] | null {
  const trail: Int32Array[] = [];
  const limit = Math.min(a.length + b.length, most);
  const middle = limit + 1;
  const reach = new Int32Array(2 * middle + 1);
  for (let steps = 0; steps <= limit; steps++) {
    trail.push(reach.slice(middle - steps - 1, middle + steps + 2));
    for (let k = -steps; k <= steps; k += 2) {
      let x = downward(reach, middle, k, steps) ? at(reach, middle + k + 1) : at(reach, middle + k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return walked(trail, a.length, b.length);
    }
  }
  return null;
}

/** Whether the furthest way to diagonal `k` comes from the one above it: by taking from b, not from a. */
function downward(reach: Int32Array, middle: number, k: number, steps: number): boolean {
  return k === -steps || (k !== steps && at(reach, middle + k - 1) < at(reach, middle + k + 1));
}

/** The way back through what each step reached: the pairs that are on it. */
function walked(trail: readonly Int32Array[], endX: number, endY: number): [number, number][] {
  const pairs: [number, number][] = [];
  let x = endX;
  let y = endY;
  for (let steps = trail.length - 1; steps >= 0; steps--) {
    const reach = trail[steps] ?? new Int32Array(3);
    const k = x - y;
    const from = downward(reach, steps + 1, k, steps) ? k + 1 : k - 1;
    const fromX = steps === 0 ? 0 : at(reach, steps + 1 + from);
    const fromY = steps === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    x = fromX;
    y = fromY;
  }
  return pairs.toReversed();
}

function at(numbers: Int32Array, n: number): number {
  return numbers[n] ?? 0;
}

function between(kept: readonly [number, number][], offset: number, whole: Stretch): Stretch[] {
  const stretches: Stretch[] = [];
  let fromA = whole.fromA;
  let fromB = whole.fromB;
  const upTo = (toA: number, toB: number) => {
    if (toA > fromA || toB > fromB) stretches.push({ fromA, toA, fromB, toB });
  };
  for (const [x, y] of kept) {
    upTo(x + offset, y + offset);
    fromA = x + offset + 1;
    fromB = y + offset + 1;
  }
  upTo(whole.toA, whole.toB);
  return stretches;
}
