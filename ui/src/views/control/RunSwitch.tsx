/** Which run is shown, and the way to its relatives. */

import { Button, Menu, ScrollArea } from "@mantine/core";
import { IconCheck, IconChevronDown, IconX } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { memo } from "react";

import { oneLine } from "@/kit/words";
import { runTitle } from "@/model/names";
import { answerOf } from "@/model/runs";
import { treeOf } from "@/model/tree";
import { usePlace } from "@/state/place";
import { useRuns } from "@/state/runs";

import classes from "./RunSwitch.module.css";

export const RunSwitch = memo(function RunSwitch({ id, title }: { id: string; title: string }) {
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          className={classes["button"]}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`Run ${title}: other runs`}
        >
          <span className="ellipsis">{title}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Relatives id={id} />
      </Menu.Dropdown>
    </Menu>
  );
});

/** The run's tree; it is there while the menu is open. */
function Relatives({ id }: { id: string }) {
  const [place] = usePlace();
  const { runs } = useRuns();
  const navigate = useNavigate();
  const tree = treeOf(runs, id);
  const { bottom, side } = place;
  const open = { ...(bottom === undefined ? {} : { bottom }), ...(side === undefined ? {} : { side }) };
  return (
    <>
      <Menu.Label>{tree.length > 1 ? "This run and its forks" : "This run has no forks yet"}</Menu.Label>
      <ScrollArea.Autosize mah={380}>
        {tree.map(({ run, depth }) => (
          <Menu.Item
            key={run.run}
            data-current={run.run === id || undefined}
            className={classes["item"]}
            onClick={() => void navigate({ to: "/runs/$run", params: { run: run.run }, search: open })}
          >
            <span className={classes["line"]}>
              <b className="ellipsis" style={{ paddingLeft: Math.min(depth, 6) * 14 }} title={runTitle(run)}>
                {runTitle(run)}
              </b>
              <span className="quiet">{run.cut !== null && `from #${run.changed_at ?? run.cut}`}</span>
              <span className={classes["outcome"]}>
                {run.outcome === "passed" && <IconCheck size={14} color="var(--ot-passed)" aria-label="right answer" />}
                {run.outcome === "failed" && <IconX size={14} color="var(--ot-failed)" aria-label="wrong answer" />}
              </span>
              <span className={classes["result"]}>
                {oneLine(run.error || answerOf(run.output) || run.status, Number.POSITIVE_INFINITY)}
              </span>
            </span>
          </Menu.Item>
        ))}
      </ScrollArea.Autosize>
      <Menu.Divider />
      <Menu.Item onClick={() => void navigate({ to: "/" })}>All runs</Menu.Item>
    </>
  );
}
