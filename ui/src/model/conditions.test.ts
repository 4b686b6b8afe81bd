import { describe, expect, it } from "vitest";

import { conditionOf, conditionOn, isAbout, matches, NO_PARTS, readCondition, shortCondition } from "./conditions";

it("is told in less room by the short names of components", () => {
  expect(shortCondition('tool:team/a/tools/search and text~"a/b" and hit>=3')).toBe(
    'tool:a · search and text~"a/b" and hit>=3',
  );
  expect(["agent:team/*", "tool:search", "error"].map(shortCondition)).toEqual([
    "agent:team/*",
    "tool:search",
    "error",
  ]);
});

const problem = (text: string) => readCondition(text).problem;

describe("a condition", () => {
  it("is read term by term", () => {
    expect(readCondition('tool:search and text~"a and b" and hit>=3').terms).toEqual([
      { field: "tool", op: ":", value: "search" },
      { field: "text", op: "~", value: "a and b" },
      { field: "hit", op: ">=", value: "3" },
    ]);
  });

  it.each(["agent:coder", "error", 'error:"time.*out"', "tokens>5000", "kind:model", "component:team/*"])(
    "%s is one",
    (text) => expect(problem(text)).toBeNull(),
  );

  it.each([
    ["", "Say for example"],
    ["agents:coder", "Unknown field"],
    ["agent", "followed by :"],
    ["text:budget", "followed by ~"],
    ["tokens>many", "compared with a number"],
    ["hit", "compared with a number"],
    ["agent coder", "Cannot read"],
  ])("%s is none", (text, told) => expect(problem(text)).toContain(told));
});

describe("a form", () => {
  it("makes a condition that is read as it was meant", () => {
    const text = conditionOf({
      ...NO_PARTS,
      kind: "tool",
      component: "team/a/tools/search",
      text: 'say "1+1" (and more)',
      error: true,
      tokens: 100,
      hits: 2,
    });
    expect(text).toBe(
      'tool:team/a/tools/search and text~"say \\x221\\+1\\x22 \\(and more\\)" and error and tokens>100 and hit>=2',
    );
    const { terms, problem } = readCondition(text);
    expect(problem).toBeNull();
    expect(terms).toHaveLength(5);
    expect(new RegExp(terms[1]?.value ?? "").test('they say "1+1" (and more) to it')).toBe(true);
  });

  it("that asks nothing makes none", () => {
    expect(conditionOf(NO_PARTS)).toBe("");
    expect(conditionOf({ ...NO_PARTS, kind: "model" })).toBe("kind:model");
    expect(conditionOf({ ...NO_PARTS, component: "a b" })).toBe('component:"a b"');
  });
});

describe("a component", () => {
  it("has a condition of its own", () => {
    expect(conditionOn({ component: "team/a", kind: "agent" })).toBe("agent:team/a");
    expect(conditionOn({ component: "team", kind: "team" })).toBe("component:team");
    expect(conditionOn({ kind: "tool" })).toBe("kind:tool");
  });

  it("is told to be meant by one", () => {
    expect(isAbout("agent:coder", "team/coder")).toBe(true);
    expect(isAbout('agent:coder and text~"x"', "team/coder")).toBe(true);
    expect(isAbout("agent:coder", "team/decoder")).toBe(false);
    expect(isAbout("tool:*", "team/a/tools/search")).toBe(false);
    expect(isAbout("error", "team/coder")).toBe(false);
  });

  it("is named by its last parts and by wildcards", () => {
    expect(
      ["search", "tools/search", "team/*/tools/search", "se?rch"].map((one) => matches(one, "team/a/tools/search")),
    ).toEqual([true, true, true, true]);
    expect(matches("a.b", "team/axb")).toBe(false);
  });
});
