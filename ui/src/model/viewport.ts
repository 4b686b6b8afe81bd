/** Which part of a long line is in view, for pictures that can be zoomed and moved: arithmetic, and nothing else. */

export interface Viewport {
  /** The unit at the first pixel. */
  from: number;
  /** Pixels of one unit. */
  scale: number;
}

export interface Bounds {
  /** Units of the whole line, from 0 on. */
  total: number;
  /** Pixels there are to show it. */
  size: number;
  /** Pixels of one unit at most. */
  most: number;
}

/** All of the line, as large as it fits. */
export function fitted(bounds: Bounds): Viewport {
  return { from: 0, scale: Math.min(bounds.most, bounds.size / Math.max(bounds.total, Number.EPSILON)) };
}

/** The nearest to what is asked for that shows nothing beside the line. */
export function limited(view: Viewport, bounds: Bounds): Viewport {
  const scale = clamp(view.scale, fitted(bounds).scale, bounds.most);
  return { from: clamp(view.from, 0, Math.max(0, bounds.total - bounds.size / scale)), scale };
}

/** Enlarged by a factor, with the unit at pixel `at` staying where it is. */
export function zoomed(view: Viewport, bounds: Bounds, factor: number, at: number): Viewport {
  const scale = clamp(view.scale * factor, fitted(bounds).scale, bounds.most);
  return limited({ from: unitAt(view, at) - at / scale, scale }, bounds);
}

/** Moved by pixels: what was at pixel `by` is at the first one. */
export function moved(view: Viewport, bounds: Bounds, by: number): Viewport {
  return limited({ from: view.from + by / view.scale, scale: view.scale }, bounds);
}

/** The same, if units `first` to `last` are in view with some room around them; else moved so that they are. */
export function showing(view: Viewport, bounds: Bounds, first: number, last = first + 1): Viewport {
  const room = Math.min(24, bounds.size / 4);
  const start = pixelOf(view, first);
  const end = pixelOf(view, last);
  if (start >= 0 && end <= bounds.size) return view;
  if (end - start > bounds.size - 2 * room) {
    const shown = start < bounds.size && end > 0;
    return shown ? view : moved(view, bounds, start - room);
  }
  const near = start < 0 ? start - room : end - bounds.size + room;
  const far = Math.abs(near) > bounds.size;
  return moved(view, bounds, far ? (start + end - bounds.size) / 2 : near);
}

/** Units `first` to `last`, filling what there is. */
export function framing(bounds: Bounds, first: number, last: number): Viewport {
  const scale = bounds.size / Math.max(last - first, Number.EPSILON);
  return limited({ from: first, scale }, bounds);
}

export function pixelOf(view: Viewport, unit: number): number {
  return (unit - view.from) * view.scale;
}

export function unitAt(view: Viewport, pixel: number): number {
  return view.from + pixel / view.scale;
}

/** The units in view, the last one excluded. */
export function shown(view: Viewport, bounds: Bounds): [first: number, last: number] {
  return [view.from, Math.min(bounds.total, view.from + bounds.size / view.scale)];
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
