/** What every panel of a run's window shares: the run, what is selected, and where one is. */

import { createContext, useContext } from "react";

import type { FollowedRun, RunView } from "@/state/run";
import type { Go, Place } from "@/state/place";
import type { Sight } from "@/state/sight";

export interface WorkspaceValue {
  /** The id, as in r7. */
  id: string;
  run: FollowedRun;
  view: RunView;
  place: Place;
  go: Go;
  /** Select a record, or nothing; the history scrolls to it and the details show it. */
  select: (seq: number | undefined) => void;
  /** What is in sight of the history. */
  sight: Sight;
}

export const WorkspaceContext = createContext<WorkspaceValue | null>(null);

/** The window that a panel is in. */
export function useWorkspace(): WorkspaceValue {
  const value = useContext(WorkspaceContext);
  if (value === null) throw new Error("a panel is shown outside of a run's window");
  return value;
}

/** Select a record, and bring into sight what it says of what is looked for, also where it is selected already. */
export function useReveal(): (seq: number) => void {
  const { select, sight } = useWorkspace();
  return (seq) => {
    select(seq);
    sight.reveal(seq);
  };
}
