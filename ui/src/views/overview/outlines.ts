/**
 * The outlines of the other runs of a tree: loaded while the overview shows them, from where each left its parent; those
 * that go on are followed.
 */

import { useEffect, useSyncExternalStore } from "react";

import { api, got } from "@/api/client";
import { Outline } from "@/model/outline";
import { useCalm } from "@/kit/canvas/useCalm";
import { useRun } from "@/state/run";

export interface Wanted {
  run: string;
  /** The number of the first record to load. */
  base: number;
  /** How many records the run has. */
  records: number;
  /** It is followed, and lends what it has. */
  live: boolean;
}

export interface Loaded {
  outline: Outline;
  base: number;
  /** Whether it is that of a run which is, or was, open: it is used as it is, and never changed here. */
  lent: boolean;
}

const PAGE = 50_000;
/** Times that a run which the server does not give is asked for, until it grows again. */
const TRIES = 2;

class Outlines {
  private readonly loaded = new Map<string, Loaded>();
  private readonly refused = new Map<string, { records: number; times: number }>();
  private readonly listeners = new Set<() => void>();
  private wanted: readonly Wanted[] = [];
  private busy = false;
  /** Whether there is a run of which nothing was told yet: one without records of its own has nothing to load. */
  private begun = false;
  private version = 0;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): number => this.version;

  /** The records of a run from `base` on, or from before. */
  of(run: string, base: number): Loaded | undefined {
    const loaded = this.loaded.get(run);
    return loaded !== undefined && loaded.base <= base ? loaded : undefined;
  }

  /** What is to be had from now on, beside the run that is open; what is not of this tree is forgotten. */
  want(open: string, outline: Outline, wanted: readonly Wanted[]): void {
    this.wanted = wanted;
    const runs = new Set([open, ...wanted.map(({ run }) => run)]);
    for (const run of this.loaded.keys()) if (!runs.has(run)) this.loaded.delete(run);
    this.lend(open, outline);
    if (!this.busy) void this.work();
  }

  /** Use the outline of a run that is followed; said again when it has grown. */
  lend(run: string, outline: Outline): void {
    this.loaded.set(run, { outline, base: 0, lent: true });
    this.tell();
  }

  private async work(): Promise<void> {
    this.busy = true;
    try {
      for (let next = this.next(); next !== undefined; next = this.next()) await this.load(next);
    } finally {
      this.busy = false;
    }
    if (this.begun) this.tell();
  }

  private next(): Wanted | undefined {
    return this.wanted.find(({ run, base, records, live }) => {
      if (live) return false;
      const { outline, base: first } = this.begin(run, base, records);
      if (first + outline.length > records) outline.truncate(records - first - 1);
      const refused = this.refused.get(run);
      const open = refused === undefined || refused.records !== records || refused.times < TRIES;
      return first + outline.length < records && open;
    });
  }

  private begin(run: string, base: number, records: number): Loaded {
    const loaded = this.of(run, base);
    if (loaded !== undefined && (!loaded.lent || loaded.outline.length === records)) return loaded;
    const fresh = { outline: new Outline(), base, lent: false };
    this.loaded.set(run, fresh);
    this.begun = true;
    return fresh;
  }

  private async load({ run, base, records }: Wanted): Promise<void> {
    const { outline, base: first } = this.begin(run, base, records);
    const before = outline.length;
    try {
      const query = { after: first + before - 1, limit: PAGE };
      const told = await got(api.GET("/api/runs/{run}/outline", { params: { path: { run }, query } }));
      outline.append({ ...told, first: told.first - first });
    } catch {
      // Its column says how much of it there is; it is tried again when it has grown.
    }
    if (outline.length === before) {
      const refused = this.refused.get(run);
      const times = refused?.records === records ? refused.times + 1 : 1;
      this.refused.set(run, { records, times });
    }
    this.tell();
  }

  private tell(): void {
    this.begun = false;
    this.version++;
    for (const listener of this.listeners) listener();
  }
}

/** Follows a run of the tree while it goes on, so that its column grows. */
export function FollowLive({ run }: { run: string }) {
  const { view } = useRun(run);
  const { outline } = view;
  const grown = useCalm(outline.version);
  // The outline changes in place: `grown` says when.
  // oxlint-disable-next-line react/exhaustive-deps
  useEffect(() => outlines.lend(run, outline), [run, outline, grown]);
  return null;
}

/** One for all overviews, so that what is loaded stays while one goes from run to run of a tree. */
const outlines = new Outlines();

/** What is loaded of the runs beside the one that is open, and a number that changes with it. */
export function useOutlines(
  open: string,
  outline: Outline,
  wanted: readonly Wanted[],
): { version: number; of: Outlines["of"] } {
  const version = useSyncExternalStore(outlines.subscribe, outlines.snapshot);
  const calm = useCalm(wanted, 200);
  useEffect(() => outlines.want(open, outline, calm), [open, outline, calm]);
  return { version, of: (run, base) => outlines.of(run, base) };
}
