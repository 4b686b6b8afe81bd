/** Whether this page was let in.  Once it was, a later refusal is another start of the server, and the page stays. */

import { token } from "./token";

export type Entry = "unknown" | "in" | "out";

let entry: Entry = token() === null && !import.meta.env.DEV ? "out" : "unknown";
const listeners = new Set<() => void>();

export function setEntry(now: Entry): void {
  if (entry !== "unknown") return;
  entry = now;
  for (const told of listeners) told();
}

export function entryNow(): Entry {
  return entry;
}

export function onEntry(told: () => void): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}
