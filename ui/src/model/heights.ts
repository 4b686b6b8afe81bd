/**
 * The heights of many lines: where each begins, and which one is at a place, in a few steps however many they are.
 *
 * A Fenwick tree: the sums of runs of lines whose lengths are powers of two.
 */

export class Heights {
  private readonly own: Float64Array;
  private readonly sums: Float64Array;
  private readonly top: number;

  constructor(
    readonly length: number,
    heightOf: (line: number) => number,
  ) {
    this.own = new Float64Array(length);
    this.sums = new Float64Array(length + 1);
    for (let line = 0; line < length; line++) this.own[line] = this.sums[line + 1] = heightOf(line);
    for (let at = 1; at <= length; at++) {
      const above = at + (at & -at);
      if (above <= length) this.sums[above] = (this.sums[above] ?? 0) + (this.sums[at] ?? 0);
    }
    this.top = length === 0 ? 0 : 2 ** Math.floor(Math.log2(length));
  }

  get total(): number {
    return this.startOf(this.length);
  }

  of(line: number): number {
    return this.own[line] ?? 0;
  }

  /** How much is above a line. */
  startOf(line: number): number {
    let sum = 0;
    for (let at = Math.min(line, this.length); at > 0; at -= at & -at) sum += this.sums[at] ?? 0;
    return sum;
  }

  set(line: number, height: number): void {
    const more = height - this.of(line);
    this.own[line] = height;
    for (let at = line + 1; at <= this.length; at += at & -at) this.sums[at] = (this.sums[at] ?? 0) + more;
  }

  /** The line at a distance from the top; the last one for what is beyond it. */
  lineAt(place: number): number {
    let line = 0;
    let rest = Math.max(0, place);
    for (let step = this.top; step > 0; step >>= 1) {
      const sum = this.sums[line + step];
      if (line + step <= this.length && sum !== undefined && sum <= rest) {
        line += step;
        rest -= sum;
      }
    }
    return Math.min(line, Math.max(0, this.length - 1));
  }
}
