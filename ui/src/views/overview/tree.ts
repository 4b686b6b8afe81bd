/** The tree of runs around the one that is open, as columns: what the overview and the minimap beside the story draw. */

import { useMemo, useRef } from "react";

import { useCalm } from "@/kit/canvas/useCalm";
import { Hues } from "@/model/hues";
import { type Column, columnsOf, type Legend, legendOf, type MadeColumn, treeAround } from "@/model/overview";
import type { Colouring } from "@/state/prefs";
import { useRuns } from "@/state/runs";
import { useWorkspace } from "@/views/workspace/context";

import { useOutlines, type Wanted } from "./outlines";

/** Records from which a run that grows is drawn anew less often. */
const LONG = 20_000;

/** Other runs of the tree that are followed while they go on. */
const MOST_FOLLOWED = 6;

/** What is in the place of a run whose list has not come. */
interface Known {
  run: string;
  parent: string | null;
  cut: number | null;
  records: number;
  live: boolean;
}

interface Tree {
  /** The first run of the tree. */
  tree: string;
  columns: readonly Column[];
  legend: Legend;
  /** Other runs that go on, and are to be followed. */
  followed: readonly string[];
}

/** `everything` also shows what only keeps a framework going. */
export function useTree(colouring: Colouring, everything: boolean): Tree {
  const { id, view } = useWorkspace();
  const { runs } = useRuns();
  const tree = useMemo<Known[]>(() => {
    const found = treeAround<Known>(runs, id).map(({ run }) => run);
    return found.length > 0 ? found : [{ run: id, parent: null, cut: null, records: 0, live: false }];
  }, [runs, id]);
  const shape = tree.map(({ run, parent, cut }) => `${run} ${parent} ${cut}`).join();
  const wanted = useMemo(() => wantedOf(tree, id), [tree, id]);
  const outlines = useOutlines(id, view.outline, wanted);
  const grown = useCalm(view.outline.version, view.outline.length > LONG ? 1000 : 250);
  const made = useRef(new Map<string, MadeColumn>());
  const columns = useMemo(
    () => {
      const outlineOf = (run: string, base: number) =>
        run === id ? { outline: view.outline, base: 0 } : outlines.of(run, base);
      return columnsOf(tree, everything, outlineOf, made.current);
    },
    // The outlines change in place: their versions say when; and of the tree, its shape matters.
    // oxlint-disable-next-line react/exhaustive-deps
    [shape, everything, id, view.outline, grown, outlines.version],
  );
  const followed = wanted.flatMap(({ run, live }) => (live ? [run] : [])).slice(0, MOST_FOLLOWED);
  const legend = useMemo(() => {
    const hues = new Hues();
    for (const { outline } of columns) hues.update(outline);
    return legendOf(columns, colouring, hues, id);
  }, [columns, colouring, id]);
  return { tree: tree[0]?.run ?? id, columns, legend, followed };
}

/** The other runs, each from where it left its parent. */
function wantedOf(tree: readonly Known[], id: string): Wanted[] {
  const inside = new Set(tree.map(({ run }) => run));
  return tree
    .filter(({ run }) => run !== id)
    .map(({ run, parent, cut, records, live }) => ({
      run,
      live,
      base: parent !== null && inside.has(parent) ? (cut ?? 0) : 0,
      records,
    }));
}
