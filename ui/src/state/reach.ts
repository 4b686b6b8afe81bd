/** What a change of a record could reach: about what a fork with that change executes. */

import { useQuery } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { CallReach } from "@/api/schema";

export function useReach(run: string, seq: number | null): CallReach | null {
  const { data } = useQuery({
    queryKey: ["reach", run, seq],
    queryFn: () => got(api.GET("/api/runs/{run}/affects", { params: { path: { run }, query: { seq: seq ?? 0 } } })),
    enabled: seq !== null,
  });
  return data?.calls ?? null;
}
