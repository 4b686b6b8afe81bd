/** Three steps above the demo's run, for who has never seen one: each ends when the person did it. */

import { Anchor, CloseButton } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";

import type { RunInfo } from "@/api/schema";
import { demoOf, isChanged, rightOf, STEPS, stepsDone, type CoachStep } from "@/model/coach";
import { useCoach } from "@/state/coach";
import { useExplanation } from "@/state/explanation";
import { useRuns } from "@/state/runs";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Coach.module.css";

const TITLES: { [step in CoachStep]: string } = { wrong: "It is wrong", why: "Why?", change: "Change and fork" };

export function Coach() {
  const { id, view } = useWorkspace();
  const { byId } = useRuns();
  const dismissed = useCoach((coach) => coach.dismissed);
  const demo = demoOf(byId, id);
  if (dismissed || demo === null || view.info === null) return null;
  return <Steps demo={demo.run} known={`${demo.run} ${demo.created}`} info={view.info} />;
}

function Steps({ demo, known, info }: { demo: string; known: string; info: RunInfo }) {
  const { place } = useWorkspace();
  const { byId } = useRuns();
  const found = useExplanation(info);
  const first = found?.first ?? null;
  const before = useCoach((coach) => coach.done[known] ?? 0);
  const dismiss = useCoach((coach) => coach.dismiss);
  const reach = useCoach((coach) => coach.reach);
  const seen = {
    first: first !== null && place.at === first,
    path: place.why === true,
    changed: isChanged(byId, demo),
  };
  const done = Math.max(before, stepsDone(seen));
  useEffect(() => {
    if (done > before) reach(known, done);
  }, [done, before, known, reach]);
  return (
    <section className={classes["coach"]} aria-label="The demo in three steps">
      <ol className={classes["steps"]}>
        {STEPS.map((step, n) => (
          <li key={step} data-done={n < done || undefined} aria-current={n === done ? "step" : undefined}>
            {n < done ? <IconCheck size={14} aria-label="done" /> : `${n + 1}.`} {TITLES[step]}
          </li>
        ))}
      </ol>
      <p className={classes["told"]} role="status">
        {tell(done, info, first, rightOf(byId, demo))}
      </p>
      <CloseButton size="sm" aria-label="Show these steps no more" title="Show these steps no more" onClick={dismiss} />
    </section>
  );
}

/** What to do now. */
function tell(done: number, info: RunInfo, first: number | null, right: string | null): ReactNode {
  if (info.live && info.held.length > 0) return "The team is held. Continue, above, lets it go on.";
  if (info.live) return "A team of five agents looks for an answer. It ends in a moment.";
  if (done >= STEPS.length) {
    if (info.outcome === "passed")
      return (
        <>
          You set it right.{" "}
          <Anchor renderRoot={(props) => <Link {...props} to="/" search={{ new: true }} />}>Now your program</Anchor>
        </>
      );
    if (right !== null && info.parent === null)
      return (
        <>
          It was set right in{" "}
          <Anchor renderRoot={(props) => <Link {...props} to="/runs/$run" params={{ run: right }} />}>{right}</Anchor>.
        </>
      );
    return "Not right yet. Open the path again with Why?, and say in other words what should have been done.";
  }
  if (done === 0)
    return first === null
      ? "The strip below says what the team answered, and what is right."
      : "The strip below says what the team answered, and what is right. Press Why? on its right: it draws the path to the wrong answer.";
  if (done === 1) return "Press Why? on the right of the strip: it draws the path from the task to the wrong answer.";
  return "Choose a step of the path where you would have said something else, press Change and go on, and write it in your words.";
}
