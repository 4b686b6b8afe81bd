/** The path to a wrong answer: from what led to it, over where it was said first, to the end; each step can be changed. */

import { Button } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useEffect, useState } from "react";

import type { Explanation, PathStep } from "@/api/schema";
import { oneLine } from "@/kit/words";
import { aspectOf, ASPECT_NAMES } from "@/model/aspects";
import { type Part, partsOf, tellStep, turningPoint } from "@/model/explaining";
import { shortName } from "@/model/names";
import { changesOf } from "@/model/telling";
import { beginEdit } from "@/state/editing";
import { useGlance } from "@/state/run";
import { ASPECT_ICONS, UnknownIcon } from "@/views/records/icons";
import { useWorkspace } from "@/views/workspace/context";
import { useShow } from "@/views/workspace/Docks";

import classes from "./Why.module.css";

export function Path({ found }: { found: Explanation }) {
  const { run } = useWorkspace();
  const [whole, setWhole] = useState(false);
  const parts = partsOf(found);
  const earlier = parts.filter((part) => part === "earlier").length;
  const turning = turningPoint(found);
  useEffect(() => run.want(found.path.map(({ seq }) => seq)), [run, found]);
  return (
    <section className={classes["path"]} aria-label="What led to it">
      <ol>
        {earlier > 0 && !whole && (
          <li className={classes["folded"]}>
            <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
              {earlier} earlier {earlier === 1 ? "step" : "steps"}
            </Button>
          </li>
        )}
        {found.path.map((step, n) => {
          const part = parts[n] ?? "led";
          if (part === "earlier" && !whole) return null;
          return <Step key={step.seq} step={step} part={part} turning={step.seq === turning} />;
        })}
      </ol>
    </section>
  );
}

function Step({ step, part, turning }: { step: PathStep; part: Part; turning: boolean }) {
  const { id, run, view, place, select } = useWorkspace();
  const show = useShow();
  const { seq, match } = step;
  const { outline, info } = view;
  const glance = useGlance(run, seq);
  const aspect = aspectOf(outline, seq);
  const Icon = ASPECT_ICONS[aspect] ?? UnknownIcon;
  const change = part === "passed" || info?.imported === true ? undefined : changesOf(outline, seq)[0];
  return (
    <li data-part={part} data-selected={place.at === seq || undefined}>
      <button type="button" className={classes["step"]} onClick={() => select(seq)}>
        <span className={classes["number"]}>{seq}</span>
        <Icon size={15} stroke={1.7} aria-label={ASPECT_NAMES[aspect] ?? aspect} />
        <span className={classes["who"]}>
          {shortName(step.component)} <span className="quiet">{tellStep(step)}</span>
          {part === "first" && <span className={classes["first"]}>first said here</span>}
        </span>
        <span className={classes["said"]}>
          {step.says && match !== null ? (
            <>
              …{match.before.slice(-48)}
              <mark>{match.said}</mark>
              {match.after}…
            </>
          ) : (
            oneLine(glance?.text ?? "", 300)
          )}
        </span>
      </button>
      {change !== undefined && (
        <Button
          variant={turning ? "light" : "subtle"}
          size="compact-sm"
          leftSection={<IconPencil size={13} />}
          onClick={() => {
            select(seq);
            show("details");
            beginEdit(id, seq, change.op);
          }}
        >
          Change and go on
        </Button>
      )}
    </li>
  );
}
