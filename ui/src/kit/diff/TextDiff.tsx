/** Two texts side by side, or one under the other where there is little room, with the words that differ marked. */

import { useElementSize } from "@mantine/hooks";
import { useMemo, useState } from "react";

import { folded, type Line, linesOf, type Part, type Piece, type Side } from "./lines";
import classes from "./TextDiff.module.css";

const ROOM_FOR_TWO = 560;
/** Lines that are shown at once; the rest is asked for. */
const FIRST_LINES = 400;
const NOTHING = "\u00a0";

export interface TextDiffProps {
  before: string;
  after: string;
  /** What the two texts are called. */
  labels: readonly [string, string];
  /** Side by side, or one under the other; else what there is room for. */
  layout?: "split" | "unified";
}

export function TextDiff({ before, after, labels, layout }: TextDiffProps) {
  const { ref, width } = useElementSize();
  const split = layout === undefined ? width >= ROOM_FOR_TWO : layout === "split";
  const parts = useMemo(() => folded(linesOf(before, after)), [before, after]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [room, setRoom] = useState(FIRST_LINES);
  if (before === after) return <p className={classes["alike"]}>Both say the same.</p>;
  let left = room;
  let hidden = 0;
  const shown: { part: Part; at: number }[] = [];
  for (const [at, part] of parts.entries()) {
    const closed = part.fold && !opened.has(at);
    if (left <= 0 && !closed) {
      hidden += part.lines.length;
      continue;
    }
    const lines = closed ? part.lines : part.lines.slice(0, left);
    if (!closed) {
      hidden += part.lines.length - lines.length;
      left -= lines.length;
    }
    shown.push({ part: { fold: closed, lines }, at });
  }
  return (
    <div ref={ref} className={classes["diff"]} data-split={split || undefined}>
      <table className={classes["table"]}>
        <caption className={classes["hidden"]}>
          Differences of {labels[0]} and {labels[1]}
        </caption>
        <colgroup>
          <col className={classes["numbers"]} />
          <col />
          <col className={classes["numbers"]} />
          {split && <col />}
        </colgroup>
        <thead>
          <tr>
            <th colSpan={split ? 2 : 3} scope="colgroup">
              {split ? labels[0] : `− ${labels[0]}   + ${labels[1]}`}
            </th>
            {split && (
              <th colSpan={2} scope="colgroup">
                {labels[1]}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ part, at }) =>
            part.fold ? (
              <tr key={`fold-${at}`}>
                <td colSpan={split ? 4 : 3} className={classes["fold"]}>
                  <button type="button" onClick={() => setOpened(new Set([...opened, at]))}>
                    {part.lines.length} equal lines
                  </button>
                </td>
              </tr>
            ) : (
              part.lines.map((line) =>
                split ? <SplitLine key={keyOf(line)} line={line} /> : <UnifiedLine key={keyOf(line)} line={line} />,
              )
            ),
          )}
          {hidden > 0 && (
            <tr>
              <td colSpan={split ? 4 : 3} className={classes["fold"]}>
                <button type="button" onClick={() => setRoom(room + FIRST_LINES * 4)}>
                  {hidden} more lines
                </button>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function keyOf({ before, after }: Line): string {
  return `${before?.number ?? ""}-${after?.number ?? ""}`;
}

function SplitLine({ line }: { line: Line }) {
  return (
    <tr>
      <SplitSide side={line.before} mark={line.kind === "same" ? "" : "−"} />
      <SplitSide side={line.after} mark={line.kind === "same" ? "" : "+"} />
    </tr>
  );
}

function SplitSide({ side, mark }: { side: Side | null; mark: "" | "−" | "+" }) {
  if (side === null)
    return (
      <td colSpan={2} className={classes["none"]}>
        {NOTHING}
      </td>
    );
  const kind = mark === "−" ? "removed" : mark === "+" ? "added" : "same";
  return (
    <>
      <td className={classes["number"]} data-kind={kind}>
        {mark} {side.number}
      </td>
      <td className={classes["text"]} data-kind={kind}>
        <Pieces pieces={side.pieces} mark={mark} />
      </td>
    </>
  );
}

function UnifiedLine({ line: { kind, before, after } }: { line: Line }) {
  if (kind === "same")
    return (
      <tr>
        <td className={classes["number"]}>{before?.number}</td>
        <td className={classes["text"]}>
          <Pieces pieces={before?.pieces ?? []} mark="" />
        </td>
        <td className={classes["number"]}>{after?.number}</td>
      </tr>
    );
  return (
    <>
      {before && (
        <tr>
          <td className={classes["number"]} data-kind="removed">
            − {before.number}
          </td>
          <td className={classes["text"]} data-kind="removed">
            <Pieces pieces={before.pieces} mark="−" />
          </td>
          <td className={classes["number"]} data-kind="removed">
            {NOTHING}
          </td>
        </tr>
      )}
      {after && (
        <tr>
          <td className={classes["number"]} data-kind="added">
            +
          </td>
          <td className={classes["text"]} data-kind="added">
            <Pieces pieces={after.pieces} mark="+" />
          </td>
          <td className={classes["number"]} data-kind="added">
            {after.number}
          </td>
        </tr>
      )}
    </>
  );
}

/** The parts of a line; those that differ are underlined as well as coloured. */
export function Pieces({ pieces, mark }: { pieces: readonly Piece[]; mark: "" | "−" | "+" }) {
  if (mark === "") return <>{pieces.map(({ text }) => text).join("")}</>;
  return (
    <>
      {placed(pieces).map(([at, { text, changed }]) => {
        if (!changed) return <span key={at}>{text}</span>;
        return mark === "−" ? <del key={at}>{text}</del> : <ins key={at}>{text}</ins>;
      })}
    </>
  );
}

/** Each piece with where it begins. */
function placed(pieces: readonly Piece[]): [number, Piece][] {
  let end = 0;
  return pieces.map((piece) => [(end += piece.text.length) - piece.text.length, piece]);
}
