/** Draws what lies over the columns of the minimap. */

import type { Size } from "@/kit/canvas/Sheet";
import type { Inks } from "@/kit/canvas/inks";
import { cssOf } from "@/model/colours";
import { ENDS } from "@/model/minimap";
import { NONE } from "@/model/outline";
import type { Column } from "@/model/overview";
import { pixelOf, type Viewport } from "@/model/viewport";

import { drawCut, each } from "./draw";
import type { Slot } from "./paint";

/** Pixels of what is in sight at least. */
const LEAST = 8;

export interface Marks {
  slots: readonly Slot[];
  /** That of the open run; what follows is about it. */
  own: Slot | undefined;
  inks: Inks;
  view: Viewport;
  size: Size;
  /** The rows in sight, the last one excluded. */
  sight: readonly [first: number, last: number] | null;
  /** The selected row, or `NONE`. */
  selected: number;
  /** Rows that a search has found, and those of the path to a wrong answer. */
  found: Int32Array | null;
  path: Int32Array | null;
  held: Iterable<number>;
}

export function drawMarks(context: CanvasRenderingContext2D, marks: Marks): void {
  const { slots, own, inks, view, size } = marks;
  if (marks.sight !== null) drawSight(context, marks.sight, marks);
  for (const slot of slots) {
    drawCut(context, slot, view, inks.text, 2);
    drawSigns(context, slot, marks);
  }
  if (own === undefined) return;
  const { left, right } = own;
  context.fillStyle = cssOf(inks.primary);
  context.fillRect(left, 1, right - left, 2);
  if (marks.found !== null) {
    context.fillStyle = cssOf(inks.text);
    each(marks.found, view, size.height, own.column.length, (y) => context.fillRect(left - 5, y - 1, 4, 2));
  }
  if (marks.path !== null && marks.path.length > 0) drawPath(context, marks.path, own, marks);
  for (const row of marks.held) {
    const y = Math.min(size.height - ENDS, pixelOf(view, row + 0.5));
    context.fillStyle = cssOf(inks.held);
    for (const dx of [1, 4]) context.fillRect(right + dx, y - 3, 2, 6);
  }
  if (marks.selected !== NONE) {
    const y = pixelOf(view, marks.selected + 0.5);
    context.strokeStyle = cssOf(inks.text);
    context.lineWidth = 2;
    context.strokeRect(left - 2, y - 3, right - left + 4, 6);
  }
}

/** The part in sight, over all columns. */
function drawSight(
  context: CanvasRenderingContext2D,
  [first, last]: readonly [number, number],
  { inks, view, size }: Marks,
): void {
  const top = pixelOf(view, first);
  const high = Math.max(LEAST, pixelOf(view, last) - top);
  context.fillStyle = cssOf(inks.primary);
  context.globalAlpha = 0.16;
  context.fillRect(0, top, size.width, high);
  context.globalAlpha = 0.7;
  for (const y of [top, top + high - 1]) context.fillRect(0, y, size.width, 1);
  context.globalAlpha = 1;
}

/** Failures at the right edge of a column, edits at its left one. */
function drawSigns(context: CanvasRenderingContext2D, slot: Slot, { inks, view, size }: Marks): void {
  const { column, left, right } = slot;
  for (let part: Column | null = column, upto = column.length; part !== null; part = part.parent) {
    context.globalAlpha = part === column ? 1 : 0.5;
    context.fillStyle = cssOf(inks.edited);
    each(part.edits, view, size.height, upto, (y) => context.fillRect(left - 2, y - 1.5, 4, 3));
    context.fillStyle = cssOf(inks.failed);
    each(part.failures, view, size.height, upto, (y) => context.fillRect(right - 2, y - 1.5, 5, 3));
    upto = Math.min(upto, part.shared);
  }
  context.globalAlpha = 1;
}

/** A line through the records of a path, each a dot. */
function drawPath(context: CanvasRenderingContext2D, rows: Int32Array, { left, right }: Slot, marks: Marks): void {
  const { inks, view } = marks;
  const x = (left + right) / 2;
  const ys = Array.from(rows, (row) => pixelOf(view, row + 0.5));
  context.strokeStyle = context.fillStyle = cssOf(inks.text);
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, ys[0] ?? 0);
  context.lineTo(x, ys.at(-1) ?? 0);
  context.stroke();
  for (const y of ys) {
    context.beginPath();
    context.arc(x, y, 3, 0, 2 * Math.PI);
    context.fillStyle = cssOf(inks.surface);
    context.fill();
    context.stroke();
  }
}
