/** How several tries of one thing came out. */

import type { RunSummary } from "@/api/schema";

export interface Counted {
  right: number;
  wrong: number;
  /** Ended with an error, or not at all. */
  broken: number;
  /** Ended, and nothing says whether that is right. */
  ended: number;
  going: number;
}

export function countTries(runs: readonly (Pick<RunSummary, "status" | "outcome" | "live"> | undefined)[]): Counted {
  const counted: Counted = { right: 0, wrong: 0, broken: 0, ended: 0, going: 0 };
  for (const run of runs) {
    if (run === undefined || run.live) counted.going++;
    else if (run.status !== "completed") counted.broken++;
    else if (run.outcome === "passed") counted.right++;
    else if (run.outcome === "failed") counted.wrong++;
    else counted.ended++;
  }
  return counted;
}

export function tellTries({ right, wrong, broken, ended, going }: Counted): string {
  const parts: [number, string][] = [
    [right, "right"],
    [wrong, "wrong"],
    [ended, "ended"],
    [broken, "failed"],
    [going, "still going"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(", ");
}
