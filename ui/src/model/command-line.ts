/** What a program is started with, as it is written on a command line. */

import type { Json } from "./schema";

const PIECE = /"([^"]*)"|'([^']*)'|(\S)/g;

/** The words of a line; a word may have parts in quotes, in which blanks count. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return words.map((word) => word.replaceAll(PIECE, (_, double, single, bare) => double ?? single ?? bare));
}

/** The line that has these words. */
export function lineOf(words: readonly string[]): string {
  const quoted = (word: string) => (word.includes('"') ? `'${word.replaceAll("'", `'"'"'`)}'` : `"${word}"`);
  return words.map((word) => (/^[^\s"']+$/.test(word) ? word : quoted(word))).join(" ");
}

/** Settings, by `component.key`, out of `COMPONENT.KEY=VALUE`; a value that is no JSON is a text.  Null where one sets nothing. */
export function settingsOf(written: readonly string[]): { [name: string]: Json } | null {
  const pairs = written.map((text) => /^\s*([^=]+\.[^=.]+?)\s*=(.*)$/s.exec(text));
  if (pairs.includes(null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", valueOf(pair?.[2] ?? "")]));
}

/** Settings as they are written. */
export function writtenOf(settings: { readonly [name: string]: Json }): string[] {
  return Object.entries(settings).map(([name, value]) => {
    const plain = typeof value === "string" && valueOf(value) === value;
    return `${name}=${plain ? value : JSON.stringify(value)}`;
  });
}

function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
