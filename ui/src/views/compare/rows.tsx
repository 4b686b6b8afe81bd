/** The lines of a comparison: a difference, what is alike, and one pair of that. */

import { IconChevronRight, IconEqual, IconMinus, IconPlus, IconPlusMinus, type TablerIcon } from "@tabler/icons-react";
import { Loader } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { memo, useEffect, useSyncExternalStore } from "react";

import type { Glance, Item } from "@/api/schema";
import { excerpt, wordsOf } from "@/kit/diff/lines";
import { plainText } from "@/kit/diff/plain";
import { Pieces, TextDiff } from "@/kit/diff/TextDiff";
import { count, oneLine } from "@/kit/words";
import { soleText, untyped } from "@/model/body";
import { type Change, comparedOf, type Differing, differingAtAGlance, type Entry, fateOf } from "@/model/compare";
import { shortName } from "@/model/names";
import { useBody } from "@/state/bodies";
import { type FollowedRun, useGlance, useRecord } from "@/state/run";

import classes from "./Compare.module.css";

export interface Sides {
  a: FollowedRun;
  b: FollowedRun;
  /** Which of the two is the run that one is at. */
  own: "a" | "b";
  names: readonly [string, string];
  /** The records up to which they were served; 0 of a run that is no fork. */
  cuts: readonly [number, number];
}

const MARKS: Record<Change["change"], { icon: TablerIcon; word: string }> = {
  same: { icon: IconEqual, word: "alike" },
  changed: { icon: IconPlusMinus, word: "differs" },
  only_a: { icon: IconMinus, word: "only in" },
  only_b: { icon: IconPlus, word: "only in" },
};

/** Characters of a value on a line, and of one whose differences are looked for. */
const FIRST = 400;
const MOST = 8000;

interface ChangeRowProps {
  change: Change;
  sides: Sides;
  first: boolean;
  chosen: boolean;
  open: boolean;
  toggle: () => void;
  /** Changes when more of the two runs has come. */
  version: number;
}

export const ChangeRow = memo(function ChangeRow({ change, sides, first, chosen, open, toggle }: ChangeRowProps) {
  const { icon: Icon, word } = MARKS[change.change];
  const only = change.change === "only_a" ? sides.names[0] : change.change === "only_b" ? sides.names[1] : "";
  const { thought, before, after } = useDiffering(change, sides);
  const words = change.a !== null && change.b !== null ? wordsOf(oneLine(before, MOST), oneLine(after, MOST)) : null;
  return (
    <article
      className={classes["change"]}
      data-change={change.change}
      data-chosen={chosen || undefined}
      aria-label={`${nameOf(change)}: ${only ? `only in ${only}` : `${change.what.join(" and ")} differs`}`}
    >
      <div className={classes["line"]}>
        <button type="button" className={classes["toggle"]} aria-expanded={open} onClick={toggle}>
          <IconChevronRight size={13} data-open={open || undefined} className={classes["chevron"]} aria-hidden />
          <Icon size={14} stroke={2} className={classes["mark"]} aria-label={only ? `${word} ${only}` : word} />
          <span className={classes["who"]}>
            <span className="ellipsis" style={{ color: `var(--ot-${change.kind})` }}>
              {nameOf(change)}
            </span>
            <span className={classes["what"]}>
              {first && <b className={classes["first"]}>first · </b>}
              {change.kind}
              {change.change === "changed" && change.kind !== "message" && ` · ${change.what.join(", ")}`}
              {thought && " · thought"}
            </span>
          </span>
        </button>
        <Half item={change.a} side="a" sides={sides}>
          {words ? <Pieces pieces={excerpt(words.before)} mark="−" /> : oneLine(before, FIRST)}
        </Half>
        <Half item={change.b} side="b" sides={sides}>
          {words ? <Pieces pieces={excerpt(words.after)} mark="+" /> : oneLine(after, FIRST)}
        </Half>
      </div>
      {open && <Bodies change={change} names={sides.names} />}
    </article>
  );
});

function nameOf({ component, recipients }: Pick<Change, "component" | "recipients">): string {
  if (recipients.length === 0) return shortName(component);
  const to = recipients.length > 3 ? `${recipients.length} others` : recipients.map(shortName).join(", ");
  return `${shortName(component)} → ${to}`;
}

/** What is compared of one side, at a glance; asked for, and there once it has come. */
function useCompared(hash: string | null, item: Item | null, run: FollowedRun): Glance | null {
  useEffect(() => {
    if (item !== null) run.want([item.seq, ...(item.ended > 0 ? [item.ended] : [])]);
  });
  return useSyncExternalStore(run.subscribeRecords, () => run.glance(hash) ?? null);
}

/** What differs on a line: what is seen of the two at a glance, and the whole of them where that is alike. */
function useDiffering(change: Change, { a, b }: Sides): Differing {
  const [hashA, hashB] = [comparedOf(change, change.a), comparedOf(change, change.b)];
  const before = useCompared(hashA, change.a, a);
  const after = useCompared(hashB, change.b, b);
  const seen = before !== null && after !== null ? differingAtAGlance(before, after) : null;
  const alike = before !== null && after !== null && seen === null && hashA !== hashB;
  const wholeA = useBody(alike ? hashA : null);
  const wholeB = useBody(alike ? hashB : null);
  if (!alike || wholeA.data === undefined || wholeB.data === undefined)
    return seen ?? { thought: false, before: before?.text ?? "", after: after?.text ?? "" };
  const [left, right] = textsOf(wholeA.data, wholeB.data);
  return { thought: false, before: left, after: right };
}

