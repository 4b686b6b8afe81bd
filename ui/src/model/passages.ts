/** A long text as what it is made of: what somebody reads, data in the middle of it, and warnings that a program printed. */

import { isFields, type Json } from "./body";

export type Piece =
  { kind: "prose"; text: string } | { kind: "data"; value: Json; size: number } | { kind: "warnings"; text: string };

/** Characters from which JSON in a text is data; a shorter one reads as a part of it. */
const DATA = 80;
/** Characters that are looked through for the ends of JSON, over all. */
const BUDGET = 2_000_000;
const WARNING = /^\S+\.py:\d+: \w*Warning: .*\n?(?:^[ \t]+\S.*\n?)?/gm;
const FENCE = /^\s*(```|~~~)/;

/** The pieces of a text, in order; a text without data or warnings is one piece. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let prose = "";
  let fenced = false;
  let budget = BUDGET;
  const add = (piece: Piece) => {
    if (prose.trim() !== "") pieces.push(...apart(prose));
    prose = "";
    pieces.push(piece);
  };
  for (let at = 0; at < text.length;) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end);
    const begins = /^\s*[{[]/.test(line);
    const data = begins && !fenced && budget > 0 ? dataAt(text, at + line.search(/[{[]/)) : null;
    if (begins) budget -= data === null ? text.length - at : data.end - at;
    if (data !== null) {
      add({ kind: "data", value: data.value, size: data.end - at });
      at = data.end;
      continue;
    }
    if (FENCE.test(line)) fenced = !fenced;
    prose += text.slice(at, end + 1);
    at = end + 1;
  }
  if (prose.trim() !== "" || pieces.length === 0) pieces.push(...apart(prose));
  return pieces;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Prose and the warnings of Python in it. */
function apart(text: string): Piece[] {
  const found = text.match(WARNING);
  if (found === null) return [{ kind: "prose", text }];
  const rest = text.replaceAll(WARNING, "");
  const warnings: Piece = { kind: "warnings", text: found.join("").trimEnd() };
  return rest.trim() === "" ? [warnings] : [{ kind: "prose", text: rest }, warnings];
}

/** The JSON that begins at a place and ends with a line, where it is long enough to be data. */
function dataAt(text: string, start: number): { value: Json; end: number } | null {
  const end = bracketEnd(text, start);
  if (end - start < DATA || text.slice(end, lineEnd(text, end)).trim() !== "") return null;
  try {
    return { value: JSON.parse(text.slice(start, end)) as Json, end };
  } catch {
    return null;
  }
}

/** Where the bracket at a place is closed again; the place itself where it never is. */
function bracketEnd(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter === "\\") at++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth === 0) return at + 1;
  }
  return start;
}

/** Members that a value in words has at most. */
const MEMBERS = 24;

/**
 * An object whose values are scalars, or small objects of scalars as in `{"answer": false, "reason": "…"}`, as names and
 * what is said of each, the shortest first; null for any other value.
 */
export function namedIn(value: Json): [name: string, says: string[]][] | null {
  if (!isFields(value)) return null;
  const members = Object.entries(value);
  if (members.length === 0 || members.length > MEMBERS) return null;
  const told: [string, string[]][] = [];
  for (const [name, item] of members) {
    const parts = isFields(item) ? Object.values(item) : [item];
    if (parts.length === 0 || parts.length > 3 || !parts.every(isScalar)) return null;
    told.push([inWords(name), parts.map(said).toSorted((one, other) => one.length - other.length)]);
  }
  return told;
}

function isScalar(value: Json): boolean {
  return value === null || typeof value !== "object";
}

function said(value: Json): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null ? "nothing" : String(value);
}

/** The name of a member as one writes it: `is_in_loop` is "Is in loop". */
function inWords(name: string): string {
  const text = name.replaceAll("_", " ").trim();
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
