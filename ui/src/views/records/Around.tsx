import { fromWord, toWord } from "@/kit/words";
import { plain } from "@/views/story/told";

/** Characters around what came out wrong: about a sentence, so that one sees what it was said of. */
const BEFORE = 110;
const AFTER = 150;

interface AroundProps {
  before: string;
  said: string;
  after: string;
}

/** What came out wrong as it was said somewhere, in the words around it. */
export function Around({ before, said, after }: AroundProps) {
  return (
    <>
      {flat(before.slice(-BEFORE), before.length > BEFORE)}
      <mark>{said}</mark>
      {flat(after.length > AFTER ? toWord(after.slice(0, AFTER)) : after)}
      {after.length > AFTER && "…"}
    </>
  );
}

/** On one line, from a whole word on, without the marks of Markdown; where a line ended, a dot says so. */
function flat(text: string, cut = false): string {
  const whole = (cut ? `…${fromWord(text)}` : text).replaceAll("**", "");
  return plain(`|${whole.replaceAll(/\s*\n\s*(?:[-*•] +)?/g, " · ")}|`)
    .slice(1, -1)
    .replaceAll(/\s+/g, " ");
}
