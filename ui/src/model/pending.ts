/** What can be answered to something that is held, and how the queue is put into another order. */

import type { Hold, ReleaseRequest } from "@/api/schema";

/** The record that something held is about: what is delivered or called, else what is around it. */
export function subjectOf(hold: Pick<Hold, "message" | "invocation" | "parent">): number | null {
  return hold.invocation ?? hold.message ?? hold.parent;
}

/** What an answer needs to be told: another input, a result, the text of an error, or nothing. */
export type Needs = "input" | "result" | "error" | null;

export interface HoldAnswer {
  label: string;
  needs: Needs;
  /** What is usually answered. */
  usual?: boolean;
  /** It ends something or leaves it out. */
  harsh?: boolean;
  /** It is what *Continue* does: a button of its own only where several things are held. */
  plain?: boolean;
  /** What is told to the server, with what was asked for. */
  release: (value?: unknown) => Omit<ReleaseRequest, "hold">;
}

const proceed = () => ({ verb: "proceed" as const });
const input = (value?: unknown) => ({ verb: "proceed" as const, value });
const result = (value?: unknown) => ({ verb: "serve" as const, value });
const failure = (value?: unknown) => ({ verb: "serve" as const, value, failed: true });
const record = () => ({ verb: "record" as const });
const drop = () => ({ verb: "drop" as const });
const skip = () => ({ verb: "skip" as const });
const stop = () => ({ verb: "stop" as const });

const LET_GO = { label: "Let it go on", needs: null, usual: true, plain: true } as const;

/** The answers that make sense, the usual one first. */
export function answersTo(hold: Pick<Hold, "when" | "offers" | "failed" | "message">): HoldAnswer[] {
  const again = hold.offers?.includes("record") === true;
  const restores = hold.offers?.includes("skip") === true;
  switch (hold.when) {
    case "input":
      return [{ label: "Answer", needs: "result", usual: true, release: result }];
    case "diverged":
      return [
        { label: "Continue live from here", needs: null, usual: true, release: proceed },
        { label: "Stop the run", needs: null, harsh: true, release: stop },
      ];
    case "after":
      return hold.failed
        ? [
            { label: "Let it fail", needs: null, release: proceed },
            { label: "Give a result instead…", needs: "result", usual: true, release: result },
          ]
        : [
            { ...LET_GO, release: proceed },
            { label: "Change the result…", needs: "result", release: result },
            { label: "Let it fail…", needs: "error", release: failure },
          ];
    case "before":
      return [
        ...(again
          ? [
              { label: "Serve the recorded result", needs: null, usual: true, release: record },
              { label: "Run it again", needs: null, release: proceed },
            ]
          : restores
            ? [
                { label: "Execute them again, then continue", needs: null, usual: true, release: proceed },
                { label: "Continue without", needs: null, release: skip },
              ]
            : [{ ...LET_GO, release: proceed }]),
        { label: hold.message === null ? "Change the input…" : "Change the message…", needs: "input", release: input },
        { label: "Give the result…", needs: "result", release: result },
        { label: "Let it fail…", needs: "error", release: failure },
        { label: "Leave it out", needs: null, harsh: true, release: drop },
      ];
  }
}

/** Where a message goes that is put at a place of the queue: before which one, null for the end; undefined for no move. */
export function movedBefore(queue: readonly number[], seq: number, place: number): number | null | undefined {
  const from = queue.indexOf(seq);
  const to = Math.max(0, Math.min(queue.length - 1, place));
  if (from === -1 || to === from) return undefined;
  return queue[to > from ? to + 1 : to] ?? null;
}
