import { Button, CopyButton, Group } from "@mantine/core";
import { IconCheck, IconCopy, IconSchool } from "@tabler/icons-react";

import { useState } from "react";

import { usePrograms } from "@/state/programs";

import type { Beginning } from "./NewRun";
import { Programs } from "./Programs";
import classes from "./RunsPage.module.css";

const WAYS = [
  {
    title: "See what it does",
    about: "A small team answers a question about baseball, gets it wrong, and one edit puts it right.",
    command: "outtake demo",
  },
  {
    title: "Run a program of yours",
    about: "A team, a graph, a workflow or a plain script; it runs in its own environment.",
    command: 'outtake run team.py:get_team --input "…"',
  },
  {
    title: "Read a log that is there already",
    about: "An export of Outtake, or a log of another program. It can be dropped on this page, too.",
    command: "outtake import log.json",
  },
];

interface NoRunsProps {
  begin: (from: Beginning | null) => void;
  /** Start the demo's run, and open it. */
  tryDemo: () => Promise<void>;
}

/** What a new user sees: what to do next. */
export function NoRuns({ begin, tryDemo }: NoRunsProps) {
  const [busy, setBusy] = useState(false);
  const here = usePrograms("");
  const demo = async () => {
    setBusy(true);
    await tryDemo();
    setBusy(false);
  };
  return (
    <section className={classes["empty"]} aria-label="There are no runs yet">
      <div>
        <h2>There are no runs yet</h2>
        <p className="quiet">
          A run is one execution of a multi-agent program, recorded step by step. It can be held, read, changed and
          forked here.
        </p>
        <Group gap="xs">
          <Button size="sm" loading={busy} leftSection={<IconSchool size={16} />} onClick={() => void demo()}>
            Try the demo
          </Button>
          <Button size="sm" variant="default" onClick={() => begin(null)}>
            Start a run
          </Button>
        </Group>
      </div>
      {here !== undefined && here.programs.length > 0 && (
        <section className={classes["yours"]} aria-labelledby="yours">
          <h3 id="yours">Now your program</h3>
          <p className="quiet">
            Found in {here.folder}, without running anything. Choose one, and say what it is asked.
          </p>
          <Programs found={here} most={8} choose={(program) => begin({ program })} />
        </section>
      )}
      <ul className={classes["ways"]}>
        {WAYS.map(({ title, about, command }) => (
          <li key={title} className={classes["way"]}>
            <p>
              <b>{title}.</b> {about}
            </p>
            <code className={classes["command"]}>{command}</code>
            <CopyButton value={command}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
                  onClick={copy}
                  aria-label={`Copy: ${command}`}
                >
                  {copied ? "Copied" : "Copy"}
                </Button>
              )}
            </CopyButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
