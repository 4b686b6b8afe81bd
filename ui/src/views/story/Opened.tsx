/**
 * An open card: what the turn was asked, where no other card tells that, then what was done in it, in the order of the
 * log, each text in full, calls that open to what went in and came out.
 */

import { Anchor, Skeleton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

import type { Glance } from "@/api/schema";
import { Bare, Thought } from "@/kit/body/BodyView";
import { count, duration, oneLine } from "@/kit/words";
import { shortName } from "@/model/names";
import { NONE } from "@/model/outline";
import { cardOf, isHeard, type Part } from "@/model/turns";
import { useTold } from "@/state/bodies";
import { type FollowedRun, useRecord } from "@/state/run";
import { ASPECT_ICONS } from "@/views/records/icons";

import classes from "./Card.module.css";
import { type CardProps, givenOf, lastPart, Line, marksOf, type Wrong, WrongWords } from "./parts";
import { type Answer, inWords, isSame, isThought, recipientsOf } from "./told";

/** Parts that an open card shows at first. */
const MANY = 60;
/** Characters from which a question is folded, so that what was done about it is in sight. */
const LONG = 600;

interface OpenedProps extends CardProps {
  answer: Answer | null;
}

export function Opened(props: OpenedProps) {
  const { run, outline, turns, turn, answer } = props;
  const [all, setAll] = useState(false);
  const start = turns.starts[turn] ?? 0;
  const end = turns.ends[turn] ?? NONE;
  const asked = turns.asked[turn] ?? NONE;
  const parts = turns.partsOf(turn);
  const shown = all ? parts : parts.slice(0, MANY);
  if (turns.kinds[turn] !== "invocation")
    return (
      <div className={classes["opened"]}>
        <Ways {...props} />
        <Block {...props} seq={start}>
          <Full run={run} seq={start} />
        </Block>
      </div>
    );
  const glances = (seq: number): Glance | undefined => run.glance(run.record(seq)?.hash);
  const said = [...parts.filter(({ kind }) => kind === "said").map(({ seq }) => glances(seq)), answer?.glance];
  const own = end !== NONE && !outline.has(end, "empty") && (answer?.seq === end || !repeats(glances(end), said));
  const from = asked !== NONE && outline.kind(asked) === "message_queued" ? shortName(outline.component(asked)) : "";
  const heard = asked !== NONE && !outline.has(asked, "empty");
  const told = props.passages.map(({ seq }) => seq).filter((seq) => seq !== asked && isHeard(turns, turn, seq));
  const elsewhere = heard && cardOf(turns, outline, asked) !== turn;
  return (
    <div className={classes["opened"]}>
      <Ways {...props} />
      {elsewhere && <Heard {...props} asked={asked} from={from} glance={glances(asked)} />}
      {heard && !elsewhere && (
        <Block {...props} seq={asked} label={from ? `from ${from}` : "Asked"} tone="asked">
          <Folded folded={(glances(asked)?.size ?? 0) > LONG && !isLookedFor(props, asked)}>
            <Full run={run} seq={asked} />
          </Folded>
        </Block>
      )}
      {shown.map((part) => (
        <PartView key={part.seq} {...props} part={part} said={said} />
      ))}
      {shown.length < parts.length && (
        <button type="button" className={classes["more"]} onClick={() => setAll(true)}>
          {parts.length - shown.length} more
        </button>
      )}
      {own && (
        <Block {...props} seq={end} label={outline.has(end, "failed") ? "Failed" : "Returned"} tone="answer">
          <Full run={run} seq={end} />
        </Block>
      )}
      {told.map((seq) => (
        <Block key={seq} {...props} seq={seq} label="What it was told" tone="asked">
          <Full run={run} seq={seq} whole />
        </Block>
      ))}
    </div>
  );
}

/** Whether something in a record is what one looks for, so that it has to be seen. */
function isLookedFor({ wrong, passages }: OpenedProps, seq: number): boolean {
  return [...wrong, ...passages].some((one) => one.seq === seq);
}

/** A text of which a few lines are seen until one asks for all of it. */
function Folded({ folded, children }: { folded: boolean; children: ReactNode }) {
  const [all, setAll] = useState(false);
  if (!folded) return children;
  return (
    <>
      <div className={all ? undefined : classes["folded"]}>{children}</div>
      <button
        type="button"
        className={classes["more"]}
        aria-expanded={all}
        onClick={(event) => {
          event.stopPropagation();
          setAll(!all);
        }}
      >
        {all ? "Show less" : "Show all of it"}
      </button>
    </>
  );
}

/** What it says of what came out wrong, each the way to its place in the text. */
function Ways({ wrong, onReveal }: OpenedProps): ReactNode {
  return wrong.map((one) => (
    <button
      key={one.seq}
      type="button"
      tabIndex={-1}
      className={`${classes["line"]} ${classes["wrong"]} ${classes["way"]}`}
      title="Go to the place in the text"
      onClick={(event) => {
        event.stopPropagation();
        onReveal(one.seq);
      }}
    >
      <WrongWords one={one} />
    </button>
  ));
}

/** What it was asked, where another card tells it in full: its first words, and the way there. */
function Heard(props: OpenedProps & { asked: number; from: string; glance: Glance | undefined }) {
  const { at, asked, from, glance, turns, turn, onSelect } = props;
  const before = turns.heard[turn] ?? 0;
  return (
    <Line seq={asked} at={at} className="asked">
      <span className={classes["label"]}>
        {from ? `from ${from}, ` : "asked, "}
        <Anchor
          component="button"
          type="button"
          tabIndex={-1}
          size="xs"
          onClick={(event) => {
            event.stopPropagation();
            onSelect(asked);
          }}
        >
          #{asked}
        </Anchor>
      </span>
      <span className={classes["oneLine"]}>{glance === undefined ? "" : oneLine(inWords(glance), 240)}</span>
      {before > 0 && <span className={classes["figure"]}>and heard {count(before, "message")} before</span>}
    </Line>
  );
}

function repeats(glance: Glance | undefined, said: readonly (Glance | undefined)[]): boolean {
  return glance !== undefined && said.some((other) => other !== undefined && isSame(glance, other));
}

function PartView(props: OpenedProps & { part: Part; said: readonly (Glance | undefined)[] }) {
  const { run, outline, part, at, said } = props;
  switch (part.kind) {
    case "note":
      return (
        <Block {...props} seq={part.seq} tone={isThought(outline, part.seq) ? "thought" : undefined}>
          {!isThought(outline, part.seq) && <span className={classes["label"]}>{outline.type(part.seq)}</span>}
          <Full run={run} seq={part.seq} />
        </Block>
      );
    case "said": {
      return (
        <Block {...props} seq={part.seq} label={`→ ${recipientsOf(outline, part).join(", ")}`} tone="answer">
          <Full run={run} seq={part.seq} />
        </Block>
      );
    }
    case "turn":
      return (
        <Line seq={part.seq} at={at} className="asked">
          <span className={classes["label"]}>↳ {shortName(outline.component(part.seq))}, below</span>
        </Line>
      );
    case "tool":
      return <Call {...props} part={part} />;
    default: {
      const back = part.end === NONE ? undefined : run.glance(run.record(part.end)?.hash);
      const says = back !== undefined && back.calls === 0 && back.text !== "" && !repeats(back, said);
      return (
        <>
          {back?.thought && (
            <Block {...props} seq={part.end} tone="thought">
              <ThoughtOf {...props} seq={part.end} />
            </Block>
          )}
          <Call {...props} part={part} />
          {says && back.form !== "thought" && (
            <Block {...props} seq={part.end} label={`${lastPart(outline.component(part.seq))} answered`}>
              <Full run={run} seq={part.end} bare />
            </Block>
          )}
        </>
      );
    }
  }
}

/** A call as a chip: it opens to what went in and what came out. */
function Call(props: OpenedProps & { part: Part }) {
  const { run, outline, part, at, wrong, passages } = props;
  const looked = [...wrong, ...passages].some(({ seq }) => seq === part.seq || (seq === part.end && part.end !== NONE));
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? (looked && (part.kind === "tool" || passages.some(({ seq }) => seq === part.seq)));
  const begun = run.glance(run.record(part.seq)?.hash);
  const back = part.end === NONE ? undefined : run.glance(run.record(part.end)?.hash);
  const ended = part.end === NONE ? undefined : run.record(part.end);
  const failed = part.end !== NONE && outline.has(part.end, "failed");
  const Sign = ASPECT_ICONS[part.kind === "model" ? "model" : "tool"];
  const figures = ended?.kind === "invocation_ended" ? ended : undefined;
  const tokens = (figures?.tokens_in ?? 0) + (figures?.tokens_out ?? 0);
  return (
    <div className={classes["call"]} data-failed={failed || undefined}>
      <Line seq={part.seq} at={at === part.end && at !== NONE ? part.seq : at} className="chip" failed={failed}>
        <button
          type="button"
          className={classes["toggle"]}
          aria-label={`${open ? "Close" : "Open"} the call of ${lastPart(outline.component(part.seq))}`}
          title={open ? "Close the call" : "Open the call: what went in, what came out"}
          aria-expanded={open}
          onClick={(event) => {
            event.stopPropagation();
            setChosen(!open);
          }}
        >
          {open ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
        </button>
        {Sign && <Sign size={13} stroke={1.7} className={classes["sign"]} aria-label={part.kind} />}
        <span className={classes["tool"]}>
          {lastPart(outline.component(part.seq))}
          {part.kind === "tool" && <span className={classes["given"]}>{givenOf(begun?.text ?? "")}</span>}
        </span>
        <span className={classes["oneLine"]}>
          {!open && part.end === NONE
            ? "did not come back"
            : !open && `→ ${oneLine(back?.text ?? "", 200) || "nothing"}`}
        </span>
        <span className={classes["figure"]}>
          {[tokens > 0 ? `${tokens.toLocaleString("en")} tokens` : "", duration(figures?.seconds ?? 0)]
            .filter((told) => told !== "" && told !== "0 ms")
            .join(" · ")}
        </span>
        <span className={classes["number"]}>#{part.seq}</span>
      </Line>
      {open && (
        <div className={classes["inside"]}>
          <div data-seq={part.seq} {...marksOf(wrong, part.seq)}>
            <span className={classes["label"]}>Input</span>
            <Full run={run} seq={part.seq} whole />
          </div>
          {part.end !== NONE && (
            <div data-seq={part.end} {...marksOf(wrong, part.end)}>
              <span className={classes["label"]}>{failed ? "Error" : "Result"}</span>
              <Full run={run} seq={part.end} whole />
            </div>
          )}
        </div>
      )}
    </div>
  );
}

interface BlockProps {
  seq: number;
  at: number | undefined;
  label?: string;
  tone?: "asked" | "thought" | "answer" | undefined;
  wrong: readonly Wrong[];
  children: ReactNode;
}

/** A part that is a text. */
function Block({ seq, at, label, tone, wrong, children }: BlockProps) {
  return (
    <div
      className={classes["block"]}
      data-tone={tone}
      data-chosen={at === seq || undefined}
      data-seq={seq}
      {...marksOf(wrong, seq)}
    >
      {label !== undefined && <span className={classes["label"]}>{label}</span>}
      {children}
    </div>
  );
}

interface FullProps {
  run: FollowedRun;
  seq: number;
  /** Without what was thought, which is told before it. */
  bare?: boolean;
  /** With what it holds beside what it says. */
  whole?: boolean;
}

/** All that a record says. */
function Full({ run, seq, bare = false, whole = false }: FullProps) {
  const record = useRecord(run, seq);
  const { data, error, isPlaceholderData } = useTold(record?.hash);
  if (error) return <p className={classes["quiet"]}>{error.message}</p>;
  if (record !== undefined && !record.hash) return <p className={classes["quiet"]}>Nothing.</p>;
  if (data === undefined || isPlaceholderData) return <Skeleton height={36} />;
  const { value, thought, said } = data;
  return <Bare value={value} thought={bare ? "" : thought} said={said} apart={thought !== ""} brief={!whole} />;
}

function ThoughtOf({ run, seq }: Pick<CardProps, "run"> & { seq: number }) {
  const record = useRecord(run, seq);
  const { data, isPlaceholderData } = useTold(record?.hash);
  if (data === undefined || isPlaceholderData) return <Skeleton height={18} />;
  return <Thought text={data.thought} />;
}
