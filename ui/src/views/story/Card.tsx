/** A turn as a card: who, what it was asked, thought and did, and what it answered; it opens in place to all of that. */

import { IconAlertTriangle, IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { memo, type ReactNode } from "react";

import type { Glance, Passage } from "@/api/schema";
import { count, duration, money, oneLine } from "@/kit/words";
import { aspectOf } from "@/model/aspects";
import { shortName } from "@/model/names";
import { NONE, type Outline } from "@/model/outline";
import { type Told, tell } from "@/model/telling";
import { isHeard, type Turns } from "@/model/turns";
import { ASPECT_ICONS, UnknownIcon } from "@/views/records/icons";
import { Said } from "@/views/records/Said";

import classes from "./Card.module.css";
import { Opened } from "./Opened";
import { type CardProps, givenOf, lastPart, Line, type Wrong, WrongWords, marksOf } from "./parts";
import { type Answer, answerIn, fewOf, inWords, plain, recordsOfCard, type Step, stepsOf, summaryOf } from "./told";
import { useGlances } from "./useGlances";

/** Steps that a card tells before it is opened. */
const STEPS = 6;
/** Records that a card looks at before it is opened. */
export const LOOKED_AT = 60;
/** Characters of a step that are seen in any case. */
const SEEN = 160;
/** Deeper ones are not indented further. */
const DEEPEST = 6;

export const Card = memo(function Card(props: CardProps) {
  const { run, outline, turns, turn, index, at, open, hue } = props;
  const start = turns.starts[turn] ?? 0;
  const glances = useGlances(run, recordsOfCard(turns, turn, LOOKED_AT));
  const kind = turns.kinds[turn] ?? "invocation";
  const told = tell(outline, start);
  const errors = turns.errorsOf(start);
  const end = turns.ends[turn] ?? NONE;
  const failed = outline.has(start, "failed") || (end !== NONE && outline.has(end, "failed"));
  return (
    <div
      role="row"
      id={`row-${start}`}
      aria-rowindex={index + 1}
      aria-selected={at !== undefined}
      data-open={open || undefined}
      className={classes["card"]}
      data-kind={kind}
      data-failed={failed || undefined}
      data-held={props.held || undefined}
      data-hue={hue ?? undefined}
      data-depth={Math.min(turns.depths[turn] ?? 0, DEEPEST)}
      onClick={(event) => props.onSelect(seqAt(event.target, start))}
      onDoubleClick={() => props.onOpen(start)}
      onContextMenu={(event) => {
        event.preventDefault();
        const seq = seqAt(event.target, start);
        props.onSelect(seq);
        props.onMenu(seq, event.clientX, event.clientY);
      }}
    >
      <div role="gridcell" className={classes["cell"]}>
        {kind === "invocation" ? (
          <Turn {...props} told={told} glances={glances} errors={errors} />
        ) : (
          <Slim {...props} told={told} glance={glances(start)} />
        )}
      </div>
    </div>
  );
});

/** The record that a part of a card is about. */
function seqAt(target: EventTarget, start: number): number {
  const part = target instanceof Element ? target.closest<HTMLElement>("[data-seq]") : null;
  return part === null ? start : Number(part.dataset["seq"]);
}

interface TurnProps extends CardProps {
  told: Told;
  glances: (seq: number) => Glance | undefined;
  errors: number;
}

function Turn(props: TurnProps) {
  const { outline, turns, turn, told, glances, errors, open, live, at } = props;
  const start = turns.starts[turn] ?? 0;
  const end = turns.ends[turn] ?? NONE;
  const answer = answerIn(turns, turn, glances);
  const gists = (seq: number) => props.run.gist(seq);
  const every = open ? [] : stepsOf(outline, turns, turn, glances, gists, answer, live);
  const steps = every.filter((step) => !isToldAsWrong(step, props.wrong));
  const { first, left, last } = fewOf(steps, STEPS);
  const line = (step: Step, n: number) => (
    <StepLine key={`${step.seq} ${step.kind} ${n}`} step={step} at={at} wrong={props.wrong} />
  );
  const parts = turns.partsOf(turn).length;
  return (
    <>
      <header className={classes["head"]}>
        <button
          type="button"
          tabIndex={-1}
          className={classes["toggle"]}
          aria-label={open ? "Close the card" : "Open the card"}
          title={open ? "Close the card (←)" : "Open the card (→)"}
          aria-expanded={open}
          onClick={(event) => {
            event.stopPropagation();
            props.onOpen(start);
          }}
        >
          {open ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        </button>
        <Icon told={told} outline={outline} seq={start} />
        <b className={classes["who"]} title={told.who}>
          {shortName(told.who)}
        </b>
        <ToWhom outline={outline} turns={turns} turn={turn} answer={answer} />
        <Marks {...props} end={end} />
        <span className={classes["space"]} />
        {errors > 0 && (
          <span className={classes["errors"]}>
            <IconAlertTriangle size={13} aria-hidden /> {count(errors, "error")}
          </span>
        )}
        <Figures {...props} end={end} />
        <span className={classes["number"]}>{numbersOf(turns, turn)}</span>
      </header>
      {props.finding !== null && (
        <p className={classes["finding"]}>{open ? props.finding : oneLine(props.finding, 240)}</p>
      )}
      {open ? (
        <Opened {...props} answer={answer} />
      ) : (
        <>
          <Asked {...props} />
          {first.map(line)}
          {left > 0 && (
            <button
              type="button"
              className={classes["more"]}
              tabIndex={-1}
              onClick={(event) => {
                event.stopPropagation();
                props.onOpen(start);
              }}
            >
              {count(left, "more step")}
            </button>
          )}
          {last.map(line)}
          {answer !== null && <AnswerText {...props} answer={answer} gist={gists(answer.seq)} />}
          {answer === null && end === NONE && live && <p className={classes["quiet"]}>…</p>}
          {answer === null && parts === 0 && end !== NONE && <p className={classes["quiet"]}>Nothing came back.</p>}
          <Elsewhere {...props} answer={answer} />
          <SaysWrong {...props} steps={steps} />
          {props.fold !== null && (
            <button
              type="button"
              tabIndex={-1}
              className={classes["more"]}
              onClick={(event) => {
                event.stopPropagation();
                props.onFold(start);
              }}
            >
              {props.fold === "folded" ? "Unfold what is inside" : "Fold what is inside"}
            </button>
          )}
        </>
      )}
    </>
  );
}

/** What is no turn: a message, an edit, a note, the beginning, the end. */
function Slim(props: CardProps & { told: Told; glance: Glance | undefined }) {
  const { outline, turns, turn, told, glance, open, passages } = props;
  const start = turns.starts[turn] ?? 0;
  const kind = turns.kinds[turn];
  const text = glance?.text ?? "";
  const passage = passages.find(({ seq }) => seq === start);
  return (
    <>
      <header className={classes["head"]}>
        <span className={classes["noToggle"]} />
        <Icon told={told} outline={outline} seq={start} />
        {told.who !== "" && (
          <b className={classes["who"]} title={told.who}>
            {shortName(told.who)}
          </b>
        )}
        {told.to.length > 0 && <span className="quiet">→ {told.to.map(shortName).join(", ")}</span>}
        <span className={kind === "begin" || kind === "end" ? classes["title"] : "quiet"}>{told.verb}</span>
        <Marks {...props} end={NONE} />
        <span className={classes["space"]} />
        <span className={classes["number"]}>#{start}</span>
      </header>
      {text !== "" &&
        (open ? (
          <Opened {...props} answer={null} />
        ) : (
          <div className={classes["answer"]} data-form={glance?.form} {...marksOf(props.wrong, start)}>
            <p className={classes["clamp"]}>
              {passage ? <Said passage={passage} /> : glance && summaryOf(glance, props.run.gist(start))}
            </p>
            {(glance?.size ?? 0) > 320 && <More onClick={() => props.onOpen(start)} />}
          </div>
        ))}
    </>
  );
}

function More({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classes["more"]}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      Show all
    </button>
  );
}

function Icon({ told, outline, seq }: { told: Told; outline: Outline; seq: number }) {
  const Sign = ASPECT_ICONS[aspectOf(outline, seq)] ?? UnknownIcon;
  return <Sign size={15} stroke={1.7} className={classes["icon"]} aria-label={told.aspect} />;
}

/** Whom a turn speaks to: who comes next, or who its message is for. */
function ToWhom(props: { outline: Outline; turns: Turns; turn: number; answer: Answer | null }) {
  const { outline, turns, turn, answer } = props;
  const handed = turns.handed[turn] ?? NONE;
  const said = answer === null ? undefined : turns.partsOf(turn).find(({ seq }) => seq === answer.seq);
  const to =
    handed !== NONE
      ? [outline.recipient(handed)]
      : said?.kind === "said"
        ? Array.from({ length: said.end - said.seq + 1 }, (_, n) => outline.recipient(said.seq + n))
        : [];
  const who = outline.component(turns.starts[turn] ?? 0);
  const names = [...new Set(to)].filter((path) => !who.startsWith(`${path}/`)).map(shortName);
  if (names.length === 0) return null;
  return (
    <span className={classes["to"]} title={names.join(", ")}>
      → {someOf(names)}
    </span>
  );
}

function Marks({ outline, turns, turn, held, finding, end }: CardProps & { end: number }) {
  const start = turns.starts[turn] ?? 0;
  const marks = new Set(tell(outline, start).marks);
  if (end !== NONE) for (const mark of tell(outline, end).marks) marks.add(mark);
  marks.delete("failed");
  const calls = turns
    .partsOf(turn)
    .filter(({ kind, end: back }) => (kind === "model" || kind === "tool") && back !== NONE);
  const isServed = calls.every(({ end: back }) => tell(outline, back).marks.includes("served"));
  if (!isServed) marks.delete("served");
  else if (end !== NONE && outline.has(end, "reused")) marks.add("served");
  const changed = turns.kinds[turn] === "invocation" && (turns.changed[turn] ?? 0) > 0;
  return (
    <>
      {[...marks].map((mark) => (
        <span key={mark} className={classes["mark"]} data-mark={mark}>
          {mark}
        </span>
      ))}
      {changed && !marks.has("edited") && (
        <span className={classes["mark"]} data-mark="edited">
          edited
        </span>
      )}
      {held && (
        <span className={classes["mark"]} data-mark="held">
          held
        </span>
      )}
      {finding !== null && (
        <span className={classes["mark"]} data-mark="finding" title={finding}>
          finding
        </span>
      )}
    </>
  );
}

/** How long it took, and what it has cost, of what has come. */
function Figures({ run, outline, turns, turn, live, end }: CardProps & { end: number }) {
  let tokens = 0;
  let cost = 0;
  let models = 0;
  for (const part of turns.partsOf(turn)) {
    if (part.kind !== "model") continue;
    models++;
    const record = part.end === NONE ? undefined : run.record(part.end);
    if (record?.kind !== "invocation_ended") continue;
    tokens += (record.tokens_in ?? 0) + (record.tokens_out ?? 0);
    cost += record.cost ?? 0;
  }
  const start = turns.starts[turn] ?? 0;
  const own = end === NONE ? undefined : run.record(end);
  const seconds = own?.kind === "invocation_ended" ? own.seconds : undefined;
  if (end === NONE) return <span className={classes["figure"]}>{live ? "running" : "did not end"}</span>;
  const took = seconds ?? (outline.at(end) - outline.at(start)) / 1000;
  const told = [
    models > 1 ? `${models} model calls` : "",
    tokens > 0 ? `${tokens.toLocaleString("en")} tokens` : "",
    money(cost),
    took > 0 ? duration(took) : "",
  ].filter(Boolean);
  return <span className={classes["figure"]}>{told.join(" · ")}</span>;
}

/** What it was asked, on a line, where the card above does not say it. */
function Asked({ outline, turns, turn, glances, follows, at }: TurnProps) {
  const asked = turns.asked[turn] ?? NONE;
  const glance = glances(asked);
  if (follows || glance === undefined || glance.text === "" || glance.form === "empty") return null;
  const from = outline.kind(asked) === "message_queued" ? shortName(outline.component(asked)) : "";
  const heard = turns.heard[turn] ?? 0;
  return (
    <Line seq={asked} at={at} className="asked">
      <span className={classes["label"]}>{from ? `from ${from}` : "asked"}</span>
      <span className={classes["oneLine"]}>{oneLine(inWords(glance), 240)}</span>
      {heard > 0 && <span className={classes["figure"]}>and heard {count(heard, "message")} before</span>}
    </Line>
  );
}

function StepLine({ step, at, wrong }: { step: Step; at: number | undefined; wrong: readonly Wrong[] }) {
  const Sign = step.kind === "tool" ? ASPECT_ICONS["tool"] : step.kind === "model" ? ASPECT_ICONS["model"] : null;
  const chosen = at === undefined ? undefined : at === step.seq || at === step.end ? step.seq : undefined;
  switch (step.kind) {
    case "thought":
      return (
        <Line seq={step.seq} at={chosen} wrong={wrong} className="thought">
          <span className={classes["clamp2"]}>
            {oneLine(plain(step.text).replaceAll(/\n(?:[-*] )?/g, " · "), 600).replace(/^[-*] /, "")}
          </span>
        </Line>
      );
    case "said":
      return (
        <Line seq={step.seq} at={chosen} wrong={wrong} className="said">
          <span className={classes["label"]}>→ {someOf(step.to)}</span>
          <span className={classes["oneLine"]}>{oneLine(plain(step.text), 240)}</span>
        </Line>
      );
    default:
      return (
        <Line seq={step.seq} at={chosen} wrong={wrong} className="chip" failed={step.failed}>
          {Sign && <Sign size={13} stroke={1.7} className={classes["sign"]} aria-label={step.kind} />}
          {step.kind === "tool" && (
            <span className={classes["tool"]}>
              {lastPart(step.component)}
              <span className={classes["given"]}>{givenOf(step.text)}</span>
            </span>
          )}
          <span className={classes["oneLine"]}>
            {step.running
              ? "running…"
              : step.kind === "tool"
                ? `→ ${oneLine(step.result, 200) || "nothing"}`
                : oneLine(plain(step.text), 240)}
          </span>
        </Line>
      );
  }
}

interface AnswerProps extends CardProps {
  answer: Answer;
  /** What is new in it, where it is long. */
  gist: string | undefined;
}

function AnswerText({ answer, gist, at, passages, wrong }: AnswerProps) {
  const { seq, glance } = answer;
  const passage = passages.find((found) => found.seq === seq && !isToldBy(wrong, found));
  return (
    <div className={classes["answer"]} data-form={glance.form} data-chosen={at === seq || undefined} data-seq={seq}>
      <p className={classes["clamp"]}>{passage ? <Said passage={passage} /> : summaryOf(glance, gist)}</p>
    </div>
  );
}

/** Where else in the turn it says what is searched for. */
function Elsewhere({ passages, wrong, turns, turn, answer }: CardProps & { answer: Answer | null }): ReactNode {
  const others = passages.filter((one) => one.seq !== answer?.seq && !isToldBy(wrong, one)).slice(0, 3);
  return others.map((passage) => (
    <Line key={passage.seq} seq={passage.seq} at={undefined} className="asked">
      <span className={classes["label"]}>{whereOf(turns, turn, passage.seq)}</span>
      <span className={classes["oneLine"]}>
        <Said passage={passage} short />
      </span>
    </Line>
  ));
}

/** Whether what is searched for is what came out wrong, which has a line of its own. */
function isToldBy(wrong: readonly Wrong[], { seq, said }: Passage): boolean {
  return wrong.some((one) => one.seq === seq && one.said.includes(said));
}

/** Where in a turn a record says something: what only came in was said by somebody else. */
function whereOf(turns: Turns, turn: number, seq: number): string {
  if (isHeard(turns, turn, seq)) return "in what it was told:";
  const asked = turns.partsOf(turn).some((part) => part.kind === "model" && part.seq === seq);
  return asked ? `in the prompt #${seq}:` : `#${seq}`;
}

/** The numbers of a turn's records, from the first to the last. */
function numbersOf(turns: Turns, turn: number): string {
  const start = turns.starts[turn] ?? 0;
  const end = turns.ends[turn] ?? NONE;
  const last = end === NONE ? (turns.partsOf(turn).at(-1)?.seq ?? start) : end;
  return last > start ? `#${start}–${last}` : `#${start}`;
}

/** Whether a step is told as what is wrong: a note that is short enough for that. */
function isToldAsWrong(step: Step, wrong: readonly Wrong[]): boolean {
  return step.kind === "note" && step.text.length <= SEEN && wrong.some(({ seq }) => seq === step.seq);
}

/** What it says of what came out wrong: that may be anywhere in a long text. */
function SaysWrong({ wrong, at, steps }: CardProps & { steps: readonly Step[] }): ReactNode {
  const seen = (one: Wrong) => steps.some(({ seq, text }) => seq === one.seq && text.length <= SEEN);
  const hidden = wrong.filter((one) => !seen(one));
  return hidden.map((one) => (
    <Line key={one.seq} seq={one.seq} at={at} className="wrong">
      <WrongWords one={one} />
    </Line>
  ));
}

/** Names, the first ones of many. */
export function someOf(names: readonly string[]): string {
  return names.length <= 2 ? names.join(", ") : `${names[0]} and ${names.length - 1} others`;
}
