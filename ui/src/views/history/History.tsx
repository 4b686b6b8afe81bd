/** The history: what happened in the run, as a story of turns, as calls, or record by record. */

import { Button } from "@mantine/core";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import type { Explanation, Hold, Passage } from "@/api/schema";
import { Empty } from "@/kit/Empty";
import { NONE, type Outline } from "@/model/outline";
import { clockOf, speaks } from "@/model/rows";
import { tell } from "@/model/telling";
import { spellingsOf } from "@/model/spellings";
import { cardOf, hitsOf, type Turns } from "@/model/turns";
import { useFindings } from "@/state/annotations";
import { useExplanation } from "@/state/explanation";
import { usePrefs } from "@/state/prefs";
import { useFound } from "@/state/search";
import { useDensity } from "@/state/density";
import { useTurns } from "@/state/turns";
import { Row } from "@/views/records/Row";
import { Card, LOOKED_AT } from "@/views/story/Card";
import type { Wrong } from "@/views/story/parts";
import { recordsOfCard } from "@/views/story/told";
import { Minimap, SCROLLED } from "@/views/overview/Minimap";
import { useWorkspace } from "@/views/workspace/context";
import { useOpen } from "@/views/workspace/docking";

import { Filters } from "./Filters";
import { placeOfPart, useHighlights, useWrongMarked } from "./highlights";
import classes from "./History.module.css";
import { type Lines, useLines } from "./lines";
import { type Held, List, type ListHandle } from "./List";
import { RecordMenu, type MenuAt } from "./RecordMenu";
import { DENSITY_NAMES, useReadingKeys } from "./reading";

const SHORT = 29;
const TALL = 62;
const SLIM = 58;

