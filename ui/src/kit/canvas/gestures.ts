/** What a person does to a picture with the pointer: point, click, drag, and turn the wheel. */

import { type RefCallback, useCallback, useEffect, useRef } from "react";

export interface Gestures {
  /** The pointer is here, or has left. */
  onPoint: (at: { x: number; y: number } | null) => void;
  onClick: (x: number, y: number) => void;
  onDoubleClick?: (x: number, y: number) => void;
  /** Move the picture by so many pixels. */
  onDrag: (dx: number, dy: number) => void;
  /** Scroll by so many pixels; returns whether there was anything to scroll, else the page does. */
  onScroll: (dx: number, dy: number) => boolean;
  onZoom: (factor: number, x: number, y: number) => void;
}

/** Pixels that the pointer may move in a click. */
const STEADY = 4;
const LINE = 16;
const PAGE = 240;

/** Hears the gestures on the element that the callback which is returned is the `ref` of. */
export function useGestures<E extends HTMLElement>(gestures: Gestures): RefCallback<E> {
  const told = useRef(gestures);
  useEffect(() => {
    told.current = gestures;
  });
  return useCallback((element: E | null) => {
    if (element === null) return undefined;
    let down: { x: number; y: number } | null = null;
    let dragged = false;
    const place = (event: MouseEvent) => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left - element.clientLeft, y: event.clientY - box.top - element.clientTop };
    };
    const hear = new AbortController();
    const { signal } = hear;
    element.addEventListener(
      "pointerdown",
      (event) => {
        if (event.button !== 0 && event.button !== 1) return;
        down = { x: event.clientX, y: event.clientY };
        dragged = false;
      },
      { signal },
    );
    element.addEventListener(
      "pointermove",
      (event) => {
        if (down === null) {
          told.current.onPoint(place(event));
          return;
        }
        const dx = event.clientX - down.x;
        const dy = event.clientY - down.y;
        if (!dragged && Math.hypot(dx, dy) < STEADY) return;
        if (!dragged) {
          dragged = true;
          element.setPointerCapture(event.pointerId);
          element.dataset["dragged"] = "";
          told.current.onPoint(null);
        }
        down = { x: event.clientX, y: event.clientY };
        told.current.onDrag(dx, dy);
      },
      { signal },
    );
    const up = () => {
      down = null;
      delete element.dataset["dragged"];
    };
    element.addEventListener("pointerup", up, { signal });
    element.addEventListener("pointercancel", up, { signal });
    element.addEventListener("pointerleave", () => down === null && told.current.onPoint(null), { signal });
    element.addEventListener(
      "click",
      (event) => {
        if (dragged) return;
        const { x, y } = place(event);
        told.current.onClick(x, y);
      },
      { signal },
    );
    element.addEventListener(
      "dblclick",
      (event) => {
        const { x, y } = place(event);
        told.current.onDoubleClick?.(x, y);
      },
      { signal },
    );
    element.addEventListener(
      "wheel",
      (event) => {
        const unit = event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? PAGE : 1;
        const { x, y } = place(event);
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          told.current.onZoom(Math.exp((-event.deltaY * unit) / 300), x, y);
          return;
        }
        const turned = event.shiftKey && event.deltaX === 0;
        const scrolled = told.current.onScroll(
          (turned ? event.deltaY : event.deltaX) * unit,
          turned ? 0 : event.deltaY * unit,
        );
        if (scrolled) event.preventDefault();
      },
      { signal, passive: false },
    );
    return () => hear.abort();
  }, []);
}
