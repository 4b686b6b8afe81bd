/** The panels of a run's window: what they are called, and where their code is. */

import {
  IconArrowsDiff,
  IconBracketsContain,
  IconClockPlay,
  IconInbox,
  IconLayoutColumns,
  IconReplace,
  IconSitemap,
  IconTerminal2,
  type TablerIcon,
} from "@tabler/icons-react";
import { type ComponentType, lazy, type LazyExoticComponent } from "react";

import type { PanelId } from "@/state/place";

export interface PanelKind {
  title: string;
  /** What it is for, in a sentence. */
  about: string;
  icon: TablerIcon;
  View: LazyExoticComponent<ComponentType>;
}

export const PANEL_KINDS: Record<PanelId, PanelKind> = {
  details: {
    title: "Details",
    about: "What the selected record says, and what can be changed about it",
    icon: IconBracketsContain,
    View: lazy(() => import("@/views/details/Details")),
  },
  overview: {
    title: "Overview",
    about: "The run and its forks as columns of small rectangles, one a record",
    icon: IconLayoutColumns,
    View: lazy(() => import("@/views/overview/Overview")),
  },
  trace: {
    title: "Trace",
    about: "What ran when, inside what, and for how long",
    icon: IconClockPlay,
    View: lazy(() => import("@/views/trace/Trace")),
  },
  graph: {
    title: "Graph",
    about: "Components, and what flows between them",
    icon: IconSitemap,
    View: lazy(() => import("@/views/graph/Graph")),
  },
  compare: {
    title: "Compare",
    about: "Two runs side by side, the first difference first",
    icon: IconArrowsDiff,
    View: lazy(() => import("@/views/compare/Compare")),
  },
  pending: {
    title: "Pending",
    about: "What is held and what is queued, and sending a message",
    icon: IconInbox,
    View: lazy(() => import("@/views/pending/Pending")),
  },
  mocks: {
    title: "Changes",
    about: "Edits and mocks collected for the next fork",
    icon: IconReplace,
    View: lazy(() => import("@/views/mocks/Mocks")),
  },
  console: {
    title: "Console",
    about: "What the program printed",
    icon: IconTerminal2,
    View: lazy(() => import("@/views/console/Console")),
  },
};
