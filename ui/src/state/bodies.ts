/** Bodies by their hash: fetched when they are opened, never out of date. */

import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { Body } from "@/api/schema";

/** The value that a hash names, with what was thought in it and not said. */
export function useTold(hash: string | null | undefined): UseQueryResult<Body> {
  return useQuery(bodyQuery(hash));
}

/** The value that a hash names; nothing is asked without one. */
export function useBody(hash: string | null | undefined): UseQueryResult<unknown> {
  return useQuery({ ...bodyQuery(hash), select: valueOf });
}

function bodyQuery(hash: string | null | undefined) {
  return {
    queryKey: ["body", hash],
    queryFn: () => got(api.GET("/api/bodies/{hash}", { params: { path: { hash: hash ?? "" } } })),
    enabled: Boolean(hash),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  };
}

function valueOf(body: Body): unknown {
  return body.value;
}
