/** Draws what lies over the rectangles: numbers, cuts, edits, failures, what is held, and frames around single records. */

import type { Hold } from "@/api/schema";
import type { Inks } from "@/kit/canvas/inks";
import { cssOf, type Ink } from "@/model/colours";
import { type Column, rowOfSeq, seqAt } from "@/model/overview";
import { pixelOf, type Viewport } from "@/model/viewport";

import type { Slot } from "./paint";

/** Room on the left, for the numbers. */
export const GUTTER = 46;
/** Room at the sides of a column for its signs. */
export const SIDE = 10;
/** Pixels between two signs at least. */
const SPACE = 5;

/** A frame around a record. */
export interface Frame {
  run: string;
  row: number;
  ink: Ink;
  line: number;
}

export interface Over {
  slots: readonly Slot[];
  /** The run that is open. */
  run: string;
  /** The rows of it at which it is held; the one after its last where that has no record yet. */
  held: Iterable<number>;
  frames: readonly Frame[];
  inks: Inks;
  view: Viewport;
  height: number;
}

export function drawOver(context: CanvasRenderingContext2D, over: Over): void {
  const { slots, inks, view, height } = over;
  const open = slots.find(({ column }) => column.run === over.run);
  if (open) drawNumbers(context, open.column, over);
  for (const slot of slots) {
    drawSigns(context, slot, view, height, inks);
    drawCut(context, slot, view, inks.text);
  }
  const frames = [...over.frames];
  for (const row of open ? over.held : []) {
    const middle = Math.min(height - 7, pixelOf(view, row + 0.5));
    context.fillStyle = cssOf(inks.held);
    for (const dx of [2, 6]) context.fillRect((open?.right ?? 0) + dx, middle - 4, 2.5, 8);
    if (row < (open?.column.length ?? 0)) frames.unshift({ run: over.run, row, ink: inks.held, line: 2 });
  }
  for (const frame of frames) drawFrame(context, frame, slots, view);
}

function drawFrame(context: CanvasRenderingContext2D, frame: Frame, slots: readonly Slot[], view: Viewport): void {
  const slot = slots.find(({ column }) => column.run === frame.run);
  if (!slot) return;
  const tall = Math.max(4, view.scale);
  const top = pixelOf(view, frame.row + 0.5) - tall / 2;
  context.strokeStyle = cssOf(frame.ink);
  context.lineWidth = frame.line;
  context.strokeRect(slot.left - 2, top - 1, slot.right - slot.left + 4, tall + 1);
}

/** A line where a fork begins, a little wider than its column. */
export function drawCut(
  context: CanvasRenderingContext2D,
  { column, left, right }: Slot,
  view: Viewport,
  ink: Ink,
  wider = SIDE - 2,
): void {
  if (column.parent === null) return;
  const y = Math.max(1, pixelOf(view, column.shared));
  context.strokeStyle = cssOf(ink);
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(left - wider, y);
  context.lineTo(right + wider, y);
  context.stroke();
}

/** Edits at the left edge of a column, failures at the right one. */
function drawSigns(context: CanvasRenderingContext2D, slot: Slot, view: Viewport, height: number, inks: Inks): void {
  const { column, left, right } = slot;
  for (let part: Column | null = column, upto = column.length; part !== null; part = part.parent) {
    const own = part === column;
    context.globalAlpha = own ? 1 : 0.5;
    each(part.edits, view, height, upto, (y) => {
      context.fillStyle = cssOf(inks.edited);
      context.beginPath();
      context.moveTo(left - 6, y - 4);
      context.lineTo(left, y);
      context.lineTo(left - 6, y + 4);
      context.fill();
    });
    each(part.failures, view, height, upto, (y) => {
      context.strokeStyle = cssOf(inks.failed);
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(right + 2, y - 2.5);
      context.lineTo(right + 7, y + 2.5);
      context.moveTo(right + 7, y - 2.5);
      context.lineTo(right + 2, y + 2.5);
      context.stroke();
    });
    upto = Math.min(upto, part.shared);
  }
  context.globalAlpha = 1;
}

/** Go through the rows that are in view, those that are apart by some pixels. */
export function each(rows: Int32Array, view: Viewport, height: number, upto: number, draw: (y: number) => void): void {
  let low = 0;
  for (let high = rows.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((rows[middle] ?? 0) < view.from - 1) low = middle + 1;
    else high = middle;
  }
  let last = Number.NEGATIVE_INFINITY;
  for (let n = low; n < rows.length; n++) {
    const row = rows[n] ?? 0;
    const y = (row + 0.5 - view.from) * view.scale;
    if (row >= upto || y > height) return;
    if (y - last < SPACE) continue;
    last = y;
    draw(y);
  }
}

/** Numbers of the open run's records beside its rows. */
function drawNumbers(context: CanvasRenderingContext2D, column: Column, { view, height, inks, slots }: Over): void {
  const last = seqAt(column, column.length - 1);
  const least = ((34 / view.scale) * (last + 1)) / Math.max(1, column.length);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10);
  const right = slots.at(-1)?.right ?? 0;
  context.font = "10.5px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.lineWidth = 1;
  context.globalCompositeOperation = "destination-over";
  const first = seqAt(column, Math.min(column.length - 1, Math.floor(view.from)));
  let free = 6;
  for (let seq = Math.ceil(first / step) * step; seq <= last; seq += step) {
    const y = pixelOf(view, rowOfSeq(column, seq) + 0.5);
    if (y > height - 4) break;
    if (y < free) continue;
    free = y + 14;
    context.fillStyle = cssOf(inks.quiet);
    context.fillText(seq.toLocaleString("en"), GUTTER - 8, y);
    context.strokeStyle = cssOf(inks.line);
    context.beginPath();
    context.moveTo(GUTTER - 4, y);
    context.lineTo(Math.min(GUTTER + 4, right), y);
    context.stroke();
  }
  context.globalCompositeOperation = "source-over";
}

/** The rows of the open run at which it is held. */
export function heldRows(held: readonly Hold[] | undefined, column: Column | undefined): Set<number> {
  return new Set(
    (held ?? []).map(({ invocation, message }) => {
      const seq = invocation ?? message;
      // What is held before it begins has no record yet: it comes next.
      return column === undefined || seq === null ? (column?.length ?? 0) : rowOfSeq(column, seq);
    }),
  );
}
