import { Portal } from "@mantine/core";
import { type ReactNode, useLayoutEffect, useRef } from "react";

import classes from "./Tip.module.css";

const GAP = 14;

/** What the pointer is at, beside the pointer: `x` and `y` are in the window. */
export function Tip({ x, y, children }: { x: number; y: number; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const { offsetWidth: width, offsetHeight: height } = element;
    const left = x + GAP + width > window.innerWidth ? x - GAP - width : x + GAP;
    const top = y + GAP + height > window.innerHeight ? y - GAP - height : y + GAP;
    element.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
  });
  return (
    <Portal>
      <div ref={box} className={classes["tip"]} aria-hidden>
        {children}
      </div>
    </Portal>
  );
}
