/** Draws the bars and the events of a time line, as far as they are in view. */

import { inkOfComponent, type Inks } from "@/kit/canvas/inks";
import type { Pixels } from "@/kit/canvas/pixels";
import { type Ink, mixed } from "@/model/colours";
import type { Hues } from "@/model/hues";
import { shortName } from "@/model/names";
import { NONE, type Outline } from "@/model/outline";
import { acrossOf, eventAt, extentOf, firstAfter, firstEventFrom, type Scale, type Trace } from "@/model/trace";
import { pixelOf, unitAt, type Viewport } from "@/model/viewport";

export interface Picture {
  outline: Outline;
  trace: Trace;
  scale: Scale;
  inks: Inks;
  /** The colours of agents. */
  hues: Hues;
  /** Of each record, whether it only keeps the framework going. */
  quiet: Uint8Array;
  /** What is in view across. */
  view: Viewport;
  /** Pixels that are scrolled away above. */
  top: number;
  rowHeight: number;
}

/** How light the inside of a bar is, and of one that was served from the record. */
const TINT = 0.74;
const SERVED = 0.9;
/** Pixels from which a bar has an edge, and the room that a name needs. */
const EDGED = 5;
const NAMED = 26;

/** The colours of a bar: its inside, its edge, and whether it is hatched. */
function inksOf(
  { outline, trace, inks, quiet, hues }: Picture,
  bar: number,
): { edge: Ink; inside: Ink; served: boolean } {
  const start = trace.starts[bar] ?? 0;
  if (quiet[start]) return { edge: mixed(inks.quiet, inks.surface, 0.5), inside: inks.sunken, served: false };
  const end = trace.ends[bar] ?? NONE;
  const has = (flag: "failed" | "reused" | "mocked") => end !== NONE && outline.has(end, flag);
  const edge = has("failed") ? inks.failed : inkOfComponent(outline.component(start), inks, hues);
  return { edge, inside: mixed(edge, inks.surface, TINT), served: has("reused") || has("mocked") };
}

export function paintBars(pixels: Pixels, ratio: number, picture: Picture): void {
  const { trace, view, top, rowHeight, inks } = picture;
  const high = rowHeight * ratio;
  const first = Math.max(0, Math.floor(top / rowHeight));
  const last = Math.min(trace.height, Math.ceil((top + pixels.height / ratio) / rowHeight));
  const gap = rowHeight >= 6 ? Math.max(1, Math.round(ratio)) : 0;
  const fine: Viewport = { from: view.from, scale: view.scale * ratio };
  for (let row = first; row < last; row++) {
    const y = Math.round(row * high - top * ratio);
    const bottom = Math.max(y + 1, Math.round((row + 1) * high - top * ratio) - gap);
    paintRow(pixels, picture, fine, row, y, bottom, ratio);
    if (rowHeight >= 12) paintEvents(pixels, picture, fine, row, bottom, ratio, inks.surface);
  }
}

function paintRow(
  pixels: Pixels,
  picture: Picture,
  fine: Viewport,
  row: number,
  top: number,
  bottom: number,
  ratio: number,
): void {
  const { trace, scale, inks } = picture;
  const end = trace.rowStarts[row + 1] ?? 0;
  const small = bottom - top < 10 * ratio;
  let painted = Number.NEGATIVE_INFINITY;
  for (let place = firstAfter(trace, scale, row, fine.from); place < end; place++) {
    const bar = trace.byRow[place] ?? 0;
    const [from, to] = extentOf(trace, scale, bar);
    const left = Math.round(pixelOf(fine, from));
    if (left >= pixels.width) return;
    const right = Math.max(left + 1, Math.round(pixelOf(fine, to)));
    if (right <= painted) {
      // Go on with what reaches over the pixels that are full already.
      place = Math.max(place, firstAfter(trace, scale, row, unitAt(fine, painted), place + 1) - 1);
      continue;
    }
    const { edge, inside, served } = inksOf(picture, bar);
    const wide = right - left >= EDGED * ratio;
    if (small || !wide)
      pixels.rect(left, top, right, bottom, mixed(edge, inks.surface, served ? 0.55 : wide ? 0.3 : 0.2));
    else {
      const apart = left > painted ? 0 : 1;
      if (served)
        pixels.hatch(left, top, right - 1, bottom, inside, mixed(edge, inks.surface, SERVED), Math.round(3 * ratio));
      else pixels.rect(left, top, right - 1, bottom, inside);
      pixels.rect(left + apart, top, left + apart + Math.round(2 * ratio), bottom, edge);
      if (trace.ends[bar] === NONE) openEnd(pixels, right, top, bottom, inks.surface, ratio);
    }
    painted = right;
  }
}

