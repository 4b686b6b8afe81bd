/** What can be done with a run, by name: for the control bar, the keyboard and the palette alike. */

import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

import type { RunInfo } from "@/api/schema";
import { type ControlVerb, whyNot } from "@/model/control";

import { isAnswered } from "./answering";
import { control, fork, runAgain } from "./commands";
import { followedRun } from "./run";

export const VERB_NAMES: { [verb in ControlVerb]: { label: string; keys: string; hotkey: string } } = {
  continue: { label: "Continue", keys: "F5", hotkey: "F5" },
  pause: { label: "Pause", keys: "F6", hotkey: "F6" },
  next: { label: "Step over", keys: "F10", hotkey: "F10" },
  step: { label: "Step in", keys: "F11", hotkey: "F11" },
  out: { label: "Step out", keys: "Shift+F11", hotkey: "shift+F11" },
  stop: { label: "Stop", keys: "Shift+F5", hotkey: "shift+F5" },
};

/** Whether a verb lets a run that is held go on. */
export const goesOn = (verb: ControlVerb) => verb !== "pause" && verb !== "stop";
/** Why a run that is held does not go on. */
export const UNGIVEN = "You are writing an answer to what is held: give it, or cancel it, in Pending";

/** Do a verb, if it applies then; the same function as long as the run is the same. */
export function useVerb(info: RunInfo | null): (verb: ControlVerb) => void {
  const run = info?.run;
  return useCallback(
    (verb) => {
      const now = run === undefined ? null : followedRun(run).snapshot().info;
      if (now === null || whyNot(now, verb) !== "") return;
      if (goesOn(verb) && isAnswered(now))
        notifications.show({ color: "orange", title: "Your answer is not given yet", message: UNGIVEN });
      else void control(now.run, verb);
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
