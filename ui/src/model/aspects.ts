/** What a record is to a person: the kinds that lists are filtered by, and that pictures are coloured by. */

import type { Call, Outline } from "./outline";

export const ASPECTS = [
  "message",
  "agent",
  "step",
  "task",
  "model",
  "tool",
  "flow",
  "note",
  "edit",
  "run",
  "span",
  "detail",
] as const;
export type Aspect = (typeof ASPECTS)[number] & (Call | string);

export const ASPECT_NAMES: { [aspect in Aspect]: string } = {
  message: "Messages",
  agent: "Agents",
  step: "Steps",
  task: "Tasks",
  model: "Model calls",
  tool: "Tool calls",
  flow: "Flows",
  note: "Thoughts and logs",
  edit: "Edits",
  run: "Start and end",
  span: "Spans",
  detail: "Stream chunks, clock",
};

/** What the record with this number is to a person. */
export function aspectOf(outline: Outline, seq: number): Aspect {
  const call = outline.call(seq);
  if (call !== null) return call;
  switch (outline.kind(seq)) {
    case "message_queued":
      return "message";
    case "message_dropped":
    case "message_moved":
    case "edited":
    case "config_set":
      return "edit";
    case "noted":
    case "state_restored":
      return "note";
    case "run_started":
    case "run_ended":
      return "run";
    case "span_started":
    case "span_ended":
      return "span";
    default:
      return "detail";
  }
}
