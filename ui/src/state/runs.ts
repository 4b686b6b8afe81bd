/** The list of runs, kept up to date by what the server pushes. */

import { useSyncExternalStore } from "react";

import { api, type Connection, follow, got } from "@/api/client";
import type { RunSummary } from "@/api/schema";
import type { ListEvent } from "@/api/types";

export interface RunList {
  runs: readonly RunSummary[];
  byId: ReadonlyMap<string, RunSummary>;
  /** Whether the list has come. */
  known: boolean;
  connection: Connection;
}

let list: RunList = { runs: [], byId: new Map(), known: false, connection: "connecting" };
const listeners = new Set<() => void>();
let hangUp: (() => void) | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (hangUp === null) {
    hangUp = follow<ListEvent>({ path: () => "/api/events", events: take, connection: connected });
    void got(api.GET("/api/runs")).then(
      (runs) => list.known || set({ ...list, runs, byId: new Map(runs.map((run) => [run.run, run])), known: true }),
      () => undefined, // the socket says that the server is away
    );
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    hangUp?.();
    hangUp = null;
  };
}

/** A server that was started again says everything anew, so what it does not say is gone. */
let fresh = true;

function connected(connection: Connection): void {
  fresh = connection === "open" || fresh;
  set({ ...list, connection });
}

function take(events: ListEvent[]): void {
  const byId = new Map(fresh ? [] : list.byId);
  fresh = false;
  for (const event of events) {
    if (event.type === "run") byId.set(event.run.run, event.run);
    else byId.delete(event.run);
  }
  set({ ...list, runs: [...byId.values()], byId, known: true });
}

function set(next: RunList): void {
  list = next;
  for (const listener of listeners) listener();
}

const idle = () => () => undefined;

/** All runs, oldest first; kept up to date while `follow` is true. */
export function useRuns(follow = true): RunList {
  return useSyncExternalStore(follow ? subscribe : idle, () => list);
}
