/** The columns themselves: what is drawn, and what the pointer and the keyboard do to it. */

import { VisuallyHidden } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { count } from "@/kit/words";
import { useGestures } from "@/kit/canvas/gestures";
import { useInks } from "@/kit/canvas/inks";
import { whatOf, whoOf } from "@/kit/canvas/RecordTip";
import { Sheet, useSize } from "@/kit/canvas/Sheet";
import { NONE } from "@/model/outline";
import { type Column, type Legend, ownerAt, rowOfSeq, seqAt } from "@/model/overview";
import { type Bounds, fitted, limited, moved, pixelOf, showing, unitAt, type Viewport, zoomed } from "@/model/viewport";
import { useWorkspace } from "@/views/workspace/context";

import { drawOver, type Frame, GUTTER, heldRows, SIDE } from "./draw";
import { Foot, Head, RunTable } from "./ends";
import { paintColumns, type Slot } from "./paint";
import { SpotTip } from "./SpotTip";
import classes from "./Overview.module.css";

export interface Zoom {
  by: (factor: number) => void;
  fit: () => void;
}

/** A record of one of the columns. */
interface Spot {
  run: string;
  row: number;
}

const NARROWEST = 40;
const WIDEST = 132;
const TALLEST_ROW = 15;
const STEP = 1.6;

/** What was in view of a tree, for when another run of it is opened. */
interface Kept {
  tree: string;
  view: Viewport | null;
  scroll: number;
  focus: boolean;
}
let kept: Kept | null = null;

interface ColumnsProps {
  /** The first run of the tree. */
  tree: string;
  columns: readonly Column[];
  legend: Legend;
  only: ReadonlySet<string>;
  /** Hears how the picture can be zoomed. */
  onZoom: (zoom: Zoom) => void;
}

