/** The time line: what ran when, inside what, and for how long. */

import { ActionIcon, SegmentedControl, Tooltip, VisuallyHidden } from "@mantine/core";
import { useLocalStorage, useMergedRef } from "@mantine/hooks";
import { IconArrowAutofitWidth, IconFocusCentered, IconMinus, IconPlus } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import type { Hold } from "@/api/schema";
import { Empty } from "@/kit/Empty";
import { duration } from "@/kit/words";
import { useGestures } from "@/kit/canvas/gestures";
import { useInks } from "@/kit/canvas/inks";
import { RecordTip, whatOf, whoOf } from "@/kit/canvas/RecordTip";
import type { Pixels } from "@/kit/canvas/pixels";
import { Sheet, useSize } from "@/kit/canvas/Sheet";
import { useCalm } from "@/kit/canvas/useCalm";
import { cssOf } from "@/model/colours";
import { NONE } from "@/model/outline";
import { plumbingOf } from "@/model/rows";
import {
  acrossOf,
  beginOf,
  barAt,
  byOrder,
  byTime,
  type Direction,
  eventNear,
  extentOf,
  neighbour,
  type Scale,
  traceOf,
  wholeOf,
} from "@/model/trace";
import {
  type Bounds,
  framing,
  limited,
  moved,
  pixelOf,
  showing,
  unitAt,
  type Viewport,
  zoomed,
} from "@/model/viewport";
import { useTurns } from "@/state/turns";
import { useWorkspace } from "@/views/workspace/context";

import { Axis } from "./Axis";
import { Minimap } from "./Minimap";
import { drawNames, paintBars, type Picture } from "./paint";
import classes from "./Trace.module.css";

const ROW = 22;
const STEP = 1.6;
/** Pixels from an event, and from a bar, that still mean it. */
const REACH_EVENT = 5;
const REACH_BAR = 4;
/** Runs that are shorter (in milliseconds) have nothing to tell by their times. */
const SHORT = 3000;
/** Records from which a run that grows is laid out anew less often. */
const LONG = 20_000;
/** Pixels of one record, and of one millisecond, at most. */
const MOST = { order: 240, time: 60 } as const;

/** What is in view of the run that was looked at last. */
let kept: { run: string; by: Scale["by"]; view: Viewport | null; top: number } | null = null;

