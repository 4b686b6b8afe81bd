/** The components of a run: what its target says about them, and what its records show. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { api, got } from "@/api/client";
import type { Description } from "@/api/schema";
import { type ComponentNode, componentTree, Tally } from "@/model/components";
import type { Outline } from "@/model/outline";

import { useOfOutline } from "./following";
import type { RunView } from "./run";

const tallies = new WeakMap<Outline, Tally>();

function counted(outline: Outline): { tally: Tally; version: number } {
  const tally = tallies.get(outline) ?? new Tally();
  tallies.set(outline, tally);
  tally.update(outline);
  return { tally, version: tally.version };
}

/** What each component did; `version` changes when there is more of it. */
export function useTally(outline: Outline): { tally: Tally; version: number } {
  return useOfOutline(outline, counted);
}

export interface Described {
  description: Description | undefined;
  /** Why there is none. */
  error: Error | null;
}

/** What the target says about itself, asked for anew when a setting has changed; a target that is not built yet is asked later. */
export function useDescription(id: string, view: RunView): Described {
  const { tally } = useTally(view.outline);
  const live = view.info?.live === true;
  const { data, error, isError, refetch } = useQuery({
    queryKey: ["describe", id, live, live ? tally.settings : null],
    queryFn: () => got(api.GET("/api/runs/{run}/describe", { params: { path: { run: id } } })),
    enabled: view.info !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const sign = `${view.info?.status ?? ""} ${view.info?.held[0]?.hold ?? ""} ${Math.floor(Math.log2(view.outline.length + 1))}`;
  useEffect(() => {
    if ((isError || data?.source !== "live") && live) void refetch();
    // Each sign of life of a target that could not say anything yet is a reason to ask again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [sign]);
  return { description: data, error };
}

export interface Components extends Described {
  nodes: readonly ComponentNode[];
  byPath: ReadonlyMap<string, ComponentNode>;
}

/** All components of a run, as a tree. */
export function useComponents(id: string, view: RunView): Components {
  const { tally, version } = useTally(view.outline);
  const { description, error } = useDescription(id, view);
  const held = view.info?.held;
  const heldAt = held?.map((hold) => hold.component).join(" ") ?? "";
  return useMemo(() => {
    const nodes = componentTree(description?.components ?? [], tally, held);
    return { description, error, nodes, byPath: new Map(nodes.map((node) => [node.path, node])) };
    // The tally is changed in place; its version tells.  Of what is held, only where it is matters.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [description, error, tally, version, heldAt]);
}
