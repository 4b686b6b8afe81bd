/** What two runs answered, what they did in figures, and who behaved differently. */

import type { Difference } from "@/api/schema";
import { wordsOf } from "@/kit/diff/lines";
import { plainText } from "@/kit/diff/plain";
import { Pieces } from "@/kit/diff/TextDiff";
import { duration, money, oneLine } from "@/kit/words";
import { soleText, untyped } from "@/model/body";
import { type Figure, figuresOf, percentOf } from "@/model/compare";
import { shortName } from "@/model/names";
import { OutcomeMark, StatusMark } from "@/views/runs/marks";

import classes from "./Compare.module.css";

export interface SummaryProps {
  difference: Difference;
  components: readonly { component: string; count: number }[];
  /** The component that the list is narrowed to. */
  component: string | null;
  choose: (component: string | null) => void;
}

export function Summary({ difference, components, component, choose }: SummaryProps) {
  const { a, b } = difference;
  const answers = wordsOf(answerOf(a), answerOf(b));
  const asked = wordsOf(textOf(a.input), textOf(b.input));
  return (
    <div className={classes["summary"]} role="group" aria-label="Figures">
      {textOf(a.input) !== textOf(b.input) && <Texts title="Asked" words={asked} names={[a.run, b.run]} />}
      {(answerOf(a) !== "" || answerOf(b) !== "") && (
        <Texts title="Answered" words={answers} names={[a.run, b.run]} same={answerOf(a) === answerOf(b)} />
      )}
      <table className={classes["figures"]}>
        <thead>
          <tr>
            <td>&nbsp;</td>
            <th scope="col">{a.run}</th>
            <th scope="col">{b.run}</th>
            <th scope="col">change</th>
          </tr>
        </thead>
        <tbody>
          {a.status !== b.status && (
            <tr>
              <th scope="row">Status</th>
              <td>
                <StatusMark status={a.status} />
              </td>
              <td>
                <StatusMark status={b.status} />
              </td>
              <td>&nbsp;</td>
            </tr>
          )}
          {(a.outcome ?? b.outcome) && (
            <tr>
              <th scope="row">Outcome</th>
              <td>
                <OutcomeMark outcome={a.outcome} />
              </td>
              <td>
                <OutcomeMark outcome={b.outcome} />
              </td>
              <td>&nbsp;</td>
            </tr>
          )}
          {figuresOf(difference).map((figure) => (
            <tr key={figure.name}>
              <th scope="row">{figure.name}</th>
              <td>{told(figure, figure.a)}</td>
              <td>{told(figure, figure.b)}</td>
              <td className={classes["delta"]}>{delta(figure)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {components.length > 0 && (
        <fieldset className={classes["chips"]}>
          <legend>Who differs</legend>
          {components.map(({ component: path, count }) => (
            <button
              key={path}
              type="button"
              className={classes["chip"]}
              aria-pressed={component === path}
              title={path}
              onClick={() => choose(component === path ? null : path)}
            >
              {shortName(path)} <span className="number">{count}</span>
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}

interface TextsProps {
  title: string;
  words: ReturnType<typeof wordsOf>;
  names: readonly [string, string];
  same?: boolean;
}

function Texts({ title, words, names, same = false }: TextsProps) {
  return (
    <section aria-label={title} className={classes["texts"]}>
      <h4>{same ? `${title} the same` : title}</h4>
      {!same && (
        <p data-kind="removed">
          <b>{names[0]}</b> <Pieces pieces={words.before} mark="−" />
        </p>
      )}
      <p data-kind={same ? undefined : "added"}>
        {!same && <b>{names[1]}</b>} <Pieces pieces={words.after} mark={same ? "" : "+"} />
      </p>
    </section>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return oneLine(soleText(value) ?? plainText(untyped(value)), 1500);
}

/** What a run said in the end: its answer where its output has one, else all of it, or its error. */
function answerOf({ output, error }: Difference["a"]): string {
  if (error !== null && error !== undefined) return textOf((error as { message?: unknown }).message ?? error);
  const answer = (output as { answer?: unknown } | null)?.answer;
  return textOf(typeof answer === "string" ? answer : output);
}

function told({ form }: Figure, value: number | null): string {
  if (value === null) return "";
  if (form === "seconds") return duration(value);
  return form === "dollars" ? money(value) || "$0" : value.toLocaleString("en");
}

/** The change in hundredths where that says something, else as it is. */
function delta(figure: Figure): string {
  const { a, b } = figure;
  if (a === null || b === null || a === b) return "";
  const sign = b > a ? "+" : "−";
  const percent = percentOf(a, b);
  if (percent !== null && percent !== 0 && Math.abs(percent) <= 999) return `${sign}${Math.abs(percent)} %`;
  return `${sign}${told(figure, Math.abs(b - a))}`;
}
