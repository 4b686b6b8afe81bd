import { describe, expect, it } from "vitest";

import { type Bounds, fitted, framing, limited, moved, pixelOf, showing, shown, unitAt, zoomed } from "./viewport";
import { random } from "./testing";

const BOUNDS: Bounds = { total: 1000, size: 200, most: 20 };

describe("a viewport", () => {
  it("fits the whole line, but never enlarges it too much", () => {
    expect(fitted(BOUNDS)).toEqual({ from: 0, scale: 0.2 });
    expect(fitted({ ...BOUNDS, total: 3 })).toEqual({ from: 0, scale: 20 });
    expect(fitted({ ...BOUNDS, total: 0 }).scale).toBe(20);
  });

  it("is zoomed around a pixel", () => {
    const view = zoomed(fitted(BOUNDS), BOUNDS, 4, 100);
    expect(view.scale).toBeCloseTo(0.8);
    expect(unitAt(view, 100)).toBeCloseTo(500);
  });

  it("moves only as far as is needed to show something", () => {
    const view = framing(BOUNDS, 100, 200);
    expect(showing(view, BOUNDS, 150)).toBe(view);
    expect(pixelOf(showing(view, BOUNDS, 205), 206)).toBeCloseTo(200 - 24);
    expect(pixelOf(showing(view, BOUNDS, 95), 95)).toBeCloseTo(24);
    expect(pixelOf(showing(view, BOUNDS, 800), 800.5)).toBeCloseTo(100);
  });

  it("stays where a part of something larger than itself is in view", () => {
    const view = framing(BOUNDS, 100, 200);
    expect(showing(view, BOUNDS, 0, 1000)).toBe(view);
    expect(pixelOf(showing(view, BOUNDS, 400, 900), 400)).toBeCloseTo(24);
  });

  it("never shows anything beside the line, whatever is done with it", () => {
    const pick = random(7);
    for (let round = 0; round < 300; round++) {
      const bounds = { total: 1 + pick(5000), size: 1 + pick(800), most: 1 + pick(40) };
      let view = fitted(bounds);
      for (let turn = 0; turn < 12; turn++) {
        const at = pick(bounds.size);
        if (turn % 3 === 0) {
          const before = unitAt(view, at);
          const next = zoomed(view, bounds, 0.25 + pick(100) / 25, at);
          const free = next.from > 1e-6 && next.from + bounds.size / next.scale < bounds.total - 1e-6;
          if (free) expect(unitAt(next, at)).toBeCloseTo(before, 6);
          view = next;
        } else if (turn % 3 === 1) view = moved(view, bounds, pick(4000) - 2000);
        else {
          const unit = pick(bounds.total);
          view = showing(view, bounds, unit);
          const [first, last] = shown(view, bounds);
          expect(first).toBeLessThanOrEqual(unit + 1);
          expect(last).toBeGreaterThanOrEqual(unit);
        }
        expect(limited(view, bounds).from).toBeCloseTo(view.from, 6);
        expect(limited(view, bounds).scale).toBeCloseTo(view.scale, 9);
      }
    }
  });
});