/** `focused`: the keyboard is here as soon as there are lines, unless it is somewhere else by then. */
export function History({ focused }: { focused: boolean }) {
  const { id, run, view, place, select, go, sight } = useWorkspace();
  const { outline } = view;
  const density = useDensity();
  const [folded, setFolded] = useState<ReadonlySet<number>>(NOTHING);
  const [opened, setOpened] = useState<ReadonlySet<number>>(NOTHING);
  const search = useFound(id, place.q, place.first === true, view.info?.records ?? 0);
  const held = useHeld(view.info?.held);
  const { turns, hues } = useTurns(outline);
  const lines = useLines(outline, turns, place, density, folded, search.found, held);
  const findings = useFindings(id);
  const list = useRef<ListHandle>(null);
  const frame = useRef<HTMLDivElement>(null);
  const looked = useRef<Held | null>(null);
  const [menu, setMenu] = useState<MenuAt | null>(null);
  const live = view.info?.live ?? false;
  useReadingKeys(turns);
  const sought = useMemo(() => (place.q === undefined ? NO_TEXTS : spellingsOf(place.q)), [place.q]);
  useHighlights(frame, sought);

  const empty = lines.length === 0;
  useEffect(() => {
    if (focused && !empty && document.activeElement === document.body) list.current?.focus();
  }, [focused, empty]);

  const onShown = useCallback(
    (first: number, last: number) => {
      const wanted: number[] = [];
      for (let line = first; line <= last; line++) wanted.push(...wantedOf(lines, turns, line));
      run.want(wanted);
      if (lines.story !== null) run.wantGists(wanted);
    },
    [lines, turns, run],
  );

  const onSight = useCallback(
    (first: number, last: number) => {
      const from = lines.seqAt(first);
      const upto = last + 1 < lines.length ? lines.seqAt(last + 1) - 1 : outline.length - 1;
      sight.report(from, Math.max(from, lines.seqAt(last), upto));
    },
    [lines, outline, sight],
  );
  useEffect(
    () =>
      sight.attach({
        seek: (seq) => list.current?.seek(seq),
        reveal: (seq) => list.current?.reveal(seq),
        scroll: (by, unit) => list.current?.scroll(by, unit),
      }),
    [sight],
  );

  // Who clicks on a record wants to see it: beside the list the details come to the front, unless that side is closed.
  const { side } = useOpen();
  const dock = usePrefs((prefs) => prefs.docks.inspector);
  const beside = side !== null && dock === "side";
  const onSelect = useCallback(
    (seq: number) =>
      go({ at: seq, component: undefined, mode: undefined, ...(beside && { side: "inspector" as const }) }),
    [go, beside],
  );
  const onReveal = useCallback(
    (seq: number) => {
      onSelect(seq);
      sight.reveal(seq);
    },
    [onSelect, sight],
  );
  const onFold = useCallback((seq: number) => setFolded((before) => toggled(before, seq)), []);
  const onOpen = useCallback((seq: number) => setOpened((before) => toggled(before, seq)), []);
  const onMenu = useCallback((seq: number, x: number, y: number) => setMenu({ seq, x, y }), []);

  const chosen = place.at === undefined ? NONE : lines.lineOf(place.at);
  const move = (to: number) => {
    const line = Math.max(0, Math.min(lines.length - 1, to));
    if (lines.length === 0) return;
    select(lines.seqAt(line));
    list.current?.show(line);
  };
  /** To the next part of a card, or the one before. */
  const movePart = (turn: number, back: boolean) => {
    const seqs = [turns.starts[turn] ?? NONE, ...turns.partsOf(turn).map(({ seq }) => seq), turns.ends[turn] ?? NONE];
    const at = seqs.indexOf(place.at ?? NONE);
    const to = seqs[Math.max(0, at + (back ? -1 : 1))] ?? NONE;
    if (to !== NONE) select(to);
  };
  const parentOf = (line: number): number => {
    if (lines.story === null) return outline.reference(lines.seqAt(line), "parent");
    const parent = turns.parents[lines.story.turns[line] ?? NONE] ?? NONE;
    return parent === NONE ? NONE : (turns.starts[parent] ?? NONE);
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
    if (event.shiftKey && lines.story !== null && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      if (chosen !== NONE) movePart(lines.story.turns[chosen] ?? NONE, event.key === "ArrowUp");
      return;
    }
    const page = list.current?.page() ?? 1;
    const steps: { [key: string]: number } = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + page,
      PageUp: chosen - page,
      Home: 0,
      End: lines.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      move(to);
      return;
    }
    if (chosen === NONE) return;
    const seq = lines.seqAt(chosen);
    const story = lines.story !== null;
    const opens = outline.kind(seq) === "invocation_started";
    if (story && event.key === " ") onOpen(seq);
    else if (story && event.key === "ArrowRight" && !opened.has(seq)) onOpen(seq);
    else if (story && event.key === "ArrowLeft" && opened.has(seq)) onOpen(seq);
    else if (event.key === "ArrowRight" && opens && folded.has(seq)) onFold(seq);
    else if (event.key === "ArrowLeft" && !story && opens && !folded.has(seq)) onFold(seq);
    else if (event.key === "ArrowLeft") {
      const parent = parentOf(chosen);
      if (parent !== NONE) move(lines.lineOf(parent));
    } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey) || event.key === "Enter") {
      const at = document.getElementById(`row-${seq}`)?.getBoundingClientRect();
      const top = frame.current?.getBoundingClientRect();
      const y = Math.min(at?.bottom ?? 200, top?.bottom ?? 200);
      setMenu({
        seq: place.at !== undefined && lines.tells(chosen, place.at) ? place.at : seq,
        x: (at?.left ?? 80) + 120,
        y,
      });
    } else return;
    event.preventDefault();
  };

  const time = view.info?.timed === false ? () => Number.NaN : clockOf(outline, view.info?.cut ?? null);
  const byCard = useMemo(
    () => passagesByCard(turns, outline, lines, search.passages),
    [turns, outline, lines, search.passages],
  );
  const heldCards = useMemo(
    () => (lines.story === null ? NOTHING : new Set([...held].map((seq) => cardOf(turns, outline, seq)))),
    [lines, held, turns, outline],
  );
  const foundIn = useMemo(() => {
    const found = new Map<number, string>();
    if (lines.story !== null) for (const [seq, text] of findings) found.set(cardOf(turns, outline, seq), text);
    return found;
  }, [lines, findings, turns, outline]);

  const explained = useExplanation(view.info);
  const wrongBy = useMemo(() => wrongByCard(turns, outline, lines, explained), [turns, outline, lines, explained]);
  useWrongMarked(frame, wrongBy.size > 0);

  const drawCard = (line: number) => {
    const turn = lines.story?.turns[line] ?? NONE;
    const start = turns.starts[turn] ?? 0;
    const before = line > 0 ? (lines.story?.turns[line - 1] ?? NONE) : NONE;
    const asked = turns.asked[turn] ?? NONE;
    const inside = (turns.partsOf(turn) ?? []).some(({ kind }) => kind === "turn");
    return (
      <Card
        run={run}
        outline={outline}
        turns={turns}
        turn={turn}
        stamp={stampOf(turns, turn)}
        index={line}
        live={live}
        at={place.at !== undefined && lines.tells(line, place.at) ? place.at : undefined}
        held={heldCards.has(turn)}
        finding={foundIn.get(turn) ?? null}
        hue={hues.of(outline.component(start))}
        open={opened.has(start)}
        fold={inside ? (folded.has(start) ? "folded" : "open") : null}
        follows={before !== NONE && asked !== NONE && asked !== start && repeatsAsked(turns, outline, before, asked)}
        passages={byCard.get(turn) ?? NO_PASSAGES}
        wrong={wrongBy.get(turn) ?? NOT_WRONG}
        onSelect={onSelect}
        onReveal={onReveal}
        onOpen={onOpen}
        onFold={onFold}
        onMenu={onMenu}
      />
    );
  };

  const drawRow = (line: number) => {
    const seq = lines.seqAt(line);
    const starts = outline.kind(seq) === "invocation_started";
    const end = density === "calls" && starts ? turns.end(seq) : NONE;
    const failed = outline.has(seq, "failed") || (end !== NONE && outline.has(end, "failed"));
    const errors = starts && !failed && (folded.has(seq) || density === "calls") ? turns.errorsOf(seq) : 0;
    return (
      <Row
        run={run}
        id={`row-${seq}`}
        index={line}
        seq={seq}
        depth={lines.rows?.depths[line] ?? 0}
        tall={speaks(outline, seq) || (end !== NONE && !outline.has(end, "empty"))}
        told={told(outline, seq, lines.rows?.counts[line] ?? 1, end)}
        end={end}
        errors={errors}
        hue={hues.of(outline.component(seq))}
        time={end === NONE ? time(seq) : time(end) - time(seq)}
        selected={line === chosen && place.at !== undefined && lines.tells(line, place.at)}
        held={held.has(seq)}
        finding={findings.get(seq) ?? (end === NONE ? null : (findings.get(end) ?? null))}
        fold={starts ? (folded.has(seq) ? "folded" : "open") : null}
        passage={search.passages.get(seq) ?? (end === NONE ? null : (search.passages.get(end) ?? null))}
        onSelect={onSelect}
        onFold={onFold}
        onMenu={onMenu}
      />
    );
  };

  const placeIn = (seq: number): number | null => {
    const row = document.getElementById(`row-${lines.seqAt(lines.lineOf(seq))}`);
    if (row === null) return null;
    const wrong = wrongBy.get(cardOf(turns, outline, seq)) ?? NOT_WRONG;
    return placeOfPart(row, seq, [...sought, ...wrong.filter((one) => one.seq === seq).map(({ said }) => said)]);
  };

  const estimate = (line: number) => {
    const seq = lines.seqAt(line);
    if (lines.story === null) {
      const end = density === "calls" ? turns.end(seq) : NONE;
      return speaks(outline, seq) || (end !== NONE && !outline.has(end, "empty")) ? TALL : SHORT;
    }
    const turn = lines.story.turns[line] ?? NONE;
    if (turns.kinds[turn] !== "invocation") return SLIM;
    return 90 + 22 * Math.min(7, turns.partsOf(turn).length);
  };

  return (
    <>
      <Filters
        lines={lines}
        search={search}
        onFoldAll={setFolded}
        folded={folded}
        opened={opened}
        onOpenAll={setOpened}
      />
      <div className={classes["beside"]}>
        <div className={classes["frame"]} ref={frame} id={SCROLLED}>
          {empty ? (
            <NoRows loading={search.loading} />
          ) : (
            <List
              ref={list}
              name={DENSITY_NAMES[density]}
              lines={lines}
              expected={view.info?.records ?? 0}
              live={live}
              at={place.at}
              estimate={estimate}
              thing={density === "story" ? "turn" : density === "calls" ? "call" : "record"}
              onKeyDown={onKeyDown}
              onShown={onShown}
              onSight={onSight}
              line={density === "story" ? drawCard : drawRow}
              placeIn={placeIn}
              memory={looked}
            />
          )}
        </div>
        <Minimap />
      </div>
      <RecordMenu at={menu} onClose={() => setMenu(null)} />
    </>
  );
}

