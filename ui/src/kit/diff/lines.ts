/** The difference of two texts as lines side by side, with the words that differ marked, and what is alike folded. */

import { type Stretch, stretchesOf } from "./sequence";

/** Part of a line, and whether it is in the other text, too. */
export interface Piece {
  text: string;
  changed: boolean;
}

export interface Side {
  /** The number of the line, from 1. */
  number: number;
  pieces: Piece[];
}

/** A line of each text that belong together; null where one has none. */
export interface Line {
  kind: "same" | "changed" | "removed" | "added";
  before: Side | null;
  after: Side | null;
}

/** Lines to show, or how many that are alike are not. */
export type Part = { fold: false; lines: Line[] } | { fold: true; lines: Line[] };

/** Words of one change of which the differences are looked for; a larger one is marked whole. */
const MOST_WORDS = 4000;
/** Letters between two changes that are not worth to be told apart from them. */
const LEAST_KEPT = 3;
const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** The lines of two texts, side by side. */
export function linesOf(before: string, after: string): Line[] {
  const a = before.split("\n");
  const b = after.split("\n");
  const lines: Line[] = [];
  let fromA = 0;
  let fromB = 0;
  const alike = (toA: number) => {
    while (fromA < toA) {
      const text = a[fromA] ?? "";
      lines.push({ kind: "same", before: whole(++fromA, text, false), after: whole(++fromB, text, false) });
    }
  };
  for (const stretch of stretchesOf(a, b)) {
    alike(stretch.fromA);
    lines.push(...changedLines(a, b, stretch));
    fromA = stretch.toA;
    fromB = stretch.toB;
  }
  alike(a.length);
  return lines;
}

/** The same lines with long stretches of equal ones folded, except `around` of them beside each change. */
export function folded(lines: readonly Line[], around = 3): Part[] {
  const near = new Uint8Array(lines.length);
  for (let n = 0; n < lines.length; n++)
    if (lines[n]?.kind !== "same") near.fill(1, Math.max(0, n - around), Math.min(lines.length, n + around + 1));
  const parts: Part[] = [];
  for (let n = 0; n < lines.length;) {
    let end = n + 1;
    while (end < lines.length && near[end] === near[n]) end++;
    const piece = lines.slice(n, end);
    const last = parts.at(-1);
    const fold = near[n] === 0 && piece.length > 1;
    if (!fold && last?.fold === false) last.lines.push(...piece);
    else parts.push({ fold, lines: piece });
    n = end;
  }
  return parts;
}

/** The words of one line that differ from another, for a place with room for one. */
export function wordsOf(before: string, after: string): { before: Piece[]; after: Piece[] } {
  const [removed, added] = marked(before, after);
  return { before: removed, after: added };
}

function changedLines(a: readonly string[], b: readonly string[], { fromA, toA, fromB, toB }: Stretch): Line[] {
  const removed = a.slice(fromA, toA);
  const added = b.slice(fromB, toB);
  if (removed.length === 0)
    return added.map((text, n) => ({ kind: "added", before: null, after: whole(fromB + n + 1, text, true) }));
  if (added.length === 0)
    return removed.map((text, n) => ({ kind: "removed", before: whole(fromA + n + 1, text, true), after: null }));
  const [left, right] = marked(removed.join("\n"), added.join("\n")).map(cutAtLines) as [Piece[][], Piece[][]];
  return Array.from({ length: Math.max(left.length, right.length) }, (_, n): Line => {
    const before = left[n] ? { number: fromA + n + 1, pieces: left[n] } : null;
    const after = right[n] ? { number: fromB + n + 1, pieces: right[n] } : null;
    return { kind: before && after ? "changed" : before ? "removed" : "added", before, after };
  });
}

/** Two texts, each in pieces that are in the other one or not. */
function marked(before: string, after: string): [Piece[], Piece[]] {
  const a = before.match(WORD) ?? [];
  const b = after.match(WORD) ?? [];
  const whole = { fromA: 0, toA: a.length, fromB: 0, toB: b.length };
  const found = a.length + b.length > MOST_WORDS ? [whole] : joined(a, stretchesOf<string>(a, b));
  return [
    pieces(
      a,
      found.map(({ fromA, toA }) => [fromA, toA]),
    ),
    pieces(
      b,
      found.map(({ fromB, toB }) => [fromB, toB]),
    ),
  ];
}

/** Changes with next to nothing between them read better as one. */
function joined(a: readonly string[], stretches: readonly Stretch[]): Stretch[] {
  const kept: Stretch[] = [];
  for (const stretch of stretches) {
    const last = kept.at(-1);
    const gap = last ? a.slice(last.toA, stretch.fromA).join("") : "";
    if (last && !gap.includes("\n") && gap.replaceAll(/[^\p{L}\p{N}]/gu, "").length <= LEAST_KEPT)
      kept[kept.length - 1] = { ...last, toA: stretch.toA, toB: stretch.toB };
    else kept.push(stretch);
  }
  return kept;
}

function pieces(words: readonly string[], changed: readonly (readonly [number, number])[]): Piece[] {
  const found: Piece[] = [];
  const add = (from: number, to: number, changed: boolean) => {
    if (to > from) found.push({ text: words.slice(from, to).join(""), changed });
  };
  let done = 0;
  for (const [from, to] of changed) {
    add(done, from, false);
    add(from, to, true);
    done = to;
  }
  add(done, words.length, false);
  return found;
}

function cutAtLines(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const { text, changed } of pieces)
    for (const [n, part] of text.split("\n").entries()) {
      if (n > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, changed });
    }
  return lines;
}

function whole(number: number, text: string, changed: boolean): Side {
  return { number, pieces: text === "" ? [] : [{ text, changed }] };
}

/** The pieces from a little before the first that differs, for a line with little room. */
export function excerpt(pieces: readonly Piece[], lead = 24): Piece[] {
  const first = pieces[0];
  if (first === undefined || first.changed || pieces.length === 1 || first.text.length <= lead + 8) return [...pieces];
  return [{ text: `…${first.text.slice(-lead)}`, changed: false }, ...pieces.slice(1)];
}
