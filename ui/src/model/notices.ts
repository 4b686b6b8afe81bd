/** What somebody who looks elsewhere is told of: a run that is held now, or has ended. */

import type { RunSummary } from "@/api/schema";

import { runTitle } from "./names";

export interface Notice {
  run: string;
  title: string;
  body: string;
}

type Told = Pick<RunSummary, "run" | "name" | "status" | "live" | "outcome" | "output" | "error">;

const ENDED: Partial<Record<RunSummary["status"], string>> = {
  completed: "has finished",
  failed: "has failed",
  diverged: "departed from its record",
  lost: "is lost: its program is gone",
};

/** What has become of runs that were known before. Who stops a run knows of it. */
export function noticesOf(before: ReadonlyMap<string, Told>, now: Iterable<Told>): Notice[] {
  const notices: Notice[] = [];
  for (const run of now) {
    const known = before.get(run.run);
    if (known === undefined) continue;
    const what =
      run.status === "held" && known.status !== "held"
        ? "is held"
        : known.live && !run.live
          ? ENDED[run.status]
          : undefined;
    if (what === undefined) continue;
    const outcome = run.live || !run.outcome ? "" : run.outcome === "passed" ? "Right. " : "Wrong. ";
    const body = run.live ? "It waits for an answer." : `${outcome}${run.error || run.output || ""}`;
    notices.push({ run: run.run, title: `${runTitle(run)} ${what}`, body: body.slice(0, 200) });
  }
  return notices;
}
