/** What to do about a run that could not begin, or of which nothing was seen. */

import { Button } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import type { RunInfo } from "@/api/schema";
import { type Instead, sawNothing, startInstead } from "@/model/programs";
import { asBefore, startRun } from "@/state/commands";
import { usePrograms } from "@/state/programs";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Why.module.css";

/** Programs that are offered in the place of a script. */
const MOST = 4;

export function Advice() {
  const { view } = useWorkspace();
  const { info } = view;
  if (info === null || info.live || info.imported) return null;
  if (sawNothing(info)) return <NothingSeen />;
  return info.status === "failed" && info.input !== null ? <StartInstead info={info} /> : null;
}

function NothingSeen() {
  return (
    <section className={classes["advice"]} aria-label="What was seen">
      <IconInfoCircle size={18} aria-hidden />
      <p>
        <b>Outtake saw no model or tool call in this run</b>, so it shows only what went in and what came out. It sees
        AutoGen, LangGraph, LlamaIndex and calls of the <code>openai</code> and <code>anthropic</code> clients by
        itself. Mark your own functions with <code>@outtake.model</code>, <code>@outtake.tool</code>,{" "}
        <code>@outtake.agent</code> or <code>@outtake.step</code> (<code>import outtake</code>), and run it again.
      </p>
    </section>
  );
}

/** A script takes no input; a function of it does. */
function StartInstead({ info }: { info: RunInfo }) {
  const found = usePrograms(info.folder);
  const navigate = useNavigate();
  const [busy, setBusy] = useState<string | null>(null);
  const others = startInstead(info, found).slice(0, MOST);
  if (others.length === 0) return null;
  const start = async ({ spec, input }: Instead) => {
    setBusy(spec);
    const { input: given, ...before } = asBefore(info);
    const made = await startRun({ ...before, spec, ...(input && { input: given }) });
    setBusy(null);
    if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
  };
  return (
    <section className={classes["advice"]} aria-label="What can be started instead">
      <IconInfoCircle size={18} aria-hidden />
      <p>
        A script is run from its first line to its last, and takes no input
        {others[0]?.input === true && ", but a function of it does"}.
      </p>
      {others.map((other, n) => (
        <Button
          key={other.spec}
          variant={n === 0 ? "filled" : "default"}
          loading={busy === other.spec}
          onClick={() => void start(other)}
        >
          Start {other.spec}
          {!other.input && " without input"}
        </Button>
      ))}
    </section>
  );
}
