/**
 * The outlines of the other runs of a tree: loaded while the overview shows them, from where each left its parent, and
 * again from their end when they have grown.
 */

import { useEffect, useState, useSyncExternalStore } from "react";

import { api, got } from "@/api/client";
import { Outline } from "@/model/outline";
import { useCalm } from "@/kit/canvas/useCalm";

export interface Wanted {
  run: string;
  /** The number of the first record to load. */
  base: number;
  /** How many records the run has. */
  records: number;
}

export interface Loaded {
  outline: Outline;
  base: number;
}

const NOTHING = -1;
const PAGE = 50_000;
/** Times that a run which the server does not give is asked for, until it grows again. */
const TRIES = 2;

class Outlines {
  private readonly loaded = new Map<string, Loaded>();
  private readonly refused = new Map<string, { records: number; times: number }>();
  private readonly listeners = new Set<() => void>();
  private wanted: readonly Wanted[] = [];
  private busy = false;
  private version = 0;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): number => this.version;

  of(run: string, base: number): Loaded | undefined {
    const loaded = this.loaded.get(run);
    return loaded?.base === base ? loaded : undefined;
  }

  /** What is to be had from now on; what is not wanted any more is forgotten. */
  want(wanted: readonly Wanted[]): void {
    this.wanted = wanted;
    const runs = new Set(wanted.map(({ run }) => run));
    for (const run of this.loaded.keys()) if (!runs.has(run)) this.loaded.delete(run);
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    try {
      for (let next = this.next(); next !== undefined; next = this.next()) await this.load(next);
    } finally {
      this.busy = false;
    }
  }

  private next(): Wanted | undefined {
    return this.wanted.find(({ run, base, records }) => {
      const { outline } = this.begin(run, base);
      if (base + outline.length > records) outline.truncate(Math.max(NOTHING, records - base - 1));
      const refused = this.refused.get(run);
      const open = refused === undefined || refused.records !== records || refused.times < TRIES;
      return base + outline.length < records && open;
    });
  }

  private begin(run: string, base: number): Loaded {
    let loaded = this.of(run, base);
    if (loaded === undefined) {
      loaded = { outline: new Outline(), base };
      this.loaded.set(run, loaded);
    }
    return loaded;
  }

  private async load({ run, base, records }: Wanted): Promise<void> {
    const { outline } = this.begin(run, base);
    const before = outline.length;
    try {
      const query = { after: base + before - 1, limit: PAGE };
      const told = await got(api.GET("/api/runs/{run}/outline", { params: { path: { run }, query } }));
      outline.append({ ...told, first: told.first - base });
    } catch {
      // Its column says how much of it there is; it is tried again when it has grown.
    }
    if (outline.length === before) {
      const refused = this.refused.get(run);
      const times = refused?.records === records ? refused.times + 1 : 1;
      this.refused.set(run, { records, times });
    }
    this.version++;
    for (const listener of this.listeners) listener();
  }
}

/** What is loaded of these runs, and a number that changes with it. */
export function useOutlines(wanted: readonly Wanted[]): { version: number; of: Outlines["of"] } {
  const [outlines] = useState(() => new Outlines());
  const version = useSyncExternalStore(outlines.subscribe, outlines.snapshot);
  const calm = useCalm(wanted, 200);
  useEffect(() => outlines.want(calm), [outlines, calm]);
  return { version, of: (run, base) => outlines.of(run, base) };
}
