/** What a list of runs is narrowed to, in words that fit into an address. */

import type { RunSummary } from "@/api/schema";

export const STATES = ["live", "completed", "failed", "stopped", "imported"] as const;
export type StateChoice = (typeof STATES)[number];
export const OUTCOMES = ["passed", "failed", "unknown"] as const;
export type OutcomeChoice = (typeof OUTCOMES)[number];

export interface RunFilter {
  /** Words that all have to be in its name, target, input or output. */
  q?: string;
  status?: StateChoice;
  target?: string;
  outcome?: OutcomeChoice;
}

/** Whether a run is what is looked for. */
export function fits(run: RunSummary, filter: RunFilter): boolean {
  if (filter.status !== undefined && stateOf(run) !== filter.status) return false;
  if (filter.target !== undefined && run.spec !== filter.target) return false;
  if (filter.outcome !== undefined && (run.outcome ?? "unknown") !== filter.outcome) return false;
  const words = (filter.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = [run.run, run.name, run.spec, run.input, run.output, run.error].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The state of a run, in fewer words than there are. */
export function stateOf(run: RunSummary): StateChoice {
  if (run.imported) return "imported";
  if (run.live) return "live";
  switch (run.status) {
    case "completed":
      return "completed";
    case "failed":
    case "diverged":
      return "failed";
    default:
      return "stopped";
  }
}

export interface RunsPlace extends RunFilter {
  /** The order of a flat list, as in `tokens` or `-tokens`; without it, runs are listed as trees. */
  sort?: string;
  /** Whether the form for a new run is open. */
  new?: true;
}

/** A place out of an address that somebody may have typed: what makes no sense is left out. */
export function readRunsPlace(search: Record<string, unknown>): RunsPlace {
  const place: RunsPlace = {};
  const text = (name: string) => {
    const value = search[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  const status = STATES.find((state) => state === text("status"));
  const outcome = OUTCOMES.find((found) => found === text("outcome"));
  if (text("q")) place.q = text("q");
  if (text("target")) place.target = text("target");
  if (text("sort")) place.sort = text("sort");
  if (search["new"] === true || text("new")) place.new = true;
  if (status) place.status = status;
  if (outcome) place.outcome = outcome;
  return place;
}
