/**
 * The overview of a tree of runs: a column for each run, a row for each record, oldest on top.
 *
 * A fork shares the rows of its parent down to its cut, so that what is said of a record is said once, and records with
 * the same number before the cut are at the same height.
 */

import type { Colouring } from "@/state/prefs";

import { type Aspect, ASPECT_NAMES, ASPECTS, aspectOf } from "./aspects";
import { ownerOf, shortName } from "./names";
import { NONE, type Outline } from "./outline";
import { HUES, type Hues } from "./hues";
import { plumbingOf } from "./rows";

/** What is known of a run's own records. */
export interface Source {
  run: string;
  cut: number;
  outline: Outline;
  /** The number of the outline's first record: 0, or the cut where what came before is not known. */
  base: number;
}

export interface Column extends Source {
  /** The run that this one left, if its column is there. */
  parent: Column | null;
  /** Rows that are shared with the parent. */
  shared: number;
  /** The record of each row of its own. */
  seqs: Int32Array;
  /** Rows of its own that were edited, and that failed. */
  edits: Int32Array;
  failures: Int32Array;
  /** All rows. */
  length: number;
}

/** What says that somebody changed it. */
const CHANGED = ["edited", "injected", "mocked", "dropped"] as const;

/** The column of a run; `everything` also shows stream chunks, clock reads, and what only keeps a framework going. */
export function columnOf(source: Source, parent: Column | null, everything: boolean): Column {
  const { outline, base } = source;
  const own = parent === null ? base : Math.max(base, source.cut);
  const plumbing = everything ? null : plumbingOf(outline);
  const room = Math.max(0, outline.length - (own - base));
  const seqs = new Int32Array(room);
  const edits: number[] = [];
  const failures: number[] = [];
  const shared = parent === null ? 0 : rowsBefore(parent, source.cut);
  let row = 0;
  for (let at = own - base; at < outline.length; at++) {
    const aspect = aspectOf(outline, at);
    if (plumbing !== null && (aspect === "detail" || plumbing[at])) continue;
    const edited = aspect === "edit" || CHANGED.some((flag) => outline.has(at, flag));
    const failed = outline.has(at, "failed");
    seqs[row] = at + base;
    if (edited) edits.push(shared + row);
    if (failed) failures.push(shared + row);
    row++;
  }
  return {
    ...source,
    parent,
    shared,
    seqs: seqs.subarray(0, row),
    edits: Int32Array.from(edits),
    failures: Int32Array.from(failures),
    length: shared + row,
  };
}

/** A column, and what it was made of. */
export interface MadeColumn {
  column: Column;
  version: number;
  everything: boolean;
}

/**
 * The columns of a tree, parents first, of those runs whose outlines have begun to come; of the columns that were made
 * before, each whose records are the same.
 *
 * A fork shares the rows of its parent as soon as that has all of them; until then it shows what it has itself.
 */
export function columnsOf(
  tree: Iterable<{ run: string; parent: string | null; cut: number | null }>,
  everything: boolean,
  outlineOf: (run: string, base: number) => Pick<Source, "outline" | "base"> | undefined,
  before: Map<string, MadeColumn>,
): Column[] {
  const columns = new Map<string, Column>();
  for (const { run, parent: from, cut: left } of tree) {
    const cut = left ?? 0;
    const above = from === null ? null : (columns.get(from) ?? null);
    const own = outlineOf(run, above === null ? 0 : cut);
    if (own === undefined) continue;
    const parent = above !== null && above.base + above.outline.length >= cut ? above : null;
    const { version } = own.outline;
    const old = before.get(run);
    const same =
      old?.version === version &&
      old.everything === everything &&
      old.column.outline === own.outline &&
      old.column.parent === parent &&
      old.column.cut === cut;
    const column = same ? old.column : columnOf({ run, cut, ...own }, parent, everything);
    before.set(run, { column, version, everything });
    columns.set(run, column);
  }
  return [...columns.values()];
}

/** How many rows are above a record. */
function rowsBefore(column: Column, seq: number): number {
  if (column.parent !== null && seq <= column.cut) return rowsBefore(column.parent, seq);
  return column.shared + lowerBound(column.seqs, seq);
}

