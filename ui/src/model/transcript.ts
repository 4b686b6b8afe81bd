/** A run as one text that is read from top to bottom: the cards of a story, in Markdown. */

import type { Body, Glance } from "@/api/schema";

import { soleText, untyped } from "./body";
import { shortName } from "./names";
import { NONE, type Outline } from "./outline";
import { DEFAULT_ASPECTS, type RowChoice } from "./row-choice";
import { tell } from "./telling";
import type { Part, Story, Turns } from "./turns";

/** What a record says, in full where it is told in full. */
export interface Words {
  thought: string;
  said: string;
  failed: boolean;
}

/** Cards that a transcript holds at most. */
export const MOST_CARDS = 2000;
const NONE_FOLDED: ReadonlySet<number> = new Set();
/** All of a story. */
export const WHOLE: RowChoice = {
  aspects: DEFAULT_ASPECTS,
  components: null,
  found: null,
  plumbing: false,
  folded: NONE_FOLDED,
  held: NONE_FOLDED,
  errors: false,
  changes: false,
};

/** What a glance tells in full; null where the body has to be read. */
export function wordsAtAGlance(glance: Glance, failed: boolean): Words | null {
  const whole = glance.form !== "json" && glance.size <= glance.text.length && glance.thought.length < glance.size;
  return whole ? { thought: glance.thought, said: glance.form === "thought" ? "" : glance.text, failed } : null;
}

/** What a record says, by its body where that is there; else as far as the glance tells. */
export function wordsIn(glance: Glance, failed: boolean, body: Body | undefined): Words {
  const seen = wordsAtAGlance(glance, failed);
  if (seen !== null) return seen;
  if (failed) return { thought: "", said: glance.text, failed };
  if (body === undefined)
    return { thought: glance.thought, said: glance.form === "thought" ? "" : `${glance.text} …`, failed };
  if (body.thought !== "") return { thought: body.thought, said: body.said ?? "", failed };
  const told =
    soleText(body.value) ?? (glance.form === "text" && glance.size <= glance.text.length ? glance.text : null);
  return { thought: "", said: told ?? `\`\`\`json\n${JSON.stringify(untyped(body.value), null, 2)}\n\`\`\``, failed };
}

export interface Section {
  seq: number;
  depth: number;
  title: string;
  text: string;
}

/** Records that a transcript tells in full, and those of which the beginning is enough: calls of tools. */
export function recordsOfTranscript(turns: Turns, story: Story): { whole: number[]; glanced: number[] } {
  const whole = new Set<number>();
  const glanced = new Set<number>();
  for (const turn of story.turns) {
    const start = turns.starts[turn] ?? NONE;
    whole.add(turns.asked[turn] === NONE || turns.kinds[turn] !== "invocation" ? start : (turns.asked[turn] ?? start));
    whole.add(turns.ends[turn] ?? NONE);
    for (const part of turns.partsOf(turn)) {
      if (part.kind === "tool") for (const seq of [part.seq, part.end]) glanced.add(seq);
      else if (part.kind === "model") whole.add(part.end);
      else if (part.kind !== "turn") whole.add(part.seq);
    }
  }
  whole.delete(NONE);
  glanced.delete(NONE);
  return { whole: [...whole], glanced: [...glanced] };
}

/** The sections of a transcript, one for each card. */
export function transcriptOf(
  turns: Turns,
  outline: Outline,
  story: Story,
  words: (seq: number) => Words | undefined,
  glance: (seq: number) => string,
): Section[] {
  let last = "";
  return Array.from(story.turns, (turn) => {
    const start = turns.starts[turn] ?? 0;
    const lines = turns.kinds[turn] === "invocation" ? told(turn) : [words(start)?.said ?? ""];
    return {
      seq: start,
      depth: turns.depths[turn] ?? 0,
      title: titleOf(turn, start),
      text: lines.filter(Boolean).join("\n\n"),
    };
  });

  function titleOf(turn: number, start: number): string {
    const { who, to, verb } = tell(outline, start);
    const name = shortName(who);
    if (turns.kinds[turn] === "invocation") return name;
    return [name, to.length > 0 ? `→ ${to.map(shortName).join(", ")}` : "", verb].filter(Boolean).join(" ");
  }

  function told(turn: number): string[] {
    const lines: string[] = [];
    const asked = turns.asked[turn] ?? NONE;
    const question = asked === NONE ? "" : (words(asked)?.said ?? "");
    const from = asked !== NONE && outline.kind(asked) === "message_queued" ? shortName(outline.component(asked)) : "";
    if (question !== "" && question !== last) lines.push(quoted(`**${from ? `${from} asks` : "Asked"}:** ${question}`));
    const said = new Set<string>();
    for (const part of turns.partsOf(turn)) lines.push(...ofPart(part, said));
    const end = turns.ends[turn] ?? NONE;
    const answer = end === NONE ? undefined : words(end);
    if (answer !== undefined && answer.said !== "" && !said.has(answer.said)) {
      lines.push(answer.failed ? `**Failed:** ${answer.said}` : answer.said);
      last = answer.said;
    }
    return lines;
  }

  function ofPart(part: Part, said: Set<string>): string[] {
    const own = words(part.kind === "model" ? part.end : part.seq);
    switch (part.kind) {
      case "turn":
        return [];
      case "tool": {
        const failed = part.end !== NONE && outline.has(part.end, "failed");
        const result = part.end === NONE ? "did not come back" : glance(part.end) || "nothing";
        return [
          `- \`${coded(`${lastPart(part.seq)} ${glance(part.seq)}`)}\` → ${failed ? "**failed:** " : ""}${result}`,
        ];
      }
      case "said":
        if (own === undefined || own.said === "" || said.has(own.said)) return [];
        said.add(own.said);
        last = own.said;
        return [own.said];
      case "note":
        return own === undefined ? [] : [thoughtOf(own.thought || own.said)];
      default: {
        if (own === undefined) return [];
        const lines = own.thought === "" ? [] : [thoughtOf(own.thought)];
        return own.failed ? [...lines, `**Failed:** ${own.said}`] : lines;
      }
    }
  }

  function lastPart(seq: number): string {
    const path = outline.component(seq);
    return path.slice(path.lastIndexOf("/") + 1);
  }
}

/** The sections as one text. */
export function markdownOf(title: string, sections: readonly Section[]): string {
  const parts = sections.map(
    ({ seq, depth, title: name, text }) => `${"#".repeat(Math.min(6, 2 + depth))} ${name} (#${seq})\n\n${text}`,
  );
  return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

function thoughtOf(text: string): string {
  return text === "" ? "" : quoted(text);
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function coded(text: string): string {
  return text.replaceAll("`", "'").trim();
}
