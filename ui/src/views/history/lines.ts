/** What the history lists, whatever its density: lines with a record each, and the line that tells of any record. */

import { useCallback, useMemo } from "react";

import { NONE, type Outline } from "@/model/outline";
import { DEFAULT_ASPECTS, type RowChoice } from "@/model/row-choice";
import { rowAt, type Rows, rowsOf, showsAt } from "@/model/rows";
import { cardOf, placeOf, type Story, storyOf, type Turns } from "@/model/turns";
import { useOfOutline } from "@/state/following";
import { aspectsOf, type Density, type Place } from "@/state/place";

export interface Lines {
  density: Density;
  length: number;
  /** How many records they were made of. */
  records: number;
  /** How many records or turns are left out as plumbing. */
  plumbing: number;
  /** What they were chosen by: another choice is another list, and more records are not. */
  choice: RowChoice;
  rows: Rows | null;
  story: Story | null;
  /** The record of a line. */
  seqAt: (line: number) => number;
  /** The line that tells of a record, or the last one before it. */
  lineOf: (seq: number) => number;
  /** Whether a line tells of exactly this record. */
  tells: (line: number, seq: number) => boolean;
}

export function useLines(
  outline: Outline,
  turns: Turns,
  place: Place,
  density: Density,
  folded: ReadonlySet<number>,
  found: ReadonlySet<number> | null,
  held: ReadonlySet<number>,
): Lines {
  const { kinds, only, plumbing, show } = place;
  const choice = useMemo<RowChoice>(
    () => ({
      aspects: (kinds === undefined ? null : aspectsOf({ kinds })) ?? DEFAULT_ASPECTS,
      components: only === undefined ? null : new Set(only.split(",")),
      found,
      plumbing: plumbing === true,
      folded,
      held,
      errors: show === "errors",
      changes: show === "changes",
    }),
    [kinds, only, plumbing, show, folded, found, held],
  );
  const make = useCallback(
    (of: Outline) => (density === "story" ? linesOfStory(of, turns, choice) : linesOfRows(of, turns, choice, density)),
    [choice, density, turns],
  );
  return useOfOutline(outline, make);
}

function linesOfStory(outline: Outline, turns: Turns, choice: RowChoice): Lines {
  turns.update(outline);
  const story = storyOf(turns, outline, choice);
  return {
    density: "story",
    length: story.length,
    records: story.records,
    plumbing: story.plumbing,
    choice,
    rows: null,
    story,
    seqAt: (line) => turns.starts[story.turns[line] ?? NONE] ?? 0,
    lineOf: (seq) => placeOf(story, turns, outline, seq),
    tells: (line, seq) => {
      const turn = cardOf(turns, outline, seq);
      return turn !== NONE && story.turns[line] === turn;
    },
  };
}

function linesOfRows(outline: Outline, turns: Turns, choice: RowChoice, density: Density): Lines {
  turns.update(outline);
  const calls = density === "calls";
  const rows = rowsOf(outline, choice, turns, calls);
  const startOf = (seq: number) =>
    calls && outline.kind(seq) === "invocation_ended" ? Math.max(outline.reference(seq, "invocation"), 0) : seq;
  return {
    density,
    length: rows.length,
    records: rows.records,
    plumbing: rows.plumbing,
    choice,
    rows,
    story: null,
    seqAt: (line) => rows.seqs[line] ?? 0,
    lineOf: (seq) => rowAt(rows, startOf(seq)),
    tells: (line, seq) => showsAt(rows, line, startOf(seq)),
  };
}