export function Columns({ tree, columns, legend, only, onZoom }: ColumnsProps) {
  const { id, view: followed, place, select } = useWorkspace();
  const inks = useInks();
  const navigate = useNavigate();
  const before = kept?.tree === tree ? kept : null;
  const [asked, setView] = useState<Viewport | null>(before?.view ?? null);
  const [scroll, setScroll] = useState(before?.scroll ?? 0);
  const [hover, setHover] = useState<{ spot: Spot; x: number; y: number } | null>(null);
  const [cursor, setCursor] = useState<Spot | null>(null);
  const [sizeRef, size] = useSize<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);

  const total = Math.max(1, ...columns.map(({ length }) => length));
  const bounds: Bounds = useMemo(
    () => ({ total, size: Math.max(1, size.height), most: TALLEST_ROW }),
    [total, size.height],
  );
  const view = useMemo(() => (asked === null ? fitted(bounds) : limited(asked, bounds)), [asked, bounds]);
  const pitch = Math.max(NARROWEST, Math.min(WIDEST, (size.width - GUTTER) / Math.max(1, columns.length)));
  const slots = useMemo<Slot[]>(
    () =>
      columns.map((column, n) => {
        const left = Math.round(GUTTER + n * pitch - scroll);
        return { column, left: left + SIDE, right: Math.round(left + pitch - SIDE) };
      }),
    [columns, pitch, scroll],
  );
  const current = columns.find(({ run }) => run === id);
  const selected = place.at === undefined || current === undefined ? NONE : rowOfSeq(current, place.at);
  const at: Spot | null = cursor ?? (selected === NONE ? null : { run: id, row: selected });

  // -- what is in view

  const change = useCallback(
    (to: (view: Viewport, bounds: Bounds) => Viewport) => setView((now) => to(now ?? fitted(bounds), bounds)),
    [bounds],
  );
  const zoomBy = useCallback(
    (factor: number, around = bounds.size / 2) => change((view, bounds) => zoomed(view, bounds, factor, around)),
    [change, bounds],
  );
  useEffect(() => onZoom({ by: (factor) => zoomBy(factor), fit: () => setView(null) }), [onZoom, zoomBy]);
  useEffect(() => {
    kept = { tree, view: asked, scroll, focus: kept?.tree === tree && kept.focus };
  }, [tree, asked, scroll]);
  useEffect(() => {
    if (kept?.focus) stage.current?.focus({ preventScroll: true });
    if (frame.current && kept) frame.current.scrollLeft = kept.scroll;
    if (kept) kept.focus = false;
  }, []);
  useEffect(() => {
    if (selected !== NONE) setView((now) => (now === null ? now : showing(now, bounds, selected)));
    // Only another selection moves the picture.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [place.at, selected === NONE]);
  useEffect(() => setCursor(null), [place.at]);

  // -- records

  const columnOf = (run: string) => columns.find((column) => column.run === run);
  const spotAt = (x: number, y: number): Spot | null => {
    const slot = slots.find(({ left, right }) => x >= left - SIDE && x < right + SIDE);
    if (!slot) return null;
    const row = Math.floor(unitAt(view, y));
    return row >= 0 && row < slot.column.length ? { run: slot.column.run, row } : null;
  };
  const open = (spot: Spot) => {
    const column = columnOf(spot.run);
    const seq = column === undefined ? NONE : seqAt(column, spot.row);
    if (seq === NONE) return;
    if (spot.run === id) {
      select(seq);
      return;
    }
    if (kept) kept.focus = document.activeElement === stage.current;
    void navigate({
      to: "/runs/$run",
      params: { run: spot.run },
      search: (before) => ({ ...before, at: seq, component: undefined }) as never,
    });
  };
  const go = (run: string, row: number) => {
    const column = columnOf(run);
    if (!column || column.length === 0) return;
    const to = { run, row: Math.max(0, Math.min(column.length - 1, row)) };
    change((view, bounds) => (asked === null ? view : showing(view, bounds, to.row)));
    const n = columns.indexOf(column);
    const scroller = frame.current;
    if (scroller) {
      const left = GUTTER + n * pitch;
      if (left < scroller.scrollLeft) scroller.scrollLeft = left - GUTTER;
      if (left + pitch > scroller.scrollLeft + size.width) scroller.scrollLeft = left + pitch - size.width;
    }
    if (run === id) open(to);
    else setCursor(to);
  };

  // -- gestures

  const gestures = useGestures<HTMLDivElement>({
    onPoint: (point) => {
      const spot = point && spotAt(point.x, point.y);
      const box = stage.current?.getBoundingClientRect();
      setHover(spot && point && box ? { spot, x: point.x + box.left, y: point.y + box.top } : null);
    },
    onClick: (x, y) => {
      const spot = spotAt(x, y);
      if (spot) open(spot);
    },
    onDrag: (dx, dy) => {
      change((view, bounds) => moved(view, bounds, -dy));
      if (frame.current) frame.current.scrollLeft -= dx;
    },
    onScroll: (dx, dy) => {
      setHover(null);
      if (frame.current) frame.current.scrollLeft += dx;
      const next = moved(view, bounds, dy);
      if (next.from !== view.from) setView(next);
      return next.from !== view.from || dx !== 0;
    },
    onZoom: (factor, _, y) => zoomBy(factor, y),
  });
  const stageRef = useMergedRef(stage, sizeRef, gestures);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(size.height / view.scale) - 1);
    const from: Spot = at ?? { run: id, row: -1 };
    const here = columns.findIndex(({ run }) => run === from.run);
    const beside = (by: number) => columns[here + by]?.run;
    const moves: { [key: string]: () => void } = {
      ArrowDown: () => go(from.run, from.row + 1),
      ArrowUp: () => go(from.run, from.row - 1),
      PageDown: () => go(from.run, from.row + page),
      PageUp: () => go(from.run, from.row - page),
      Home: () => go(from.run, 0),
      End: () => go(from.run, Number.MAX_SAFE_INTEGER),
      ArrowLeft: () => go(beside(-1) ?? from.run, from.row),
      ArrowRight: () => go(beside(1) ?? from.run, from.row),
      Enter: () => at && open(at),
      "+": () => zoomBy(STEP),
      "=": () => zoomBy(STEP),
      "-": () => zoomBy(1 / STEP),
      "0": () => setView(null),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  };

  // -- drawing

  const paint = useCallback(
    (pixels: Parameters<typeof paintColumns>[0], ratio: number) =>
      paintColumns(pixels, ratio, { slots, legend, only, inks, view }),
    [slots, legend, only, inks, view],
  );
  const held = followed.info?.held;
  const over = useCallback(
    (context: CanvasRenderingContext2D) => {
      const frames: Frame[] = [];
      if (hover) frames.push({ ...hover.spot, ink: inks.quiet, line: 1 });
      if (selected !== NONE) frames.push({ run: id, row: selected, ink: inks.text, line: 2 });
      if (cursor) frames.push({ ...cursor, ink: inks.primary, line: 2 });
      drawOver(context, { slots, run: id, held: heldRows(held, current), frames, inks, view, height: size.height });
    },
    [inks, view, slots, size.height, current, held, hover, selected, cursor, id],
  );

  const tipSpot = hover?.spot ?? cursor;
  const said = at === null ? "" : sayingOf(columnOf(at.run), at.row);
  return (
    <div ref={frame} className={classes["frame"]} onScroll={({ currentTarget }) => setScroll(currentTarget.scrollLeft)}>
      <div className={classes["content"]} style={{ minWidth: GUTTER + columns.length * pitch }}>
        <div className={classes["heads"]}>
          {columns.map(({ run }, n) => (
            <Head key={run} run={run} current={run === id} left={GUTTER + n * pitch} width={pitch} />
          ))}
        </div>
        <div
          ref={stageRef}
          className={classes["stage"]}
          role="application"
          aria-roledescription="overview"
          aria-label={`${count(columns.length, "run")}, one column each. Arrow keys move among records, Enter opens.`}
          // It is moved in by keys of its own.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          onKeyDown={onKeyDown}
          onBlur={() => setCursor(null)}
        >
          <Sheet size={size} paint={paint} over={over} />
          {columns.length === 1 && followed.info?.imported === false && size.width > 420 && (
            <div className={`quiet ${classes["alone"]}`} style={{ left: GUTTER + pitch + 12 }}>
              Fork this run at any of its records, with a change or without: the fork comes here as a column beside it.
            </div>
          )}
        </div>
        <div className={classes["feet"]}>
          {columns.map(({ run }, n) => (
            <Foot
              key={run}
              run={run}
              status={run === id ? followed.info?.status : undefined}
              left={GUTTER + n * pitch}
              width={pitch}
            />
          ))}
        </div>
      </div>
      <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>
      <VisuallyHidden>
        <RunTable columns={columns} current={id} selected={place.at} />
      </VisuallyHidden>
      {tipSpot && (
        <SpotTip
          column={columnOf(tipSpot.run)}
          row={tipSpot.row}
          point={hover ?? pointOf(tipSpot, slots, view, stage.current)}
        />
      )}
    </div>
  );
}

function pointOf(spot: Spot, slots: readonly Slot[], view: Viewport, stage: HTMLElement | null) {
  const slot = slots.find(({ column }) => column.run === spot.run);
  const box = stage?.getBoundingClientRect();
  return slot && box ? { x: box.left + slot.right - 8, y: box.top + pixelOf(view, spot.row + 0.5) - 8 } : null;
}

function sayingOf(column: Column | undefined, row: number): string {
  const seq = column === undefined ? NONE : seqAt(column, row);
  if (column === undefined || seq === NONE) return "";
  const owner = ownerAt(column, row);
  const at = seq - owner.base;
  const told = [whoOf(owner.outline, at), whatOf(owner.outline, at)].filter((part) => part !== "");
  return `${column.run}, record ${seq}: ${told.join(", ")}`;
}
