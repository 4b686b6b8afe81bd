/** How the run came out, above everything else: right or wrong, where the wrong thing was said first, and why. */

import { Anchor, Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconAlertTriangle, IconFileDiff, IconCheck, IconChevronDown, IconChevronUp } from "@tabler/icons-react";

import type { RunInfo } from "@/api/schema";
import { oneLine } from "@/kit/words";
import { tellNewCode } from "@/model/code";
import { tellOrigin, tellUse } from "@/model/explaining";
import { shortName } from "@/model/names";
import { failedAtOnce } from "@/model/programs";
import { isWrong, useExplanation } from "@/state/explanation";
import { RunWithChanges } from "@/views/runs/RunWithChanges";
import { useReveal, useWorkspace } from "@/views/workspace/context";
import { useShow } from "@/views/workspace/docking";

import { Path } from "./Path";
import classes from "./Why.module.css";

/** Origins with which it says more to know by whom than from what. */
const SPOKEN: ReadonlySet<string> = new Set(["agent", "model"]);
/** Characters of an answer in the strip. */
const LONGEST = 90;

export function Verdict() {
  const { view } = useWorkspace();
  const { info } = view;
  if (info === null || info.live) return null;
  if (isWrong(info)) return <Wrong info={info} />;
  if (info.outcome === "passed") return <Right info={info} />;
  return info.new_code.length > 0 ? <Anew info={info} /> : null;
}

/** Of a fork with new code, of which nothing says whether its answer is right. */
function Anew({ info }: { info: RunInfo }) {
  return (
    <section className={classes["strip"]} aria-label="How it came out">
      <IconFileDiff size={18} aria-hidden />
      <p className={classes["told"]}>
        <b>{tellNewCode(info.new_code)}</b>
        <Changed info={info} told />
      </p>
      <Beside info={info} />
    </section>
  );
}

function Right({ info }: { info: RunInfo }) {
  return (
    <section className={classes["strip"]} data-outcome="passed" aria-label="How it came out">
      <IconCheck size={18} aria-hidden />
      <p className={classes["told"]}>
        <b>Right: {oneLine(info.expected ?? "", LONGEST)}</b>
        <Changed info={info} />
      </p>
      <Beside info={info} />
    </section>
  );
}

function Wrong({ info }: { info: RunInfo }) {
  const { view, place, go } = useWorkspace();
  const find = useReveal();
  const found = useExplanation(info);
  const open = place.why === true && found !== null && found.path.length > 0;
  const toggle = () => go({ why: place.why === true ? undefined : true });
  useHotkeys([["W", toggle]]);
  const said = found?.said ?? found?.answer ?? null;
  const first = found?.first ?? null;
  return (
    <div className={classes["wrong"]} data-open={open || undefined}>
      <section className={classes["strip"]} data-outcome="failed" aria-label="How it came out">
        <IconAlertTriangle size={18} aria-hidden />
        <p className={classes["told"]}>
          <b>
            {info.status === "failed" ? "Failed" : "Wrong"}
            {said !== null && `: ${oneLine(said, LONGEST)}`}
          </b>
          {info.expected && (
            <>
              , expected <b>{oneLine(info.expected, LONGEST)}</b>
            </>
          )}
          {first !== null && (
            <>
              . {info.status === "failed" ? "It came up" : "First said"} in{" "}
              <Anchor component="button" type="button" onClick={() => find(first)}>
                #{first}
              </Anchor>
              {SPOKEN.has(found?.origin ?? "") && ` by ${shortName(view.outline.component(first))}`}
              <span className="quiet"> ({tellOrigin(found?.origin ?? null)})</span>
            </>
          )}
          <Changed info={info} />
          {info.parent !== null && found !== null && found.change !== null && (
            <span className={classes["use"]}>
              {tellUse({ ...found, said: said === null ? null : oneLine(said, 40) }, info.parent).map(
                ({ text, seq }) =>
                  seq === undefined ? (
                    text
                  ) : (
                    <Anchor key={text} component="button" type="button" onClick={() => find(seq)}>
                      {text}
                    </Anchor>
                  ),
              )}
            </span>
          )}
        </p>
        {failedAtOnce(info) && (
          <RunWithChanges
            run={info.run}
            renderButton={(open) => (
              <Button aria-haspopup="dialog" onClick={open}>
                Run with changes…
              </Button>
            )}
          />
        )}
        <Beside info={info} />
        {found !== null && found.path.length > 0 && (
          <Button
            variant={open ? "default" : "filled"}
            aria-expanded={open}
            rightSection={open ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
            title="The path from what led to it to the answer (W)"
            onClick={toggle}
          >
            Why?
          </Button>
        )}
      </section>
      {open && <Path found={found} />}
    </div>
  );
}

/** Of a fork: where it was changed, and what that cost; its new code unless that is told already. */
function Changed({ info, told = false }: { info: RunInfo; told?: boolean }) {
  if (info.parent === null || info.parent === undefined) return null;
  const executed = calls(info.executed);
  const served = calls(info.reused);
  const at = info.changed_at ?? info.cut;
  const where = info.edits.length > 0 && at !== null && !isWrong(info) ? ` · changed at #${at}` : "";
  return (
    <span className="quiet">
      {!told && info.new_code.length > 0 && ` · ${tellNewCode(info.new_code)}`}
      {where}
      {executed !== null && ` · ${executed} ${executed === 1 ? "call" : "calls"} executed`}
      {served !== null && `, ${served} from the record of ${info.parent}`}
    </span>
  );
}

function calls(counted: Record<string, number> | undefined): number | null {
  return counted === undefined ? null : (counted["model"] ?? 0) + (counted["tool"] ?? 0);
}

/** Of a fork: what differs from the run that it comes from. */
function Beside({ info }: { info: RunInfo }) {
  const { go } = useWorkspace();
  const show = useShow();
  const { parent } = info;
  if (parent === null || parent === undefined) return null;
  return (
    <Button
      variant="default"
      onClick={() => {
        go({ vs: parent });
        show("compare");
      }}
    >
      Compare with {parent}
    </Button>
  );
}
