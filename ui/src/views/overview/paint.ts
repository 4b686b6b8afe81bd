/** Draws the columns: a small rectangle for each record; of those that share a line of pixels, one. */

import type { Inks } from "@/kit/canvas/inks";
import type { Pixels } from "@/kit/canvas/pixels";
import { type Ink, mixed } from "@/model/colours";
import type { Column, Entry, Legend } from "@/model/overview";
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
  /** Of each entry, whether it is asked for. */
  wanted: boolean[];
}

function shadesOf(legend: Legend, only: ReadonlySet<string>, inks: Inks): Shades {
  const wanted = legend.entries.map(({ key }) => only.size === 0 || only.has(key));
  const own = legend.entries.map((entry, n) => {
    const ink = inkOfEntry(entry, inks);
    return wanted[n] ? ink : mixed(ink, inks.surface, FADED);
  });
  const shared = own.map((ink, n) => (wanted[n] ? mixed(ink, inks.surface, DIMMED) : ink));
  return { own, shared, wanted };
}

export interface Drawn {
  slots: readonly Slot[];
  legend: Legend;
  /** Keys of the entries that are asked for; none is all. */
  only: ReadonlySet<string>;
  inks: Inks;
  view: Viewport;
  /** No gap is left between rows. */
  solid?: boolean;
}

/** The rectangles of every column that is in view. */
export function paintColumns(pixels: Pixels, ratio: number, drawn: Drawn): void {
  const shades = shadesOf(drawn.legend, drawn.only, drawn.inks);
  const only = drawn.only.size === 0 ? null : shades.wanted;
  for (const slot of drawn.slots) {
    const left = Math.round(slot.left * ratio);
    const right = Math.round(slot.right * ratio);
    if (right <= 0 || left >= pixels.width) continue;
    for (let part: Column | null = slot.column, upto = slot.column.length; part !== null; part = part.parent) {
      const inks = part === slot.column ? shades.own : shades.shared;
      const entries = drawn.legend.of.get(part);
      if (entries && upto > part.shared) paintRows(pixels, ratio, drawn, part, upto, entries, inks, only, left, right);
      upto = Math.min(upto, part.shared);
    }
  }
}

/** Rows `part.shared` to `upto`, which are of the part's own. */
function paintRows(
  pixels: Pixels,
  ratio: number,
  { view, solid = false }: Drawn,
  part: Column,
  upto: number,
  entries: Uint8Array,
  inks: readonly Ink[],
  only: readonly boolean[] | null,
  left: number,
  right: number,
): void {
  const scale = view.scale * ratio;
  const gap = !solid && scale >= APART * ratio ? Math.max(1, Math.round(ratio * Math.min(2, view.scale / 8))) : 0;
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
  // A line of pixels shows one of its records, so that a run is one column at any size: one that is asked for, else any.
  const rowAt = (y: number) => Math.ceil(view.from + y / scale);
  const highest = Math.max(0, Math.floor((first - view.from) * scale));
  const lowest = Math.min(pixels.height, Math.ceil((last - view.from) * scale));
  for (let y = highest; y < lowest; y++) {
    const from = Math.max(first, rowAt(y));
    const upto = Math.min(last, rowAt(y + 1));
    if (from >= upto) continue;
    let shown = entries[(from + upto - 1 - 2 * shared) >> 1] ?? 0;
    if (only !== null)
      for (let row = from; row < upto && !only[shown]; row++) {
        const entry = entries[row - shared] ?? 0;
        if (only[entry]) shown = entry;
      }
    pixels.rect(left, y, right, y + 1, inks[shown] ?? 0);
  }
}
