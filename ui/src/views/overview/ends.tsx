/** What stands over and under the columns, and the same in words. */

import { Anchor, Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import type { RunInfo } from "@/api/schema";
import { runTitle } from "@/model/names";
import type { Column } from "@/model/overview";
import { useRuns } from "@/state/runs";
import { OUTCOME_WORDS, OutcomeMark, StatusMark } from "@/views/runs/marks";

import classes from "./Overview.module.css";

/** Pixels from which a name stands beside the number of a run, and a status beside its mark. */
const NAMED = 70;
const TOLD = 96;

interface End {
  run: string;
  left: number;
  width: number;
}

/** Which run it is, and the way to it. */
export function Head({ run, current, left, width }: End & { current: boolean }) {
  const known = useRuns().byId.get(run);
  const about = known === undefined ? run : runTitle(known);
  return (
    <div className={classes["head"]} style={{ left, width }}>
      <Tooltip label={current ? `${about}: the run that is open` : `Open ${about}`}>
        <Anchor
          renderRoot={(props) => (
            <Link
              {...props}
              to="/runs/$run"
              params={{ run }}
              search={(before) => ({ ...before, component: undefined }) as never}
              aria-current={current ? "page" : undefined}
            />
          )}
          className={classes["name"]}
          underline="never"
        >
          <b>{run}</b>
          {width > NAMED && known !== undefined ? ` ${known.name || known.changed}` : ""}
        </Anchor>
      </Tooltip>
    </div>
  );
}

interface FootProps extends End {
  /** As it is followed; else as it stands in the list. */
  status: RunInfo["status"] | undefined;
}

/** Whether its answer was right, or how it stands. */
export function Foot({ run, status, left, width }: FootProps) {
  const known = useRuns().byId.get(run);
  const now = status ?? known?.status;
  return (
    <div
      className={classes["foot"]}
      data-narrow={width < TOLD || undefined}
      title={known?.outcome ? `${OUTCOME_WORDS[known.outcome]} answer` : now}
      style={{ left, width }}
    >
      {known?.outcome && !known.live ? (
        <OutcomeMark outcome={known.outcome} />
      ) : (
        now && <StatusMark status={now} imported={known?.imported ?? false} />
      )}
    </div>
  );
}

interface RunTableProps {
  columns: readonly Column[];
  current: string;
  selected: number | undefined;
}

/** The same for who does not see the picture. */
export function RunTable({ columns, current, selected }: RunTableProps) {
  const { byId } = useRuns();
  return (
    <table>
      <caption>Runs of this tree</caption>
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Left</th>
          <th scope="col">Records</th>
          <th scope="col">Edited</th>
          <th scope="col">Status</th>
          <th scope="col">Outcome</th>
          <th scope="col">Selected record</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ run, parent, cut, edits }) => {
          const known = byId.get(run);
          return (
            <tr key={run} aria-current={run === current ? "true" : undefined}>
              <th scope="row">{known ? runTitle(known) : run}</th>
              <td>{parent === null ? "" : `${parent.run} at ${cut}`}</td>
              <td>{known?.records ?? ""}</td>
              <td>{edits.length}</td>
              <td>{known?.status ?? ""}</td>
              <td>{known?.outcome ? OUTCOME_WORDS[known.outcome] : "not judged"}</td>
              <td>{run === current ? (selected ?? "") : ""}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
