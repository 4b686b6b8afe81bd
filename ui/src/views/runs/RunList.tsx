/** The list of runs: a line for each, as trees of forks or sorted; only what is in view is drawn. */

import { ActionIcon, Checkbox, Tooltip, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconChevronRight, IconGitFork } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, type ReactNode, useRef } from "react";

import type { RunSummary } from "@/api/schema";
import { count, duration, moment, money, oneLine } from "@/kit/words";
import { answerOf, callsOf, type RunRow, type SortBy, type Sorting, tokensOf, took } from "@/model/runs";

import { OutcomeMark, StatusMark } from "./marks";
import { type RunActions, RunMenu } from "./RunMenu";
import classes from "./RunList.module.css";

const ROW_HEIGHT = 50;
const INDENT = 18;
/** Characters of a text that are shown at most, those of its end, and from how many on its end is kept in sight. */
const SHOWN = 300;
const ENDING = 16;
const LONG = 32;

const COLUMNS: readonly { by: SortBy; title: string; about: string; name?: string }[] = [
  { by: "run", title: "Run", about: "Number and name" },
  { by: "input", title: "Input and answer", about: "What it was asked, and what it said in the end", name: "said" },
  { by: "target", title: "Target", about: "The program", name: "target" },
  { by: "status", title: "Status", about: "Whether it goes on, and how it ended" },
  { by: "outcome", title: "Outcome", about: "Whether the answer is the expected one, or what a verdict says" },
  { by: "calls", title: "Calls", about: "Model and tool calls that were made", name: "figure" },
  { by: "tokens", title: "Tokens", about: "Of the model calls that were made, in and out", name: "figure" },
  {
    by: "cost",
    title: "Cost",
    about: "Of the model calls that were made, where prices are known",
    name: "figure cost",
  },
  { by: "took", title: "Took", about: "From its start to its end", name: "figure" },
  { by: "created", title: "Started", about: "When it began", name: "figure started" },
];

export interface RunListProps {
  rows: readonly RunRow[];
  now: number;
  /** The order of a flat list; null where runs are shown as trees. */
  sorting: Sorting | null;
  sort: (by: SortBy) => void;
  chosen: ReadonlySet<string>;
  choose: (run: string, whether: boolean) => void;
  chooseAll: (whether: boolean) => void;
  fold: (run: string, open: boolean) => void;
  actions: RunActions;
}

