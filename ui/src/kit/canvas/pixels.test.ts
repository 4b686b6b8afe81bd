import { describe, expect, it } from "vitest";

import { Pixels } from "./pixels";

const rowsOf = (pixels: Pixels) =>
  Array.from({ length: pixels.height }, (_, y) =>
    [...pixels.data.subarray(y * pixels.width, (y + 1) * pixels.width)].join(""),
  );

describe("pixels", () => {
  it("fill rectangles and cut off what is outside", () => {
    const pixels = new Pixels(4, 3);
    pixels.rect(1, 1, 3, 2, 1);
    pixels.rect(-5, 2, 99, 99, 2);
    pixels.rect(3, 0, 3, 3, 9);
    expect(rowsOf(pixels)).toEqual(["0000", "0110", "2222"]);
    pixels.clear();
    expect(rowsOf(pixels)).toEqual(["0000", "0000", "0000"]);
  });

  it("hatch along with the left edge", () => {
    const whole = new Pixels(6, 2);
    whole.hatch(0, 0, 6, 2, 1, 2, 2);
    expect(rowsOf(whole)).toEqual(["112211", "122112"]);
    const moved = new Pixels(6, 2);
    moved.hatch(-1, 0, 6, 2, 1, 2, 2);
    expect(rowsOf(moved)).toEqual(["122112", "221122"]);
  });
});