interface HalfProps {
  item: Item | null;
  side: "a" | "b";
  sides: Sides;
  children: React.ReactNode;
}

function Half({ item, side, sides, children }: HalfProps) {
  const run = sides.names[side === "a" ? 0 : 1];
  if (item === null)
    return (
      <div className={classes["half"]} data-none>
        not in {run}
      </div>
    );
  const fate = fateOf(item, sides.cuts[side === "a" ? 0 : 1]);
  return (
    <div className={classes["half"]} data-side={side}>
      <Number seq={item.seq} run={run} own={sides.own === side} other={sides.names[side === "a" ? 1 : 0]} />
      <span className="ellipsis">{children}</span>
      {item.failed && <span className={classes["failed"]}>failed</span>}
      {fate && <span className={classes["fate"]}>{fate}</span>}
    </div>
  );
}

/** The number of a record: selects it in this run, or opens the other one at it. */
function Number({ seq, run, own, other }: { seq: number; run: string; own: boolean; other: string }) {
  return (
    <Link
      to="/runs/$run"
      params={{ run }}
      search={(before: object) => ({ ...(own && before), at: seq, vs: other, bottom: "compare" }) as never}
      replace={own}
      resetScroll={false}
      className={classes["number"] ?? ""}
      aria-label={own ? `Select record ${seq}` : `Record ${seq} of ${run}`}
      title={own ? "Select it" : `Open it in ${run}`}
    >
      #{seq}
    </Link>
  );
}

function Bodies({ change: { a, b, what, kind }, names }: { change: Change; names: readonly [string, string] }) {
  if (a === null || b === null) {
    const item = a ?? b;
    return (
      <div className={classes["bodies"]}>
        <Told title={kind === "message" ? "Says" : "Input"} hash={item?.body ?? null} />
        {item?.output && <Told title={item.failed ? "Error" : "Output"} hash={item.output} />}
      </div>
    );
  }
  const input = what.includes("message") || what.includes("input");
  const output = what.includes("output") || what.includes("error");
  return (
    <div className={classes["bodies"]}>
      {output && (
        <Two title={a.failed || b.failed ? "Output or error" : "Output"} a={a.output} b={b.output} names={names} />
      )}
      {input && <Two title={kind === "message" ? "" : "Input"} a={a.body} b={b.body} names={names} />}
      {!output && a.output && <Told title="Output, the same in both" hash={a.output} />}
    </div>
  );
}

function Two({
  title,
  a,
  b,
  names,
}: {
  title: string;
  a: string | null;
  b: string | null;
  names: readonly [string, string];
}) {
  const before = useBody(a);
  const after = useBody(b);
  const error = before.error ?? after.error;
  const waiting = (a !== null && before.data === undefined) || (b !== null && after.data === undefined);
  const [left, right] = textsOf(a === null ? "" : before.data, b === null ? "" : after.data);
  return (
    <section aria-label={title || "Message"}>
      {title && <h4 className={classes["title"]}>{title}</h4>}
      {error ? (
        <p className={classes["failed"]}>{error.message}</p>
      ) : waiting ? (
        <Loader size="xs" aria-label="Loading" />
      ) : (
        <TextDiff before={left} after={right} labels={names} />
      )}
    </section>
  );
}

/** Two values as texts: what they say where that is all, else their fields. */
export function textsOf(a: unknown, b: unknown): [string, string] {
  const [left, right] = [soleText(a), soleText(b)];
  if (left !== null && right !== null && left !== right) return [left, right];
  return [plainText(untyped(a)), plainText(untyped(b))];
}

function Told({ title, hash }: { title: string; hash: string | null }) {
  const { data, error } = useBody(hash);
  if (hash === null) return null;
  return (
    <section aria-label={title}>
      <h4 className={classes["title"]}>{title}</h4>
      {error ? (
        <p className={classes["failed"]}>{error.message}</p>
      ) : (
        <pre className={classes["said"]}>{data === undefined ? "…" : (soleText(data) ?? plainText(untyped(data)))}</pre>
      )}
    </section>
  );
}

interface FoldRowProps {
  entry: Extract<Entry, { form: "alike" }>;
  /** Records that the two runs have in common from the start. */
  shared: number;
  open: boolean;
  toggle: () => void;
}

export function FoldRow({ entry, shared, open, toggle }: FoldRowProps) {
  return (
    <button type="button" className={classes["fold"]} aria-expanded={open} onClick={toggle}>
      <IconChevronRight size={13} data-open={open || undefined} className={classes["chevron"]} aria-hidden />
      <IconEqual size={14} aria-hidden />
      {entry.alike.toLocaleString("en")} alike
      {shared > 0 && <span>· the first {count(shared, "record")} are the same ones</span>}
    </button>
  );
}

interface AlikeRowProps {
  a: number;
  b: number;
  sides: Sides;
  run: FollowedRun;
  select: (seq: number) => void;
  version: number;
}

export const AlikeRow = memo(function AlikeRow({ a, b, sides, run, select }: AlikeRowProps) {
  const seq = sides.own === "a" ? a : b;
  const { outline } = run.snapshot();
  useRecord(run, seq);
  const recipient = outline.recipient(seq);
  const told = useGlance(run, seq)?.text ?? "";
  return (
    <button type="button" className={classes["alike"]} onClick={() => select(seq)}>
      <IconEqual size={13} aria-hidden />
      <span className="ellipsis">
        {nameOf({ component: outline.component(seq), recipients: recipient ? [recipient] : [] })}
      </span>
      <span className={classes["numbers"]}>
        #{a} · #{b}
      </span>
      <span className="ellipsis quiet">{oneLine(told)}</span>
    </button>
  );
});
