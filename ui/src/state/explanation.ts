/** Why a run came out wrong, asked once it has ended and is known to be wrong; again when what is expected of it changes. */

import { useQuery } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { Explanation, RunInfo } from "@/api/schema";

export function isWrong(info: RunInfo): boolean {
  return !info.live && (info.outcome === "failed" || info.status === "failed");
}

export function useExplanation(info: RunInfo | null): Explanation | null {
  const run = info?.run ?? "";
  const { data } = useQuery({
    queryKey: ["explanation", run, info?.records, info?.outcome, info?.expected],
    queryFn: () => got(api.GET("/api/runs/{run}/explanation", { params: { path: { run } } })),
    enabled: info !== null && isWrong(info),
  });
  return data ?? null;
}
