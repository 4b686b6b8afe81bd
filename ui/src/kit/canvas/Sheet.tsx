/** A picture in two layers: what there is, as pixels, and above it what changes with the pointer, by drawing commands. */

import { type RefCallback, useCallback, useLayoutEffect, useRef, useState } from "react";

import classes from "./Sheet.module.css";
import { Pixels } from "./pixels";

export interface Size {
  /** Pixels of the style sheet. */
  width: number;
  height: number;
  /** Pixels of the screen for one of these. */
  ratio: number;
}

const NOTHING: Size = { width: 0, height: 0, ratio: 1 };

/** The size of an element, as it changes; the first value is the callback that goes into its `ref`. */
export function useSize<E extends HTMLElement>(): [RefCallback<E>, Size] {
  const [size, setSize] = useState(NOTHING);
  const ref = useCallback((element: E | null) => {
    if (element === null) return undefined;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      const ratio = window.devicePixelRatio || 1;
      setSize((now) =>
        now.width === width && now.height === height && now.ratio === ratio ? now : { width, height, ratio },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    window.addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", measure);
    };
  }, []);
  return [ref, size];
}

interface SheetProps {
  size: Size;
  /** Write the picture, in pixels of the screen. */
  paint: (pixels: Pixels, ratio: number) => void;
  /** Draw above it, in pixels of the style sheet. */
  over: (context: CanvasRenderingContext2D) => void;
}

/** Both layers; each is drawn again when its function is another one. */
export function Sheet({ size, paint, over }: SheetProps) {
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const kept = useRef<{ image: ImageData; pixels: Pixels } | null>(null);
  const { ratio } = size;
  const width = Math.max(1, Math.round(size.width * ratio));
  const height = Math.max(1, Math.round(size.height * ratio));

  useLayoutEffect(() => {
    const context = below.current?.getContext("2d");
    if (!context) return;
    if (kept.current?.pixels.width !== width || kept.current.pixels.height !== height) {
      const image = context.createImageData(width, height);
      kept.current = { image, pixels: new Pixels(width, height, image.data.buffer) };
    }
    const { image, pixels } = kept.current;
    pixels.clear();
    paint(pixels, ratio);
    context.putImageData(image, 0, 0);
  }, [paint, width, height, ratio]);

  useLayoutEffect(() => {
    const context = above.current?.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    over(context);
  }, [over, width, height, ratio]);

  const style = { width: size.width, height: size.height };
  return (
    <>
      <canvas ref={below} aria-hidden className={classes["layer"]} width={width} height={height} style={style} />
      <canvas ref={above} aria-hidden className={classes["layer"]} width={width} height={height} style={style} />
    </>
  );
}
