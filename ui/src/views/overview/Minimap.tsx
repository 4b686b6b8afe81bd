/**
 * The slim picture beside the story: the run and its forks as columns, which part is in sight, what is selected, errors,
 * what a search has found, and the path to a wrong answer.  A click scrolls the story there.
 */

import { ActionIcon, Tooltip } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import { IconLayoutColumns } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";

import { useGestures } from "@/kit/canvas/gestures";
import { useInks } from "@/kit/canvas/inks";
import { Sheet, useSize } from "@/kit/canvas/Sheet";
import { nearest, placeOf, rowAtPixel, rowsOf, wholeOf, widthOf } from "@/model/minimap";
import { NONE } from "@/model/outline";
import { type Column, rowOfSeq, seqAt } from "@/model/overview";
import { isWrong, useExplanation } from "@/state/explanation";
import { usePrefs } from "@/state/prefs";
import { useFound } from "@/state/search";
import { useSight } from "@/state/sight";
import { useWorkspace } from "@/views/workspace/context";

import { heldRows } from "./draw";
import { drawMarks } from "./marks";
import { FollowLive } from "./outlines";
import classes from "./Minimap.module.css";
import { paintColumns, type Slot } from "./paint";
import { SpotTip } from "./SpotTip";
import { useTree } from "./tree";

const ALL: ReadonlySet<string> = new Set();
const NOWHERE: readonly number[] = [];

/** What the scroll bar that this is belongs to. */
export const SCROLLED = "story";

/** How far a key scrolls, in windows. */
const PAGES: { [key: string]: number } = { ArrowDown: 0.25, ArrowUp: -0.25, PageDown: 0.9, PageUp: -0.9 };

interface Pointed {
  column: Column;
  row: number;
  x: number;
  y: number;
}

export function Minimap() {
  const { id, view, place, go, sight } = useWorkspace();
  const navigate = useNavigate();
  const inks = useInks();
  const colouring = usePrefs((prefs) => prefs.colouring);
  const { columns: all, legend, followed } = useTree(colouring, false);
  const columns = useMemo(() => nearest(all, id), [all, id]);
  const [sizeRef, size] = useSize<HTMLDivElement>();
  const stage = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const seen = useSight(sight);

  const total = Math.max(1, ...columns.map(({ length }) => length));
  const whole = useMemo(() => wholeOf(total, size.height), [total, size.height]);
  const slots = useMemo<Slot[]>(
    () => columns.map((column, n) => ({ column, ...placeOf(n, columns.length) })),
    [columns],
  );
  const own = slots.find(({ column }) => column.run === id);
  const current = own?.column;

  // -- what is marked

  const search = useFound(id, place.q, place.first === true, view.info?.records ?? 0);
  const found = useMemo(
    () => (current === undefined ? null : rowsOf(current, search.found ?? NOWHERE)),
    [current, search.found],
  );
  const chain = usePathToAnswer();
  const path = useMemo(() => (current === undefined ? null : rowsOf(current, chain)), [current, chain]);
  const selected = place.at === undefined || current === undefined ? NONE : rowOfSeq(current, place.at);
  const held = view.info?.held;
  const [first, last] = seen ?? [NONE, NONE];
  const top = current === undefined || first === NONE ? NONE : Math.max(0, rowOfSeq(current, first));
  const bottom = current === undefined || last === NONE ? NONE : rowOfSeq(current, last);

  // -- going there

  const spotAt = (x: number, y: number): Omit<Pointed, "x" | "y"> | null => {
    const slot = slots.findLast(({ left }) => x >= left - 2) ?? slots[0];
    if (slot === undefined || slot.column.length === 0) return null;
    return { column: slot.column, row: rowAtPixel(whole, y, slot.column) };
  };
  const seek = (row: number) => {
    const seq = current === undefined ? NONE : seqAt(current, Math.max(0, Math.min(current.length - 1, row)));
    if (seq !== NONE) sight.seek(seq);
  };
  const dragged = useRef<number | null>(null);
  const gestures = useGestures<HTMLDivElement>({
    onPoint: (point) => {
      dragged.current = point?.y ?? dragged.current;
      const spot = point && spotAt(point.x, point.y);
      const box = stage.current?.getBoundingClientRect();
      setPointed(spot && point && box ? { ...spot, x: box.left, y: box.top + point.y } : null);
    },
    onClick: (x, y) => {
      const spot = spotAt(x, y);
      if (spot === null) return;
      if (spot.column.run === id) {
        seek(spot.row);
        return;
      }
      const at = seqAt(spot.column, spot.row);
      void navigate({
        to: "/runs/$run",
        params: { run: spot.column.run },
        search: (before) => ({ ...before, at, component: undefined }) as never,
      });
    },
    onDrag: (_, dy) => {
      if (current === undefined || dragged.current === null) return;
      dragged.current += dy;
      seek(rowAtPixel(whole, dragged.current, current));
    },
    onScroll: (_, dy) => {
      sight.scroll(dy, "pixels");
      return true;
    },
    onZoom: () => undefined,
  });
  const stageRef = useMergedRef(stage, sizeRef, gestures);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || current === undefined) return;
    const ends: { [key: string]: number } = { Home: 0, End: current.length - 1 };
    const [to, pages] = [ends[event.key], PAGES[event.key]];
    if (to === undefined && pages === undefined) return;
    event.preventDefault();
    if (to !== undefined) seek(to);
    // By what is seen, and not by records: a card may be higher than the window.
    else sight.scroll(pages ?? 0, "windows");
  };

  // -- drawing

  const paint = useCallback(
    (pixels: Parameters<typeof paintColumns>[0], ratio: number) =>
      paintColumns(pixels, ratio, { slots, legend, only: ALL, inks, view: whole, solid: true }),
    [slots, legend, inks, whole],
  );
  const over = useCallback(
    (context: CanvasRenderingContext2D) =>
      drawMarks(context, {
        slots,
        own,
        inks,
        view: whole,
        size,
        sight: top === NONE ? null : [top, bottom + 1],
        selected,
        found,
        path,
        held: heldRows(held, current),
      }),
    [slots, own, inks, whole, size, top, bottom, selected, found, path, held, current],
  );

  return (
    <div className={classes["minimap"]} style={{ width: Math.max(30, widthOf(columns.length)) }}>
      {followed.map((run) => (
        <FollowLive key={run} run={run} />
      ))}
      <Tooltip label="The overview, large (6)">
        <ActionIcon
          size="sm"
          aria-label="Open the overview large"
          className={classes["large"]}
          onClick={() => go({ full: "overview" })}
        >
          <IconLayoutColumns size={14} />
        </ActionIcon>
      </Tooltip>
      <div
        ref={stageRef}
        className={classes["stage"]}
        role="scrollbar"
        aria-orientation="vertical"
        aria-label="Where in the run"
        aria-controls={SCROLLED}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, (current?.length ?? 1) - 1)}
        aria-valuenow={Math.max(0, top)}
        aria-valuetext={first === NONE ? "nothing" : `records ${first} to ${last}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <Sheet size={size} paint={paint} over={over} />
      </div>
      {pointed && <SpotTip column={pointed.column} row={pointed.row} point={pointed} />}
    </div>
  );
}

/** The records of the path to a wrong answer, while that is shown. */
function usePathToAnswer(): readonly number[] {
  const { view, place } = useWorkspace();
  const { info } = view;
  const explanation = useExplanation(info);
  const shown = place.why === true && info !== null && isWrong(info);
  return useMemo(() => (shown ? (explanation?.path ?? []).map(({ seq }) => seq) : NOWHERE), [shown, explanation]);
}