/** The ragged edge of what still goes on. */
function openEnd(pixels: Pixels, right: number, top: number, bottom: number, surface: Ink, ratio: number): void {
  const tooth = Math.max(2, Math.round(3 * ratio));
  for (let y = top; y < bottom; y++) {
    const phase = (y - top) % (tooth * 2);
    const deep = phase < tooth ? phase : tooth * 2 - phase;
    pixels.rect(right - 1 - deep, y, right, y + 1, surface);
  }
}

/** A small diamond for each event, at the bottom of the bar that it happened in. */
function paintEvents(
  pixels: Pixels,
  { outline, trace, scale, inks, hues }: Picture,
  fine: Viewport,
  row: number,
  bottom: number,
  ratio: number,
  surface: Ink,
): void {
  const size = Math.max(2, Math.round(2.5 * ratio));
  const middle = bottom - size - 1;
  const end = trace.eventRowStarts[row + 1] ?? 0;
  let painted = Number.NEGATIVE_INFINITY;
  for (let place = firstEventFrom(trace, scale, row, unitAt(fine, -size)); place < end; place++) {
    const seq = eventAt(trace, place);
    const x = Math.round(pixelOf(fine, acrossOf(scale, seq) + (scale.clock === null ? 0.5 : 0)));
    if (x - size > pixels.width) return;
    if (x < painted + size) {
      place = Math.max(place, firstEventFrom(trace, scale, row, unitAt(fine, painted + size / 2), place + 1) - 1);
      continue;
    }
    const ink = inkOfComponent(outline.component(seq), inks, hues);
    diamond(pixels, x, middle, size + 1, surface);
    diamond(pixels, x, middle, size, ink);
    painted = x;
  }
}

function diamond(pixels: Pixels, x: number, y: number, size: number, ink: Ink): void {
  for (let dy = -size; dy <= size; dy++) {
    const half = size - Math.abs(dy);
    pixels.rect(x - half, y + dy, x + half + 1, y + dy + 1, ink);
  }
}

const widths = new Map<string, number>();

/** Names in the bars that have room for one, and signs before those of which there is something to say. */
export function drawNames(
  context: CanvasRenderingContext2D,
  picture: Picture,
  width: number,
  height: number,
  colours: { text: string; failed: string; edited: string },
): void {
  const { outline, trace, scale, view, top, rowHeight } = picture;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  context.textBaseline = "middle";
  const last = Math.min(trace.height, Math.ceil((top + height) / rowHeight));
  for (let row = Math.max(0, Math.floor(top / rowHeight)); row < last; row++) {
    const y = (row + 0.5) * rowHeight - top - 1.5;
    const end = trace.rowStarts[row + 1] ?? 0;
    let place = firstAfter(trace, scale, row, view.from);
    while (place < end) {
      const bar = trace.byRow[place] ?? 0;
      const [from, to] = extentOf(trace, scale, bar);
      const left = Math.max(0, pixelOf(view, from));
      if (left > width) break;
      const room = Math.min(width, pixelOf(view, to)) - left;
      if (room < NAMED) {
        // The next one with room ends at least that much further on.
        place = Math.max(place + 1, firstAfter(trace, scale, row, unitAt(view, left + room + NAMED - 1), place + 1));
        continue;
      }
      drawName(context, nameOf(outline, trace, bar), signOf(outline, trace, bar), left + 6, y, room - 10, colours);
      place++;
    }
  }
}

/** What a bar is called: the component that was called, or the span. */
export function nameOf(outline: Outline, trace: Trace, bar: number): string {
  const start = trace.starts[bar] ?? 0;
  return outline.kind(start) === "span_started" ? outline.type(start) : shortName(outline.component(start));
}

function signOf(outline: Outline, trace: Trace, bar: number): "failed" | "edited" | null {
  const start = trace.starts[bar] ?? 0;
  const end = trace.ends[bar] ?? NONE;
  if (end !== NONE && outline.has(end, "failed")) return "failed";
  const edited =
    outline.has(start, "edited") || (end !== NONE && (outline.has(end, "edited") || outline.has(end, "mocked")));
  return edited ? "edited" : null;
}

function drawName(
  context: CanvasRenderingContext2D,
  name: string,
  sign: "failed" | "edited" | null,
  x: number,
  y: number,
  room: number,
  colours: { text: string; failed: string; edited: string },
): void {
  let at = x;
  if (sign !== null) {
    context.fillStyle = sign === "failed" ? colours.failed : colours.edited;
    context.fillText(sign === "failed" ? "✕" : "✎", at, y);
    at += 13;
  }
  const free = room - (at - x);
  let wide = widths.get(name);
  if (wide === undefined) widths.set(name, (wide = context.measureText(name).width));
  let text = name;
  if (wide > free) {
    const fits = Math.floor((free / wide) * name.length) - 1;
    if (fits < 2) return;
    text = `${name.slice(0, fits)}…`;
  }
  context.fillStyle = colours.text;
  context.fillText(text, at, y);
}
