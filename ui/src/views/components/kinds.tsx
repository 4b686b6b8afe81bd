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

/** The colour of an agent by its number; what is no agent's is quiet. */
export function hueColour(hue: number | null): string {
  return hue === null ? "var(--ot-quiet)" : `var(--ot-hue-${hue + 1})`;
}

/** A kind is told by its sign; the colour tells whose it is. */
export function KindIcon({ kind, hue, size = 15 }: { kind: string; hue: number | null; size?: number }) {
  return createElement(kindIcon(kind), {
    size,
    stroke: 1.7,
    color: hueColour(hue),
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
