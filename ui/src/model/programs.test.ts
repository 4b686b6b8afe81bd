import { describe, expect, it } from "vitest";

import type { FoundProgram } from "@/api/schema";

import { inputOf, kindOf, startValue, takesText } from "./programs";

const found = (parameter: string | null, properties: Record<string, unknown>): FoundProgram => ({
  spec: "a.py:main",
  kind: "function",
  framework: "",
  file: "a.py",
  line: 1,
  about: "",
  input: { schema: { type: "object", properties, required: Object.keys(properties) }, parameter },
  takes: "input",
  note: "",
});

describe("the form of a program's input", () => {
  it("gives the value of the only parameter", () => {
    const program = found("count", { count: { type: "integer", default: 3 } });
    expect(startValue(program)).toEqual({ count: 3 });
    const optional = found("count", {});
    optional.input = { schema: { properties: { count: { default: 2 } }, required: [] }, parameter: "count" };
    expect(startValue(optional)).toEqual({ count: 2 });
    expect(inputOf(program, { count: 4 })).toBe(4);
    expect(inputOf(program, "a text")).toBe("a text");
    expect(takesText(program)).toBe(false);
  });
  it("gives the whole object where there are several", () => {
    const program = found(null, { wish: { type: "string" } });
    expect(inputOf(program, { wish: "sun" })).toEqual({ wish: "sun" });
    expect(takesText(program)).toBe(false);
  });
  it("is a text for a text, and where nothing is known", () => {
    expect(takesText(found("task", { task: { type: "string" } }))).toBe(true);
    expect(takesText(found("given", { given: {} }))).toBe(true);
    expect(takesText({ ...found(null, {}), input: null })).toBe(true);
    expect(startValue({ ...found(null, {}), input: null })).toBe("");
    expect(inputOf(null, { a: 1 })).toEqual({ a: 1 });
  });
  it("has a name for what it is", () => {
    expect(kindOf(found(null, {}))).toBe("function");
    expect(kindOf({ ...found(null, {}), kind: "team", framework: "AutoGen" })).toBe("team, AutoGen");
  });
});
