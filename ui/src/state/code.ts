/** The program's own files that a run imported: asked again when one comes back to the window, as files change outside of it. */

import { useQuery } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { Code } from "@/api/schema";

/** What changed of the program's code since a run; null until it is known. */
export function useCode(run: string, live: boolean): Code | null {
  const { data } = useQuery({
    queryKey: ["code", run, live],
    queryFn: () => got(api.GET("/api/runs/{run}/code", { params: { path: { run } } })),
    refetchOnWindowFocus: "always",
  });
  return data ?? null;
}
