/**
 * A list as long as one likes whose lines are as high as what they say, without anything that jumps while one reads.
 *
 * Whatever changes about it (a search that is cleared, another density, lines that grow), what one looks at stays where it
 * is: the selected line where it is in sight, else the topmost one.
 */

import { Button } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";

import { count } from "@/kit/words";
import { Heights } from "@/model/heights";
import { NONE } from "@/model/outline";
import { DENSITIES } from "@/state/place";

import classes from "./History.module.css";
import type { Lines } from "./lines";

/** Pixels beyond what is in sight that are drawn, too. */
const BEYOND = 240;
/** Who scrolls by more than a window twice within these milliseconds rushes, and is at rest after as many. */
const AT_REST = 120;
/** How far from the end one still is at the end. */
const NEAR = 40;

export interface ListHandle {
  /** Bring a line into view. */
  show: (line: number) => void;
  /** Lines that fit. */
  page: () => number;
  focus: () => void;
  /** Scroll a record into sight, wherever it is. */
  seek: (seq: number) => void;
  /** Scroll by so many pixels, or so many times what is in sight. */
  scroll: (by: number, unit: "pixels" | "windows") => void;
  /** Bring into sight what a record says of what is looked for: where it is not, to the upper third. */
  reveal: (seq: number) => void;
}

interface ListProps {
  ref: Ref<ListHandle>;
  name: string;
  lines: Lines;
  /** The records that there are to come; what is selected may not be there yet. */
  expected: number;
  live: boolean;
  /** The selected record. */
  at: number | undefined;
  estimate: (line: number) => number;
  /** Of what is new at the end. */
  thing: string;
  onKeyDown: (event: React.KeyboardEvent) => void;
  onShown: (first: number, last: number) => void;
  /** Hears of the lines that are in sight. */
  onSight: (first: number, last: number) => void;
  line: (line: number) => ReactNode;
  /** Pixels from the top of the line that tells of a record to what it says of it; null where that is not drawn. */
  placeIn: (seq: number) => number | null;
  /** What was looked at last; it outlives the list, which is gone while it is empty. */
  memory: RefObject<Held | null>;
}

/** A record that stays where it is. */
export interface Held {
  seq: number;
  /** Pixels from the top of the window to that of the line. */
  offset: number;
  /** Its end is held at the end of the window instead: it came in from below. */
  end?: boolean;
  /** Where it is seen. */
  seen?: number;
  /** What the line says of the record is held, and not the line; so it is of a line that is higher than the window. */
  part?: boolean;
  /** Pixels from the top of the window to that part. */
  inside?: number;
}

/** The same for another list: one that is too short for it does not change where it belongs. */
function kept({ seq, offset, end, seen, inside }: Held): Held {
  return { seq, offset: end || inside !== undefined ? (seen ?? offset) : offset };
}

