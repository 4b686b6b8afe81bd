/** What a person can tell a run to do now, and, of what cannot be done, why not. */

import type { Hold, RunInfo } from "@/api/schema";

import { shortName } from "./names";

export const VERBS = ["continue", "pause", "next", "step", "out", "stop"] as const;
export type ControlVerb = (typeof VERBS)[number];

/** Why a run that is held does not go on: that would throw away what somebody writes. */
export const UNGIVEN = "You are writing an answer to what is held: set it, or cancel it, in the inspector";

/** Why a verb does not apply now; nothing where it does.  `answered`: an answer to what is held is being written. */
export function whyNot(
  info: Pick<RunInfo, "live" | "status" | "held" | "imported">,
  verb: ControlVerb,
  answered: boolean,
): string {
  if (info.imported) return "An imported log has no program to control";
  if (!info.live) return "The run has ended; fork it to go on from any record";
  if (info.status === "reconnecting") return verb === "stop" ? "" : "Its process lives and has not connected yet";
  const held = info.held.length > 0;
  if (answered && held && verb !== "pause" && verb !== "stop") return UNGIVEN;
  switch (verb) {
    case "pause":
      return info.status === "paused" || held ? "It is held already" : "";
    case "continue":
      return held || info.status === "paused" ? "" : "It is running";
    case "next":
    case "step":
    case "out":
      return held ? "" : "Nothing is held; pause first";
    case "stop":
      return "";
  }
}

const STATES: { [status in RunInfo["status"]]: string } = {
  starting: "Starting",
  replaying: "Replaying what the record holds",
  running: "Running",
  paused: "Pausing at the next gate",
  held: "Held",
  reconnecting: "Its process outlived the server that started it, and is expected back",
  completed: "Completed",
  failed: "Failed",
  stopped: "Stopped",
  diverged: "Departed from its record",
  lost: "Lost: its process has ended",
};

export function tellStatus(info: Pick<RunInfo, "status" | "live" | "imported">): string {
  if (info.imported) return "Imported log";
  if (info.status === "held" && !info.live) return "Its program ended while it was held: go on from the end in a fork";
  return STATES[info.status] ?? info.status;
}

/** What is held, where, and why. */
export function tellHold(hold: Hold): string {
  const name = shortName(hold.component);
  const what = hold.call === null ? (hold.type === "" ? "message" : hold.type) : hold.call;
  switch (hold.when) {
    case "before":
      return `${what} ${name} is about to run`;
    case "after":
      return `${what} ${name} has ${hold.failed ? "failed" : "returned"}`;
    case "input":
      return hold.prompt ? `the program asks: ${hold.prompt}` : "the program asks for input";
    case "diverged":
      return "the program departs from its record";
  }
}
