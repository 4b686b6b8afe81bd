/** Signs for the kinds of components and for what they do now. */

import {
  IconAlertTriangleFilled,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconUser,
  IconUsersGroup,
  type TablerIcon,
} from "@tabler/icons-react";
import { createElement } from "react";

import type { ComponentState } from "@/model/components";
import { ASPECT_ICONS, UnknownIcon } from "@/views/records/icons";

import classes from "./components.module.css";

const OTHERS: { [kind: string]: TablerIcon } = { team: IconUsersGroup, user: IconUser };

export function kindIcon(kind: string): TablerIcon {
  return OTHERS[kind] ?? (ASPECT_ICONS as { [kind: string]: TablerIcon })[kind] ?? UnknownIcon;
}

/** The colour of a kind; those without one of their own are quiet. */
export function kindColour(kind: string): string {
  return kind in ASPECT_ICONS ? `var(--ot-${kind})` : "var(--ot-quiet)";
}

export function KindIcon({ kind, size = 15 }: { kind: string; size?: number }) {
  return createElement(kindIcon(kind), {
    size,
    stroke: 1.7,
    color: kindColour(kind),
    className: classes["icon"],
    "aria-hidden": true,
  });
}

export const STATE_WORDS: { [state in ComponentState]: string } = {
  idle: "",
  running: "running",
  held: "held",
  failed: "failed last time",
};

/** What a component does now, by shape and colour; the word is told beside it. */
export function StateMark({ state }: { state: ComponentState }) {
  if (state === "idle") return null;
  const Icon =
    state === "held" ? IconPlayerPauseFilled : state === "failed" ? IconAlertTriangleFilled : IconPlayerPlayFilled;
  return (
    <span className={classes["state"]} data-state={state} title={STATE_WORDS[state]}>
      <Icon size={12} aria-hidden />
    </span>
  );
}