/** The last line that begins at a record or before it: the end of a run is at the end, whichever card tells of it. */
function lastBegun(lines: Lines, seq: number): number {
  let low = 0;
  for (let high = lines.length; low < high;) {
    const middle = (low + high) >> 1;
    if (lines.seqAt(middle) <= seq) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

export function List(props: ListProps) {
  const {
    ref,
    name,
    lines,
    expected,
    live,
    at,
    estimate,
    thing,
    onKeyDown,
    onShown,
    onSight,
    line: draw,
    placeIn,
    memory: looked,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(false);
  const [seen, setSeen] = useState(0);
  const following = useRef(false);
  const pinned = useRef<Held | null>(looked.current);
  const { heights, observe } = useHeights(lines, estimate, settled);
  const [view, setView] = useState({ top: 0, high: 0, rushing: false });
  const size = heights.total;
  const beyond = view.rushing ? 0 : BEYOND;
  const first = heights.lineAt(view.top - beyond);
  const last = Math.min(heights.lineAt(view.top + view.high + beyond), lines.length - 1);

  useLayoutEffect(() => {
    const window = box.current;
    if (window === null) return;
    const look = () => setView((before) => ({ ...before, top: window.scrollTop, high: window.clientHeight }));
    look();
    const watched = new ResizeObserver(look);
    watched.observe(window);
    return () => watched.disconnect();
  }, []);

  /** Scroll, and draw what is there in the same frame. */
  function scrollTo(top: number): void {
    const window = box.current;
    const to = Math.round(Math.max(0, Math.min(heights.total - view.high, top)));
    if (window === null || Math.abs(window.scrollTop - to) <= 1) return;
    window.scrollTop = to;
    setView((before) => (before.top === to ? before : { ...before, top: to }));
  }

  // At the end of a live run one stays at the end, also when what is held takes some of the room.
  useLayoutEffect(() => {
    if (live && lines.length > 0 && seen === 0 && at === undefined) following.current = true;
    if (following.current) scrollTo(heights.total);
    if (atEnd || seen === 0) setSeen(lines.length);
    // Of what else it uses, nothing changes by itself.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [lines.length, size, view.high, live, atEnd, seen, at]);

  // What one looks at stays where it is when the list is another one; a hand on the wheel or a key lets go of it.
  const list = useRef(lines.choice);
  const density = useRef(lines.density);
  useLayoutEffect(() => {
    const other = list.current !== lines.choice || density.current !== lines.density;
    list.current = lines.choice;
    density.current = lines.density;
    const pin = pinned.current;
    if (other && !following.current) pinned.current = pin === null ? looked.current : kept(pin);
    if (pinned.current === null) looked.current = lookedAt(view.top);
    else settle();
  });

  /** What is held stays where it is, whatever has become of the lines above it. */
  function settle(): void {
    const pin = pinned.current;
    const line = pin === null ? NONE : lines.lineOf(pin.seq);
    if (pin === null || line === NONE || view.high === 0) return;
    const start = heights.startOf(line);
    const inner = box.current !== null && (pin.part || heights.of(line) > view.high) ? placeIn(pin.seq) : null;
    if (box.current !== null && inner !== null) {
      const from = start + inner - box.current.scrollTop;
      pin.inside ??= isInSight(from) ? from : view.high / 3;
      scrollTo(start + inner - pin.inside);
      pin.seen = start - box.current.scrollTop;
      looked.current = kept(pin);
      return;
    }
    const wish = pin.end ? Math.min(start, start + heights.of(line) - view.high) : start - pin.offset;
    const to = Math.round(Math.max(0, Math.min(heights.total - view.high, wish)));
    pin.seen = start - to;
    looked.current = kept(pin);
    scrollTo(to);
  }

  /** Whether a place so many pixels below the top of the window is in sight. */
  function isInSight(from: number): boolean {
    return from >= 0 && from <= view.high - NEAR;
  }

  /** Lines have become higher or lower, those above the window by so much: what is in sight stays there. */
  function settled(above: (top: number) => number): void {
    const window = box.current;
    if (window === null || pinned.current !== null || following.current) return;
    const more = above(window.scrollTop);
    if (more !== 0) window.scrollTop += more;
    setView((before) => ({ ...before, top: window.scrollTop }));
  }

  function lookedAt(top: number): Held | null {
    if (lines.length === 0) return looked.current;
    const upto = top + view.high;
    const line = at === undefined ? NONE : lines.lineOf(at);
    const start = line === NONE ? 0 : heights.startOf(line);
    if (at !== undefined && line !== NONE && lines.tells(line, at) && start < upto && start + heights.of(line) > top)
      return { seq: at, offset: start - top };
    const topmost = heights.lineAt(top);
    const next = heights.startOf(topmost) >= top ? topmost : Math.min(topmost + 1, lines.length - 1);
    const chosen = heights.startOf(next) < upto ? next : topmost;
    return { seq: lines.seqAt(chosen), offset: heights.startOf(chosen) - top };
  }

  const letGo = () => {
    if (pinned.current === null) return;
    pinned.current = null;
    looked.current = lookedAt(box.current?.scrollTop ?? 0);
  };

  // Only who scrolls back leaves the end: on the way to it, it moves away.
  const top = useRef(0);
  const wentFar = useRef(Number.NEGATIVE_INFINITY);
  const onScroll = () => {
    const window = box.current;
    if (!window) return;
    const end = window.scrollHeight - window.scrollTop - window.clientHeight < NEAR;
    if (end) following.current = live;
    else if (window.scrollTop < top.current) following.current = false;
    const far = Math.abs(window.scrollTop - top.current) > window.clientHeight;
    const rushing = far && performance.now() - wentFar.current < AT_REST;
    if (far) wentFar.current = performance.now();
    top.current = window.scrollTop;
    setAtEnd(end);
    if (end) setSeen(lines.length);
    setView((before) =>
      before.top === window.scrollTop && !rushing ? before : { ...before, top: window.scrollTop, rushing },
    );
  };

  // Of lines that rush by, none is seen twice: no more are drawn, and nothing is asked of them, until they are at rest.
  useEffect(() => {
    if (!view.rushing) return undefined;
    const rest = setTimeout(() => setView((before) => ({ ...before, rushing: false })), AT_REST);
    return () => clearTimeout(rest);
  }, [view]);

  // What is selected elsewhere comes into view.
  const shown = useRef<number | undefined>(looked.current === null ? undefined : at);
  useEffect(() => {
    if (at === undefined || at === shown.current || lines.length === 0 || view.high === 0) return;
    if (at >= lines.records && lines.records < expected) return;
    const middle = shown.current === undefined;
    shown.current = at;
    bring(lines.lineOf(at), at, middle);
    // What brings a line into view looks at the list as it is then.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [at, lines, expected, view.high]);

  /** Bring a line into view, where it is not, and hold it there while the lines around it become as high as they are. */
  function bring(line: number, seq: number, middle: boolean): void {
    const window = box.current;
    if (window === null || line === NONE) return;
    following.current = false;
    const start = heights.startOf(line);
    const own = heights.of(line);
    const from = window.scrollTop;
    const inSight = start >= from && start + own <= from + view.high;
    if (middle) pinned.current = { seq, offset: Math.max(0, Math.min((view.high - own) / 2, view.high / 3)) };
    else if (inSight) pinned.current = { seq, offset: start - from };
    else pinned.current = { seq, offset: 0, end: start >= from };
    settle();
    if (!pinned.current.end) pinned.current.offset = pinned.current.seen ?? pinned.current.offset;
  }

  useImperativeHandle(ref, () => ({
    show: (line) => {
      shown.current = lines.seqAt(line);
      bring(line, lines.seqAt(line), false);
    },
    page: () => Math.max(1, heights.lineAt(view.top + view.high) - heights.lineAt(view.top) - 1),
    focus: () => box.current?.focus({ preventScroll: true }),
    seek: (seq) => {
      if (lines.length === 0) return;
      following.current = false;
      pinned.current = { seq: lines.seqAt(lastBegun(lines, seq)), offset: view.high / 3 };
      settle();
    },
    scroll: (by, unit) => {
      letGo();
      box.current?.scrollBy({ top: unit === "pixels" ? by : by * view.high });
    },
    reveal: (seq) => {
      const window = box.current;
      const line = lines.lineOf(seq);
      if (window === null || line === NONE || view.high === 0) return;
      following.current = false;
      shown.current = seq;
      const start = heights.startOf(line) - window.scrollTop;
      const inner = placeIn(seq);
      const there = start + (inner ?? 0);
      // At the lower edge it is in sight, but not what follows it.
      const to = there >= 0 && there <= view.high / 2 ? there : view.high / 3;
      pinned.current = { seq, offset: to, part: true, inside: to };
      settle();
    },
  }));

  useEffect(() => {
    if (!view.rushing) onShown(first, last);
  }, [first, last, lines, onShown, view.rushing]);
  const inSight = heights.lineAt(view.top);
  const upto = Math.min(heights.lineAt(view.top + Math.max(0, view.high - 1)), lines.length - 1);
  useEffect(() => onSight(inSight, upto), [inSight, upto, lines, onSight]);

  const chosen = at === undefined ? NONE : lines.lineOf(at);
  const fresh = lines.length - seen;
  const drawn: ReactNode[] = [];
  for (let line = first, start = heights.startOf(first); line <= last; start += heights.of(line), line++)
    drawn.push(
      <div
        key={lines.seqAt(line)}
        ref={observe}
        role="none"
        data-line={line}
        className={classes["line"]}
        style={{ transform: `translateY(${start}px)` }}
      >
        {draw(line)}
      </div>,
    );
  return (
    <>
      <div
        ref={box}
        role="grid"
        aria-label={name}
        aria-rowcount={lines.length}
        aria-activedescendant={chosen === NONE ? undefined : `row-${lines.seqAt(chosen)}`}
        tabIndex={0}
        className={classes["list"]}
        onScroll={onScroll}
        onWheel={letGo}
        onPointerDown={letGo}
        onTouchStart={letGo}
        onKeyDown={(event) => {
          letGo();
          onKeyDown(event);
        }}
        data-testid="records"
      >
        <div role="rowgroup" className={classes["rows"]} style={{ height: size }} key={lines.density}>
          {drawn}
        </div>
      </div>
      {live && !atEnd && fresh > 0 && size - view.top - view.high >= NEAR && (
        <Button
          className={classes["fresh"]}
          radius="xl"
          size="compact-sm"
          leftSection={<IconArrowDown size={14} />}
          onClick={() => {
            following.current = true;
            pinned.current = null;
            scrollTo(heights.total);
          }}
        >
          {count(fresh, `new ${thing}`)}
        </Button>
      )}
    </>
  );
}

/**
 * The heights of the lines: those that were drawn as they are, the others as they are thought to be.  `settled` is told when
 * some have changed, with how much what is above a place has grown.
 */
function useHeights(
  lines: Lines,
  estimate: (line: number) => number,
  settled: (above: (top: number) => number) => void,
): { heights: Heights; observe: (element: HTMLElement | null) => (() => void) | undefined } {
  const known = useRef(new Map<number, number>());
  const keyOf = (line: number) => lines.seqAt(line) * DENSITIES.length + DENSITIES.indexOf(lines.density);
  const heights = useMemo(
    () => new Heights(lines.length, (line) => known.current.get(keyOf(line)) ?? estimate(line)),
    // The lines say how high they are thought to be.
    // oxlint-disable-next-line react/exhaustive-deps
    [lines],
  );
  const [, setMeasured] = useState(0);
  const measure = useRef<(elements: Iterable<HTMLElement>) => void>(() => undefined);
  useLayoutEffect(() => {
    measure.current = (elements) => {
      const changes: { line: number; start: number; more: number }[] = [];
      for (const element of elements) {
        const line = Number(element.dataset["line"]);
        const height = element.offsetHeight;
        if (!element.isConnected || height === 0 || line >= heights.length || height === heights.of(line)) continue;
        changes.push({ line, start: heights.startOf(line), more: height - heights.of(line) });
        known.current.set(keyOf(line), height);
      }
      if (changes.length === 0) return;
      for (const { line, more } of changes) heights.set(line, heights.of(line) + more);
      flushSync(() => {
        settled((top) => changes.reduce((sum, { start, more }) => (start < top ? sum + more : sum), 0));
        setMeasured((times) => times + 1);
      });
    };
  });
  const watched = useRef<ResizeObserver | null>(null);
  const observe = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    watched.current ??= new ResizeObserver((entries) =>
      measure.current(entries.map(({ target }) => target as HTMLElement)),
    );
    const observer = watched.current;
    observer.observe(element);
    return () => observer.unobserve(element);
  }, []);
  return { heights, observe };
}
