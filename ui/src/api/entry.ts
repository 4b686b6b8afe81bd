/** Whether this page is let in.  Once it was, a later refusal is another start of the server: the page stays, and asks for the new address. */

import { token } from "./token";

export type Entry = "unknown" | "in" | "out" | "locked";

let entry: Entry = token() === null && !import.meta.env.DEV ? "out" : "unknown";
const listeners = new Set<() => void>();

export function setEntry(now: "in" | "out"): void {
  const next = now === "out" && (entry === "in" || entry === "locked") ? "locked" : now;
  if (entry === "out" || entry === next) return;
  entry = next;
  for (const told of listeners) told();
}

export function entryNow(): Entry {
  return entry;
}

export function onEntry(told: () => void): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}
