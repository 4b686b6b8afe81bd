/** What of a run somebody wants to see, and which records it is about. */

import type { Aspect } from "./aspects";
import { NONE, type Outline } from "./outline";

export interface RowChoice {
  /** Aspects that are shown. */
  aspects: ReadonlySet<Aspect>;
  /** Only records of these components (as sender or recipient), or of what is inside them; null is all. */
  components: ReadonlySet<string> | null;
  /** Only these records, found by a search; null is all. */
  found: ReadonlySet<number> | null;
  /** Also what only keeps the framework going. */
  plumbing: boolean;
  /** Invocations, by the number of their first record, whose inside is not shown. */
  folded: ReadonlySet<number>;
  /** Records that are shown in any case: those that are held. */
  held: ReadonlySet<number>;
  /** Only what failed, or has an error inside. */
  errors: boolean;
  /** Only what was changed. */
  changes: boolean;
}

export const DEFAULT_ASPECTS: ReadonlySet<Aspect> = new Set<Aspect>([
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
]);

/** Whether a record is of one of these components, or of what is inside them, as sender or recipient. */
export function rowTest(outline: Outline, wanted: ReadonlySet<string>): (seq: number) => boolean {
  const fits = outline.names.map((name) => wanted.has(name) || [...wanted].some((path) => name.startsWith(`${path}/`)));
  return (seq) => {
    const sender = outline.componentNumber(seq);
    if (sender !== NONE && fits[sender]) return true;
    const recipient = outline.find(outline.recipient(seq));
    return recipient !== NONE && Boolean(fits[recipient]);
  };
}

/** Types by which AutoGen's group chats repeat to their output stream what was said. */
const ECHOES = new Set(["GroupChatMessage", "GroupChatTermination"]);

/** Whether a message has no content, or only repeats to a framework's output what was said. */
export function isControl(outline: Outline, seq: number): boolean {
  if ((["edited", "injected", "dropped"] as const).some((flag) => outline.has(seq, flag))) return false;
  if (outline.has(seq, "empty")) return true;
  return ECHOES.has(outline.type(seq)) && outline.recipient(seq).endsWith("/output");
}