export function RunList({ rows, now, sorting, sort, chosen, choose, chooseAll, fold, actions }: RunListProps) {
  const box = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library
  const drawn = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (at) => rows[at]?.run.run ?? at,
    overscan: 8,
  });
  const among = rows.filter(({ run }) => chosen.has(run.run)).length;
  const all = rows.length > 0 && among === rows.length;
  const keys = (event: KeyboardEvent<HTMLElement>) => {
    const place = event.target instanceof HTMLAnchorElement ? event.target.closest<HTMLElement>("[data-at]") : null;
    if (place === null) return;
    const at = Number(place.dataset["at"]);
    const row = rows[at];
    const to = (next: number) => {
      event.preventDefault();
      drawn.scrollToIndex(next);
      box.current?.querySelector<HTMLElement>(`[data-at="${next}"] a`)?.focus();
    };
    if (event.key === "ArrowDown" && at + 1 < rows.length) to(at + 1);
    else if (event.key === "ArrowUp" && at > 0) to(at - 1);
    else if (event.key === "ArrowRight" && row && row.forks > 0) fold(row.run.run, true);
    else if (event.key === "ArrowLeft" && row && row.forks > 0) fold(row.run.run, false);
    else if (event.key === " " && row) {
      event.preventDefault();
      choose(row.run.run, !chosen.has(row.run.run));
    } else if (event.key === "Delete" && row) actions.remove(chosen.has(row.run.run) ? [...chosen] : [row.run.run]);
  };
  return (
    <div ref={box} className={classes["scroll"]}>
      <div role="treegrid" tabIndex={-1} onKeyDown={keys} aria-label="Runs" aria-rowcount={rows.length + 1}>
        <div role="rowgroup" className={classes["heads"]}>
          <div role="row" aria-rowindex={1} className={`${classes["row"]} ${classes["head"]}`}>
            <div role="columnheader" className={classes["check"]}>
              <Checkbox
                size="xs"
                aria-label="Choose all runs"
                checked={all}
                indeterminate={!all && among > 0}
                onChange={(event) => chooseAll(event.currentTarget.checked)}
              />
            </div>
            {COLUMNS.map(({ by, title, about, name }) => {
              const sorted = sorting?.by === by ? (sorting.down ? "descending" : "ascending") : "none";
              const Arrow = sorted === "descending" ? IconArrowDown : IconArrowUp;
              return (
                <div
                  key={by}
                  role="columnheader"

                  aria-label={title}
                  aria-sort={sorted}
                  className={cell(name)}
                >
                  <Tooltip label={`${about}. Click to sort.`}>
                    <UnstyledButton className={classes["sort"]} onClick={() => sort(by)}>
                      {title}
                      {sorted !== "none" && <Arrow size={12} aria-hidden />}
                    </UnstyledButton>
                  </Tooltip>
                </div>
              );
            })}
            <div role="columnheader" className={classes["cell"]}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </div>
          </div>
        </div>
        <div role="rowgroup" className={classes["body"]} style={{ height: drawn.getTotalSize() }}>
          {drawn.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <Row
                key={key}
                at={index}
                top={start}
                row={row}
                now={row.run.live ? now : 0}
                chosen={chosen.has(row.run.run)}
                choose={choose}
                fold={fold}
                actions={actions}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function cell(name: string | undefined): string {
  return ["cell", ...(name?.split(" ") ?? [])].map((part) => classes[part]).join(" ");
}

interface RowProps {
  at: number;
  top: number;
  row: RunRow;
  now: number;
  chosen: boolean;
  choose: RunListProps["choose"];
  fold: RunListProps["fold"];
  actions: RunActions;
}

const Row = memo(function Row({
  at,
  top,
  row: { run, depth, forks, open, aside },
  now,
  chosen,
  choose,
  fold,
  actions,
}: RowProps) {
  const calls = callsOf(run);
  const tokens = tokensOf(run);
  const time = took(run, now);
  return (
    <div
      role="row"
      aria-rowindex={at + 2}
      aria-level={depth + 1}
      aria-expanded={forks > 0 ? open : undefined}
      aria-selected={chosen}
      data-at={at}
      data-chosen={chosen || undefined}
      data-aside={aside || undefined}
      className={classes["row"]}
      style={{ transform: `translateY(${top}px)` }}
    >
      <Cell name="check">
        <Checkbox
          size="xs"
          aria-label={`Choose ${run.run}`}
          checked={chosen}
          onChange={(event) => choose(run.run, event.currentTarget.checked)}
        />
      </Cell>
      <Cell>
        <div className={classes["title"]} style={{ paddingInlineStart: depth * INDENT }}>
          {forks > 0 ? (
            <ActionIcon
              size={18}
              className={classes["fold"]}
              aria-label={open ? `Hide the forks of ${run.run}` : `Show the forks of ${run.run}`}
              title={open ? "Hide its forks" : "Show its forks"}
              onClick={() => fold(run.run, !open)}
            >
              <IconChevronRight size={14} data-open={open || undefined} className={classes["chevron"]} />
            </ActionIcon>
          ) : (
            <span className={classes["fold"]}>
              {run.parent !== null && <IconGitFork size={14} stroke={1.7} aria-hidden />}
            </span>
          )}
          <div className={classes["lines"]}>
            <Link to="/runs/$run" params={{ run: run.run }} className={classes["link"] ?? ""}>
              <b>{run.run}</b> {run.name || run.changed}
            </Link>
            <span className={classes["second"]}>{origin(run, forks, open)}</span>
          </div>
        </div>
      </Cell>
      <Cell name="said">
        <div className={classes["lines"]}>
          <span className={classes["both"]} title={run.input}>
            {run.input.trim() === "" ? <span className="quiet">no input</span> : <BothEnds text={run.input} />}
          </span>
          <Answer run={run} />
        </div>
      </Cell>
      <Cell name="target">
        <span className="ellipsis" title={run.spec}>
          {run.spec.slice(run.spec.lastIndexOf("/") + 1)}
        </span>
      </Cell>
      <Cell>
        <StatusMark status={run.status} imported={run.imported} />
      </Cell>
      <Cell>
        <OutcomeMark outcome={run.outcome} />
      </Cell>
      <Cell name="figure" title={run.calls ? kinds(run.calls) : undefined}>
        {calls?.toLocaleString("en")}
      </Cell>
      <Cell name="figure" title={run.tokens ? `${run.tokens.input} in, ${run.tokens.output} out` : undefined}>
        {tokens?.toLocaleString("en")}
      </Cell>
      <Cell name="figure cost">{money(run.cost ?? 0)}</Cell>
      <Cell name="figure">{time !== null && duration(time)}</Cell>
      <Cell name="figure started">{run.timed ? moment(run.created) : ""}</Cell>
      <Cell name="menu">
        <RunMenu run={run} actions={actions} />
      </Cell>
    </div>
  );
});

function Cell({ name, title, children }: { name?: string; title?: string | undefined; children: ReactNode }) {
  return (
    <div role="gridcell" className={cell(name)} title={title}>
      {children}
    </div>
  );
}

/** What it said in the end, or why it failed. */
function Answer({ run }: { run: RunSummary }) {
  if (run.error)
    return (
      <span className={`${classes["second"]} ${classes["both"]} ${classes["error"]}`} title={run.error}>
        <BothEnds text={run.error} />
      </span>
    );
  const said = answerOf(run.output);
  return (
    <span className={`${classes["second"]} ${classes["both"]}`} title={said}>
      {said && <BothEnds text={`→ ${said}`} />}
    </span>
  );
}

/** A text whose middle is left out where there is no room: texts that are much the same often differ at their ends. */
function BothEnds({ text }: { text: string }) {
  const flat = oneLine(text, Number.POSITIVE_INFINITY);
  const cut = flat.length > LONG ? endingFrom(flat) : flat.length;
  return (
    <>
      <span className="ellipsis" style={{ whiteSpace: "pre" }}>
        {flat.slice(0, Math.min(cut, SHOWN))}
      </span>
      {cut < flat.length && (
        <span className={classes["ending"]}>
          {cut > SHOWN && "…"}
          {flat.slice(cut)}
        </span>
      )}
    </>
  );
}

/** Where the ending of a text begins: with a whole word, where one begins soon. */
function endingFrom(text: string): number {
  const from = text.length - ENDING;
  const word = text.indexOf(" ", from - 1) + 1;
  return word > 0 && word < from + ENDING / 2 ? word : from;
}

function origin(run: RunSummary, forks: number, open: boolean): string {
  const hidden = forks > 0 && !open ? ` · ${count(forks, "fork")} folded` : "";
  if (run.parent === null) return `${count(run.records, "record")}${hidden}`;
  const edits = run.edits.length > 0 ? ` · ${count(run.edits.length, "edit")}` : "";
  return `${run.parent} from #${run.changed_at ?? run.cut ?? 0}${edits}${hidden}`;
}

function kinds(calls: NonNullable<RunSummary["calls"]>): string {
  const told = (["model", "tool", "step", "agent", "task"] as const).filter((kind) => (calls[kind] ?? 0) > 0);
  return told.map((kind) => `${calls[kind]} ${kind}`).join(", ") || "no calls";
}
