/** A shared run from top to bottom: how it came out, its overview, what differs from its parent, the story. */

import { type CSSProperties, useMemo } from "react";

import { TextDiff } from "@/kit/diff/TextDiff";
import Markdown from "@/kit/body/Markdown";
import { count, moment, oneLine } from "@/kit/words";
import { type Change, changesOf } from "@/model/compare";
import { Hues } from "@/model/hues";
import { runTitle, shortName } from "@/model/names";
import { MOST_CARDS, type Section, transcriptOf, WHOLE } from "@/model/transcript";
import { storyOf, Turns } from "@/model/turns";

import { outlineOf, type Shared, type SharedRun, Texts } from "./data";
import classes from "./Page.module.css";

interface Told {
  sections: (Section & { colour: string; failed: boolean })[];
  left: number;
}

function tellRun(shared: Pick<Shared, "outline" | "texts">, hues: Hues): Told {
  const outline = outlineOf(shared.outline);
  const texts = new Texts(shared.texts);
  const turns = new Turns();
  turns.update(outline);
  hues.update(outline);
  const whole = storyOf(turns, outline, WHOLE);
  const story = { ...whole, turns: whole.turns.subarray(0, MOST_CARDS) };
  const glance = (seq: number) => oneLine(texts.glance(seq), 300);
  const sections = transcriptOf(turns, outline, story, (seq) => texts.words(seq), glance).map((section) => ({
    ...section,
    colour: colourOf(hues.of(outline.component(section.seq))),
    failed: texts.words(section.seq)?.failed === true || section.text.includes("**Failed:**"),
  }));
  return { sections, left: Math.max(0, whole.length - MOST_CARDS) };
}

function colourOf(hue: number | null): string {
  return hue === null ? "var(--ot-quiet)" : `var(--ot-hue-${hue + 1})`;
}

export function Page({ shared }: { shared: Shared }) {
  const { told, before } = useMemo(() => {
    const hues = new Hues();
    const before = shared.parent === null ? null : tellRun(shared.parent, hues);
    return { told: tellRun(shared, hues), before };
  }, [shared]);
  const { run, parent } = shared;
  const missing = [
    told.left > 0 ? count(told.left, "more turn") : "",
    shared.outline.total > shared.outline.count
      ? count(shared.outline.total - shared.outline.count, "more record")
      : "",
    shared.texts.cut > 0 ? `the rest of ${count(shared.texts.cut, "long text")}` : "",
  ].filter(Boolean);
  return (
    <main className={classes["page"]}>
      <h1>{runTitle(run)}</h1>
      <Outcome run={run} />
      {missing.length > 0 && (
        <p className={classes["note"]} role="note">
          Left out, to keep the file small: {missing.join(", ")}.
        </p>
      )}
      <section aria-labelledby="overview">
        <h2 id="overview">Overview</h2>
        <div className={classes["columns"]}>
          {before !== null && parent !== null && (
            <Bar run={parent.run} told={before} cut={run.cut ?? null} links={false} />
          )}
          <Bar run={run} told={told} cut={run.cut ?? null} links />
        </div>
      </section>
      {shared.difference !== null && parent !== null && <Compared shared={shared} />}
      <section aria-labelledby="story">
        <h2 id="story">Story</h2>
        {told.sections.map(({ seq, depth, title, text, colour }) => (
          <article
            key={seq}
            id={`r${seq}`}
            className={classes["card"]}
            style={{ "--who": colour, marginLeft: Math.min(depth, 4) * 20 } as CSSProperties}
          >
            <h3>
              {title} <a href={`#r${seq}`}>#{seq}</a>
            </h3>
            <Markdown text={text} />
          </article>
        ))}
      </section>
      <footer className={classes["note"]}>
        A copy of {run.run}, written by Outtake. It is complete in itself, and asks no server for anything.
      </footer>
    </main>
  );
}

function Outcome({ run }: { run: SharedRun }) {
  const came = run.outcome === "passed" ? "Right" : run.outcome === "failed" ? "Wrong" : run.status;
  return (
    <p className={classes["outcome"]} data-outcome={run.outcome ?? undefined}>
      <b>{came}</b>
      {run.expected && `, expected: ${oneLine(run.expected, 200)}`} · {run.spec}
      {run.timed && ` · ${moment(run.created)}`}
      {run.parent && ` · forked from ${run.parent} at #${run.cut ?? 0}`}
      {run.imported && " · read from a log of another program"}
    </p>
  );
}

/** A run as a column: a block for each turn, in the colour of whose turn it is. */
function Bar({ run, told, cut, links }: { run: SharedRun; told: Told; cut: number | null; links: boolean }) {
  return (
    <div className={classes["column"]} role="group" aria-label={`Turns of ${run.run}`}>
      <b>{run.run}</b>
      <ol>
        {told.sections.map(({ seq, title, colour, failed }) => {
          const look = { "--who": colour } as CSSProperties;
          const name = `#${seq} ${title}`;
          const apart = cut !== null && seq < cut;
          return (
            <li key={seq} style={look} data-failed={failed || undefined} data-shared={apart || undefined} title={name}>
              {links ? <a href={`#r${seq}`} aria-label={name} /> : <span />}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Compared({ shared }: { shared: Shared }) {
  const { run, parent, difference } = shared;
  const texts = useMemo(
    () => ({ a: new Texts(shared.parent?.texts ?? shared.texts), b: new Texts(shared.texts) }),
    [shared],
  );
  if (difference === null || parent === null) return null;
  const changes = changesOf(difference).filter(({ plumbing }) => !plumbing);
  const told = (change: Change, side: "a" | "b") => {
    const item = change[side];
    if (item === null) return "";
    const seq = item.ended > 0 && change.what.includes("output") ? item.ended : item.seq;
    const words = texts[side].words(seq);
    return words === undefined ? texts[side].glance(seq) : words.said || words.thought;
  };
  return (
    <section aria-labelledby="compare">
      <h2 id="compare">
        Compared with {parent.run.run}: {difference.shared} records shared, {count(changes.length, "difference")}
      </h2>
      {changes.map((change) => (
        <details key={change.key} className={classes["change"]} open>
          <summary>
            {shortName(change.component)}
            {change.recipients.length > 0 && ` → ${change.recipients.map(shortName).join(", ")}`}{" "}
            <span className={classes["quiet"]}>
              {change.a !== null && `${parent.run.run} #${change.a.seq}`}{" "}
              {change.b !== null && `${run.run} #${change.b.seq}`}
            </span>
          </summary>
          <TextDiff
            before={told(change, "a")}
            after={told(change, "b")}
            labels={[parent.run.run, run.run]}
            layout="unified"
          />
        </details>
      ))}
      {difference.more > 0 && <p className={classes["note"]}>{count(difference.more, "more difference")} left out.</p>}
    </section>
  );
}
