/** The history: every record of the run as a row, as many as one likes, without anything that jumps while one reads. */

import { Button } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

import type { Hold } from "@/api/schema";
import { Empty } from "@/kit/Empty";
import { count } from "@/kit/words";
import { NONE } from "@/model/outline";
import { clockOf, rowAt, showsAt, speaks } from "@/model/rows";
import { tell } from "@/model/telling";
import { useFindings } from "@/state/annotations";
import { usePrefs } from "@/state/prefs";
import { useFound } from "@/state/search";
import { Row } from "@/views/records/Row";
import { useWorkspace } from "@/views/workspace/context";
import { useOpen } from "@/views/workspace/Docks";

import { Filters } from "./Filters";
import { HeldBanner } from "./HeldBanner";
import classes from "./History.module.css";
import { RecordMenu, type MenuAt } from "./RecordMenu";
import { useRows } from "./useRows";

const SHORT = 29;
const TALL = 62;
const OVERSCAN = 6;
/** How far from the end one still is at the end. */
const NEAR = 40;

/** `focused`: the keyboard is here as soon as there are rows, unless it is somewhere else by then. */
export function History({ focused }: { focused: boolean }) {
  const { id, run, view, place, select, go } = useWorkspace();
  const { outline } = view;
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const search = useFound(id, place.q, place.first === true, view.info?.records ?? 0);
  const held = useHeld(view.info?.held);
  const rows = useRows(outline, place, folded, search.found, held);
  const findings = useFindings(id);
  const box = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<MenuAt | null>(null);
  const [atEnd, setAtEnd] = useState(false);
  const [seen, setSeen] = useState(0);
  const live = view.info?.live ?? false;
  const following = useRef(false);

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (row) => (speaks(outline, rows.seqs[row] ?? 0) ? TALL : SHORT),
    overscan: OVERSCAN,
  });
  useLayoutEffect(() => virtual.measure(), [rows, virtual]);

  // At the end of a live run one stays at the end, also when what is held takes some of the room.
  const room = virtual.scrollRect?.height;
  useLayoutEffect(() => {
    if (live && rows.length > 0 && seen === 0 && place.at === undefined) following.current = true;
    if (following.current) virtual.scrollToIndex(rows.length - 1, { align: "end" });
    if (atEnd || seen === 0) setSeen(rows.length);
  }, [rows.length, room, live, atEnd, seen, place.at, virtual]);

  // Only who scrolls back leaves the end: on the way to it, it moves away.
  const top = useRef(0);
  const onScroll = () => {
    const at = box.current;
    if (!at) return;
    if (at.scrollHeight - at.scrollTop - at.clientHeight < NEAR) following.current = true;
    else if (at.scrollTop < top.current) following.current = false;
    top.current = at.scrollTop;
    setAtEnd(following.current);
    if (following.current) setSeen(rows.length);
  };

  const empty = rows.length === 0;
  useEffect(() => {
    if (focused && !empty && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, [focused, empty]);

  // What is selected elsewhere comes into view.
  const shown = useRef<number | undefined>(undefined);
  const expected = view.info?.records ?? 0;
  useEffect(() => {
    if (place.at === undefined || place.at === shown.current || rows.length === 0) return;
    if (place.at >= rows.records && rows.records < expected) return;
    const first = shown.current === undefined;
    shown.current = place.at;
    following.current = false;
    virtual.scrollToIndex(rowAt(rows, place.at), { align: first ? "center" : "auto" });
  }, [place.at, rows, expected, virtual]);

  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    const wanted: number[] = [];
    for (let row = first; row <= last; row++) wanted.push(rows.seqs[row] ?? 0);
    run.want(wanted);
  }, [first, last, rows, run]);

  // Who clicks on a record wants to see it: beside the list the details come to the front, unless that side is closed.
  const { side } = useOpen();
  const dock = usePrefs((prefs) => prefs.docks.details);
  const beside = side !== null && dock === "side";
  const onSelect = useCallback(
    (seq: number) => {
      shown.current = seq;
      go({ at: seq, component: undefined, ...(beside && { side: "details" as const }) });
    },
    [go, beside],
  );
  const onFold = useCallback((seq: number) => {
    setFolded((before) => {
      const after = new Set(before);
      if (!after.delete(seq)) after.add(seq);
      return after;
    });
  }, []);
  const onMenu = useCallback((seq: number, x: number, y: number) => setMenu({ seq, x, y }), []);

  const selectedRow = place.at === undefined ? NONE : rowAt(rows, place.at);
  const isSelected = (row: number) => row === selectedRow && place.at !== undefined && showsAt(rows, row, place.at);
  const move = (to: number) => {
    const row = Math.max(0, Math.min(rows.length - 1, to));
    const seq = rows.seqs[row];
    if (seq === undefined) return;
    following.current = false;
    shown.current = seq;
    select(seq);
    virtual.scrollToIndex(row, { align: "auto" });
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, last - first - 2 * OVERSCAN);
    const steps: { [key: string]: number } = {
      ArrowDown: selectedRow + 1,
      ArrowUp: selectedRow - 1,
      PageDown: selectedRow + page,
      PageUp: selectedRow - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      move(to);
      return;
    }
    if (place.at === undefined) return;
    const opens = outline.kind(place.at) === "invocation_started";
    if (event.key === "ArrowLeft" && opens && !folded.has(place.at)) onFold(place.at);
    else if (event.key === "ArrowLeft") {
      const parent = outline.reference(place.at, "parent");
      if (parent !== NONE) move(rowAt(rows, parent));
    } else if (event.key === "ArrowRight" && opens && folded.has(place.at)) onFold(place.at);
    else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey) || event.key === "Enter") {
      const at = document.getElementById(`row-${place.at}`)?.getBoundingClientRect();
      setMenu({ seq: place.at, x: at ? at.left + 120 : 200, y: at ? at.bottom : 200 });
    } else return;
    event.preventDefault();
  };

  const time = view.info?.timed === false ? () => Number.NaN : clockOf(outline, view.info?.cut ?? null);
  const fresh = rows.length - seen;
  const active = place.at === undefined ? undefined : `row-${rows.seqs[selectedRow]}`;

  return (
    <>
      <Filters rows={rows} search={search} onFoldAll={setFolded} folded={folded} />
      <div className={classes["frame"]}>
        {rows.length === 0 ? (
          <NoRows loading={search.loading} />
        ) : (
          <div
            ref={box}
            role="grid"
            aria-label="Records"
            aria-rowcount={rows.length}
            aria-activedescendant={active}
            tabIndex={0}
            className={classes["list"]}
            onScroll={onScroll}
            onKeyDown={onKeyDown}
            data-testid="records"
          >
            <div role="rowgroup" className={classes["rows"]} style={{ height: virtual.getTotalSize() }}>
              {items.map((item) => {
                const seq = rows.seqs[item.index] ?? 0;
                const starts = outline.kind(seq) === "invocation_started";
                return (
                  <Row
                    key={seq}
                    run={run}
                    id={`row-${seq}`}
                    index={item.index}
                    seq={seq}
                    depth={rows.depths[item.index] ?? 0}
                    top={item.start}
                    height={item.size}
                    told={told(outline, seq, rows.counts[item.index] ?? 1)}
                    time={time(seq)}
                    selected={isSelected(item.index)}
                    held={held.has(seq)}
                    finding={findings.get(seq) ?? null}
                    fold={starts ? (folded.has(seq) ? "folded" : "open") : null}
                    passage={search.passages.get(seq) ?? null}
                    onSelect={onSelect}
                    onFold={onFold}
                    onMenu={onMenu}
                  />
                );
              })}
            </div>
          </div>
        )}
        {live && !atEnd && fresh > 0 && (
          <Button
            className={classes["fresh"]}
            radius="xl"
            size="compact-sm"
            leftSection={<IconArrowDown size={14} />}
            onClick={() => {
              following.current = true;
              virtual.scrollToIndex(rows.length - 1, { align: "end" });
            }}
          >
            {count(fresh, "new record")}
          </Button>
        )}
      </div>
      <HeldBanner />
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
        onClick={() => go({ q: undefined, kinds: undefined, only: undefined, plumbing: undefined })}
      >
        Show all records
      </Button>
    </Empty>
  );
}

const NOTHING_HELD: ReadonlySet<number> = new Set();

/** The records of what is held; the same set as long as the same is held. */
function useHeld(holds: readonly Hold[] | undefined): ReadonlySet<number> {
  const key = (holds ?? []).map((hold) => hold.invocation ?? hold.message ?? "").join();
  return useMemo(
    () => (key.replaceAll(",", "") === "" ? NOTHING_HELD : new Set(key.split(",").filter(Boolean).map(Number))),
    [key],
  );
}

const kept = new WeakMap<object, { version: number; told: Map<string, ReturnType<typeof tell>> }>();

/** What a row says, the same object as long as nothing has changed, so that rows that scroll are not drawn anew. */
function told(outline: Parameters<typeof tell>[0], seq: number, of: number): ReturnType<typeof tell> {
  let known = kept.get(outline);
  if (known === undefined || known.told.size > 5000) kept.set(outline, (known = { version: 0, told: new Map() }));
  const key = `${seq}/${of}/${outline.length > seq + of ? "" : outline.version}`;
  let found = known.told.get(key);
  if (found === undefined) known.told.set(key, (found = tell(outline, seq, of)));
  return found;
}
