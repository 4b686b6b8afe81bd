import { describe, expect, it } from "vitest";

import { namedIn, piecesOf } from "./passages";

const DATA = { meta_tags: { viewport: "width=device-width, initial-scale=1", robots: 'noindex "}" nofollow' }, n: [1] };

describe("a long text", () => {
  it("is what is read and the data in it", () => {
    const json = JSON.stringify(DATA, null, 4);
    const pieces = piecesOf(`I clicked 'Zillow'. The following metadata was found:\n\n${json}\n\nSold: $445,000\n`);
    expect(pieces.map(({ kind }) => kind)).toEqual(["prose", "data", "prose"]);
    expect(pieces[1]).toMatchObject({ kind: "data", value: DATA });
    expect(pieces[2]).toMatchObject({ text: "\n\nSold: $445,000\n" });
  });

  it("is left alone in code, where JSON is short, and where it is none", () => {
    const json = JSON.stringify(DATA, null, 2);
    for (const text of [`\`\`\`json\n${json}\n\`\`\`\n`, 'so:\n{"n": 1}\nand on', "{not json", "[a] list", ""])
      expect(piecesOf(text)).toEqual([{ kind: "prose", text }]);
  });

  it("tells apart what Python warned of", () => {
    const warning =
      "/usr/lib/agents/orchestrator.py:184: UserWarning: Resolved model mismatch\n  response = await create(\n";
    expect(piecesOf(`Stalled.... Replanning...\n${warning}`)).toEqual([
      { kind: "prose", text: "Stalled.... Replanning...\n" },
      { kind: "warnings", text: warning.trimEnd() },
    ]);
  });
});

describe("an object in words", () => {
  it("says of each name what is said of it, the answer before the reason", () => {
    expect(namedIn({ is_in_loop: { reason: "We do it again and again", answer: true }, tries: 3, next: null })).toEqual(
      [
        ["Is in loop", ["yes", "We do it again and again"]],
        ["Tries", ["3"]],
        ["Next", ["nothing"]],
      ],
    );
  });

  it("is only made of what is flat", () => {
    for (const value of [{}, [1], "text", { deep: { deeper: { deepest: 1 } } }, { list: [1] }])
      expect(namedIn(value)).toBeNull();
  });
});
