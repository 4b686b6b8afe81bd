/** What can be done with a run, by name: for the control bar, the keyboard and the palette alike. */

import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

import type { RunInfo } from "@/api/schema";
import { type ControlVerb, UNGIVEN, whyNot } from "@/model/control";

import { isAnswered } from "./answering";
import { control, fork, runAgain, startDemo } from "./commands";
import { followedRun } from "./run";

export const VERB_NAMES: { [verb in ControlVerb]: { label: string; keys: string; hotkey: string } } = {
  continue: { label: "Continue", keys: "F5", hotkey: "F5" },
  pause: { label: "Pause", keys: "F6", hotkey: "F6" },
  next: { label: "Step over", keys: "F10", hotkey: "F10" },
  step: { label: "Step in", keys: "F11", hotkey: "F11" },
  out: { label: "Step out", keys: "Shift+F11", hotkey: "shift+F11" },
  stop: { label: "Stop", keys: "Shift+F5", hotkey: "shift+F5" },
};

/** Do a verb, if it applies then; the same function as long as the run is the same. */
export function useVerb(info: RunInfo | null): (verb: ControlVerb) => void {
  const run = info?.run;
  return useCallback(
    (verb) => {
      const now = run === undefined ? null : followedRun(run).snapshot().info;
      if (now === null) return;
      const why = whyNot(now, verb, isAnswered(now));
      if (why === "") void control(now.run, verb);
      else if (why === UNGIVEN)
        notifications.show({ color: "orange", title: "Your answer is not set yet", message: why });
    },
    [run],
  );
}

/** Start the target of a run again, with the same input; opens the new run. */
export function useRunAgain(): (run: string) => Promise<void> {
  const navigate = useNavigate();
  return useCallback(
    async (run) => {
      const made = await runAgain(run);
      if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
    },
    [navigate],
  );
}

/** Start the demo's run; opens it. */
export function useTryDemo(): () => Promise<void> {
  const navigate = useNavigate();
  return useCallback(async () => {
    const made = await startDemo();
    if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
  }, [navigate]);
}

/** Go on from the end of a run in a fork; opens it. */
export function useForkEnd(): (info: RunInfo) => Promise<void> {
  const navigate = useNavigate();
  return useCallback(
    async (info) => {
      const made = await fork(info.run, {});
      if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
    },
    [navigate],
  );
}
