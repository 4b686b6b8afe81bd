/** What cards are made of, folded or open: a line that is a record of its own, the words that are wrong in it. */

import type { ReactNode } from "react";

import type { Passage } from "@/api/schema";
import { oneLine } from "@/kit/words";
import type { Outline } from "@/model/outline";
import type { Turns } from "@/model/turns";
import type { FollowedRun } from "@/state/run";
import { MARKS } from "@/views/history/highlights";
import { Around } from "@/views/records/Around";

import classes from "./Card.module.css";
import { fieldsOf } from "./told";

/** A record that says the wrong answer, with the words around it. */
export interface Wrong {
  seq: number;
  before: string;
  said: string;
  after: string;
}

export interface CardProps {
  run: FollowedRun;
  outline: Outline;
  turns: Turns;
  turn: number;
  /** Changes with everything that the outline says of the turn. */
  stamp: string;
  index: number;
  live: boolean;
  /** The selected record, where this card tells of it. */
  at: number | undefined;
  held: boolean;
  finding: string | null;
  hue: number | null;
  open: boolean;
  /** Whether what is inside is told below, and is folded. */
  fold: "open" | "folded" | null;
  /** Whether the card above it is that of who asked. */
  follows: boolean;
  passages: readonly Passage[];
  /** Where it says the wrong answer of the run. */
  wrong: readonly Wrong[];
  onSelect: (seq: number) => void;
  /** Select a record, and bring what it says wrong into sight. */
  onReveal: (seq: number) => void;
  onOpen: (seq: number) => void;
  onFold: (seq: number) => void;
  onMenu: (seq: number, x: number, y: number) => void;
}

/** What is wrong in a record, in the words around it. */
export function WrongWords({ one }: { one: Wrong }) {
  return (
    <>
      <span className={classes["label"]}>says {oneLine(one.said, 24)}</span>
      <span className={classes["clamp2"]}>
        <Around before={one.before} said={one.said} after={one.after} />
      </span>
    </>
  );
}

/** What of the text of a record is marked as wrong. */
export function marksOf(wrong: readonly Wrong[], seq: number): { [name: string]: string } {
  const texts = wrong.filter((one) => one.seq === seq).map(({ said }) => said);
  return texts.length === 0 ? {} : { [MARKS]: JSON.stringify([...new Set(texts)]) };
}

interface LineProps {
  seq: number;
  at: number | undefined;
  className: string;
  failed?: boolean;
  wrong?: readonly Wrong[];
  children: ReactNode;
}

/** A line of a card that is a record of its own. */
export function Line({ seq, at, className, failed = false, wrong = [], children }: LineProps) {
  return (
    <div
      className={`${classes["line"]} ${classes[className] ?? ""}`}
      data-chosen={at === seq || undefined}
      data-failed={failed || undefined}
      data-seq={seq}
      {...marksOf(wrong, seq)}
    >
      {children}
    </div>
  );
}

/** A tool by its own name: the card says whose it is. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What a tool was given, as a call is written. */
export function givenOf(text: string): string {
  const told = fieldsOf(text);
  if (told === null) return text === "" ? "()" : `(${oneLine(text, 140)})`;
  const items = told.map(([name, value]) => (told.length === 1 ? value : `${name}: ${value}`));
  return `(${oneLine(items.join(", "), 140)})`;
}
