/** A picture as a field of numbers: a hundred thousand rectangles a frame, which drawing commands cannot. */

import type { Ink } from "@/model/colours";

export class Pixels {
  readonly data: Uint32Array;

  constructor(
    readonly width: number,
    readonly height: number,
    buffer: ArrayBufferLike = new ArrayBuffer(width * height * 4),
  ) {
    this.data = new Uint32Array(buffer, 0, width * height);
  }

  clear(): void {
    this.data.fill(0);
  }

  /** Fill from (left, top) to (right, bottom), the last excluded; what is outside is cut off. */
  rect(left: number, top: number, right: number, bottom: number, colour: Ink): void {
    const from = Math.max(0, left | 0);
    const to = Math.min(this.width, right | 0);
    const last = Math.min(this.height, bottom | 0);
    if (from >= to) return;
    for (let y = Math.max(0, top | 0); y < last; y++)
      this.data.fill(colour, y * this.width + from, y * this.width + to);
  }

  /** Fill with slanted stripes of two colours, which move along with the left edge. */
  hatch(left: number, top: number, right: number, bottom: number, one: Ink, other: Ink, stripe: number): void {
    const from = Math.max(0, left | 0);
    const to = Math.min(this.width, right | 0);
    const last = Math.min(this.height, bottom | 0);
    const period = stripe * 2;
    for (let y = Math.max(0, top | 0); y < last; y++) {
      let phase = (from - left + (y - top)) % period;
      for (let at = y * this.width + from; at < y * this.width + to; at++) {
        this.data[at] = phase < stripe ? one : other;
        if (++phase >= period) phase = 0;
      }
    }
  }
}