function NoRows({ loading }: { loading: boolean }) {
  const { view, go } = useWorkspace();
  if (view.outline.length === 0)
    return <Empty title="Nothing has happened yet">Records appear here as the program runs.</Empty>;
  if (loading) return <Empty title="Searching…" />;
  return (
    <Empty title="No record fits">
      <Button
        variant="default"
        mt={6}
        onClick={() => go({ q: undefined, kinds: undefined, only: undefined, plumbing: undefined, show: undefined })}
      >
        Show all records
      </Button>
    </Empty>
  );
}

const NOTHING: ReadonlySet<number> = new Set();
const NO_PASSAGES: readonly Passage[] = [];
const NO_TEXTS: readonly string[] = [];
const NOT_WRONG: readonly Wrong[] = [];

function toggled(before: ReadonlySet<number>, seq: number): ReadonlySet<number> {
  const after = new Set(before);
  if (!after.delete(seq)) after.add(seq);
  return after;
}

/** The records that a line looks at. */
function wantedOf(lines: Lines, turns: Turns, line: number): number[] {
  if (lines.story !== null) return recordsOfCard(turns, lines.story.turns[line] ?? NONE, LOOKED_AT);
  const seq = lines.seqAt(line);
  const end = lines.density === "calls" ? turns.end(seq) : NONE;
  return end === NONE ? [seq] : [seq, end];
}

