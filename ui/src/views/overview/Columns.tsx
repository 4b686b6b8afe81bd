/** The columns themselves: what is drawn, and what the pointer and the keyboard do to it. */

import { Anchor, Tooltip, VisuallyHidden } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { count } from "@/kit/words";
import { useGestures } from "@/kit/canvas/gestures";
import { useInks } from "@/kit/canvas/inks";
import { RecordTip, whatOf, whoOf } from "@/kit/canvas/RecordTip";
import { Sheet, useSize } from "@/kit/canvas/Sheet";
import { cssOf } from "@/model/colours";
import { runTitle } from "@/model/names";
import { NONE } from "@/model/outline";
import { type Column, type Legend, ownerAt, rowOfSeq, seqAt } from "@/model/overview";
import { type Bounds, fitted, limited, moved, pixelOf, showing, unitAt, type Viewport, zoomed } from "@/model/viewport";
import { useRuns } from "@/state/runs";
import { OutcomeMark, StatusMark } from "@/views/runs/marks";
import { useWorkspace } from "@/views/workspace/context";

import { drawSigns, paintColumns, type Slot } from "./paint";
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

const GUTTER = 46;
const NARROWEST = 40;
const WIDEST = 132;
/** Room at the sides of a column for its signs. */
const SIDE = 10;
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
  const { byId } = useRuns();
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
      const signs = { edited: cssOf(inks.edited), failed: cssOf(inks.failed) };
      const text = cssOf(inks.text);
      const y = (row: number) => pixelOf(view, row);
      if (current) drawNumbers(context, current, view, size.height, cssOf(inks.quiet), cssOf(inks.line), slots);
      for (const slot of slots) {
        drawSigns(context, slot, view, size.height, signs);
        if (slot.column.parent !== null) {
          context.strokeStyle = text;
          context.lineWidth = 2;
          context.beginPath();
          context.moveTo(slot.left - SIDE + 2, Math.max(1, y(slot.column.shared)));
          context.lineTo(slot.right + SIDE - 2, Math.max(1, y(slot.column.shared)));
          context.stroke();
        }
      }
      const frameOf = (spot: Spot, colour: string, line: number) => {
        const slot = slots.find(({ column }) => column.run === spot.run);
        if (!slot) return;
        const tall = Math.max(4, view.scale);
        const top = y(spot.row + 0.5) - tall / 2;
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.strokeRect(slot.left - 2, top - 1, slot.right - slot.left + 4, tall + 1);
      };
      const slotOfRun = slots.find(({ column }) => column.run === id);
      const rowsHeld = new Set(
        (held ?? []).map(({ invocation, message }) => {
          const seq = invocation ?? message;
          // What is held before it begins has no record yet: it comes next.
          return current === undefined || seq === null ? (current?.length ?? 0) : rowOfSeq(current, seq);
        }),
      );
      for (const row of slotOfRun ? rowsHeld : []) {
        const middle = Math.min(size.height - 7, y(row + 0.5));
        context.fillStyle = cssOf(inks.held);
        for (const dx of [2, 6]) context.fillRect((slotOfRun?.right ?? 0) + dx, middle - 4, 2.5, 8);
        if (row < (current?.length ?? 0)) frameOf({ run: id, row }, cssOf(inks.held), 2);
      }
      if (hover) frameOf(hover.spot, cssOf(inks.quiet), 1);
      if (selected !== NONE) frameOf({ run: id, row: selected }, text, 2);
      if (cursor) frameOf(cursor, cssOf(inks.primary), 2);
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
          {columns.map(({ run }, n) => {
            const known = byId.get(run);
            const status = run === id ? (followed.info?.status ?? known?.status) : known?.status;
            return (
              <div
                key={run}
                className={classes["foot"]}
                data-narrow={pitch < 96 || undefined}
                title={known?.outcome ?? status}
                style={{ left: GUTTER + n * pitch, width: pitch }}
              >
                {known?.outcome && !known.live ? (
                  <OutcomeMark outcome={known.outcome} />
                ) : (
                  status && <StatusMark status={status} imported={known?.imported ?? false} />
                )}
              </div>
            );
          })}
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

