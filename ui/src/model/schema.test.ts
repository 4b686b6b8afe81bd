import { describe, expect, it } from "vitest";

import {
  fieldOf,
  initialOf,
  parsedJson,
  problemsOf,
  problemText,
  same,
  type Schema,
  typeInWords,
  withText,
} from "./schema";

const letter: Schema = {
  $defs: { Usage: { type: "object", properties: { tokens: { type: "integer" } }, required: ["tokens"] } },
  type: "object",
  properties: {
    usage: { anyOf: [{ $ref: "#/$defs/Usage" }, { type: "null" }], default: null },
    content: { type: "string", minLength: 1 },
    turns: { type: ["integer", "null"], minimum: 1 },
    tone: { enum: ["kind", "curt"] },
    kind: { const: "Letter" },
    tags: { type: "array", items: { type: "string" } },
    tools: { type: "array", items: { enum: ["a", "b"] } },
    anything: {},
  },
  required: ["content", "kind"],
  additionalProperties: false,
};
const control = (name: string, value?: unknown) => {
  const own = (letter["properties"] as Record<string, Schema>)[name];
  return fieldOf(own ?? {}, letter, name, value);
};

const told = (value: unknown) => problemsOf(value, letter).map(problemText);

describe("a field", () => {
  it("has the control that its schema asks for", () => {
    const kinds = ["content", "turns", "tone", "kind", "tags", "tools", "anything", "usage"].map(
      (name) => control(name).control,
    );
    expect(kinds).toEqual(["text", "number", "choice", "constant", "list", "several", "json", "object"]);
  });

  it("may be null where the schema says so", () => {
    expect(["turns", "usage", "content"].map((name) => control(name).nullable)).toEqual([true, true, false]);
  });

  it("is long where its name or what is in it says so", () => {
    expect(control("content")).toMatchObject({ control: "text", long: true });
    expect(fieldOf({ type: "string" }, {}, "name")).toMatchObject({ long: false });
    expect(fieldOf({ type: "string" }, {}, "name", "one\ntwo")).toMatchObject({ long: true });
  });

  it("that refers to nothing, or to itself, is JSON", () => {
    expect(fieldOf({ $ref: "#/$defs/None" }, letter).control).toBe("json");
    expect(fieldOf({ $ref: "#" }, { $ref: "#" }).control).toBe("json");
    expect(fieldOf({ $ref: "#/a" }, { a: { $ref: "#/a" } }).control).toBe("json");
  });
});

describe("a form", () => {
  it("begins with what is asked for", () => {
    expect(initialOf(letter)).toEqual({ content: "", kind: "Letter" });
  });

  it("that contains itself ends", () => {
    const tree: Schema = { type: "object", properties: { child: { $ref: "#" } }, required: ["child"] };
    expect(problemsOf(initialOf({ ...tree, $defs: {} }), tree).length).toBeGreaterThanOrEqual(0);
  });

  it("says what is wrong, and where", () => {
    expect(told({ content: "Hello", kind: "Letter" })).toEqual([]);
    expect(told({ content: "", kind: "Letter" })).toEqual(["content must not be empty"]);
    expect(told({ content: "Hello" })).toEqual(["kind is missing"]);
    expect(told({ content: "Hello", kind: "Letter", turns: 0.5 })).toEqual(["turns must be a whole number"]);
    expect(told({ content: "Hello", kind: "Letter", turns: 0 })).toEqual(["turns must be 1 or more"]);
    expect(told({ content: "Hello", kind: "Letter", turns: null, usage: null })).toEqual([]);
    expect(told({ content: "Hello", kind: "Letter", usage: {} })).toEqual(["usage.tokens is missing"]);
    expect(told({ content: "Hello", kind: "Letter", tags: ["a", 1] })).toEqual(["tags.2 must be a text"]);
    expect(told({ content: "Hello", kind: "Letter", tone: "loud" })).toEqual([`tone must be one of "kind", "curt"`]);
    expect(told({ content: "Hello", kind: "Letter", hue: 1 })).toEqual(["hue is not known here"]);
    expect(told("Hello")).toEqual(["It must be an object"]);
  });

  it("takes one of several", () => {
    const either: Schema = { anyOf: [{ type: "string" }, { type: "integer" }] };
    expect([problemsOf("a", either), problemsOf(1, either)]).toEqual([[], []]);
    expect(problemsOf(true, either).map(problemText)).toEqual(["It fits none of what is possible here"]);
  });
});

describe("a text", () => {
  it("is put where the one was that it stands for", () => {
    const before = { $type: "object", fields: { source: "a", content: "old", again: "old" } };
    expect(withText(before, "old", "new")).toEqual({
      $type: "object",
      fields: { source: "a", content: "new", again: "old" },
    });
    expect(withText(before, "none", "new")).toEqual(before);
  });
});

describe("JSON", () => {
  it("is read, or the reason told", () => {
    expect(parsedJson(`{"a": [1]}`)).toEqual({ value: { a: [1] }, problem: null });
    expect(parsedJson(`{"a"`).problem).toContain("This is not JSON");
  });

  it("is equal by what it says", () => {
    expect(same({ a: [1, { b: null }], c: 2 }, { c: 2, a: [1, { b: null }] })).toBe(true);
    expect(same({ a: undefined }, { b: undefined })).toBe(false);
    expect(same([1, 2], [2, 1])).toBe(false);
  });
});

describe("a type", () => {
  it("is told in words", () => {
    const words = ["content", "turns", "tone", "kind", "tags", "anything", "usage"].map((name) =>
      typeInWords((letter["properties"] as Record<string, Schema>)[name] ?? {}, letter),
    );
    expect(words).toEqual([
      "text",
      "whole number or nothing",
      '"kind" | "curt"',
      '"Letter"',
      "list of text",
      "anything",
      "object or nothing",
    ]);
  });
});
