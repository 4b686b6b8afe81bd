/** The list of runs: as trees of forks or flat, narrowed and sorted. */

import type { RunSummary } from "@/api/schema";

import { fits, type RunFilter } from "./filters";

export const SORTS = [
  "created",
  "run",
  "input",
  "target",
  "status",
  "outcome",
  "calls",
  "tokens",
  "cost",
  "took",
] as const;
export type SortBy = (typeof SORTS)[number];

export interface Sorting {
  by: SortBy;
  down: boolean;
}

/** One line of the list. */
export interface RunRow {
  run: RunSummary;
  /** Forks below the first run of its tree; 0 in a flat list. */
  depth: number;
  /** Forks of it that are in the list, shown or not. */
  forks: number;
  open: boolean;
  /** It is only there because one of its forks is what was asked for. */
  aside: boolean;
}

/** How long a run has taken, in seconds; of a live one, until `now`.  A log without times does not say. */
export function took(run: RunSummary, now: number): number | null {
  if (!run.timed) return null;
  if (run.ended !== null) return Math.max(0, run.ended - run.created);
  return run.live ? Math.max(0, now - run.created) : null;
}

/** Model and tool calls that were made; null where nobody has counted them, as in most logs of other programs. */
export function callsOf(run: RunSummary): number | null {
  const none = run.imported && !run.calls?.model && !run.calls?.tool;
  return run.calls === null || none ? null : (run.calls.model ?? 0) + (run.calls.tool ?? 0);
}

export function tokensOf(run: RunSummary): number | null {
  const none = run.imported && !run.tokens?.input && !run.tokens?.output;
  return run.tokens === null || none ? null : (run.tokens.input ?? 0) + (run.tokens.output ?? 0);
}

/** The runs as trees, the newest first, each followed by its forks from the first one on. */
export function treeRows(runs: readonly RunSummary[], filter: RunFilter, closed: ReadonlySet<string>): RunRow[] {
  const known = new Set(runs.map(({ run }) => run));
  const forks = new Map<string, RunSummary[]>();
  const roots: RunSummary[] = [];
  for (const run of runs) {
    const parent = run.parent !== null && known.has(run.parent) ? run.parent : null;
    if (parent === null) roots.push(run);
    else forks.set(parent, [...(forks.get(parent) ?? []), run]);
  }
  const wanted = new Set<string>();
  const byId = new Map(runs.map((run) => [run.run, run]));
  const meant = new Set<string>();
  for (const run of runs) {
    if (!fits(run, filter)) continue;
    meant.add(run.run);
    for (let at: RunSummary | undefined = run; at && !wanted.has(at.run); at = byId.get(at.parent ?? ""))
      wanted.add(at.run);
  }
  const rows: RunRow[] = [];
  const waiting = roots.toSorted((a, b) => a.created - b.created).map((run) => ({ run, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { run, depth } = next;
    if (!wanted.has(run.run)) continue;
    const below = (forks.get(run.run) ?? []).filter((fork) => wanted.has(fork.run));
    const open = !closed.has(run.run);
    rows.push({ run, depth, forks: below.length, open, aside: !meant.has(run.run) });
    if (!open) continue;
    below.sort((a, b) => b.created - a.created);
    for (const fork of below) waiting.push({ run: fork, depth: depth + 1 });
  }
  return rows;
}

/** The runs that a filter lets through, sorted; what is not known comes last. */
export function flatRows(runs: readonly RunSummary[], filter: RunFilter, { by, down }: Sorting, now: number): RunRow[] {
  const found = runs.filter((run) => fits(run, filter)).map((run) => ({ run, key: sortKey(run, by, now) }));
  found.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    return (down ? -1 : 1) * compared(a.key, b.key) || b.run.created - a.run.created;
  });
  return found.map(({ run }) => ({ run, depth: 0, forks: 0, open: false, aside: false }));
}

function sortKey(run: RunSummary, by: SortBy, now: number): string | number | null {
  switch (by) {
    case "created":
      return run.created;
    case "run":
      return Number(/\d+/.exec(run.run)?.[0] ?? 0);
    case "input":
      return run.input || null;
    case "target":
      return run.spec;
    case "status":
      return run.status;
    case "outcome":
      return run.outcome;
    case "calls":
      return callsOf(run);
    case "tokens":
      return tokensOf(run);
    case "cost":
      return run.cost;
    case "took":
      return took(run, now);
  }
}

function compared(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
}

/** The runs that one compares a run with first: what it was forked from, its forks, those beside it, others of its target. */
export function relatives(runs: readonly RunSummary[], id: string): RunSummary[] {
  const own = runs.find(({ run }) => run === id);
  const near = (other: RunSummary): number => {
    if (own === undefined) return 4;
    if (other.run === own.parent) return 0;
    if (other.parent === own.run) return 1;
    if (other.parent !== null && other.parent === own.parent) return 2;
    return other.spec === own.spec ? 3 : 4;
  };
  return runs
    .filter(({ run }) => run !== id)
    .map((run) => ({ run, near: near(run) }))
    .toSorted((a, b) => a.near - b.near || b.run.created - a.run.created)
    .map(({ run }) => run);
}

/** In which order runs can be deleted, so that none still has forks; and those that have to stay because of other forks. */
export function deletable(
  runs: readonly RunSummary[],
  chosen: ReadonlySet<string>,
): { order: string[]; kept: string[] } {
  const forks = new Map<string, string[]>();
  for (const { run, parent } of runs) if (parent !== null) forks.set(parent, [...(forks.get(parent) ?? []), run]);
  const order: string[] = [];
  const kept: string[] = [];
  const gone = new Set<string>();
  for (const { run, live } of runs.toReversed()) {
    if (!chosen.has(run)) continue;
    const stays = live || (forks.get(run) ?? []).some((fork) => !gone.has(fork));
    if (stays) kept.push(run);
    else {
      gone.add(run);
      order.push(run);
    }
  }
  return { order, kept };
}

/** Runs with all that was forked from them, and from that. */
export function withForks(runs: readonly RunSummary[], chosen: readonly string[]): Set<string> {
  const found = new Set(chosen);
  for (const { run, parent } of runs) if (parent !== null && found.has(parent)) found.add(run);
  return found;
}

/** Targets that runs had, the latest first, each with what it was started with. */
export function knownTargets(runs: readonly RunSummary[]): { spec: string; run: string; input: string }[] {
  const found = new Map<string, { spec: string; run: string; input: string }>();
  for (const { spec, run, input, imported, untrusted } of runs.toReversed())
    if (!imported && !untrusted && spec && !found.has(spec)) found.set(spec, { spec, run, input });
  return [...found.values()];
}

/**
 * What an output says, in words: the text of an object around one; of every other JSON, its names and values. It may have
 * been cut anywhere.
 */
export function answerOf(output: string): string {
  const inside = /^\{"(?:answer|output|content|result|summary)": "((?:[^"\\]|\\.)*)/.exec(output)?.[1];
  if (inside === undefined && !/^[[{]/.test(output)) return output;
  const plain = inside ?? output.replaceAll(/[[\]{}]|(?<!\\)"/g, "");
  return plain.replaceAll(/\\n/g, " ").replaceAll(/\\(.)/g, "$1");
}
