/** What changed of the program's code since a run, kept up to date by what the server pushes when a file is saved. */

import { useCallback, useSyncExternalStore } from "react";

import { follow } from "@/api/client";
import type { Code } from "@/api/schema";

/** One run's code, followed while somebody looks at it. */
class Followed {
  code: Code | null = null;
  private readonly listeners = new Set<() => void>();
  private hangUp: (() => void) | null = null;

  constructor(private readonly run: string) {}

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    this.hangUp ??= follow<Code>({
      path: () => `/api/runs/${encodeURIComponent(this.run)}/code`,
      events: (codes) => {
        this.code = codes.at(-1) ?? this.code;
        for (const each of this.listeners) each();
      },
      connection: () => undefined, // the run's own socket says that the server is away
    });
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.hangUp?.();
      this.hangUp = null;
    };
  }
}

const followed = new Map<string, Followed>();

/** What changed of the program's code since a run; null until it is known. A program that has ended may have imported more. */
export function useCode(run: string, live: boolean): Code | null {
  const key = `${run} ${live}`;
  let one = followed.get(key);
  if (one === undefined) followed.set(key, (one = new Followed(run)));
  const here = one;
  const subscribe = useCallback((listener: () => void) => here.subscribe(listener), [here]);
  return useSyncExternalStore(subscribe, () => here.code);
}
