import { expect, test } from "vitest";

import { fromWord, oneLine, toWord } from "./words";

test("a text is cut at the end of a word", () => {
  expect(oneLine("The records of\n the office", 60)).toBe("The records of the office");
  expect(oneLine("The records of the office", 20)).toBe("The records of the…");
  expect(oneLine("The records of the office", 22)).toBe("The records of the…");
  expect(oneLine("https://example.test/a/b/c", 12)).toBe("https://exa…");
});

test("an excerpt begins and ends with a whole word", () => {
  expect(fromWord("ive W UNIT #405, ")).toBe("W UNIT #405, ");
  expect(toWord(" in the range obser")).toBe(" in the range");
  expect(fromWord("word ")).toBe("word ");
  expect(toWord(" word")).toBe(" word");
});
