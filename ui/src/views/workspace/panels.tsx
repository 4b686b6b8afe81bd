/** The panels of a run's window: what they are called, and where their code is. */

import {
  IconArrowsDiff,
  IconBracketsContain,
  IconClockPlay,
  IconLayoutColumns,
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
  inspector: {
    title: "Inspector",
    about: "What is selected, to read and to change; what is held and queued",
    icon: IconBracketsContain,
    View: lazy(() => import("@/views/inspector/Inspector")),
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
  console: {
    title: "Console",
    about: "What the program printed",
    icon: IconTerminal2,
    View: lazy(() => import("@/views/console/Console")),
  },
};
