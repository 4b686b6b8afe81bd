/**
 * Which colour an agent has: the same in every view, and in the forks of a run.
 *
 * An agent (or step, or task) prefers the colour that its path gives; who comes later takes the next that is free.
 */

import { NONE, type Outline } from "./outline";

/** How many colours there are. */
export const HUES = 8;

const HEADS = new Set(["agent", "step", "task"]);

export class Hues {
  private readonly numbers = new Map<string, number>();
  private readonly taken = new Set<number>();
  private readonly seen = new WeakMap<Outline, { length: number; components: Set<number> }>();

  /** Give colours to the agents of the records that have come. */
  update(outline: Outline): void {
    const seen = this.seen.get(outline) ?? { length: 0, components: new Set() };
    this.seen.set(outline, seen);
    for (let seq = Math.min(seen.length, outline.length); seq < outline.length; seq++) {
      const component = outline.componentNumber(seq);
      if (component === NONE || seen.components.has(component)) continue;
      if (outline.kind(seq) !== "invocation_started" || !HEADS.has(outline.call(seq) ?? "")) continue;
      seen.components.add(component);
      this.give(outline.component(seq));
    }
    seen.length = outline.length;
  }

  /** The number of the colour of a component: that of the agent whose part it is; null where it is nobody's. */
  of(path: string): number | null {
    return this.numbers.get(this.owner(path) ?? "") ?? null;
  }

  /** The agent whose part a component is, or that it is itself; null where it is nobody's. */
  owner(path: string): string | null {
    for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/"))))
      if (this.numbers.has(at)) return at;
    return null;
  }

  private give(path: string): void {
    if (this.numbers.has(path)) return;
    const wish = hash(path) % HUES;
    let hue = wish;
    while (this.taken.size < HUES && this.taken.has(hue)) hue = (hue + 1) % HUES;
    this.taken.add(hue);
    this.numbers.set(path, hue);
  }
}

/** A number that a text always gives. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
