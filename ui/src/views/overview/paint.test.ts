import { describe, expect, it } from "vitest";

import { Pixels } from "@/kit/canvas/pixels";
import { INKS } from "@/kit/canvas/testing";
import { mixed } from "@/model/colours";
import { Hues } from "@/model/hues";
import { columnOf, legendOf } from "@/model/overview";
import { logOf } from "@/model/testing";

import { paintColumns, type Slot } from "./paint";

const { message, note, edit } = INKS.aspects as Record<"message" | "note" | "edit", number>;
const TALK = ["message_queued", "message_queued", "noted", "edited"] as const;
const logOfKinds = (kinds: readonly (typeof TALK)[number][]) => logOf(kinds.map((kind) => ({ kind, hash: "h" })));

const root = columnOf({ run: "r1", cut: 0, outline: logOfKinds(TALK), base: 0 }, null, false);
const fork = columnOf({ run: "r2", cut: 2, outline: logOfKinds(["noted"]), base: 2 }, root, false);

function painted(slots: Slot[], scale: number, from = 0, only: string[] = []): Pixels {
  const pixels = new Pixels(8, 8);
  const legend = legendOf([root, fork], "kind", new Hues());
  paintColumns(pixels, 1, { slots, legend, only: new Set(only), inks: INKS, view: { from, scale } });
  return pixels;
}

const at = (pixels: Pixels, x: number, y: number) => pixels.data[y * pixels.width + x];

describe("columns", () => {
  const slot = { column: root, left: 0, right: 4 };

  it("are a rectangle for each record, with a gap between", () => {
    const pixels = painted([slot], 2);
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((y) => at(pixels, 0, y))).toEqual([message, 0, message, 0, note, 0, edit, 0]);
    expect(at(pixels, 4, 0)).toBe(0);
  });

  it("show one of the records that share a line of pixels, all over it", () => {
    const pixels = painted([slot], 0.5);
    expect([0, 1, 2, 3].map((x) => at(pixels, x, 0))).toEqual([message, message, message, message]);
    expect([0, 1, 2, 3].map((x) => at(pixels, x, 1))).toEqual([note, note, note, note]);
    expect(at(pixels, 0, 2)).toBe(0);
  });

  it("show of those what is asked for", () => {
    const pixels = painted([slot], 0.25, 0, ["edit"]);
    expect([0, 1, 2, 3].map((x) => at(pixels, x, 0))).toEqual([edit, edit, edit, edit]);
    expect(at(pixels, 0, 1)).toBe(0);
  });

  it("begin where the view does", () => {
    const pixels = painted([slot], 2, 2);
    expect([at(pixels, 0, 0), at(pixels, 0, 2), at(pixels, 0, 4)]).toEqual([note, edit, 0]);
  });

  it("dim what a fork shares with its parent", () => {
    const pixels = painted([{ column: fork, left: 2, right: 8 }], 2);
    const dimmed = at(pixels, 2, 0);
    expect(dimmed).not.toBe(message);
    expect(dimmed).toBe(at(pixels, 2, 2));
    expect(at(pixels, 2, 4)).toBe(note);
    expect(at(pixels, 2, 6)).toBe(0);
  });

  it("let fade what is not asked for", () => {
    const pixels = painted([slot], 2, 0, ["note"]);
    expect(at(pixels, 0, 4)).toBe(note);
    expect(at(pixels, 0, 0)).toBe(mixed(message, INKS.surface, 0.88));
  });
});