/** The first place in sorted numbers that is not under `value`. */
function lowerBound(numbers: Int32Array, value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The column that the record of a row is from: the run's own, or one that it shares its beginning with. */
export function ownerAt(column: Column, row: number): Column {
  let owner = column;
  while (row < owner.shared && owner.parent !== null) owner = owner.parent;
  return owner;
}

/** The record of a row, or `NONE`. */
export function seqAt(column: Column, row: number): number {
  const owner = ownerAt(column, row);
  return owner.seqs[row - owner.shared] ?? NONE;
}

/** The row of a record, or of the last one before it that is shown; `NONE` where there is none. */
export function rowOfSeq(column: Column, seq: number): number {
  return Math.min(rowsBefore(column, seq + 1), column.length) - 1;
}

export interface Entry {
  /** What it is found by. */
  key: string;
  label: string;
  /** Records of the run that is looked at. */
  count: number;
  /** Which of the colours it has: an aspect, or the number of a hue; null is for all the rest. */
  colour: Aspect | number | null;
}

export interface Legend {
  entries: Entry[];
  /** For each column, the entry of each row of its own. */
  of: ReadonlyMap<Column, Uint8Array>;
}

const OTHERS = "\u0000others";

/** Entries beyond which the rest is one: so many nobody tells apart. */
const MOST_ENTRIES = 60;

/**
 * What the columns are coloured by: agents in their own colours, types in one each as long as there are some.  The counts
 * are of `run` alone, with what it shares with its parents.
 */
export function legendOf(columns: readonly Column[], colouring: Colouring, hues: Hues, run?: string): Legend {
  const entries: Entry[] = [];
  const byKey = new Map<string, number>();
  let used = 0;
  const entryOf = (key: string, label: string, colour: Aspect | null): number => {
    let at = byKey.get(key);
    if (at === undefined) {
      const rest = colour === null && (key === "" || entries.length >= MOST_ENTRIES);
      if (rest && key !== "") {
        at = entryOf("", "", null);
        byKey.set(key, at);
        return at;
      }
      at = entries.length;
      const own = colouring === "type" ? (used < HUES ? used++ : null) : hues.of(key);
      entries.push({
        key: key || OTHERS,
        label: label || "None or other",
        count: 0,
        colour: colour ?? (rest ? null : own),
      });
      byKey.set(key, at);
    }
    return at;
  };
  const of = new Map<Column, Uint8Array>();
  for (const column of columns) of.set(column, entriesOf(column, colouring, hues, entryOf));
  const counted = columns.filter((column) => run === undefined || column.run === run);
  for (const column of counted.length > 0 ? counted : columns) count(column, of, entries, run !== undefined);
  return { entries, of };
}

/** Count the rows of a column; `whole` with those that it shares with its parents. */
function count(column: Column, of: Legend["of"], entries: Entry[], whole: boolean): void {
  let upto = column.length;
  for (let part: Column | null = column; part !== null; part = whole ? part.parent : null) {
    const own = of.get(part);
    for (let row = part.shared; row < upto; row++) {
      const entry = entries[own?.[row - part.shared] ?? 0];
      if (entry) entry.count++;
    }
    upto = Math.min(upto, part.shared);
  }
}

function entriesOf(
  column: Column,
  colouring: Colouring,
  hues: Hues,
  entryOf: (key: string, label: string, colour: Aspect | null) => number,
): Uint8Array {
  const { outline, base, seqs } = column;
  const found = new Uint8Array(seqs.length);
  const byName = new Int16Array(outline.names.length + 1).fill(NONE);
  const byAspect = new Map<Aspect, number>();
  for (let row = 0; row < seqs.length; row++) {
    const at = (seqs[row] ?? 0) - base;
    let entry: number;
    if (colouring === "kind") {
      const aspect = aspectOf(outline, at);
      entry = byAspect.get(aspect) ?? entryOf(aspect, ASPECT_NAMES[aspect] ?? aspect, aspect);
      byAspect.set(aspect, entry);
    } else {
      const name = nameAt(outline, at, colouring);
      entry = byName[name + 1] ?? NONE;
      if (entry === NONE) {
        const text = name === NONE ? "" : (outline.names[name] ?? "");
        const key = colouring === "type" ? text : (hues.owner(text) ?? ownerOf(text));
        entry = entryOf(key, colouring === "type" ? key : shortName(key), null);
        byName[name + 1] = entry;
      }
    }
    found[row] = entry;
  }
  return found;
}

function nameAt(outline: Outline, at: number, colouring: Colouring): number {
  if (colouring === "type") return outline.typeNumber(at);
  if (colouring === "sender") return outline.componentNumber(at);
  const recipient = outline.recipient(at);
  return recipient === "" ? NONE : outline.find(recipient);
}

/** The entries as a legend lists them: kinds in their usual order, else the most frequent first, the rest last. */
export function listed(legend: Legend): { entry: Entry; at: number }[] {
  const order = ({ key, colour, count }: Entry): [number, number] =>
    key === OTHERS
      ? [1, 0]
      : colour === null
        ? [0, -count]
        : typeof colour === "number"
          ? [0, -count]
          : [0, ASPECTS.indexOf(colour)];
  return legend.entries
    .map((entry, at) => ({ entry, at }))
    .toSorted((one, other) => {
      const [first, second] = [order(one.entry), order(other.entry)];
      return first[0] - second[0] || first[1] - second[1] || one.at - other.at;
    });
}

/** A run and how deep it lies in its tree. */
export interface Branch<R> {
  run: R;
  depth: number;
}

/** The tree that a run belongs to: each run is followed by its forks. */
export function treeAround<R extends { run: string; parent: string | null }>(
  runs: readonly R[],
  id: string,
): Branch<R>[] {
  const byId = new Map(runs.map((run) => [run.run, run]));
  const forks = new Map<string, R[]>();
  for (const run of runs) {
    if (run.parent === null) continue;
    const siblings = forks.get(run.parent);
    if (siblings) siblings.push(run);
    else forks.set(run.parent, [run]);
  }
  let root = byId.get(id);
  while (root?.parent != null && byId.has(root.parent)) root = byId.get(root.parent);
  const found: Branch<R>[] = [];
  const todo: Branch<R>[] = root === undefined ? [] : [{ run: root, depth: 0 }];
  for (let branch = todo.pop(); branch !== undefined; branch = todo.pop()) {
    found.push(branch);
    const depth = branch.depth + 1;
    for (const run of (forks.get(branch.run.run) ?? []).toReversed()) todo.push({ run, depth });
  }
  return found;
}
