/** One row of the history. */

import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { memo } from "react";

import type { Passage } from "@/api/schema";
import { count, duration, oneLine } from "@/kit/words";
import { shortName } from "@/model/names";
import { NONE } from "@/model/outline";
import type { Told } from "@/model/telling";

import { type FollowedRun, useGlance } from "@/state/run";

import { ASPECT_ICONS, UnknownIcon } from "./icons";
import classes from "./Row.module.css";
import { Said } from "./Said";

/** Deeper ones are not indented further. */
const DEEPEST = 8;

export interface RowProps {
  run: FollowedRun;
  id: string;
  index: number;
  seq: number;
  depth: number;
  /** Whether it has room for a few lines of what it says. */
  tall: boolean;
  told: Told;
  /** The end of the call that is told with it, or `NONE`: what it says is what came back. */
  end: number;
  /** How many errors are in it, where it does not show them itself. */
  errors: number;
  hue: number | null;
  /** Milliseconds since the run began; with an end, that it took; not a number: its log has no times. */
  time: number;
  selected: boolean;
  held: boolean;
  finding: string | null;
  /** Whether it can be folded, and is. */
  fold: "open" | "folded" | null;
  /** Where it says what was searched for. */
  passage: Passage | null;
  onSelect: (seq: number) => void;
  onFold: (seq: number) => void;
  onMenu: (seq: number, x: number, y: number) => void;
}

export const Row = memo(function Row(props: RowProps) {
  const { run, id, index, seq, depth, tall, told, end, errors, time, selected, held, finding, fold, passage } = props;
  const own = useGlance(run, seq);
  const back = useGlance(run, end);
  const glance = end === NONE ? own : back;
  const Icon = ASPECT_ICONS[told.aspect] ?? UnknownIcon;
  const failed = told.marks.includes("failed");
  const text = glance === undefined ? "" : glance.text;
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 1}
      aria-selected={selected}
      className={classes["row"]}
      data-aspect={told.aspect}
      data-failed={failed || undefined}
      data-held={held || undefined}
      data-hue={props.hue ?? undefined}
      onClick={() => props.onSelect(seq)}
      onContextMenu={(event) => {
        event.preventDefault();
        props.onSelect(seq);
        props.onMenu(seq, event.clientX, event.clientY);
      }}
    >
      <span role="gridcell" className={classes["number"]}>
        {seq}
      </span>
      <span role="gridcell" className={classes["main"]} style={{ paddingLeft: Math.min(depth, DEEPEST) * 14 }}>
        <span className={classes["head"]}>
          {fold === null ? (
            <span className={classes["noFold"]} />
          ) : (
            <button
              type="button"
              tabIndex={-1}
              className={classes["fold"]}
              aria-label={fold === "open" ? "Fold" : "Unfold"}
              title={fold === "open" ? "Fold what is inside (←)" : "Unfold what is inside (→)"}
              onClick={(event) => {
                event.stopPropagation();
                props.onFold(seq);
              }}
            >
              {fold === "open" ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
            </button>
          )}
          <Icon size={15} stroke={1.7} className={classes["icon"]} aria-label={told.aspect} />
          {told.who !== "" && (
            <span className={classes["who"]} title={told.who}>
              {shortName(told.who)}
            </span>
          )}
          {told.to.length > 0 && (
            <>
              <span className="quiet" aria-label="to">
                →
              </span>
              <span className={classes["who"]} title={told.to.join(", ")}>
                {told.to.map(shortName).join(", ")}
              </span>
            </>
          )}
          {told.verb !== "" && <span className={classes["verb"]}>{told.verb}</span>}
          {told.type !== "" && <span className={classes["type"]}>{told.type}</span>}
          {told.marks.map((mark) => (
            <span key={mark} className={classes["mark"]} data-mark={mark}>
              {mark}
            </span>
          ))}
          {errors > 0 && (
            <span className={classes["mark"]} data-mark="failed">
              {count(errors, "error")} inside
            </span>
          )}
          {held && (
            <span className={classes["mark"]} data-mark="held">
              held
            </span>
          )}
          {finding !== null && (
            <span className={classes["mark"]} data-mark="finding" title={finding}>
              finding
            </span>
          )}
          {end !== NONE && own !== undefined && own.text !== "" && own.form !== "empty" && (
            <span className={classes["aside"]}>{oneLine(own.text, 240)}</span>
          )}
          {!tall && end === NONE && (text !== "" || passage !== null) && (
            <span className={classes["aside"]}>
              {passage === null ? oneLine(text, 240) : <Said passage={passage} short />}
            </span>
          )}
        </span>
        {tall && (text !== "" || passage !== null || glance === undefined) && (
          <span className={classes["text"]} data-form={glance?.form}>
            {passage === null ? oneLine(text, 420) : <Said passage={passage} />}
          </span>
        )}
      </span>
      <span role="gridcell" className={classes["time"]}>
        {end === NONE ? clock(time) : duration(time / 1000)}
      </span>
    </div>
  );
});

function clock(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) return "";
  const seconds = milliseconds / 1000;
  if (seconds < 100) return seconds.toFixed(2);
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
}
