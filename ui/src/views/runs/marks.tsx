/** Marks of a run's state and outcome: a shape and a word, coloured where it matters. */

import {
  IconAlertTriangle,
  IconCheck,
  IconCircleCheck,
  IconFileImport,
  IconHandStop,
  IconLoader2,
  IconPlayerPause,
  IconPlayerStop,
  IconPlug,
  IconPlugConnectedX,
  IconRewindForward10,
  IconX,
  type TablerIcon,
} from "@tabler/icons-react";

import type { RunSummary } from "@/api/schema";

import classes from "./marks.module.css";

type Status = RunSummary["status"];

const STATUSES: Record<Status, { word: string; icon: TablerIcon; tone: "calm" | "busy" | "held" | "failed" }> = {
  starting: { word: "starting", icon: IconLoader2, tone: "busy" },
  replaying: { word: "replaying", icon: IconRewindForward10, tone: "busy" },
  running: { word: "running", icon: IconLoader2, tone: "busy" },
  paused: { word: "paused", icon: IconPlayerPause, tone: "held" },
  held: { word: "held", icon: IconHandStop, tone: "held" },
  reconnecting: { word: "reconnecting", icon: IconPlug, tone: "busy" },
  completed: { word: "completed", icon: IconCircleCheck, tone: "calm" },
  failed: { word: "failed", icon: IconAlertTriangle, tone: "failed" },
  stopped: { word: "stopped", icon: IconPlayerStop, tone: "calm" },
  diverged: { word: "diverged", icon: IconAlertTriangle, tone: "failed" },
  lost: { word: "lost", icon: IconPlugConnectedX, tone: "failed" },
};

export function StatusMark({ status, imported = false }: { status: Status; imported?: boolean }) {
  const {
    word,
    icon: Icon,
    tone,
  } = imported ? { word: "imported", icon: IconFileImport, tone: "calm" as const } : STATUSES[status];
  return (
    <span className={classes["mark"]} data-tone={tone}>
      <Icon size={15} stroke={1.8} aria-hidden className={Icon === IconLoader2 ? classes["turning"] : undefined} />
      {word}
    </span>
  );
}

/** How an answer came out, in a word that is none for an error. */
export const OUTCOME_WORDS: Record<NonNullable<RunSummary["outcome"]>, string> = { passed: "right", failed: "wrong" };

/** Whether the answer is right: nothing where nobody knows. */
export function OutcomeMark({ outcome }: { outcome: RunSummary["outcome"] | undefined }) {
  if (!outcome) return null;
  const Icon = outcome === "passed" ? IconCheck : IconX;
  return (
    <span className={classes["mark"]} data-tone={outcome}>
      <Icon size={15} stroke={2.4} aria-hidden />
      {OUTCOME_WORDS[outcome]}
    </span>
  );
}
