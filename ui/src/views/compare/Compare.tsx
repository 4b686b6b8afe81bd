/** Two runs side by side: what differs in order, what is alike folded, and what the two did in figures. */

import { ActionIcon, Alert, Button, Loader, Menu, Switch, Tooltip } from "@mantine/core";
import { useThrottledValue } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp, IconChevronDown, IconArrowRight } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";

import { api, got } from "@/api/client";
import type { Difference } from "@/api/schema";
import { Empty } from "@/kit/Empty";
import { count } from "@/kit/words";
import { changesOf, componentsOf, endsOf, type Entry, entriesOf } from "@/model/compare";
import { runTitle } from "@/model/names";
import { followedRun, useRun } from "@/state/run";
import { useRuns } from "@/state/runs";
import { RunPicker } from "@/views/runs/CompareWith";
import { useWorkspace } from "@/views/workspace/context";

import { AlikeRow, ChangeRow, FoldRow, type Sides } from "./rows";
import { Summary } from "./Summary";
import classes from "./Compare.module.css";

/** While a run goes on, it is compared anew as often as this, in milliseconds. */
const PATIENCE = 2000;
const LINE = 35;

export default function Compare() {
  const { id, view, place, go } = useWorkspace();
  const { runs, byId, known } = useRuns();
  const named = place.vs === undefined || place.vs === id ? view.info?.parent : place.vs;
  const other = named ? byId.get(named) : undefined;
  if (!known) return <Loader size="sm" m="md" aria-label="Loading the runs" />;
  if (named && other === undefined)
    return (
      <Empty title={`There is no run ${named}`}>
        It has been deleted. <Choose id={id} title="Choose another one" />
      </Empty>
    );
  if (other === undefined)
    return (
      <section className={classes["choose"]} aria-label="Choose a run to compare with">
        <p>
          {runs.length > 1
            ? `Compare ${id} with:`
            : "There is nothing to compare with yet. Fork this run, or run its target again, and see here what came out differently."}
        </p>
        {runs.length > 1 && <RunPicker run={id} runs={runs} pick={({ run }) => go({ vs: run }, "push")} />}
      </section>
    );
  return <Comparison key={`${id} ${other.run}`} other={other.run} />;
}

function Choose({ id, title }: { id: string; title: string }) {
  const { go } = useWorkspace();
  const { runs } = useRuns();
  return (
    <Menu position="bottom-start" withinPortal width={420}>
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={14} />}>
          {title}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes["menu"] ?? ""}>
        <RunPicker run={id} runs={runs} pick={({ run }) => go({ vs: run }, "push")} />
      </Menu.Dropdown>
    </Menu>
  );
}

