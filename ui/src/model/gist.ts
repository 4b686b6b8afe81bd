/** What a card says of a long text before it is opened: what is new in it, on few lines. */

import { oneLine } from "@/kit/words";

/** Words of a thought that only says whose turn is next, at most. */
const NEXT_WORDS = 4;
/** Characters of an answer by which it is known within a thought. */
const KNOWN = 80;
/** Between the value of a field and the reason for it. */
const WHY = " · ";

/** The lines of a gist as a first one, and the others after each other. */
export function onFewLines(gist: string): string {
  const [first = "", ...others] = gist.split("\n");
  return others.length === 0 ? first : `${first}\n${others.join(WHY)}`;
}

/** A thought without what the answer of its card says in full: there only the reason is left. */
export function withoutAnswer(thought: string, answer: string): string {
  const known = oneLine(answer, KNOWN).replace(/…$/, "");
  if (known.length < KNOWN / 4) return thought;
  const lines = thought.split("\n").map((line) => {
    const at = line.indexOf(known);
    if (at < 0) return line;
    const why = line.lastIndexOf(WHY);
    return why > at ? line.slice(0, at).replace(/\*\*$/, "") + line.slice(why + WHY.length) : "";
  });
  return lines.filter(Boolean).join("\n");
}

/** Whether a thought only says who is next, which the card's title tells. */
export function namesNext(thought: string, to: readonly string[]): boolean {
  const words = thought.trim().split(/\s+/);
  return words.length <= NEXT_WORDS && to.some((name) => words.includes(name));
}
