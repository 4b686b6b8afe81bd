import type { Passage } from "@/api/schema";
import { fromWord, toWord } from "@/kit/words";

/** Characters before what was searched for that a single line shows: it is seen where there is little room. */
const BEFORE = 24;
/** Characters on each side that come from the server; where there are as many, the text goes on. */
const AROUND = 80;

/** The words around what was searched for, from a whole word to a whole word. */
export function Said({ passage, short = false }: { passage: Passage; short?: boolean }) {
  const flat = (text: string) => text.replaceAll(/\s+/g, " ");
  const room = short ? BEFORE : AROUND;
  const { before, after } = passage;
  return (
    <>
      {before.length < room ? flat(before) : `…${flat(fromWord(before.slice(-room)))}`}
      <mark>{flat(passage.said)}</mark>
      {after.length < AROUND ? flat(after) : `${flat(toWord(after))}…`}
    </>
  );
}
