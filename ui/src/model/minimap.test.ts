import { describe, expect, it } from "vitest";

import { ENDS, MOST_COLUMNS, nearest, placeOf, rowAtPixel, rowsOf, wholeOf, widthOf } from "./minimap";
import { columnOf } from "./overview";
import { logOf } from "./testing";

const TALK = Array.from({ length: 10 }, () => ({ kind: "message_queued", hash: "h" }) as const);
const root = columnOf({ run: "r1", cut: 0, outline: logOf(TALK), base: 0 }, null, false);
const forks = Array.from({ length: 30 }, (_, n) => ({ ...root, run: `r${n + 1}` }));

describe("the slim columns", () => {
  it("lie beside each other, inside of the picture", () => {
    for (const columns of [1, 2, 7, MOST_COLUMNS]) {
      for (let n = 1; n < columns; n++) expect(placeOf(n, columns).left).toBeGreaterThan(placeOf(n - 1, columns).right);
      expect(placeOf(columns - 1, columns).right).toBeLessThan(widthOf(columns));
    }
  });

  it("are those around the open run where there are too many", () => {
    expect(nearest(forks.slice(0, 3), "r1")).toHaveLength(3);
    const shown = nearest(forks, "r20").map(({ run }) => run);
    expect(shown).toHaveLength(MOST_COLUMNS);
    expect(shown).toContain("r20");
    expect(nearest(forks, "r1")[0]?.run).toBe("r1");
    expect(nearest(forks, "r30").at(-1)?.run).toBe("r30");
  });
});

describe("rows and pixels", () => {
  it("fill the height with a long run, and are no higher than they need be for a short one", () => {
    const long = wholeOf(100_000, 512);
    expect((100_000 - long.from) * long.scale).toBeCloseTo(512 - ENDS);
    const short = wholeOf(10, 512);
    expect(short.scale).toBe(4);
    expect(-short.from * short.scale).toBe(ENDS);
  });

  it("are found by each other, the nearest row at the ends", () => {
    const view = wholeOf(root.length, 512);
    expect(rowAtPixel(view, ENDS + 4 * 3 + 1, root)).toBe(3);
    expect(rowAtPixel(view, 0, root)).toBe(0);
    expect(rowAtPixel(view, 500, root)).toBe(9);
  });

  it("are marked once each, in order", () => {
    expect([...rowsOf(root, [7, 2, 7, 99])]).toEqual([2, 7, 9]);
  });
});
