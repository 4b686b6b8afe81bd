import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { Glance } from "@/api/schema";

/** The beginning of what a record of any run says, once the pointer rests on it. */
export function useGlanceAt(run: string | null, seq: number | null): Glance | null {
  const asked = run === null || seq === null ? "" : `${run}/${seq}`;
  const [calm] = useDebouncedValue(asked, 90);
  const { data } = useQuery({
    queryKey: ["glance", asked],
    enabled: asked !== "" && calm === asked,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const path = { run: run ?? "" };
      const told = await got(api.GET("/api/runs/{run}/pick", { params: { path, query: { seqs: String(seq) } } }));
      const hash = told.records[0]?.hash;
      return (hash ? told.glances[hash] : undefined) ?? null;
    },
  });
  return data ?? null;
}
