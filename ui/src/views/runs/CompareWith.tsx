import { Modal, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";

import type { RunSummary } from "@/api/schema";
import { oneLine } from "@/kit/words";
import { fits } from "@/model/filters";
import { runTitle } from "@/model/names";
import { relatives } from "@/model/runs";

import { OutcomeMark, StatusMark } from "./marks";
import classes from "./RunsPage.module.css";

export interface CompareWithProps {
  run: string;
  runs: readonly RunSummary[];
  close: () => void;
  /** The earlier of the two, and the later. */
  chosen: (a: string, b: string) => void;
}

/** Choose the run that another one is compared with: its relatives first. */
export function CompareWith({ run, runs, close, chosen }: CompareWithProps) {
  const own = runs.find((other) => other.run === run);
  return (
    <Modal opened onClose={close} title={`Compare ${own ? runTitle(own) : run} with`} size="lg">
      <RunPicker
        run={run}
        runs={runs}
        pick={(other) => {
          const earlier = own !== undefined && own.created < other.created;
          close();
          chosen(earlier ? run : other.run, earlier ? other.run : run);
        }}
      />
    </Modal>
  );
}

/** The other runs as a list to choose from. */
export function RunPicker({
  run,
  runs,
  pick,
}: {
  run: string;
  runs: readonly RunSummary[];
  pick: (run: RunSummary) => void;
}) {
  const [q, setQ] = useState("");
  const found = relatives(runs, run).filter((other) => fits(other, { q }));
  const own = runs.find((other) => other.run === run);
  return (
    <>
      {runs.length > 6 && (
        <TextInput
          data-autofocus
          mb="xs"
          aria-label="Search runs"
          placeholder="Search runs"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={q}
          onChange={(event) => setQ(event.currentTarget.value)}
        />
      )}
      {found.length === 0 ? (
        <p className={classes["none"]}>{q ? "No run is like that." : "There is no other run yet."}</p>
      ) : (
        <ul className={classes["list"]} aria-label="Runs to compare with">
          {found.slice(0, 200).map((other) => (
            <li key={other.run}>
              <button type="button" onClick={() => pick(other)}>
                <span>
                  <b>{other.run}</b> {other.name || other.changed} <span className="quiet">{kinship(own, other)}</span>
                </span>
                {other.outcome ? <OutcomeMark outcome={other.outcome} /> : <StatusMark status={other.status} />}
                <small>{oneLine(other.input || other.spec, 160)}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function kinship(own: RunSummary | undefined, other: RunSummary): string {
  if (own === undefined) return "";
  if (other.run === own.parent) return "what it was forked from";
  if (other.parent === own.run) return "a fork of it";
  if (other.parent !== null && other.parent === own.parent) return "forked from the same";
  return other.spec === own.spec ? "same target" : other.spec;
}
