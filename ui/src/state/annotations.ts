/** Findings, verdicts and feedback of a run: attached to it, never part of its log. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, got } from "@/api/client";
import type { Annotation, AnnotationRequest } from "@/api/schema";

import { attempt } from "./commands";

const NONE: readonly Annotation[] = [];

/** What was said about a run and its records. */
export function useAnnotations(run: string): readonly Annotation[] {
  const { data } = useQuery({
    queryKey: ["annotations", run],
    queryFn: () => got(api.GET("/api/runs/{run}/annotations", { params: { path: { run } } })),
  });
  return data?.annotations ?? NONE;
}

/** The records that somebody has found something about, and what. */
export function useFindings(run: string): ReadonlyMap<number, string> {
  const annotations = useAnnotations(run);
  return useMemo(() => {
    const found = new Map<number, string>();
    for (const { kind, seq, author, text } of annotations)
      if (seq !== null && (kind === "finding" || kind === "feedback")) found.set(seq, `${author}: ${text}`);
    return found;
  }, [annotations]);
}

/** Say something about a run or a record, or take it back. */
export function useAnnotate(run: string): {
  add: (annotation: AnnotationRequest) => Promise<boolean>;
  remove: (id: number) => Promise<boolean>;
} {
  const queries = useQueryClient();
  const after = async (done: unknown) => {
    await queries.invalidateQueries({ queryKey: ["annotations"] });
    return done !== undefined;
  };
  return {
    add: async (body) =>
      after(
        await attempt("Cannot annotate", () =>
          got(api.POST("/api/runs/{run}/annotations", { params: { path: { run } }, body })),
        ),
      ),
    remove: async (id) =>
      after(
        await attempt("Cannot remove", () =>
          got(api.DELETE("/api/runs/{run}/annotations/{id}", { params: { path: { run, id } } })),
        ),
      ),
  };
}
