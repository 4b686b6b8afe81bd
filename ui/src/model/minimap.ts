/** The slim picture of a tree of runs: how wide its columns are, which of them there is room for, and what is marked. */

import { NONE } from "./outline";
import { type Column, rowOfSeq } from "./overview";
import type { Viewport } from "./viewport";

/** Pixels beside the columns, for marks. */
export const PAD = 7;
/** Pixels above and below them. */
export const ENDS = 6;
const GAP = 4;
const WIDEST = 14;
const NARROWEST = 7;
/** Columns beyond which those that are farthest from the open run are left to the large picture. */
export const MOST_COLUMNS = 14;
const TALLEST_ROW = 4;

/** Pixels from one column to the next. */
export function pitchOf(columns: number): number {
  return Math.max(NARROWEST, Math.min(WIDEST, Math.floor((MOST_COLUMNS * NARROWEST) / Math.max(1, columns))));
}

/** Pixels of the whole picture. */
export function widthOf(columns: number): number {
  return 2 * PAD + Math.max(1, columns) * pitchOf(columns) - GAP;
}

/** Where a column begins and ends. */
export function placeOf(n: number, columns: number): { left: number; right: number } {
  const left = PAD + n * pitchOf(columns);
  return { left, right: left + pitchOf(columns) - GAP };
}

/** The columns that there is room for: those around the open one, in their order. */
export function nearest(columns: readonly Column[], run: string, most = MOST_COLUMNS): readonly Column[] {
  if (columns.length <= most) return columns;
  const at = Math.max(
    0,
    columns.findIndex((column) => column.run === run),
  );
  const first = Math.max(0, Math.min(columns.length - most, at - Math.floor(most / 2)));
  return columns.slice(first, first + most);
}

/** All rows, as high as they fit, with room at both ends. */
export function wholeOf(total: number, height: number): Viewport {
  const scale = Math.max(Number.EPSILON, Math.min(TALLEST_ROW, (height - 2 * ENDS) / Math.max(1, total)));
  return { from: -ENDS / scale, scale };
}

/** The row at a pixel, or the nearest one that a column has. */
export function rowAtPixel(view: Viewport, pixel: number, column: Column): number {
  const row = Math.floor(view.from + pixel / view.scale);
  return Math.max(0, Math.min(column.length - 1, row));
}

/** The rows of records, in order and each once; those that come before all rows are left out. */
export function rowsOf(column: Column, seqs: Iterable<number>): Int32Array {
  const rows = new Set<number>();
  for (const seq of seqs) {
    const row = rowOfSeq(column, seq);
    if (row !== NONE) rows.add(row);
  }
  return Int32Array.from(rows).toSorted();
}
