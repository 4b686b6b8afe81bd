/** What the gate holds, at the place where the run will go on: why, with what, and the next moves. */

import { Button, Group } from "@mantine/core";

import type { Hold } from "@/api/schema";
import { oneLine } from "@/kit/words";
import { shapeOf, soleText, untyped } from "@/model/body";
import { tellHold, type ControlVerb, UNGIVEN } from "@/model/control";
import { useVerb, VERB_NAMES } from "@/state/actions";
import { useIsAnswered } from "@/state/answering";
import { useBody } from "@/state/bodies";
import { useWorkspace } from "@/views/workspace/context";
import { useShow } from "@/views/workspace/Docks";

import classes from "./HeldBanner.module.css";

const MOVES: readonly ControlVerb[] = ["continue", "next", "step"];

export function HeldBanner() {
  const { view } = useWorkspace();
  const show = useShow();
  const doVerb = useVerb(view.info);
  const answered = useIsAnswered(view.info);
  const held = view.info?.held ?? [];
  const hold = held[0];
  if (hold === undefined || view.info?.live !== true) return null;
  const asks = hold.when === "input" || hold.when === "diverged";
  return (
    <section className={classes["banner"]} aria-label="What is held">
      <div className={classes["told"]}>
        <b>{held.length > 1 ? `${held.length} held, first: ` : "Held. "}</b>
        {tellHold(hold)}
        {hold.reason !== "" && <span className="quiet"> ({hold.reason})</span>}
        <What hold={hold} />
      </div>
      <Group gap={6} wrap="nowrap">
        {!asks &&
          MOVES.map((verb) => (
            <Button
              key={verb}
              variant={verb === "continue" ? "filled" : "default"}
              disabled={answered}
              onClick={() => doVerb(verb)}
              title={answered ? UNGIVEN : VERB_NAMES[verb].keys}
            >
              {VERB_NAMES[verb].label}
            </Button>
          ))}
        <Button variant={asks ? "filled" : "default"} onClick={() => show("pending")}>
          {answered
            ? "Your answer…"
            : hold.when === "input"
              ? "Answer…"
              : hold.when === "diverged"
                ? "Decide…"
                : "Change it…"}
        </Button>
      </Group>
    </section>
  );
}

function What({ hold }: { hold: Hold }) {
  const { data } = useBody(hold.body);
  if (!hold.body || data === undefined || data === null) return null;
  const shape = shapeOf(data);
  const told =
    shape.form === "error" ? `${shape.name}: ${shape.message}` : (soleText(data) ?? JSON.stringify(untyped(data)));
  return <div className={classes["what"]}>{oneLine(told ?? "", 200)}</div>;
}
