/** What was tried several times from this run, and how often it came out right. */

import { Anchor, CloseButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { countTries, tellTries } from "@/model/tries";
import { useRuns } from "@/state/runs";
import { dropTries, useTries } from "@/state/tries";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Why.module.css";

export function Tries() {
  const { id, select } = useWorkspace();
  const { byId } = useRuns();
  const tried = useTries(id);
  return tried.map((tries) => {
    const counted = countTries(tries.runs.map((run) => byId.get(run)));
    return (
      <section key={tries.runs.join()} className={classes["strip"]} aria-label="Tries">
        <p className={classes["told"]} role="status">
          {tries.runs.length} tries of{" "}
          <Anchor component="button" type="button" onClick={() => select(tries.seq)}>
            #{tries.seq}
          </Anchor>
          : <b>{tellTries(counted)}</b>{" "}
          {tries.runs.map((run) => (
            <Anchor key={run} component={Link} to={`/runs/${run}`} className={classes["try"]}>
              {run}
            </Anchor>
          ))}
        </p>
        <CloseButton
          aria-label="Show these tries no more"
          title="Show these tries no more"
          onClick={() => dropTries(id, tries)}
        />
      </section>
    );
  });
}
