/** The whole run in a strip, and the part of it that is in view: to be dragged, widened, or drawn anew. */

import { useMergedRef } from "@mantine/hooks";
import { useCallback, useMemo, useRef } from "react";

import type { Pixels } from "@/kit/canvas/pixels";
import { Sheet, useSize } from "@/kit/canvas/Sheet";
import { cssOf } from "@/model/colours";
import { type Bounds, framing, limited, shown, type Viewport } from "@/model/viewport";

import { paintBars, type Picture } from "./paint";
import classes from "./Trace.module.css";

interface MinimapProps {
  picture: Omit<Picture, "view" | "top" | "rowHeight">;
  /** What is in view of the large picture. */
  view: Viewport;
  bounds: Bounds;
  onView: (view: Viewport) => void;
}

/** Pixels at an edge of the part in view by which it is widened. */
const EDGE = 5;
const LEAST = 3;

export function Minimap({ picture, view, bounds, onView }: MinimapProps) {
  const [sizeRef, size] = useSize<HTMLDivElement>();
  const box = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(box, sizeRef);
  const across = size.width / bounds.total;
  const [first, last] = shown(view, bounds);
  const left = first * across;
  const right = last * across;

  const small = useMemo<Picture>(
    () => ({
      ...picture,
      view: { from: 0, scale: across },
      top: 0,
      rowHeight: Math.max(1, Math.min(5, size.height / picture.trace.height)),
    }),
    [picture, across, size.height],
  );
  const paint = useCallback((pixels: Pixels, ratio: number) => paintBars(pixels, ratio, small), [small]);
  const over = useCallback(
    (context: CanvasRenderingContext2D) => {
      context.fillStyle = cssOf(picture.inks.sunken);
      context.globalAlpha = 0.72;
      context.fillRect(0, 0, left, size.height);
      context.fillRect(right, 0, size.width - right, size.height);
      context.globalAlpha = 1;
      context.strokeStyle = cssOf(picture.inks.quiet);
      context.strokeRect(left + 0.5, 0.5, Math.max(LEAST, right - left - 1), size.height - 1);
      context.fillStyle = cssOf(picture.inks.quiet);
      for (const x of [left, right - 3]) context.fillRect(x, size.height / 2 - 5, 3, 10);
    },
    [picture.inks, left, right, size.width, size.height],
  );

  const onPointerDown = (event: React.PointerEvent<HTMLDivElement>) => {
    const element = box.current;
    if (event.button !== 0 || !element) return;
    const edge = element.getBoundingClientRect().left;
    const begin = event.clientX - edge;
    const whole = right - left >= size.width - 1;
    const what =
      Math.abs(begin - left) <= EDGE && !whole
        ? "left"
        : Math.abs(begin - right) <= EDGE && !whole
          ? "right"
          : begin > left && begin < right && !whole
            ? "all"
            : "new";
    element.setPointerCapture(event.pointerId);
    const move = (event: PointerEvent) => {
      const at = Math.max(0, Math.min(size.width, event.clientX - edge));
      const by = at - begin;
      const ends: Record<typeof what, [number, number]> = {
        left: [Math.min(at, right - LEAST), right],
        right: [left, Math.max(at, left + LEAST)],
        all: [left + by, right + by],
        new: [Math.min(at, begin), Math.max(at, begin)],
      };
      const [from, to] = ends[what];
      if (what === "all") onView(limited({ from: from / across, scale: view.scale }, bounds));
      else if (to - from >= LEAST) onView(framing(bounds, from / across, to / across));
    };
    const up = (event: PointerEvent) => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
      const at = event.clientX - edge;
      if (event.type === "pointerup" && what === "new" && Math.abs(at - begin) < LEAST)
        onView(limited({ from: (at - (right - left) / 2) / across, scale: view.scale }, bounds));
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
  };

  return (
    <div ref={ref} className={classes["minimap"]} aria-hidden onPointerDown={onPointerDown}>
      <Sheet size={size} paint={paint} over={over} />
    </div>
  );
}
