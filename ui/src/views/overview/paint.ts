/** Draws the columns: a small rectangle for each record; records that share a line of pixels lie side by side in it. */

import type { Inks } from "@/kit/canvas/inks";
import type { Pixels } from "@/kit/canvas/pixels";
import { type Ink, mixed } from "@/model/colours";
import { type Column, type Entry, type Legend, listed } from "@/model/overview";
import type { Viewport } from "@/model/viewport";

export interface Slot {
  column: Column;
  /** Where the column begins and ends, in pixels of the style sheet. */
  left: number;
  right: number;
}

/** How much a colour is mixed into the background: what is shared with the parent, and what is not asked for. */
const DIMMED = 0.62;
const FADED = 0.88;
/** Pixels of a row from which rows are apart. */
const APART = 2;

/** The colour of an entry of a legend. */
export function inkOfEntry(entry: Entry | undefined, inks: Inks): Ink {
  const colour = entry?.colour ?? null;
  if (colour === null) return mixed(inks.quiet, inks.surface, 0.5);
  return (typeof colour === "number" ? inks.hues[colour] : inks.aspects[colour]) ?? inks.quiet;
}

interface Shades {
  own: Ink[];
  shared: Ink[];
  /** The entries as the legend lists them, those that are asked for first. */
  order: number[];
}

function shadesOf(legend: Legend, only: ReadonlySet<string>, inks: Inks): Shades {
  const wanted = legend.entries.map(({ key }) => only.size === 0 || only.has(key));
  const order = listed(legend).map(({ at }) => at);
  const asked = (entry: number) => (wanted[entry] ? 0 : 1);
  const own = legend.entries.map((entry, n) => {
    const ink = inkOfEntry(entry, inks);
    return wanted[n] ? ink : mixed(ink, inks.surface, FADED);
  });
  const shared = own.map((ink, n) => (wanted[n] ? mixed(ink, inks.surface, DIMMED) : ink));
  return { own, shared, order: order.toSorted((one, other) => asked(one) - asked(other)) };
}

export interface Drawn {
  slots: readonly Slot[];
  legend: Legend;
  /** Keys of the entries that are asked for; none is all. */
  only: ReadonlySet<string>;
  inks: Inks;
  view: Viewport;
}

/** The rectangles of every column that is in view. */
export function paintColumns(pixels: Pixels, ratio: number, drawn: Drawn): void {
  const shades = shadesOf(drawn.legend, drawn.only, drawn.inks);
  for (const slot of drawn.slots) {
    const left = Math.round(slot.left * ratio);
    const right = Math.round(slot.right * ratio);
    if (right <= 0 || left >= pixels.width) continue;
    for (let part: Column | null = slot.column, upto = slot.column.length; part !== null; part = part.parent) {
      const inks = part === slot.column ? shades.own : shades.shared;
      const entries = drawn.legend.of.get(part);
      if (entries && upto > part.shared)
        paintRows(pixels, ratio, drawn.view, part, upto, entries, inks, shades.order, left, right);
      upto = Math.min(upto, part.shared);
    }
  }
}

/** Rows `part.shared` to `upto`, which are of the part's own. */
function paintRows(
  pixels: Pixels,
  ratio: number,
  view: Viewport,
  part: Column,
  upto: number,
  entries: Uint8Array,
  inks: readonly Ink[],
  order: readonly number[],
  left: number,
  right: number,
): void {
  const scale = view.scale * ratio;
  const gap = scale >= APART * ratio ? Math.max(1, Math.round(ratio * Math.min(2, view.scale / 8))) : 0;
  const top = (row: number) => Math.round((row - view.from) * scale);
  const first = Math.max(part.shared, Math.floor(view.from));
  const last = Math.min(upto, Math.ceil(view.from + pixels.height / scale));
  const { shared } = part;
  if (scale >= 1) {
    for (let row = first; row < last; row++) {
      const ink = inks[entries[row - shared] ?? 0] ?? 0;
      pixels.rect(left, top(row), right, Math.max(top(row) + 1, top(row + 1) - gap), ink);
    }
    return;
  }
  const line = (row: number) => Math.floor((row - view.from) * scale);
  const counts = new Uint32Array(inks.length);
  const width = right - left;
  for (let row = first; row < last;) {
    const y = line(row);
    const from = row;
    counts.fill(0);
    for (; row < last && line(row) === y; row++) {
      const entry = entries[row - shared] ?? 0;
      counts[entry] = (counts[entry] ?? 0) + 1;
    }
    let at = 0;
    for (const entry of order) {
      const found = counts[entry] ?? 0;
      if (found === 0) continue;
      const upon = at + found;
      pixels.rect(
        left + Math.round((at / (row - from)) * width),
        y,
        left + Math.round((upon / (row - from)) * width),
        y + 1,
        inks[entry] ?? 0,
      );
      at = upon;
    }
  }
}
