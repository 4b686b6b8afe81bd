/** What records say, as far as it has come, for those who show several at once. */

import { useSyncExternalStore } from "react";

import type { Glance } from "@/api/schema";
import { NONE } from "@/model/outline";
import type { FollowedRun } from "@/state/run";

/** Glances by record number; asked for by the list, which knows what is in sight. */
export function useGlances(run: FollowedRun, seqs: readonly number[]): (seq: number) => Glance | undefined {
  // What has come stays: how many they are tells whether there are more.
  useSyncExternalStore(run.subscribeRecords, () => {
    let come = 0;
    for (const seq of seqs) {
      if (run.glance(run.record(seq)?.hash) !== undefined) come++;
      if (run.gist(seq) !== undefined) come++;
    }
    return come;
  });
  return (seq) => (seq === NONE ? undefined : run.glance(run.record(seq)?.hash));
}
