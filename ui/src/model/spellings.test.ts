import { expect, test } from "vitest";

import { spellingsOf } from "./spellings";

test("a number is the same with commas between its thousands", () => {
  expect(spellingsOf("445,000")).toEqual(["445,000", "445000"]);
  expect(spellingsOf(" 1445000 ")).toEqual(["1445000", "1,445,000"]);
});

test("a text, a short number and a code are only what they are", () => {
  for (const text of ["Oakland", "445", "0123456", "44,5000", "$445,000", "1234567890123456"])
    expect(spellingsOf(text)).toEqual([text]);
  expect(spellingsOf("  ")).toEqual([]);
});
