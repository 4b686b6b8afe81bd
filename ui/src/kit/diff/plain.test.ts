import { expect, it } from "vitest";

import { plainText } from "./plain";

it("a text is itself", () => {
  expect(plainText("one\ntwo")).toBe("one\ntwo");
});

it("a value is names and values, with long texts below their name", () => {
  const value = {
    source: "boss",
    content: "Sort it.\n\nThen stop.",
    tags: ["a", { n: 1, ok: true }],
    none: null,
    no: {},
  };
  expect(plainText(value)).toBe(
    [
      "source: boss",
      "content:",
      "  Sort it.",
      "",
      "  Then stop.",
      "tags:",
      "  - a",
      "  - n: 1",
      "    ok: true",
      "none: null",
      "no: {}",
    ].join("\n"),
  );
});
