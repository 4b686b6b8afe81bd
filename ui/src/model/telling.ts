/** A record as one line: who did what to whom, and what is special about it. */

import { type Aspect, aspectOf } from "./aspects";
import { shortName } from "./names";
import { NONE, type Outline } from "./outline";

export interface Told {
  aspect: Aspect;
  /** Whom it is about; the sender of a message. */
  who: string;
  /** Those that a message is for. */
  to: string[];
  /** What happened, where the names do not say it. */
  verb: string;
  /** The type of a message, the operation of an edit. */
  type: string;
  marks: Mark[];
}

export type Mark =
  "edited" | "added" | "failed" | "dropped" | "given by you" | "served" | "from a person" | "running" | "held";

const ENDINGS: { [status: string]: string } = {
  completed: "The run has ended",
  failed: "The run has failed",
  stopped: "The run was stopped",
  diverged: "The program departs from its record",
  held: "The run ended while it was held",
};

const OPERATIONS: { [op: string]: string } = {
  replace_message: "changed the message of",
  replace_input: "changed the input of",
  mock_output: "gave the output of",
  raise: "gave an error to",
  drop: "left out",
  inject: "sent a message to",
  set_config: "changed a setting of",
  execute: "executed again:",
};

/** Whose act an edit is: the person's, never that of the component which it is about. */
const YOU = "you";

/** Who waited for time to pass, where a value that was read says that timers were over. */
export function waiter(source: string): string | undefined {
  return source.startsWith("timer ") ? source.slice("timer ".length) : undefined;
}

/** A record in words; `count` records in a line that say the same are told as one. */
export function tell(outline: Outline, seq: number, count = 1): Told {
  const kind = outline.kind(seq);
  const told: Told = {
    aspect: aspectOf(outline, seq),
    who: outline.component(seq),
    to: [],
    verb: "",
    type: outline.type(seq),
    marks: marksOf(outline, seq),
  };
  switch (kind) {
    case "message_queued":
      told.to = [...new Set(Array.from({ length: count }, (_, n) => outline.recipient(seq + n)))].filter(Boolean);
      break;
    case "message_dropped":
      told.verb = `dropped message${aboutMessage(outline, seq)}`;
      break;
    case "message_moved":
      told.verb = `moved message${aboutMessage(outline, seq)}`;
      break;
    case "invocation_started":
      told.verb = outline.reference(seq, "message") === NONE ? "called" : "received";
      break;
    case "invocation_ended":
      told.verb = outline.has(seq, "failed") ? "failed" : "returned";
      break;
    case "stream_chunk":
      told.verb = "streamed";
      break;
    case "value_read":
      told.verb = waiter(told.type) === undefined ? `read ${told.type || "a value"}` : "waited in";
      told.type = waiter(told.type) ?? told.type;
      break;
    case "edited":
      told.verb = `${OPERATIONS[told.type] ?? told.type}${shortName(told.who) && ` ${shortName(told.who)}`}`;
      told.who = YOU;
      told.type = "";
      break;
    case "config_set":
      told.verb = `set ${told.type}${shortName(told.who) && ` of ${shortName(told.who)}`}`;
      if (outline.has(seq, "by_user")) told.who = YOU;
      told.type = "";
      break;
    case "noted":
      told.verb = told.type || "noted";
      told.type = "";
      break;
    case "state_restored":
      told.verb = `restored ${told.type || "a state"}${outline.has(seq, "failed") ? ", failed" : ""}`;
      told.type = "";
      break;
    case "span_started":
    case "span_ended":
      told.verb = kind === "span_started" ? "began" : "ended";
      break;
    case "run_started":
      told.verb = "The run begins";
      break;
    case "run_ended":
      told.verb = ENDINGS[told.type] ?? ENDINGS["completed"] ?? "";
      told.type = "";
      break;
  }
  return told;
}

function aboutMessage(outline: Outline, seq: number): string {
  const message = outline.reference(seq, "message");
  if (message === NONE) return "";
  const to = shortName(outline.recipient(message));
  return ` #${message}${to && ` to ${to}`}`;
}

function marksOf(outline: Outline, seq: number): Mark[] {
  const marks: Mark[] = [];
  if (outline.has(seq, "injected")) marks.push("added");
  if (outline.has(seq, "edited")) marks.push("edited");
  if (outline.has(seq, "failed")) marks.push("failed");
  if (outline.has(seq, "dropped")) marks.push("dropped");
  if (outline.has(seq, "mocked")) marks.push("given by you");
  const call = outline.call(seq);
  const consists = call === "agent" || call === "flow"; // of calls, which are what is executed or served
  if (outline.has(seq, "reused") && !consists) marks.push("served");
  if (outline.has(seq, "by_user")) marks.push("from a person");
  return marks;
}

/** What a screen reader says of a row. */
export function spoken(told: Told): string {
  const to = told.to.length > 0 ? ` to ${told.to.map(shortName).join(", ")}` : "";
  const verb = told.verb || (told.to.length > 0 ? "message" : "");
  return [...new Set([shortName(told.who), verb + to, ...told.marks])].filter(Boolean).join(", ");
}

/** The record of the invocation's start that a record belongs to, where it is an invocation's start or end. */
export function startOf(outline: Outline, seq: number): number {
  switch (outline.kind(seq)) {
    case "invocation_started":
      return seq;
    case "invocation_ended":
      return outline.reference(seq, "invocation");
    default:
      return NONE;
  }
}

/** What a person can do about a record in a fork: the operation, what it changes, and where the fork is cut. */
export interface Change {
  op: "replace_message" | "replace_input" | "mock_output";
  /** What the edit names: a message, or the start of an invocation. */
  seq: number;
  label: string;
}

/** The changes that a record offers, the obvious one first. */
export function changesOf(outline: Outline, seq: number): Change[] {
  const start = startOf(outline, seq);
  switch (outline.kind(seq)) {
    case "message_queued":
      return [{ op: "replace_message", seq, label: "Edit message" }];
    case "invocation_started":
      return outline.call(seq) === "flow"
        ? []
        : [
            { op: "replace_input", seq, label: "Edit input" },
            { op: "mock_output", seq, label: "Give output" },
          ];
    case "invocation_ended":
      return start === NONE || outline.call(seq) === "flow"
        ? []
        : [{ op: "mock_output", seq: start, label: "Edit output" }];
    default:
      return [];
  }
}

/** What an edit does, in words; `seq` is the record that it is made at, which may be the end of the call that it names. */
export function tellEdit(seq: number, change: Change, component: string): string {
  const name = shortName(component) || "it";
  const at = `#${seq}`;
  switch (change.op) {
    case "replace_message":
      return `Message ${at} of ${name} says something else`;
    case "replace_input":
      return `${name} (${at}) gets another input`;
    case "mock_output":
      return `${name} (${at}) returns this`;
  }
}
