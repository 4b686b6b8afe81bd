import { Button, CopyButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

import type { Beginning } from "./NewRun";
import classes from "./RunsPage.module.css";

const WAYS = [
  {
    title: "See what it does",
    about: "A small team answers a question about baseball, gets it wrong, and one edit puts it right.",
    command: "scripts/demo",
  },
  {
    title: "Run a program of yours",
    about: "A team, a graph, a workflow or a plain script; it runs in its own environment.",
    command: 'outtake run team.py:get_team --input "…"',
  },
  {
    title: "Read a log that is there already",
    about: "An export of Outtake, or a Who&When log. It can be dropped on this page, too.",
    command: "outtake import log.json",
  },
];

/** What a new user sees: what to do next. */
export function NoRuns({ begin }: { begin: (from: Beginning | null) => void }) {
  return (
    <section className={classes["empty"]} aria-label="There are no runs yet">
      <div>
        <h2>There are no runs yet</h2>
        <p className="quiet">
          A run is one execution of a multi-agent program, recorded step by step. It can be held, read, changed and
          forked here.
        </p>
        <Button size="sm" onClick={() => begin(null)}>
          Start a run
        </Button>
      </div>
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
