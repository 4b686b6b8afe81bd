/**
 * A run as it is followed: its state, the outline of its records, and of those that were looked at, what they say.
 *
 * One object for each run that is open, shared by every panel.  What is pushed comes in batches; panels are told once a
 * frame at most, and a few times a second of what only adds to it.
 */

import { useEffect, useSyncExternalStore } from "react";

import { api, type Connection, follow, got } from "@/api/client";
import type { ConsolePart, Glance, RunInfo } from "@/api/schema";
import type { LogRecord, RunEvent } from "@/api/types";
import { Outline } from "@/model/outline";

import { keepTold } from "./kept";

/** Records of the first request, so that something is on screen soon, and of those after it. */
const FIRST = 2000;
const NEXT = 20_000;
/** Records of one request for what records say. */
const PICK = 100;
/** Records that are asked for at once; who scrolls past more than these does not look at the first of them. */
const MOST_WANTED = 6 * PICK;
/** Milliseconds in which wishes gather. */
const GATHERING = 40;
const MOST_KEPT = 20_000;
/** Milliseconds between two tellings of what only adds to a run: a person reads no faster. */
const PACE = 200;

export interface RunView {
  info: RunInfo | null;
  outline: Outline;
  /** Whether every record that the server has is in the outline. */
  whole: boolean;
  connection: Connection;
  /** Why the run cannot be shown. */
  error: Error | null;
  console: readonly ConsolePart[];
  /** Changes with everything above. */
  version: number;
}

/** Characters of a text that is read as it is. */
const SHORT = 240;
const SAYING = new Set(["message_queued", "invocation_ended", "noted"]);

function saysMuch(record: LogRecord, glance: Glance): boolean {
  const told = glance.thought || glance.text;
  return SAYING.has(record.kind) && (glance.size > SHORT || told.includes("Warning: "));
}

export class FollowedRun {
  private view: RunView;
  private readonly records = new Map<number, LogRecord>();
  private readonly glances = new Map<string, Glance>();
  /** What is new in records, nothing where that is all or nothing of what they say. */
  private readonly gists = new Map<number, string>();
  /** Records of which it will be asked what is new in them, once it is known that they say much. */
  private readonly gistless = new Set<number>();
  private readonly wanted = new Set<number>();
  private readonly asked = new Set<number>();
  private readonly listeners = new Set<() => void>();
  private readonly readers = new Set<() => void>();
  private hangUp: (() => void) | null = null;
  private frame = 0;
  private paced: ReturnType<typeof setTimeout> | undefined;
  private told = 0;
  /** Whether records have come of which the readers have not heard. */
  private unread = false;
  private picking: ReturnType<typeof setTimeout> | undefined;
  private loading: Promise<void> | null = null;

  constructor(readonly id: string) {
    this.view = {
      info: null,
      outline: new Outline(),
      whole: false,
      connection: "connecting",
      error: null,
      console: [],
      version: 0,
    };
  }