/** Changes with everything that the outline says of a turn. */
function stampOf(turns: Turns, turn: number): string {
  const parts = turns.partsOf(turn);
  let ended = 0;
  for (const part of parts) if (part.end !== NONE) ended += part.end - part.seq + 1;
  const start = turns.starts[turn] ?? 0;
  return `${parts.length} ${ended} ${turns.ends[turn]} ${turns.errorsOf(start)} ${turns.changed[turn]} ${turns.handed[turn]} ${turns.asked[turn]}`;
}

/** Whether the card of a turn ends with what the next one was asked. */
function repeatsAsked(turns: Turns, outline: Outline, before: number, asked: number): boolean {
  if (turns.starts[before] === asked) return true;
  if (outline.kind(asked) !== "message_queued") return turns.kinds[before] === "begin";
  const last = turns.partsOf(before).findLast(({ kind }) => kind === "said");
  if (last !== undefined) return asked >= last.seq && asked <= last.end;
  return turns.kinds[before] === "begin" && outline.component(asked) === "user";
}

function passagesByCard(
  turns: Turns,
  outline: Outline,
  lines: Lines,
  passages: ReadonlyMap<number, Passage>,
): ReadonlyMap<number, Passage[]> {
  const found = new Map<number, Passage[]>();
  if (lines.story === null) return found;
  for (const seq of hitsOf(turns, outline, passages.keys())) {
    const turn = cardOf(turns, outline, seq);
    const passage = passages.get(seq);
    if (passage === undefined) continue;
    const known = found.get(turn);
    if (known) known.push(passage);
    else found.set(turn, [passage]);
  }
  return found;
}

/** Where the cards of a story say what came out wrong. */
function wrongByCard(
  turns: Turns,
  outline: Outline,
  lines: Lines,
  explained: Explanation | null,
): ReadonlyMap<number, Wrong[]> {
  const found = new Map<number, Wrong[]>();
  if (lines.story === null) return found;
  for (const { seq, says, match } of explained?.path ?? []) {
    if (!says || match === null || seq >= outline.length) continue;
    const turn = cardOf(turns, outline, seq);
    found.set(turn, [...(found.get(turn) ?? []), { seq, ...match }]);
  }
  return found;
}

/** The records of what is held; the same set as long as the same is held. */
function useHeld(holds: readonly Hold[] | undefined): ReadonlySet<number> {
  const key = (holds ?? []).map((hold) => hold.invocation ?? hold.message ?? "").join();
  return useMemo(
    () => (key.replaceAll(",", "") === "" ? NOTHING : new Set(key.split(",").filter(Boolean).map(Number))),
    [key],
  );
}

const kept = new WeakMap<object, { version: number; told: Map<string, ReturnType<typeof tell>> }>();

/** What a row says, the same object as long as nothing has changed, so that rows that scroll are not drawn anew. */
function told(outline: Outline, seq: number, of: number, end: number): ReturnType<typeof tell> {
  let known = kept.get(outline);
  if (known === undefined || known.told.size > 5000) kept.set(outline, (known = { version: 0, told: new Map() }));
  const key = `${seq}/${of}/${end}/${outline.length > seq + of ? "" : outline.version}`;
  let found = known.told.get(key);
  if (found === undefined) {
    found = tell(outline, seq, of);
    if (end !== NONE) {
      const marks = [...new Set([...found.marks, ...tell(outline, end).marks])];
      found = { ...found, verb: outline.has(end, "failed") ? "failed" : "", marks };
    }
    known.told.set(key, found);
  }
  return found;
}