function useDifference(a: string, b: string, alike: boolean) {
  const { byId } = useRuns();
  const state = [a, b].map((run) => `${byId.get(run)?.status} ${byId.get(run)?.records}`).join();
  const calm = useThrottledValue(state, PATIENCE);
  return useQuery({
    queryKey: ["diff", a, b, calm, alike],
    queryFn: () => got(api.GET("/api/diff", { params: { query: { a, b, alike } } })) as Promise<Difference>,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

type Row = Entry | { form: "pair"; a: number; b: number };

function Comparison({ other }: { other: string }) {
  const { id, run, view, place, select } = useWorkspace();
  const { byId } = useRuns();
  const { view: theirView } = useRun(other);
  const ownSummary = byId.get(id) ?? { run: id, created: view.info?.created ?? 0 };
  const [a, b] = endsOf(ownSummary, byId.get(other) ?? { run: other, created: 0 });
  const own: "a" | "b" = a === id ? "a" : "b";
  const [plumbing, setPlumbing] = useState(false);
  const [component, setComponent] = useState<string | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const { data, error, isPending } = useDifference(a, b, unfolded.size > 0);
  const known = view.whole && theirView.whole;
  const changes = useMemo(() => {
    const outlines = { a: followedRun(a).snapshot().outline, b: followedRun(b).snapshot().outline };
    return data ? changesOf(data, (side, seq) => !known || !outlines[side].has(seq, "empty")) : [];
  }, [data, a, b, known]);
  const entries = useMemo(
    () => entriesOf(changes, data?.same ?? 0, { plumbing, component }),
    [changes, data, plumbing, component],
  );
  const rows = useMemo<Row[]>(
    () =>
      entries.flatMap((entry): Row[] => {
        if (entry.form === "change" || !unfolded.has(entry.from)) return [entry];
        const pairs = data?.alike?.slice(entry.from, entry.from + entry.alike) ?? [];
        return [entry, ...pairs.map(([a, b]): Row => ({ form: "pair", a: a as number, b: b as number }))];
      }),
    [entries, unfolded, data],
  );
  const places = useMemo(() => rows.flatMap((row, at) => (row.form === "change" ? [at] : [])), [rows]);
  const box = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library
  const drawn = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE,
    getItemKey: (at) => keyOf(rows[at], at),
    overscan: 6,
  });
  const [current, setCurrent] = useState<number | null>(null);
  const selected = place.at;
  const selectedRow = rows.findIndex((row) => row.form === "change" && isAt(row.change[own], selected));
  useEffect(() => {
    if (selectedRow >= 0 && selectedRow !== current) drawn.scrollToIndex(selectedRow, { align: "auto" });
    // Only a new selection moves the list.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [selected]);
  const [cutA, cutB] = [data?.a.cut ?? 0, data?.b.cut ?? 0];
  const sides = useMemo<Sides>(
    () => ({ a: followedRun(a), b: followedRun(b), own, names: [a, b], cuts: [cutA, cutB] }),
    [a, b, own, cutA, cutB],
  );
  if (error)
    return (
      <Alert color="red" m="md" title={`${a} and ${b} cannot be compared`}>
        {(error as Error).message}
      </Alert>
    );
  if (isPending || data === undefined) return <Loader size="sm" m="md" aria-label={`Comparing ${a} and ${b}`} />;
  const shown = places.length;
  const jump = (at: number | undefined, open = false) => {
    const row = at === undefined ? undefined : rows[at];
    if (at === undefined || row?.form !== "change") return;
    const { change } = row;
    if (open) setOpened(new Set([...opened, change.key]));
    setCurrent(at);
    drawn.scrollToIndex(at, { align: "start" });
    const seq = change[own]?.seq;
    if (seq !== undefined) select(seq);
  };
  const from = current ?? -1;
  return (
    <section className={classes["compare"]} aria-label={`Comparison of ${a} and ${b}`}>
      <div className={classes["bar"]}>
        <Choose id={id} title={`with ${runTitle(byId.get(other) ?? { run: other, name: "" })}`} />
        <Tooltip label={`Open ${other} at the same place`}>
          <ActionIcon
            component={Link}
            to={`/runs/${other}`}
            search={{ vs: id, bottom: "compare" } as never}
            aria-label={`Open ${other}`}
          >
            <IconArrowRight size={15} />
          </ActionIcon>
        </Tooltip>
        <span className={classes["told"]} role="status">
          {changes.length === 0
            ? "No difference"
            : `${count(shown, "difference")}${shown < changes.length ? `, ${changes.length - shown} more of the framework's own` : ""}`}
          {`, ${data.same.toLocaleString("en")} alike`}
        </span>
        <span className={classes["space"]} />
        {shown > 0 && (
          <span className={classes["jumps"]}>
            <Button variant="light" onClick={() => jump(places[0], true)}>
              First difference
            </Button>
            <ActionIcon
              aria-label="The difference before"
              title="The difference before"
              onClick={() => jump(places.findLast((at) => at < from) ?? places.at(-1))}
            >
              <IconArrowUp size={16} />
            </ActionIcon>
            <ActionIcon
              aria-label="The next difference"
              title="The next difference"
              onClick={() => jump(places.find((at) => at > from) ?? places[0])}
            >
              <IconArrowDown size={16} />
            </ActionIcon>
          </span>
        )}
        <Tooltip label="Also deliveries and repetitions of what another line says">
          <Switch
            size="xs"
            label="Framework's internals"
            checked={plumbing}
            onChange={(event) => setPlumbing(event.currentTarget.checked)}
          />
        </Tooltip>
      </div>
      <div className={classes["halves"]}>
        <Summary
          difference={data}
          components={componentsOf(changes, plumbing)}
          component={component}
          choose={setComponent}
        />
        <div className={classes["right"]}>
          <div className={classes["heads"]} aria-hidden>
            <span />
            <b>{runTitle(data.a)}</b>
            <b>{runTitle(data.b)}</b>
          </div>
          {changes.length === 0 && (
            <Empty title="The two runs did the same">
              All {count(data.same, "message and invocation", "messages and invocations")} are alike, from the first to
              the last.
            </Empty>
          )}
          {/* A region that scrolls can be reached by the keyboard. */}
          <div ref={box} className={classes["list"]} tabIndex={0} role="group" aria-label="Differences in order">
            <div style={{ height: drawn.getTotalSize(), position: "relative" }}>
              {drawn.getVirtualItems().map(({ index, key, start }) => {
                const row = rows[index];
                if (row === undefined) return null;
                return (
                  <div
                    key={key}
                    ref={drawn.measureElement}
                    data-index={index}
                    className={classes["place"]}
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    {row.form === "pair" ? (
                      <AlikeRow a={row.a} b={row.b} sides={sides} run={run} select={select} version={view.version} />
                    ) : row.form === "alike" ? (
                      <FoldRow
                        entry={row}
                        shared={row.from === 0 ? data.shared : 0}
                        open={unfolded.has(row.from)}
                        toggle={() => setUnfolded(toggled(unfolded, row.from))}
                      />
                    ) : (
                      <ChangeRow
                        change={row.change}
                        sides={sides}
                        first={index === places[0]}
                        chosen={index === selectedRow}
                        open={opened.has(row.change.key)}
                        toggle={() => {
                          const { key } = row.change;
                          setOpened(toggled(opened, key));
                          setCurrent(index);
                          const seq = row.change[own]?.seq;
                          if (seq !== undefined && !opened.has(key)) select(seq);
                        }}
                        version={view.version + theirView.version}
                      />
                    )}
                  </div>
                );
              })}
            </div>
          </div>
        </div>
      </div>
    </section>
  );
}

function isAt(item: { seq: number; ended: number } | null, seq: number | undefined): boolean {
  return item !== null && seq !== undefined && (item.seq === seq || item.ended === seq);
}

function keyOf(row: Row | undefined, at: number): string {
  if (row === undefined) return String(at);
  if (row.form === "pair") return `=${row.a}-${row.b}`;
  return row.form === "change" ? row.change.key : `fold ${row.from}`;
}

function toggled<Item>(set: ReadonlySet<Item>, item: Item): ReadonlySet<Item> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}
