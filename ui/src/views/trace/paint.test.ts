import { describe, expect, it } from "vitest";

import { Pixels } from "@/kit/canvas/pixels";
import { inkOfComponent } from "@/kit/canvas/inks";
import { INKS } from "@/kit/canvas/testing";
import { Hues } from "@/model/hues";
import { logOf, random } from "@/model/testing";
import { byOrder, extentOf, traceOf } from "@/model/trace";

import { paintBars, type Picture } from "./paint";

type Told = Parameters<typeof logOf>[0][number];

function pictureOf(told: readonly Told[], width: number, rowHeight = 8): Picture {
  const outline = logOf(told);
  const trace = traceOf(outline);
  const scale = byOrder(trace.length);
  const view = { from: 0, scale: width / scale.total };
  const hues = new Hues();
  hues.update(outline);
  return { outline, trace, scale, inks: INKS, hues, quiet: new Uint8Array(told.length), view, top: 0, rowHeight };
}

function painted(picture: Picture, width: number, height: number): Pixels {
  const pixels = new Pixels(width, height);
  paintBars(pixels, 1, picture);
  return pixels;
}

const call = (call: string, parent: number | null = null): Told => ({
  kind: "invocation_started",
  call,
  component: call,
  parent,
});
const end = (call: string, invocation: number, more: object = {}): Told => ({
  kind: "invocation_ended",
  call,
  component: call,
  invocation,
  ...more,
});

describe("bars", () => {
  it("have their colour at the left edge, a light one inside, and lie below what calls them", () => {
    const told = [call("agent"), call("tool", 0), end("tool", 1), end("agent", 0)];
    const picture = pictureOf(told, 80, 12);
    const pixels = painted(picture, 80, 24);
    const at = (x: number, y: number) => pixels.data[y * 80 + x];
    const own = inkOfComponent("agent", INKS, picture.hues);
    expect(at(0, 0)).toBe(own);
    expect(at(21, 13)).toBe(INKS.quiet);
    expect(at(10, 13)).toBe(0);
    expect(at(40, 0)).not.toBe(own);
    expect(at(40, 0)).not.toBe(0);
  });

  it("say by their colour that a call failed", () => {
    const pixels = painted(pictureOf([call("tool"), end("tool", 0, { failed: true })], 80, 12), 80, 12);
    expect(pixels.data[0]).toBe(INKS.failed);
  });

  it("fill every pixel that a bar is at, however many share one", () => {
    const pick = random(5);
    for (let round = 0; round < 20; round++) {
      const told: Told[] = [];
      for (let n = 0; n < 40 + pick(400); n++) {
        const seq = told.length;
        told.push(call("tool"));
        for (let more = pick(3); more > 0; more--) told.push({ kind: "value_read", invocation: seq, parent: null });
        told.push(end("tool", seq));
        for (let more = pick(4); more > 0; more--) told.push({ kind: "value_read", parent: null });
      }
      const width = 16 + pick(200);
      const picture = pictureOf(told, width);
      const pixels = painted(picture, width, 8);
      for (let bar = 0; bar < picture.trace.starts.length; bar++) {
        const [from] = extentOf(picture.trace, picture.scale, bar);
        const x = Math.min(width - 1, Math.round(from * picture.view.scale));
        expect(pixels.data[x]).not.toBe(0);
      }
    }
  });
});
