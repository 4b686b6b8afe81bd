/** The overview: the tree of runs around this one as columns of small rectangles, one a record, oldest on top. */

import { ActionIcon, NativeSelect, Switch, Tooltip } from "@mantine/core";
import { IconArrowAutofitHeight, IconMinus, IconPlus } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";

import { Empty } from "@/kit/Empty";
import { useCalm } from "@/kit/canvas/useCalm";
import { Hues } from "@/model/hues";
import { columnsOf, legendOf, type MadeColumn, treeAround } from "@/model/overview";
import { type Colouring, usePrefs } from "@/state/prefs";
import { useRuns } from "@/state/runs";
import { useWorkspace } from "@/views/workspace/context";

import { Columns, type Zoom } from "./Columns";
import { Legend } from "./Legend";
import { FollowLive, useOutlines, type Wanted } from "./outlines";
import classes from "./Overview.module.css";

const COLOURINGS: { value: Colouring; label: string }[] = [
  { value: "sender", label: "Agent" },
  { value: "kind", label: "Kind" },
  { value: "type", label: "Type" },
  { value: "recipient", label: "Recipient" },
];

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

export default function Overview() {
  const { id, view } = useWorkspace();
  const { runs } = useRuns();
  const colouring = usePrefs((prefs) => prefs.colouring);
  const colour = usePrefs((prefs) => prefs.colour);
  const [everything, setEverything] = useState(false);
  const [only, setOnly] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<Zoom | null>(null);

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
  const followed = wanted.filter(({ live }) => live).slice(0, MOST_FOLLOWED);
  const legend = useMemo(() => {
    const hues = new Hues();
    for (const { outline } of columns) hues.update(outline);
    return legendOf(columns, colouring, hues, id);
  }, [columns, colouring, id]);

  if (view.outline.length === 0 && columns.every(({ length }) => length === 0))
    return (
      <Empty title="Nothing has happened yet">
        Each record of the run comes here as a small rectangle, and each fork as a column beside it.
      </Empty>
    );
  return (
    <div className={classes["overview"]}>
      {followed.map(({ run }) => (
        <FollowLive key={run} run={run} />
      ))}
      <div className={classes["bar"]}>
        <span className={classes["field"]}>
          <span className={`quiet ${classes["colourBy"]}`} aria-hidden>
            Colour by
          </span>
          <NativeSelect
            size="xs"
            aria-label="Colour by"
            data={COLOURINGS}
            value={colouring}
            onChange={(event) => {
              colour(event.currentTarget.value as Colouring);
              setOnly(new Set());
            }}
          />
        </span>
        <Tooltip label="Also stream chunks, clock reads, and what only keeps the framework going">
          <Switch
            size="xs"
            label="Every record"
            checked={everything}
            onChange={(event) => setEverything(event.currentTarget.checked)}
          />
        </Tooltip>
        <span className={classes["zoom"]}>
          <Tooltip label="Smaller (−)">
            <ActionIcon size="sm" aria-label="Zoom out" onClick={() => zoom?.by(1 / 1.6)}>
              <IconMinus size={14} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Larger (+)">
            <ActionIcon size="sm" aria-label="Zoom in" onClick={() => zoom?.by(1.6)}>
              <IconPlus size={14} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="All of it (0)">
            <ActionIcon size="sm" aria-label="Show all of it" onClick={() => zoom?.fit()}>
              <IconArrowAutofitHeight size={14} />
            </ActionIcon>
          </Tooltip>
        </span>
      </div>
      <div className={classes["picture"]}>
        <Columns tree={tree[0]?.run ?? id} columns={columns} legend={legend} only={only} onZoom={setZoom} />
        <Legend legend={legend} only={only} onOnly={setOnly} />
      </div>
    </div>
  );
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
