/** What a search in a run has found: the server looks into every body. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, got } from "@/api/client";
import type { Passage } from "@/api/schema";

/** Records that one answer tells of; a search that finds more is told to be narrowed. */
const MOST = 1000;

const NONE: ReadonlyMap<number, Passage> = new Map();

export interface Found {
  /** The records that fit; null where nothing is searched for. */
  found: ReadonlySet<number> | null;
  /** Where each of them says it. */
  passages: ReadonlyMap<number, Passage>;
  total: number;
  /** How many of them say it in words that no record before has. */
  firsts: number;
  loading: boolean;
  error: Error | null;
}

/** Search a run; it is asked again when it has more records. */
export function useFound(run: string, text: string | undefined, first: boolean, records: number): Found {
  const asked = text !== undefined && text.trim() !== "";
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: ["search", run, text, first, records],
    queryFn: () => {
      const query = { text: text ?? "", limit: MOST, first };
      return got(api.GET("/api/runs/{run}/search", { params: { path: { run }, query } }));
    },
    enabled: asked,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return useMemo(() => {
    if (!asked) return { found: null, passages: NONE, total: 0, firsts: 0, loading: false, error: null };
    const fits = data !== undefined && (data.text === text || isPlaceholderData);
    const passages = fits ? new Map(data.found.map((passage) => [passage.seq, passage])) : NONE;
    return {
      found: new Set(passages.keys()),
      passages,
      total: data?.total ?? 0,
      firsts: data?.firsts ?? 0,
      loading: isFetching,
      error,
    };
  }, [asked, text, data, isPlaceholderData, isFetching, error]);
}
