import { describe, expect, it } from "vitest";

import { type Stretch, stretchesOf } from "./sequence";

/** What comes of `a` when its stretches are replaced by those of `b`. */
function applied(a: readonly string[], b: readonly string[], stretches: readonly Stretch[]): string[] {
  const made = [...a];
  for (const { fromA, toA, fromB, toB } of stretches.toReversed())
    made.splice(fromA, toA - fromA, ...b.slice(fromB, toB));
  return made;
}

/** Letters drawn by a generator with a seed, so that a test that fails does so again. */
function drawn(seed: number, length: number): string[] {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return "abcd"[(state >> 16) % 4] ?? "a";
  });
}

describe("stretches", () => {
  it("are none between equals", () => {
    expect(stretchesOf([..."same"], [..."same"])).toEqual([]);
  });

  it("name what was put in, left out and replaced", () => {
    expect(stretchesOf([..."bc"], [..."abc"])).toEqual([{ fromA: 0, toA: 0, fromB: 0, toB: 1 }]);
    expect(stretchesOf([..."abc"], [..."ac"])).toEqual([{ fromA: 1, toA: 2, fromB: 1, toB: 1 }]);
    expect(stretchesOf([..."axcye"], [..."abcde"])).toEqual([
      { fromA: 1, toA: 2, fromB: 1, toB: 2 },
      { fromA: 3, toA: 4, fromB: 3, toB: 4 },
    ]);
  });

  it("make one sequence out of the other, whatever they are, and change the fewest items", () => {
    for (let seed = 1; seed < 200; seed++) {
      const a = drawn(seed, seed % 17);
      const b = drawn(seed * 7, (seed * 3) % 19);
      const stretches = stretchesOf(a, b);
      expect(applied(a, b, stretches)).toEqual(b);
      const changed = stretches.reduce((sum, { fromA, toA, fromB, toB }) => sum + toA - fromA + toB - fromB, 0);
      expect(changed).toBe(shortest(a, b));
    }
  });

  it("give up on what is too different", () => {
    expect(stretchesOf([..."abcdef"], [..."ubvwxyz"], 3)).toEqual([{ fromA: 0, toA: 6, fromB: 0, toB: 7 }]);
  });
});

/** The length of the shortest edit, the slow way. */
function shortest(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, y) => y + 1);
  row.unshift(0);
  for (let x = 1; x <= a.length; x++) {
    const next = [x];
    for (let y = 1; y <= b.length; y++)
      next.push(a[x - 1] === b[y - 1] ? (row[y - 1] ?? 0) : 1 + Math.min(row[y] ?? Infinity, next[y - 1] ?? Infinity));
    row = next;
  }
  return row[b.length] ?? 0;
}