function Head({ run, current, left, width }: { run: string; current: boolean; left: number; width: number }) {
  const known = useRuns().byId.get(run);
  const about = known === undefined ? run : runTitle(known);
  return (
    <div className={classes["head"]} style={{ left, width }}>
      <Tooltip label={current ? `${about}: the run that is open` : `Open ${about}`}>
        <Anchor
          renderRoot={(props) => (
            <Link
              {...props}
              to="/runs/$run"
              params={{ run }}
              search={(before) => ({ ...before, component: undefined }) as never}
              aria-current={current ? "page" : undefined}
            />
          )}
          className={classes["name"]}
          underline="never"
        >
          <b>{run}</b>
          {width > 70 && known?.name ? ` ${known.name}` : ""}
        </Anchor>
      </Tooltip>
    </div>
  );
}

/** The same for who does not see the picture. */
function RunTable({
  columns,
  current,
  selected,
}: {
  columns: readonly Column[];
  current: string;
  selected: number | undefined;
}) {
  const { byId } = useRuns();
  return (
    <table>
      <caption>Runs of this tree</caption>
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Left</th>
          <th scope="col">Records</th>
          <th scope="col">Edited</th>
          <th scope="col">Status</th>
          <th scope="col">Outcome</th>
          <th scope="col">Selected record</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ run, parent, cut, edits }) => {
          const known = byId.get(run);
          return (
            <tr key={run} aria-current={run === current ? "true" : undefined}>
              <th scope="row">{known ? runTitle(known) : run}</th>
              <td>{parent === null ? "" : `${parent.run} at ${cut}`}</td>
              <td>{known?.records ?? ""}</td>
              <td>{edits.length}</td>
              <td>{known?.status ?? ""}</td>
              <td>{known?.outcome ?? "not judged"}</td>
              <td>{run === current ? (selected ?? "") : ""}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function SpotTip({
  column,
  row,
  point,
}: {
  column: Column | undefined;
  row: number;
  point: { x: number; y: number } | null;
}) {
  if (!column || !point) return null;
  const owner = ownerAt(column, row);
  const seq = seqAt(column, row);
  if (seq === NONE) return null;
  const more = owner === column ? column.run : `${column.run}, shared with ${owner.run}`;
  return (
    <RecordTip
      x={point.x}
      y={point.y}
      run={owner.run}
      seq={seq}
      outline={owner.outline}
      at={seq - owner.base}
      more={more}
    />
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

/** Numbers of the open run's records beside its rows. */
function drawNumbers(
  context: CanvasRenderingContext2D,
  column: Column,
  view: Viewport,
  height: number,
  colour: string,
  line: string,
  slots: readonly Slot[],
): void {
  const last = seqAt(column, column.length - 1);
  const least = ((34 / view.scale) * (last + 1)) / Math.max(1, column.length);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10);
  const right = slots.at(-1)?.right ?? 0;
  context.font = "10.5px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.lineWidth = 1;
  context.globalCompositeOperation = "destination-over";
  const first = seqAt(column, Math.min(column.length - 1, Math.floor(view.from)));
  let free = 6;
  for (let seq = Math.ceil(first / step) * step; seq <= last; seq += step) {
    const y = pixelOf(view, rowOfSeq(column, seq) + 0.5);
    if (y > height - 4) break;
    if (y < free) continue;
    free = y + 14;
    context.fillStyle = colour;
    context.fillText(seq.toLocaleString("en"), GUTTER - 8, y);
    context.strokeStyle = line;
    context.beginPath();
    context.moveTo(GUTTER - 4, y);
    context.lineTo(Math.min(GUTTER + 4, right), y);
    context.stroke();
  }
  context.globalCompositeOperation = "source-over";
}
