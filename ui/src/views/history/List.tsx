/**
 * A list as long as one likes whose lines are as high as what they say, without anything that jumps while one reads.
 *
 * Whatever changes about it (a search that is cleared, another density, lines that grow), what one looks at stays where it
 * is: the selected line where it is in sight, else the topmost one.
 */

import { Button } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

import { count } from "@/kit/words";
import { NONE } from "@/model/outline";

import classes from "./History.module.css";
import type { Lines } from "./lines";

const OVERSCAN = 6;
/** How far from the end one still is at the end. */
const NEAR = 40;

export interface ListHandle {
  /** Bring a line into view. */
  show: (line: number) => void;
  /** Lines that fit. */
  page: () => number;
  focus: () => void;
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
  line: (line: number) => ReactNode;
  /** What was looked at last; it outlives the list, which is gone while it is empty. */
  memory: RefObject<Held | null>;
}

export interface Held {
  seq: number;
  /** Pixels from the top of the window to that of the line; of one that comes in from below, to the end of the line. */
  offset: number;
  end?: boolean;
  /** Where it is seen. */
  seen?: number;
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
    line: draw,
    memory: looked,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(false);
  const [seen, setSeen] = useState(0);
  const following = useRef(false);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    getItemKey: (line) => `${lines.density} ${lines.seqAt(line)}`,
    estimateSize: estimate,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();

  // At the end of a live run one stays at the end, also when what is held takes some of the room.
  const room = virtual.scrollRect?.height;
  const size = virtual.getTotalSize();
  useLayoutEffect(() => {
    if (live && lines.length > 0 && seen === 0 && at === undefined) following.current = true;
    if (following.current) virtual.scrollToIndex(lines.length - 1, { align: "end" });
    if (atEnd || seen === 0) setSeen(lines.length);
  }, [lines.length, size, room, live, atEnd, seen, at, virtual]);

  // What one looks at stays where it is when the list is another one; a hand on the wheel or a key lets go of it.
  const pinned = useRef<Held | null>(looked.current);
  const list = useRef(lines.choice);
  const density = useRef(lines.density);
  useLayoutEffect(() => {
    const other = list.current !== lines.choice || density.current !== lines.density;
    list.current = lines.choice;
    density.current = lines.density;
    const pin = pinned.current;
    if (other && !following.current)
      pinned.current = pin === null ? looked.current : { seq: pin.seq, offset: pin.seen ?? pin.offset };
    if (pinned.current === null) looked.current = lookedAt();
    else settle();
  });

  /** What is held stays where it is, whatever has become of the lines above it. */
  function settle() {
    const pin = pinned.current;
    const window = box.current;
    if (window === null || pin === null || lines.length === 0) return;
    const line = lines.lineOf(pin.seq);
    const item = line === NONE ? undefined : virtual.measurementsCache[line];
    if (item === undefined) return;
    const most = Math.max(0, virtual.getTotalSize() - window.clientHeight);
    const wish = pin.end ? Math.min(item.start, item.end - window.clientHeight) : item.start - pin.offset;
    const to = Math.max(0, Math.min(most, wish));
    pin.seen = item.start - to;
    if (Math.abs(window.scrollTop - to) > 1) virtual.scrollToOffset(to);
  }

  function lookedAt(): Held | null {
    const window = box.current;
    if (window === null) return null;
    const top = window.scrollTop;
    const inSight = items.filter((item) => item.end > top && item.start < top + window.clientHeight);
    const chosen = at === undefined ? undefined : inSight.find((item) => lines.tells(item.index, at));
    const item = chosen ?? inSight.find(({ start }) => start >= top) ?? inSight[0];
    if (item === undefined) return looked.current;
    const seq = chosen !== undefined && at !== undefined ? at : lines.seqAt(item.index);
    return { seq, offset: item.start - top };
  }

  const letGo = () => {
    if (pinned.current === null) return;
    pinned.current = null;
    looked.current = lookedAt();
  };

  // Only who scrolls back leaves the end: on the way to it, it moves away.
  const top = useRef(0);
  const onScroll = () => {
    const window = box.current;
    if (!window) return;
    if (window.scrollHeight - window.scrollTop - window.clientHeight < NEAR) following.current = live;
    else if (window.scrollTop < top.current) following.current = false;
    top.current = window.scrollTop;
    const end = window.scrollHeight - window.scrollTop - window.clientHeight < NEAR;
    setAtEnd(end);
    if (end) setSeen(lines.length);
    if (pinned.current === null) looked.current = lookedAt();
  };

  // What is selected elsewhere comes into view.
  const shown = useRef<number | undefined>(looked.current === null ? undefined : at);
  useEffect(() => {
    if (at === undefined || at === shown.current || lines.length === 0) return;
    if (at >= lines.records && lines.records < expected) return;
    const first = shown.current === undefined;
    shown.current = at;
    bring(lines.lineOf(at), at, first);
    // What brings a line into view looks at the list as it is then.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [at, lines, expected, virtual]);

  /** Bring a line into view, where it is not, and hold it there while the lines around it become as high as they are. */
  function bring(line: number, seq: number, middle: boolean) {
    const window = box.current;
    const item = virtual.measurementsCache[line];
    if (window === null || item === undefined) return;
    following.current = false;
    const top = window.scrollTop;
    const high = window.clientHeight;
    const inSight = item.start >= top && item.end <= top + high;
    const offset = Math.max(0, Math.min((high - item.size) / 2, high / 3));
    if (inSight && !middle) pinned.current = { seq, offset: item.start - top };
    else if (middle) pinned.current = { seq, offset };
    else pinned.current = item.start < top ? { seq, offset: 0 } : { seq, offset: 0, end: true };
    settle();
  }

  useImperativeHandle(ref, () => ({
    show: (line) => {
      shown.current = lines.seqAt(line);
      bring(line, lines.seqAt(line), false);
    },
    page: () => Math.max(1, items.length - 2 * OVERSCAN),
    focus: () => box.current?.focus({ preventScroll: true }),
  }));

  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => onShown(first, last), [first, last, lines, onShown]);

  const chosen = at === undefined ? NONE : lines.lineOf(at);
  const fresh = lines.length - seen;
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
        <div role="rowgroup" className={classes["rows"]} style={{ height: size }}>
          {items.map((item) => (
            <div
              key={item.key}
              ref={virtual.measureElement}
              role="none"
              data-index={item.index}
              className={classes["line"]}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {draw(item.index)}
            </div>
          ))}
        </div>
      </div>
      {live && !atEnd && fresh > 0 && (
        <Button
          className={classes["fresh"]}
          radius="xl"
          size="compact-sm"
          leftSection={<IconArrowDown size={14} />}
          onClick={() => {
            following.current = true;
            pinned.current = null;
            virtual.scrollToIndex(lines.length - 1, { align: "end" });
          }}
        >
          {count(fresh, `new ${thing}`)}
        </Button>
      )}
    </>
  );
}
