/**
 * The path to a wrong answer: from what led to it, over where it was said first, to the end; each step can be changed. While
 * one is, its line stands for the path: the room is the editor's.
 */

import { Anchor, Button } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconPencil } from "@tabler/icons-react";
import { useEffect, useState } from "react";

import type { Explanation, PathStep } from "@/api/schema";
import { count, oneLine } from "@/kit/words";
import { aspectOf, ASPECT_NAMES } from "@/model/aspects";
import { againAfter, type Part, partsOf, tellStep, turningPoint } from "@/model/explaining";
import { shortName } from "@/model/names";
import { NONE } from "@/model/outline";
import { firstChange } from "@/model/verbs";
import { useBegun } from "@/state/editing";
import { useGlance } from "@/state/run";
import { useRecordVerb } from "@/views/details/useRecordVerb";
import { Around } from "@/views/records/Around";
import { ASPECT_ICONS, UnknownIcon } from "@/views/records/icons";
import { inWords } from "@/views/story/told";
import { useReveal, useWorkspace } from "@/views/workspace/context";

import classes from "./Why.module.css";

export function Path({ found }: { found: Explanation }) {
  const { id, run, place } = useWorkspace();
  const [shown, setShown] = useState<ReadonlySet<Part>>(new Set());
  const changing = useBegun(id, place.at ?? NONE)?.open === true;
  const [wanted, setWanted] = useState(false);
  if (!changing && wanted) setWanted(false);
  const parts = partsOf(found);
  const turning = turningPoint(found);
  useEffect(() => run.want(found.path.map(({ seq }) => seq)), [run, found]);
  if (changing && !wanted) {
    const at = found.path.findIndex(({ seq }) => seq === place.at);
    const chosen = found.path[at];
    return (
      <section className={classes["path"]} data-folded aria-label="What led to it">
        {chosen !== undefined && (
          <ol>
            <Step step={chosen} part={parts[at] ?? "led"} again={[]} turning={false} changing />
          </ol>
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={false}
          rightSection={<IconChevronDown size={13} />}
          onClick={() => setWanted(true)}
        >
          All {count(found.path.length, "step")}
        </Button>
      </section>
    );
  }
  return (
    <section className={classes["path"]} aria-label="What led to it">
      {changing && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded
          rightSection={<IconChevronUp size={13} />}
          onClick={() => setWanted(false)}
        >
          Only the step that is changed
        </Button>
      )}
      <ol>
        {found.path.map((step, n) => {
          const part = parts[n] ?? "led";
          const folds = (part === "earlier" || part === "between") && !shown.has(part);
          if (part === "again") return null;
          const again = againAfter(parts, found.path, n);
          if (!folds)
            return (
              <Step
                key={step.seq}
                step={step}
                part={part}
                again={again}
                turning={step.seq === turning}
                changing={changing && step.seq === place.at}
              />
            );
          if (parts[n - 1] === part) return null;
          const count = parts.filter((other) => other === part).length;
          return (
            <li key={part} className={classes["folded"]}>
              <Button variant="subtle" size="compact-xs" onClick={() => setShown(new Set([...shown, part]))}>
                {count} {part === "earlier" ? "earlier" : "more"} {count === 1 ? "step" : "steps"}
              </Button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface StepProps {
  step: PathStep;
  part: Part;
  /** Where the same component says it again. */
  again: readonly number[];
  turning: boolean;
  /** Whether its editor is open. */
  changing: boolean;
}

function Step({ step, part, again, turning, changing }: StepProps) {
  const { run, view, place } = useWorkspace();
  const find = useReveal();
  const doVerb = useRecordVerb();
  const { seq, match } = step;
  const { outline, info } = view;
  const glance = useGlance(run, seq);
  const thought = glance?.thought ?? "";
  const aspect = aspectOf(outline, seq);
  const Icon = ASPECT_ICONS[aspect] ?? UnknownIcon;
  const can =
    part !== "passed" && part !== "between" && info?.imported !== true && firstChange(outline, seq) !== undefined;
  return (
    <li data-part={part} data-selected={place.at === seq || undefined}>
      <button type="button" className={classes["step"]} onClick={() => find(seq)}>
        <span className={classes["number"]}>{seq}</span>
        <Icon size={15} stroke={1.7} aria-label={ASPECT_NAMES[aspect] ?? aspect} />
        <span className={classes["who"]}>
          {shortName(step.component)}{" "}
          <span className="quiet">{(step.kind === "noted" && outline.type(seq)) || tellStep(step)}</span>
          {part === "first" && <span className={classes["first"]}>first said here</span>}
        </span>
        <span className={classes["said"]}>
          {step.says && match !== null ? (
            <>
              <Around before={match.before} said={match.said} after={match.after} />
            </>
          ) : (
            <>
              {thought !== "" && <i className={classes["thought"]}>{oneLine(thought, 200)} </i>}
              {glance?.form !== "thought" && oneLine(glance === undefined ? "" : inWords(glance), 300)}
            </>
          )}
        </span>
      </button>
      {again.length > 0 && (
        <span className={classes["again"]}>
          again in{" "}
          {again.map((other) => (
            <Anchor key={other} component="button" type="button" size="sm" onClick={() => find(other)}>
              #{other}
            </Anchor>
          ))}
        </span>
      )}
      {can && !changing && (
        <Button
          variant={turning ? "light" : "subtle"}
          size="compact-sm"
          leftSection={<IconPencil size={13} />}
          onClick={() => void doVerb("change", seq)}
        >
          Change and go on
        </Button>
      )}
    </li>
  );
}
