import type { Passage } from "@/api/schema";

/** Characters before what was searched for that a single line shows: it is seen where there is little room. */
const BEFORE = 12;

/** The words around what was searched for. */
export function Said({ passage, short = false }: { passage: Passage; short?: boolean }) {
  const flat = (text: string) => text.replaceAll(/\s+/g, " ");
  const before = flat(passage.before);
  return (
    <>
      {short && before.length > BEFORE ? `…${before.slice(-BEFORE)}` : before}
      <mark>{flat(passage.said)}</mark>
      {flat(passage.after)}
    </>
  );
}
