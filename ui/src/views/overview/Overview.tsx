/** The overview: the tree of runs around this one as columns of small rectangles, one a record, oldest on top. */

import { ActionIcon, NativeSelect, Switch, Tooltip } from "@mantine/core";
import { IconArrowAutofitHeight, IconMinus, IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { Empty } from "@/kit/Empty";
import { type Colouring, usePrefs } from "@/state/prefs";
import { useWorkspace } from "@/views/workspace/context";

import { Columns, type Zoom } from "./Columns";
import { Legend } from "./Legend";
import { FollowLive } from "./outlines";
import classes from "./Overview.module.css";
import { useTree } from "./tree";

const COLOURINGS: { value: Colouring; label: string }[] = [
  { value: "sender", label: "Agent" },
  { value: "kind", label: "Kind" },
  { value: "type", label: "Type" },
  { value: "recipient", label: "Recipient" },
];

export default function Overview() {
  const { view } = useWorkspace();
  const colouring = usePrefs((prefs) => prefs.colouring);
  const colour = usePrefs((prefs) => prefs.colour);
  const [everything, setEverything] = useState(false);
  const [only, setOnly] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<Zoom | null>(null);

  const { tree, columns, legend, followed } = useTree(colouring, everything);

  if (view.outline.length === 0 && columns.every(({ length }) => length === 0))
    return (
      <Empty title="Nothing has happened yet">
        Each record of the run comes here as a small rectangle, and each fork as a column beside it.
      </Empty>
    );
  return (
    <div className={classes["overview"]}>
      {followed.map((run) => (
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
        <Columns tree={tree} columns={columns} legend={legend} only={only} onZoom={setZoom} />
        <Legend legend={legend} only={only} onOnly={setOnly} />
      </div>
    </div>
  );
}
