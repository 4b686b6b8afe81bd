/** Logs and teams for tests, written as short as they can be. */

import type { Component } from "@/api/schema";
import type { LogRecord } from "@/api/types";

import { Outline } from "./outline";

type Told = { kind: LogRecord["kind"] } & { [name: string]: unknown };

/** Records numbered from 0, a millisecond apart. */
export function recordsOf(told: readonly Told[]): LogRecord[] {
  return told.map((record, seq) => ({ seq, at: 1000 + seq / 1000, ...record }) as unknown as LogRecord);
}

/** The outline of records. */
export function logOf(told: readonly Told[]): Outline {
  const outline = new Outline();
  for (const record of recordsOf(told)) outline.push(record);
  return outline;
}

/** Numbers under a limit that look random and are the same each time. */
export function random(seed: number): (limit: number) => number {
  let state = seed | 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

/** What a target tells of a component that has only a kind. */
export const componentOf = (path: string, kind: string): Component => ({
  path,
  kind,
  doc: "",
  config: {},
  schema: {},
  accepts: {},
  effects: null,
  calls: null,
});

/** A team of a boss and two, one of whom has a model and a tool. */
export const TEAM = [
  componentOf("team", "team"),
  componentOf("team/boss", "agent"),
  componentOf("team/a", "agent"),
  componentOf("team/a/model", "model"),
  componentOf("team/a/tools/search", "tool"),
  componentOf("team/b", "agent"),
];
/** What the team says can flow. */
export const TEAM_EDGES = [
  { source: "team/boss", target: "team/a", label: "asks" },
  { source: "team/a", target: "team/boss", label: "answers" },
  { source: "team/boss", target: "team/b", label: "asks" },
];

/** What flowed in it: the boss asked `a` twice, who asked its model, its tool, and itself. */
export const teamLog = (): Outline =>
  logOf([
    { kind: "run_started" },
    { kind: "invocation_started", call: "flow", component: "team" },
    { kind: "message_queued", component: "user", recipient: "team/boss", hash: "q" },
    { kind: "message_queued", component: "team/boss", recipient: "team/a", hash: "h" },
    { kind: "invocation_started", call: "agent", component: "team/a", parent: 1, message: 3, hash: "h" },
    { kind: "invocation_started", call: "model", component: "team/a/model", parent: 4, hash: "p" },
    { kind: "invocation_started", call: "tool", component: "team/a/tools/search", parent: 4, hash: "p" },
    { kind: "message_queued", component: "team/a", recipient: "team/a", hash: "s" },
    { kind: "message_queued", component: "team/boss", recipient: "team/a", hash: "h2" },
  ]);
