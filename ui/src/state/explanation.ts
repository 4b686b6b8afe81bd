/** Why a run came out wrong, asked once it has ended and is known to be wrong; again when what is expected of it changes. */

import { useQuery } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { Explanation, RunInfo } from "@/api/schema";

export function isWrong(info: RunInfo): boolean {
  return !info.live && (info.outcome === "failed" || info.status === "failed");
}

export function useExplanation(info: RunInfo): Explanation | null {
  const { run, records, outcome, expected } = info;
  const { data } = useQuery({
    queryKey: ["explanation", run, records, outcome, expected],
    queryFn: () => got(api.GET("/api/runs/{run}/explanation", { params: { path: { run } } })),
    enabled: isWrong(info),
  });
  return data ?? null;
}
