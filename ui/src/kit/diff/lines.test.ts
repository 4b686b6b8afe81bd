import { describe, expect, it } from "vitest";

import { excerpt, folded, type Line, linesOf, wordsOf } from "./lines";

const told = (lines: readonly Line[]) =>
  lines.map(({ kind, before, after }) => [
    kind,
    ...[before, after].map(
      (side) => side && `${side.number}:${side.pieces.map((p) => (p.changed ? `[${p.text}]` : p.text)).join("")}`,
    ),
  ]);

describe("lines", () => {
  it("mark the words that differ", () => {
    expect(told(linesOf("Sort by at bats.\nThen stop.", "Sort by walks.\nThen stop."))).toEqual([
      ["changed", "1:Sort by [at bats].", "1:Sort by [walks]."],
      ["same", "2:Then stop.", "2:Then stop."],
    ]);
  });

  it("stand alone where the other text has none", () => {
    expect(told(linesOf("a\nc", "a\nb\nc"))).toEqual([
      ["same", "1:a", "1:a"],
      ["added", null, "2:[b]"],
      ["same", "2:c", "3:c"],
    ]);
    expect(told(linesOf("a\nb", "a"))).toEqual([
      ["same", "1:a", "1:a"],
      ["removed", "2:[b]", null],
    ]);
  });

  it("hold both texts whole", () => {
    const before = "def f(x):\n    return x\n\nprint(f(1))";
    const after = "def f(x, y):\n\n    return x + y\n\nprint(f(1, 2))\n";
    const lines = linesOf(before, after);
    const text = (side: "before" | "after") =>
      lines
        .flatMap((line) => line[side] ?? [])
        .map(({ pieces }) => pieces.map((piece) => piece.text).join(""))
        .join("\n");
    expect([text("before"), text("after")]).toEqual([before, after]);
  });
});

describe("folds", () => {
  it("leave some lines beside a change, and never hide a single one", () => {
    const lines = linesOf("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9");
    expect(folded(lines, 2).map(({ fold, lines }) => [fold, lines.length])).toEqual([
      [true, 2],
      [false, 5],
      [true, 2],
    ]);
    expect(folded(lines, 3).map(({ fold, lines }) => [fold, lines.length])).toEqual([[false, 9]]);
  });
});

describe("words", () => {
  it("join changes with only a space between them", () => {
    expect(wordsOf("was Reggie Jackson.", "was Roy White.").after).toEqual([
      { text: "was ", changed: false },
      { text: "Roy White", changed: true },
      { text: ".", changed: false },
    ]);
  });
});

it("an excerpt begins a little before the first difference", () => {
  const { after } = wordsOf(
    "The Yankee with the most walks was Reggie Jackson.",
    "The Yankee with the most walks was Roy White.",
  );
  expect(excerpt(after, 9).map(({ text }) => text)).toEqual(["…alks was ", "Roy White", "."]);
  expect(excerpt(wordsOf("a b", "a c").after)).toHaveLength(2);
});
