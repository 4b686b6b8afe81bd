/** Bodies by their hash: fetched when they are opened, never out of date. */

import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";

import { api, got } from "@/api/client";

/** The value that a hash names. */
export async function fetchBody(hash: string): Promise<unknown> {
  const body = await got(api.GET("/api/bodies/{hash}", { params: { path: { hash } } }));
  return body.value;
}

/** The value that a hash names; nothing is asked without one. */
export function useBody(hash: string | null | undefined): UseQueryResult<unknown> {
  return useQuery({
    queryKey: ["body", hash],
    queryFn: () => fetchBody(hash ?? ""),
    enabled: Boolean(hash),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
}