  /** Begin to follow it; what is returned ends that. */
  open(): () => void {
    void this.start();
    return () => {
      this.hangUp?.();
      this.hangUp = null;
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): RunView => this.view;

  /** Hear of records and glances that have come; panels that do not show any are left alone. */
  subscribeRecords = (reader: () => void): (() => void) => {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  };

  /** The record with this number, if it has come; `want` asks for it. */
  record(seq: number): LogRecord | undefined {
    return this.records.get(seq);
  }

  /** The beginning of what a body says, if it has come. */
  glance(hash: string | null | undefined): Glance | undefined {
    return hash ? this.glances.get(hash) : undefined;
  }

  /** What is new in what a record says at length, if it has come. */
  gist(seq: number): string | undefined {
    return this.gists.get(seq) || undefined;
  }

  /** Ask what is new in records that are about to be looked at, where they say much. */
  wantGists(seqs: Iterable<number>): void {
    for (const seq of seqs) if (!this.gists.has(seq)) this.gistless.add(seq);
    for (const seq of this.gistless) {
      if (this.gistless.size <= MOST_WANTED) break;
      this.gistless.delete(seq);
    }
    void this.fetchGists();
  }

  /** Ask for records that are about to be looked at, with a glance at what they say. */
  want(seqs: Iterable<number>): void {
    for (const seq of seqs) {
      const record = this.records.get(seq);
      const known = record !== undefined && (!record.hash || this.glances.has(record.hash));
      if (!known && !this.asked.has(seq) && seq < this.view.outline.length) this.wanted.add(seq);
    }
    for (const seq of this.wanted) {
      if (this.wanted.size <= MOST_WANTED) break;
      this.wanted.delete(seq);
    }
    if (this.wanted.size > 0) this.picking ??= setTimeout(() => this.pick(), GATHERING);
  }

  /** Ask for the state again, after a command. */
  async refresh(): Promise<void> {
    const info = await got(api.GET("/api/runs/{run}", { params: { path: { run: this.id } } }));
    this.set({ info });
    if (info.live && this.hangUp === null) this.listen();
  }

  private async start(): Promise<void> {
    try {
      const [info] = await Promise.all([
        got(api.GET("/api/runs/{run}", { params: { path: { run: this.id } } })),
        this.view.outline.length === 0 ? this.load(FIRST) : Promise.resolve(),
      ]);
      this.set({ info, error: null });
      this.listen();
      await this.loadRest();
    } catch (error) {
      this.set({ error: error as Error });
    }
  }

  private listen(): void {
    this.hangUp?.();
    this.hangUp = follow<RunEvent>({
      path: () => {
        const after = this.view.whole ? this.view.outline.length - 1 : Number.MAX_SAFE_INTEGER;
        return `/api/runs/${this.id}/events?after=${Math.min(after, this.last())}&console=${this.lastPart()}`;
      },
      events: (events) => this.take(events),
      connection: (connection) => {
        if (connection === "done") this.hangUp = null;
        this.set({ connection });
      },
    });
  }

  /** The last record that the server is known to have. */
  private last(): number {
    return Math.max(this.view.outline.length, this.view.info?.records ?? 0) - 1;
  }

  private lastPart(): number {
    return this.view.console.at(-1)?.n ?? -1;
  }

  private take(events: RunEvent[]): void {
    const { outline, info: before } = this.view;
    let { console, info } = this.view;
    let missing = false;
    for (const event of events) {
      switch (event.type) {
        case "record":
          this.records.set(event.record.seq, event.record);
          if (event.record.seq <= outline.length) outline.push(event.record);
          else missing = true;
          break;
        case "gap":
          outline.truncate(event.after);
          this.forget(event.after);
          missing = missing || event.upto >= outline.length;
          break;
        case "state":
          if (info) info = { ...info, ...event.state };
          if (!event.state.live) this.quietly(this.refresh());
          break;
        case "console":
          console = [...console, event.part];
          break;
      }
    }
    const onlyMore = !missing && info?.status === before?.status && info?.held.length === before?.held.length;
    this.unread = true;
    this.set({ console, info }, onlyMore ? PACE : 0);
    if (missing) this.quietly(this.loadRest());
  }

  /** What the server cannot answer while it goes away is asked again when it is followed again. */
  private quietly(asked: Promise<void>): void {
    asked.catch((error: unknown) => this.set({ error: error as Error }));
  }

  private forget(after: number): void {
    for (const seq of this.records.keys()) if (seq > after) this.records.delete(seq);
    for (const seq of this.asked) if (seq > after) this.asked.delete(seq);
    for (const seq of this.gists.keys()) if (seq > after) this.gists.delete(seq);
  }

  private loadRest(): Promise<void> {
    this.loading ??= this.loadAll().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  private async loadAll(): Promise<void> {
    while (this.view.outline.length < (this.view.info?.records ?? 0)) {
      const before = this.view.outline.length;
      await this.load(NEXT);
      if (this.view.outline.length === before) break;
    }
    this.set({ whole: true });
  }

  private async load(limit: number): Promise<void> {
    const { outline } = this.view;
    const query = { after: outline.length - 1, limit };
    const told = await got(api.GET("/api/runs/{run}/outline", { params: { path: { run: this.id }, query } }));
    outline.append(told);
    this.set({ whole: outline.length >= told.total });
  }

  private pick(): void {
    this.picking = undefined;
    const seqs = [...this.wanted].slice(-PICK);
    for (const seq of seqs) {
      this.wanted.delete(seq);
      this.asked.add(seq);
    }
    if (this.wanted.size > 0) this.picking = setTimeout(() => this.pick(), 0);
    void this.fetchPicked(seqs);
  }

  private async fetchPicked(seqs: number[]): Promise<void> {
    try {
      const query = { seqs: seqs.join(",") };
      const told = await got(api.GET("/api/runs/{run}/pick", { params: { path: { run: this.id }, query } }));
      if (this.records.size > MOST_KEPT) {
        this.records.clear();
        this.gists.clear();
      }
      for (const record of told.records) this.records.set(record.seq, record);
      for (const [hash, glance] of Object.entries(told.glances)) this.glances.set(hash, glance);
      this.tellReaders();
      void this.fetchGists();
    } catch {
      // It will be asked for again when it is looked at again.
    } finally {
      for (const seq of seqs) this.asked.delete(seq);
    }
  }

  /** Ask what is new in those of the wished records that have come and say much; that never holds up what they say. */
  private async fetchGists(): Promise<void> {
    const seqs: number[] = [];
    for (const seq of this.gistless) {
      const record = this.records.get(seq);
      const glance = this.glance(record?.hash);
      if (record === undefined || (record.hash && glance === undefined)) continue;
      this.gistless.delete(seq);
      if (glance !== undefined && saysMuch(record, glance)) seqs.push(seq);
    }
    for (let at = 0; at < seqs.length; at += PICK) {
      try {
        const path = { run: this.id };
        const query = { seqs: seqs.slice(at, at + PICK).join(",") };
        const told = await got(api.GET("/api/runs/{run}/gists", { params: { path, query } }));
        for (const seq of seqs.slice(at, at + PICK)) this.gists.set(seq, told.gists[seq] ?? "");
        this.tellReaders();
      } catch {
        // It is told by its beginning.
      }
    }
  }

  /** Change what is seen; listeners hear of it with the next frame, or some milliseconds after they last heard of something. */
  private set(change: Partial<RunView>, pace = 0): void {
    this.view = { ...this.view, ...change, version: this.view.version + 1 };
    if (change.info) keepTold(change.info);
    if (this.frame !== 0) return;
    const wait = this.told + pace - performance.now();
    if (pace > 0 && wait > 0) {
      this.paced ??= setTimeout(() => this.tellSoon(), wait);
      return;
    }
    this.tellSoon();
  }

  private tellSoon(): void {
    clearTimeout(this.paced);
    this.paced = undefined;
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.tell());
  }

  private tellReaders(): void {
    for (const reader of this.readers) reader();
  }

  private tell(): void {
    this.frame = 0;
    this.told = performance.now();
    for (const listener of this.listeners) listener();
    if (this.unread) this.tellReaders();
    this.unread = false;
  }
}

const open = new Map<string, { run: FollowedRun; users: number; close: () => void }>();
const known = new Map<string, FollowedRun>();
const MOST_KNOWN = 12;

/** The object of a run, followed as long as somebody shows it. */
export function followedRun(id: string): FollowedRun {
  let run = known.get(id);
  if (run === undefined) {
    run = new FollowedRun(id);
    for (const [old] of known) {
      if (known.size < MOST_KNOWN) break;
      if (!open.has(old)) known.delete(old);
    }
    known.set(id, run);
  }
  return run;
}

function hold(id: string): () => void {
  const run = followedRun(id);
  const held = open.get(id);
  if (held) held.users++;
  else open.set(id, { run, users: 1, close: run.open() });
  return () => {
    const entry = open.get(id);
    if (!entry) return;
    entry.users--;
    if (entry.users > 0) return;
    entry.close();
    open.delete(id);
  };
}

/** Follow a run while the component is shown. */
export function useRun(id: string): { run: FollowedRun; view: RunView } {
  useEffect(() => hold(id), [id]);
  const run = followedRun(id);
  const view = useSyncExternalStore(run.subscribe, run.snapshot);
  return { run, view };
}

/** A record, asked for when it is not there yet. */
export function useRecord(run: FollowedRun, seq: number | undefined): LogRecord | undefined {
  useEffect(() => {
    if (seq !== undefined && seq >= 0) run.want([seq]);
  });
  return useSyncExternalStore(run.subscribeRecords, () => (seq === undefined ? undefined : run.record(seq)));
}

/** The beginning of what a record says, once it has come; nothing is asked for. */
export function useGlance(run: FollowedRun, seq: number): Glance | undefined {
  return useSyncExternalStore(run.subscribeRecords, () => run.glance(run.record(seq)?.hash));
}
