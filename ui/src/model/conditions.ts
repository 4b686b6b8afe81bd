/**
 * The conditions of breakpoints as a person writes them: read so that a mistake is told at once, written from a form, and
 * asked which components they name.  What they mean is decided where the program runs.
 */

import { shortName } from "./names";
import { CALLS } from "./outline";

export const FIELDS = [
  ...CALLS,
  "component",
  "kind",
  "message",
  "text",
  "input",
  "output",
  "error",
  "tokens",
  "cost",
  "hit",
] as const;
const NUMBERS = new Set(["tokens", "cost", "hit"]);
const PATTERNS = new Set(["text", "input", "output"]);
const KINDS = new Set<string>(CALLS);
const TERM = /^\s*([A-Za-z_]+)\s*(?:(:|~|>=|<=|==|>|<|=)\s*("(?:[^"\\]|\\.)*"|'[^']*'|\S+))?\s*$/;
/** A term that names a component by a path of several parts. */
const NAMED = new RegExp(`\\b(component|${CALLS.join("|")}):"?([^\\s"]+/[^\\s"]+)"?`, "g");
const AND = /\s+and\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/;

export interface Term {
  field: string;
  op: string;
  value: string;
}

/** A condition as a form holds it; what is empty is not asked. */
export interface Parts {
  kind: string;
  component: string;
  message: string;
  where: "text" | "input" | "output";
  /** A text that must be said there, not a pattern. */
  text: string;
  /** Only what failed. */
  error: boolean;
  tokens: number | null;
  hits: number | null;
}

export const NO_PARTS: Parts = {
  kind: "",
  component: "",
  message: "",
  where: "text",
  text: "",
  error: false,
  tokens: null,
  hits: null,
};

/** The terms of a condition, or why it cannot be read. */
export function readCondition(text: string): { terms: Term[]; problem: string | null } {
  if (text.trim() === "") return { terms: [], problem: `Say for example agent:coder, tool:*, text~"budget" or error` };
  const terms: Term[] = [];
  for (const part of text.trim().split(AND)) {
    const match = TERM.exec(part);
    if (match === null)
      return { terms, problem: `Cannot read “${part}”: a term is FIELD:VALUE, FIELD~"PATTERN" or FIELD>NUMBER` };
    const term = { field: match[1] ?? "", op: match[2] ?? "", value: unquoted(match[3] ?? "") };
    const problem = wrongTerm(term);
    if (problem !== null) return { terms, problem };
    terms.push(term);
  }
  return { terms, problem: null };
}

function wrongTerm({ field, op, value }: Term): string | null {
  if (!(FIELDS as readonly string[]).includes(field)) return `Unknown field “${field}”; known: ${FIELDS.join(", ")}`;
  if (NUMBERS.has(field)) {
    if (op === "" || op === ":" || op === "~") return `“${field}” is compared with a number, as in ${field}>100`;
    return /^\d+(\.\d+)?$/.test(value) ? null : `“${field}” is compared with a number, not “${value}”`;
  }
  if (PATTERNS.has(field)) return op === "~" ? null : `“${field}” is followed by ~ and a pattern`;
  if (field === "error" && op === "") return null;
  return op === ":" ? null : `“${field}” is followed by : and a value`;
}

/** The condition that the parts of a form make; empty where nothing is asked. */
export function conditionOf(parts: Parts): string {
  const terms: string[] = [];
  if (parts.component !== "") terms.push(`${parts.kind || "component"}:${quoted(parts.component)}`);
  else if (parts.kind !== "") terms.push(`kind:${parts.kind}`);
  if (parts.message !== "") terms.push(`message:${quoted(parts.message)}`);
  if (parts.text !== "") terms.push(`${parts.where}~"${literal(parts.text)}"`);
  if (parts.error) terms.push("error");
  if (parts.tokens !== null) terms.push(`tokens>${parts.tokens}`);
  if (parts.hits !== null) terms.push(`hit>=${parts.hits}`);
  return terms.join(" and ");
}

/** The condition that holds whenever a component is invoked, or any of a kind. */
export function conditionOn({ component = "", kind = "" }: { component?: string; kind?: string }): string {
  return conditionOf({ ...NO_PARTS, component, kind: component === "" || KINDS.has(kind) ? kind : "" });
}

/** A condition in less room: components by their short names. */
export function shortCondition(text: string): string {
  return text.replaceAll(NAMED, (whole, field: string, path: string) =>
    path.includes("*") ? whole : `${field}:${shortName(path)}`,
  );
}

/** Whether a condition is about this component alone, and so is its mark. */
export function isAbout(condition: string, path: string): boolean {
  const { terms, problem } = readCondition(condition);
  return (
    problem === null &&
    terms.some(
      ({ field, value }) => (field === "component" || KINDS.has(field)) && value !== "*" && matches(value, path),
    )
  );
}

/** Whether a pattern names a path: whole, by its last parts, or by a wildcard for either. */
export function matches(pattern: string, path: string): boolean {
  const wild = [...pattern].map((one) => (one === "*" ? ".*" : one === "?" ? "." : escaped(one))).join("");
  return new RegExp(`^(?:.*/)?${wild}$`, "s").test(path);
}

function quoted(value: string): string {
  return /[\s"']/.test(value) ? `"${value.replaceAll('"', "?")}"` : value;
}

/** A pattern that finds exactly this text; no quotation mark is in it. */
function literal(text: string): string {
  return [...text].map((one) => (one === '"' ? "\\x22" : one === "\n" ? "\\n" : escaped(one))).join("");
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function unquoted(raw: string): string {
  const quote = raw[0];
  return (quote === '"' || quote === "'") && raw.length > 1 && raw.endsWith(quote) ? raw.slice(1, -1) : raw;
}
