/** A body as what it is: text, Markdown, a conversation, a table, an image, an error, or JSON. Nothing of it is ever HTML. */

import { ActionIcon, CopyButton, SegmentedControl, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { lazy, Suspense, useMemo, useState } from "react";

import { isFields, isMarkdown, type Json, type Shape, shapeOf, type ToolCall, type Turn } from "@/model/body";
import { namedIn, piecesOf } from "@/model/passages";
import { count, oneLine } from "@/kit/words";

import classes from "./Body.module.css";
import { ErrorView } from "./ErrorView";
import { JsonTree } from "./JsonTree";

const Markdown = lazy(() => import("./Markdown"));

/** Characters of a text that are shown at first. */
const LONG = 20_000;
/** Turns of a conversation that are open at first: the last ones are what is new. */
const OPEN_TURNS = 2;

export type Manner = "shown" | "json";

interface BodyProps {
  value: Json;
  label: string;
  thought?: string;
  said?: string | null;
}

interface BareProps {
  value: Json;
  /** What was thought in it; nothing where that is told elsewhere. */
  thought: string;
  /** What was said beside that, or null. */
  said: string | null;
  /** Whether something was thought in it, which is not shown as said. */
  apart: boolean;
  /** Leave out what it holds beside what it says. */
  brief?: boolean;
}

/** A body in the middle of a text: what it says, without a title or buttons. */
export function Bare({ value, thought, said, apart, brief = false }: BareProps) {
  const shape = useMemo(() => shapeOf(value), [value]);
  return (
    <>
      {thought !== "" && <Thought text={thought} />}
      {!apart ? <Shaped shape={shape} brief={brief} /> : <Spoken shape={shape} said={said} />}
    </>
  );
}

/** Inner reasoning: quiet, and not to be taken for what was said. */
export function Thought({ text }: { text: string }) {
  return (
    <div className={classes["thought"]} role="note" aria-label="Thought">
      <Text text={text} />
    </div>
  );
}

/** What was said beside a thought. */
function Spoken({ shape, said }: { shape: Shape; said: string | null }) {
  return (
    <>
      {said !== null && <Text text={said} />}
      {shape.form === "answer" && <Calls calls={shape.calls} />}
    </>
  );
}

export function BodyView({ value, label, thought = "", said = null }: BodyProps) {
  const [manner, setManner] = useState<Manner>("shown");
  const shape = useMemo(() => shapeOf(value), [value]);
  const json = useMemo(() => JSON.stringify(value, null, 2) ?? "null", [value]);
  const only = thought === "" && (shape.form === "json" || shape.form === "nothing");
  return (
    <section className={classes["body"]} aria-label={label}>
      <div className={classes["bar"]}>
        <h3 className={classes["label"]}>{label}</h3>
        {!only && (
          <SegmentedControl
            size="xs"
            value={manner}
            onChange={(to) => setManner(to as Manner)}
            aria-label={`How ${label} is shown`}
            data={[
              { value: "shown", label: NAMES[shape.form] },
              { value: "json", label: "JSON" },
            ]}
          />
        )}
        <CopyButton value={shape.form === "text" ? shape.text : json}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? "Copied" : "Copy"}>
              <ActionIcon size="sm" aria-label={`Copy ${label}`} onClick={copy}>
                {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      </div>
      {manner === "json" && !only ? (
        <JsonTree value={value} />
      ) : (
        <Bare value={value} thought={thought} said={said} apart={thought !== ""} />
      )}
    </section>
  );
}

const NAMES: { [form in Shape["form"]]: string } = {
  nothing: "",
  text: "Text",
  image: "Image",
  error: "Error",
  conversation: "Messages",
  table: "Table",
  answer: "Text",
  json: "JSON",
};

function Shaped({ shape, brief = false }: { shape: Shape; brief?: boolean }) {
  switch (shape.form) {
    case "nothing":
      return <p className="quiet">Nothing.</p>;
    case "text":
      return <Text text={shape.text} />;
    case "image":
      return <img className={classes["image"]} src={shape.address} alt="From the body" />;
    case "error":
      return <ErrorView error={shape} />;
    case "conversation":
      return (
        <>
          <Turns turns={shape.turns} />
          <Rest value={shape.rest} />
        </>
      );
    case "table":
      return <Table columns={shape.columns} rows={shape.rows} />;
    case "answer":
      return (
        <>
          {shape.text !== "" && <Text text={shape.text} />}
          <Calls calls={shape.calls} />
          {!brief && <Rest value={shape.rest} />}
        </>
      );
    case "json": {
      const named = brief ? namedIn(shape.value) : null;
      return named === null ? <JsonTree value={shape.value} name={shape.type} /> : <Named named={named} />;
    }
  }
}

/** A text: what is read of it, with the data and the warnings in it folded. */
export function Text({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  const [sole] = pieces;
  if (sole === undefined || (pieces.length === 1 && sole.kind === "prose")) return <Prose text={text} />;
  return pieces.map((piece, n) => {
    if (piece.kind === "prose") return <Prose key={n} text={piece.text.trim()} />;
    if (piece.kind === "warnings")
      return (
        <details key={n} className={classes["rest"]}>
          <summary className="quiet">{count(piece.text.match(WARNINGS)?.length ?? 1, "warning")} of Python</summary>
          <pre className={classes["text"]}>{piece.text}</pre>
        </details>
      );
    const named = namedIn(piece.value);
    if (named !== null) return <Named key={n} named={named} />;
    return (
      <details key={n} className={classes["rest"]}>
        <summary className="quiet">
          data: {aboutData(piece.value)} ({count(piece.size, "character")})
        </summary>
        <JsonTree value={piece.value} />
      </details>
    );
  });
}

const WARNINGS = /^\S+\.py:\d+: /gm;

function aboutData(value: Json): string {
  if (Array.isArray(value)) return count(value.length, "item");
  return isFields(value) ? oneLine(Object.keys(value).join(", "), 80) : "";
}

/** An object in words: each name with what is said of it. */
function Named({ named }: { named: readonly [name: string, says: readonly string[]][] }) {
  return (
    <dl className={classes["named"]}>
      {named.map(([name, [first = "", ...others]]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {first}
            {others.map((says, n) => (
              <span key={n} className="quiet">
                {" · "}
                {says}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A text as Markdown where it is written so, a long one from its beginning. */
function Prose({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = text.length > LONG && !whole;
  const shown = long ? text.slice(0, LONG) : text;
  const plain = <pre className={classes["text"]}>{shown}</pre>;
  return (
    <>
      {isMarkdown(shown) ? (
        <Suspense fallback={plain}>
          <Markdown text={shown} />
        </Suspense>
      ) : (
        plain
      )}
      {long && (
        <button type="button" className={classes["more"]} onClick={() => setWhole(true)}>
          Show all {count(text.length, "character")}
        </button>
      )}
    </>
  );
}

function Turns({ turns }: { turns: Turn[] }) {
  return (
    <ol className={classes["turns"]}>
      {turns.map((turn, n) => (
        <li key={n}>
          <details open={n >= turns.length - OPEN_TURNS}>
            <summary>
              <span className={classes["role"]}>{turn.role}</span>
              {turn.name !== "" && <span className={classes["who"]}>{turn.name}</span>}
              <span className="quiet ellipsis">
                {typeof turn.content === "string" ? turn.content.slice(0, 120) : ""}
              </span>
            </summary>
            <div className={classes["turn"]}>
              {typeof turn.content === "string" && turn.content !== "" && <Text text={turn.content} />}
              {turn.content !== null && typeof turn.content === "object" && turn.calls.length === 0 && (
                <Parts value={turn.content} />
              )}
              <Calls calls={turn.calls} />
            </div>
          </details>
        </li>
      ))}
    </ol>
  );
}

function Parts({ value }: { value: Json }) {
  if (!Array.isArray(value)) return <JsonTree value={value} />;
  return (
    <>
      {value.map((part, n) => (
        <Shaped key={n} shape={shapeOf(textOf(part))} />
      ))}
    </>
  );
}

function textOf(part: Json): Json {
  const text = (part as { text?: Json } | null)?.text;
  return typeof text === "string" ? text : part;
}

function Calls({ calls }: { calls: ToolCall[] }) {
  return (
    <>
      {calls.map((call, n) => (
        <div key={n} className={classes["call"]}>
          <span className="mono">{call.name}</span>
          <JsonTree value={call.arguments} />
        </div>
      ))}
    </>
  );
}

function Table({ columns, rows }: { columns: string[]; rows: Json[][] }) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, 100);
  return (
    <div className={classes["tableBox"]} tabIndex={0} role="group" aria-label="Table">
      <table className={classes["table"]}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, n) => (
            <tr key={n}>
              {row.map((cell, column) => (
                <td key={column} className={typeof cell === "number" ? classes["figure"] : undefined}>
                  {cell === null || cell === undefined
                    ? ""
                    : typeof cell === "object"
                      ? JSON.stringify(cell)
                      : String(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" className={classes["more"]} onClick={() => setAll(true)}>
          Show all {count(rows.length, "row")}
        </button>
      )}
    </div>
  );
}

/** What a body says beside what is shown of it. */
function Rest({ value }: { value: { [name: string]: Json } }) {
  const told = Object.fromEntries(
    Object.entries(value).filter(([, item]) => item !== null && !(Array.isArray(item) && item.length === 0)),
  );
  if (Object.keys(told).length === 0) return null;
  return (
    <details className={classes["rest"]}>
      <summary className="quiet">{Object.keys(told).join(", ")}</summary>
      <JsonTree value={told} />
    </details>
  );
}
