/** What a change of a record could reach: about what a fork with that change executes. */

import { useQueries, useQuery, type UseQueryOptions } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { Affected, CallReach } from "@/api/schema";

function reachQuery(run: string, seq: number | null): UseQueryOptions<Affected> {
  return {
    queryKey: ["reach", run, seq],
    queryFn: () => got(api.GET("/api/runs/{run}/affects", { params: { path: { run }, query: { seq: seq ?? 0 } } })),
    enabled: seq !== null,
  };
}

export function useReach(run: string, seq: number | null): CallReach | null {
  return useQuery(reachQuery(run, seq)).data?.calls ?? null;
}

/** How many calls of models and tools changes of these records could reach together; null until that is known. */
export function useReachOfAll(run: string, seqs: readonly number[]): number | null {
  return useQueries({
    queries: seqs.map((seq) => reachQuery(run, seq)),
    combine: (answers) => {
      const known = answers.map(({ data }) => data);
      if (seqs.length === 0 || !known.every((data) => data !== undefined)) return null;
      return new Set(known.flatMap(({ could }) => could.filter(isLeaf).map(({ seq }) => seq))).size;
    },
  });
}

function isLeaf({ call }: Affected["could"][number]): boolean {
  return call === "model" || call === "tool";
}
