/** What the record under the pointer is: who to whom, of which kind, its number, and the beginning of what it says. */

import { useGlanceAt } from "./useRecordAt";
import { Tip } from "./Tip";
import classes from "./Tip.module.css";
import { ASPECT_NAMES, aspectOf } from "@/model/aspects";
import { shortName } from "@/model/names";
import type { Flag, Outline } from "@/model/outline";
import { oneLine } from "../words";

const TOLD: readonly [Flag, string][] = [
  ["failed", "failed"],
  ["edited", "edited"],
  ["injected", "sent by hand"],
  ["mocked", "given by you"],
  ["reused", "served from the record"],
  ["dropped", "dropped"],
];

const KIND_WORDS: Partial<Record<string, string>> = {
  invocation_started: "starts",
  invocation_ended: "ends",
  span_started: "starts",
  span_ended: "ends",
  run_started: "Run starts",
  run_ended: "Run ends",
  message_dropped: "dropped",
  message_moved: "moved",
  config_set: "setting",
};

/** Who, and to whom, in one line. */
export function whoOf(outline: Outline, at: number): string {
  const from = shortName(outline.component(at));
  const to = outline.recipient(at);
  if (to !== "") return `${from || "you"} → ${shortName(to)}`;
  const kind = outline.kind(at);
  if (kind === "run_started" || kind === "run_ended") return KIND_WORDS[kind] ?? "";
  return from;
}

/** What it is: the kind, its type, and what happened to it. */
export function whatOf(outline: Outline, at: number): string {
  const aspect = aspectOf(outline, at);
  const word = KIND_WORDS[outline.kind(at)];
  const call = outline.call(at);
  const kind = call === null ? (ASPECT_NAMES[aspect] ?? aspect).toLowerCase() : `${call}`;
  const parts = [aspect === "run" ? "" : word ? `${kind} ${word}` : kind, outline.type(at)];
  return [...parts, ...TOLD.filter(([flag]) => outline.has(at, flag)).map(([, told]) => told)]
    .filter((part) => part !== "")
    .join(" · ");
}

interface RecordTipProps {
  x: number;
  y: number;
  run: string;
  seq: number;
  outline: Outline;
  /** Where the record is in the outline. */
  at: number;
  /** More to say of it. */
  more?: string;
}

export function RecordTip({ x, y, run, seq, outline, at, more }: RecordTipProps) {
  const glance = useGlanceAt(run, seq);
  return (
    <Tip x={x} y={y}>
      <div className={classes["title"]}>
        <span>{whoOf(outline, at)}</span>
        <span className="quiet number">#{seq}</span>
      </div>
      <div className="quiet">{whatOf(outline, at)}</div>
      {more !== undefined && more !== "" && <div className="quiet">{more}</div>}
      {glance !== null && glance.text !== "" && <div className={classes["said"]}>{oneLine(glance.text, 180)}</div>}
    </Tip>
  );
}
