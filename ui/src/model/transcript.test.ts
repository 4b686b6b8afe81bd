import { expect, it } from "vitest";

import { DEFAULT_ASPECTS } from "./row-choice";
import { logOf } from "./testing";
import { markdownOf, recordsOfTranscript, transcriptOf } from "./transcript";
import { storyOf, Turns } from "./turns";

const log = logOf([
  { kind: "run_started", hash: "q" },
  { kind: "message_queued", component: "user", recipient: "a", hash: "q" },
  { kind: "invocation_started", call: "agent", component: "a", message: 1, hash: "q" },
  { kind: "invocation_started", call: "model", component: "a/model", parent: 2, hash: "p" },
  { kind: "invocation_ended", call: "model", component: "a/model", invocation: 3, parent: 2, hash: "o" },
  { kind: "invocation_started", call: "tool", component: "a/tools/look", parent: 2, hash: "i" },
  { kind: "invocation_ended", call: "tool", component: "a/tools/look", invocation: 5, parent: 2, hash: "r" },
  { kind: "message_queued", component: "a", recipient: "b", parent: 2, hash: "s" },
  { kind: "invocation_ended", call: "agent", component: "a", invocation: 2, hash: "s" },
]);
const turns = new Turns();
turns.update(log);
const story = storyOf(turns, log, {
  aspects: DEFAULT_ASPECTS,
  components: null,
  found: null,
  plumbing: false,
  folded: new Set(),
  held: new Set(),
  errors: false,
  changes: false,
});
const SAID: { [seq: number]: [string, string] } = {
  0: ["", "Why?"],
  1: ["", "Why?"],
  4: ["be brief", ""],
  7: ["", "So."],
  8: ["", "So."],
};

it("tells each turn once, with what was asked, thought, done and answered", () => {
  const words = (seq: number) => {
    const [thought, said] = SAID[seq] ?? ["", ""];
    return { thought, said, failed: false };
  };
  const sections = transcriptOf(turns, log, story, words, (seq) => (seq === 5 ? "x: 1" : "found"));
  expect(sections.map(({ text }) => text)).toEqual([
    "Why?",
    "> **user asks:** Why?\n\n> be brief\n\n- `look x: 1` → found\n\nSo.",
  ]);
  expect(markdownOf("r1", sections)).toContain("## a (#2)\n\n> **user asks:** Why?");
});

it("knows what it tells in full", () => {
  expect(recordsOfTranscript(turns, story)).toEqual({ whole: [0, 1, 8, 4, 7], glanced: [5, 6] });
});
