/** What is in sight of the history, told to who draws it beside; and the way to bring something else into sight. */

import { useSyncExternalStore } from "react";

/** The first and the last record of what is in sight. */
export type InSight = readonly [first: number, last: number];

/** Whoever shows the history. */
export interface Scrolled {
  /** Bring a record into sight, without selecting it. */
  seek: (seq: number) => void;
  /** Bring into sight what a record says of what is looked for, also where it is selected already. */
  reveal: (seq: number) => void;
  /** Scroll by so many pixels, or so many times what is in sight. */
  scroll: (by: number, unit: "pixels" | "windows") => void;
}

/** One for each window.  It is told of with every line that scrolls by, so it is no state of the window's own. */
export class Sight {
  private range: InSight | null = null;
  private readonly listeners = new Set<() => void>();
  private scrolled: Scrolled | null = null;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): InSight | null => this.range;

  /** Say what is in sight. */
  report(first: number, last: number): void {
    if (this.range?.[0] === first && this.range[1] === last) return;
    this.range = [first, last];
    for (const listener of this.listeners) listener();
  }

  /** Bring a record into sight, without selecting it. */
  seek(seq: number): void {
    this.scrolled?.seek(seq);
  }

  /** Bring into sight what a record says of what is looked for, also where it is selected already. */
  reveal(seq: number): void {
    this.scrolled?.reveal(seq);
  }

  /** Scroll what is in sight. */
  scroll(by: number, unit: "pixels" | "windows"): void {
    this.scrolled?.scroll(by, unit);
  }

  /** Be the one that is scrolled; returns how to stop. */
  attach(scrolled: Scrolled): () => void {
    this.scrolled = scrolled;
    return () => {
      if (this.scrolled === scrolled) this.scrolled = null;
    };
  }
}

export function useSight(sight: Sight): InSight | null {
  return useSyncExternalStore(sight.subscribe, sight.snapshot);
}