export default function Trace() {
  const { id, view: followed, place, select } = useWorkspace();
  const { outline, info } = followed;
  const inks = useInks();
  const grown = useCalm(outline.version, outline.length > LONG ? 1000 : 250);
  const live = info?.live === true && ["running", "replaying", "starting"].includes(info.status);
  const now = useNow(live);
  const [wish, setBy] = useLocalStorage<Scale["by"] | "">({ key: "outtake-trace-by", defaultValue: "" });
  const [sizeRef, size] = useSize<HTMLDivElement>();
  const stage = useRef<HTMLDivElement>(null);
  const cut = info?.cut ?? 0;

  // The outline changes in place: `grown` says when.
  // oxlint-disable-next-line react/exhaustive-deps
  const trace = useMemo(() => traceOf(outline), [outline, grown]);
  // oxlint-disable-next-line react/exhaustive-deps
  const quiet = useMemo(() => plumbingOf(outline), [outline, grown]);
  // oxlint-disable-next-line react/exhaustive-deps
  const clock = useMemo(() => byTime(outline, cut, null), [outline, cut, grown]);
  const by = wish === "" ? (clock.total - beginOf(trace, clock) < SHORT ? "order" : "time") : wish;
  const scale = useMemo<Scale>(() => {
    if (by === "order") return byOrder(trace.length);
    const since = now === null || trace.length === 0 ? 0 : now - outline.at(trace.length - 1);
    const last = clock.clock?.[trace.length - 1] ?? 0;
    return { ...clock, total: Math.max(clock.total, last + since) };
  }, [by, trace, clock, outline, now]);

  const before = kept?.run === id && kept.by === by ? kept : null;
  const [asked, setView] = useState<Viewport | null>(before?.view ?? null);
  const [wishedTop, setTop] = useState(before?.top ?? 0);
  const [hover, setHover] = useState<{ bar: number; seq: number; x: number; y: number } | null>(null);
  useEffect(() => {
    kept = { run: id, by, view: asked, top: wishedTop };
  }, [id, by, asked, wishedTop]);

  const bounds = useMemo<Bounds>(() => {
    const width = Math.max(1, size.width);
    return { total: scale.total, size: width, most: Math.max(MOST[by], width / scale.total) };
  }, [scale.total, size.width, by]);
  const whole = useMemo(() => wholeOf(trace, scale, bounds), [trace, scale, bounds]);
  const view = useMemo(() => (asked === null ? whole : limited(asked, bounds)), [asked, whole, bounds]);
  const mostTop = Math.max(0, trace.height * ROW - size.height);
  const top = Math.min(wishedTop, mostTop);
  const change = useCallback(
    (to: (view: Viewport, bounds: Bounds) => Viewport) => setView((now) => to(now ?? whole, bounds)),
    [bounds, whole],
  );
  const zoomBy = (factor: number, around = bounds.size / 2) =>
    change((view, bounds) => zoomed(view, bounds, factor, around));

  // -- the selected record

  const at = place.at ?? NONE;
  const selected = at === NONE || at >= trace.length ? NONE : (trace.barOf[at] ?? NONE);
  const isEvent = useMemo(() => at !== NONE && isIn(trace.events, at), [trace, at]);
  const rowOf = (bar: number) => (bar === NONE ? 0 : (trace.rows[bar] ?? 0));
  const reveal = (seq: number, bar: number) => {
    const [from, to] = bar !== NONE && !isIn(trace.events, seq) ? extentOf(trace, scale, bar) : pointOf(scale, seq);
    if (asked !== null || from < view.from) change((view, bounds) => showing(view, bounds, from, to));
    const y = rowOf(bar) * ROW;
    setTop((now) => (y < now ? y : y + ROW > now + size.height ? y + ROW - size.height : now));
  };
  useEffect(() => {
    if (at !== NONE && at < trace.length && size.height > 0) reveal(at, selected);
    // Only another selection moves the picture.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [at, by, size.height > 0, at < trace.length]);
  const frame = (bar: number) => {
    const [from, to] = extentOf(trace, scale, bar);
    const room = Math.max((to - from) * 0.05, 0.5);
    setView(framing(bounds, from - room, to + room));
  };

  // -- gestures

  const find = (x: number, y: number): { bar: number; seq: number } | null => {
    const row = Math.floor((y + top) / ROW);
    if (row < 0 || row >= trace.height) return null;
    const across = unitAt(view, x);
    const low = (y + top) % ROW > ROW * 0.45;
    if (low) {
      const place = across - (scale.clock === null ? 0.5 : 0);
      const seq = eventNear(trace, scale, row, place, REACH_EVENT / view.scale);
      if (seq !== NONE) return { bar: NONE, seq };
    }
    const bar = barAt(trace, scale, row, across, REACH_BAR / view.scale);
    return bar === NONE ? null : { bar, seq: trace.starts[bar] ?? NONE };
  };
  const gestures = useGestures<HTMLDivElement>({
    onPoint: (point) => {
      const found = point && find(point.x, point.y);
      const box = stage.current?.getBoundingClientRect();
      setHover(found && point && box ? { ...found, x: point.x + box.left, y: point.y + box.top } : null);
    },
    onClick: (x, y) => {
      const found = find(x, y);
      if (found) select(found.seq);
    },
    onDoubleClick: (x, y) => {
      const found = find(x, y);
      if (found && found.bar !== NONE) frame(found.bar);
    },
    onDrag: (dx, dy) => {
      change((view, bounds) => moved(view, bounds, -dx));
      setTop((now) => clamp(Math.min(now, mostTop) - dy, mostTop));
    },
    onScroll: (dx, dy) => {
      setHover(null);
      const next = moved(view, bounds, dx);
      const down = clamp(top + dy, mostTop);
      if (next.from !== view.from) setView(next);
      if (down !== top) setTop(down);
      return dx !== 0 || down !== top;
    },
    onZoom: (factor, x) => zoomBy(factor, x),
  });
  const ref = useMergedRef(stage, sizeRef, gestures);
  const step = (direction: Direction) => {
    const first = trace.starts.length > 0 ? 0 : NONE;
    const next = selected === NONE ? first : neighbour(trace, selected, direction);
    if (next !== NONE) select(trace.starts[next]);
  };
  const pan = (share: number) => change((view, bounds) => moved(view, bounds, bounds.size * share));
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: { [key: string]: () => void } = {
      ArrowLeft: () => (event.shiftKey ? pan(-0.2) : step("before")),
      ArrowRight: () => (event.shiftKey ? pan(0.2) : step("after")),
      ArrowUp: () => step("out"),
      ArrowDown: () => step("in"),
      Home: () => change((view, bounds) => limited({ ...view, from: 0 }, bounds)),
      End: () => change((view, bounds) => limited({ ...view, from: bounds.total }, bounds)),
      PageUp: () => setTop(clamp(top - size.height + ROW, mostTop)),
      PageDown: () => setTop(clamp(top + size.height - ROW, mostTop)),
      Enter: () => selected !== NONE && frame(selected),
      "+": () => zoomBy(STEP),
      "=": () => zoomBy(STEP),
      "-": () => zoomBy(1 / STEP),
      "0": () => setView(null),
    };
    const key = keys[event.key];
    if (key === undefined) return;
    event.preventDefault();
    key();
  };

  // -- drawing

  const { hues } = useTurns(outline);
  const base = useMemo(
    () => ({ outline, trace, scale, inks, quiet, hues }),
    [outline, trace, scale, inks, quiet, hues],
  );
  const picture = useMemo<Picture>(() => ({ ...base, view, top, rowHeight: ROW }), [base, view, top]);
  const paint = useCallback((pixels: Pixels, ratio: number) => paintBars(pixels, ratio, picture), [picture]);
  const held = info?.held;
  const over = useCallback(
    (context: CanvasRenderingContext2D) => {
      const { trace, scale } = picture;
      const text = cssOf(inks.text);
      drawNames(context, picture, size.width, size.height, {
        text,
        failed: cssOf(inks.failed),
        edited: cssOf(inks.edited),
      });
      const outlined = (bar: number, colour: string, line: number) => {
        const [from, to] = extentOf(trace, scale, bar);
        const left = Math.max(-4, pixelOf(view, from));
        const right = Math.min(size.width + 4, Math.max(pixelOf(view, to), pixelOf(view, from) + 3));
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.strokeRect(left - 0.5, (trace.rows[bar] ?? 0) * ROW - top + line / 2, right - left, ROW - 1 - line);
      };
      const around = (seq: number, colour: string, line: number) => {
        const bar = trace.barOf[seq] ?? NONE;
        const x = pixelOf(view, acrossOf(scale, seq) + (scale.clock === null ? 0.5 : 0));
        const y = (bar === NONE ? 0 : (trace.rows[bar] ?? 0)) * ROW - top + ROW - 5;
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.strokeRect(x - 5, y - 5, 10, 10);
      };
      if (selected !== NONE && !isEvent) {
        const x = Math.round(pixelOf(view, acrossOf(scale, at))) + 0.5;
        context.strokeStyle = cssOf(inks.primary);
        context.lineWidth = 1;
        context.setLineDash([3, 3]);
        context.beginPath();
        context.moveTo(x, 0);
        context.lineTo(x, size.height);
        context.stroke();
        context.setLineDash([]);
      }
      for (const bar of barsOfHolds(held ?? [], trace.barOf)) {
        outlined(bar, cssOf(inks.held), 2);
        const x = Math.max(4, Math.min(size.width - 18, pixelOf(view, extentOf(trace, scale, bar)[1]) - 12));
        context.fillStyle = cssOf(inks.held);
        for (const dx of [0, 4]) context.fillRect(x + dx, (trace.rows[bar] ?? 0) * ROW - top + 6, 2.5, 9);
      }
      if (hover && hover.bar !== NONE) outlined(hover.bar, cssOf(inks.quiet), 1);
      else if (hover) around(hover.seq, cssOf(inks.quiet), 1);
      if (isEvent) around(at, text, 2);
      else if (selected !== NONE) outlined(selected, text, 2);
    },
    [picture, inks, size.width, size.height, view, top, selected, isEvent, at, held, hover],
  );

  if (outline.length === 0)
    return (
      <Empty title="Nothing has happened yet">Each call of the run comes here as a bar, below what called it.</Empty>
    );
  return (
    <div className={classes["trace"]}>
      <div className={classes["bar"]}>
        <SegmentedControl
          size="xs"
          aria-label="What is across"
          value={by}
          onChange={(value) => {
            setBy(value as Scale["by"]);
            setView(null);
          }}
          data={[
            { value: "order", label: "Order" },
            { value: "time", label: "Time" },
          ]}
        />
        <Minimap picture={base} view={view} bounds={bounds} onView={setView} />
        <Tooltip label="Smaller (−)">
          <ActionIcon size="sm" aria-label="Zoom out" onClick={() => zoomBy(1 / STEP)}>
            <IconMinus size={14} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Larger (+, or Ctrl and the wheel)">
          <ActionIcon size="sm" aria-label="Zoom in" onClick={() => zoomBy(STEP)}>
            <IconPlus size={14} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="The selected call alone (Enter)">
          <ActionIcon
            size="sm"
            aria-label="Zoom to the selected call"
            disabled={selected === NONE}
            onClick={() => frame(selected)}
          >
            <IconFocusCentered size={14} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="All of it (0)">
          <ActionIcon size="sm" aria-label="Show all of it" onClick={() => setView(null)}>
            <IconArrowAutofitWidth size={14} />
          </ActionIcon>
        </Tooltip>
      </div>
      <Axis by={by} view={view} bounds={bounds} />
      <div
        ref={ref}
        className={classes["stage"]}
        role="application"
        aria-roledescription="time line"
        aria-label="Calls of the run. Left and right move among calls, up to the one around, down to the first inside."
        // It is moved in by keys of its own.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <Sheet size={size} paint={paint} over={over} />
        {mostTop > 0 && (
          <div
            className={classes["thumb"]}
            style={{
              top: `${(top / (trace.height * ROW)) * 100}%`,
              height: `${(size.height / (trace.height * ROW)) * 100}%`,
            }}
          />
        )}
      </div>
      <VisuallyHidden aria-live="polite">
        {at !== NONE && at < outline.length && `Record ${at}: ${whoOf(outline, at)}, ${whatOf(outline, at)}`}
      </VisuallyHidden>
      {hover && (
        <RecordTip
          x={hover.x}
          y={hover.y}
          run={id}
          seq={hover.seq}
          outline={outline}
          at={hover.seq}
          more={hover.bar === NONE ? "" : tookOf(clock, trace.starts[hover.bar] ?? 0, trace.ends[hover.bar] ?? NONE)}
        />
      )}
    </div>
  );
}

/** The bars in which something is held: the call itself, or before it begins, the one around it. */
function barsOfHolds(held: readonly Hold[], barOf: Int32Array): Set<number> {
  const bars = held.map(({ invocation, message, parent }) => {
    const seq = invocation ?? parent ?? message;
    return seq === null ? NONE : (barOf[seq] ?? NONE);
  });
  return new Set(bars.filter((bar) => bar !== NONE));
}

/** The time of day, a few times a second, while there is a reason to know it. */
function useNow(live: boolean): number | null {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    if (!live) {
      setNow(null);
      return undefined;
    }
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [live]);
  return now;
}

function tookOf(clock: Scale, start: number, end: number): string {
  if (end === NONE) return "still goes on";
  const took = acrossOf(clock, end) - acrossOf(clock, start);
  return `took ${duration(took / 1000)}, records ${start} to ${end}`;
}

function pointOf(scale: Scale, seq: number): [number, number] {
  const across = acrossOf(scale, seq);
  return [across, scale.clock === null ? across + 1 : across];
}

function isIn(sorted: Int32Array, value: number): boolean {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, value));
}
