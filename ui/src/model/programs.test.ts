import { describe, expect, it } from "vitest";

import type { FoundProgram, FoundPrograms, RunInfo } from "@/api/schema";

import {
  failedAtOnce,
  formOf,
  formValue,
  functionsOf,
  inputOf,
  isScript,
  kindOf,
  sawNothing,
  startInstead,
  startValue,
  takesText,
} from "./programs";
import { fieldOf, type Schema } from "./schema";

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

describe("a script", () => {
  const script = { ...found(null, {}), spec: "a.py", kind: "script" as const };
  const here = { programs: [script, found("x", { x: {} }), { ...found("x", {}), file: "b.py" }] } as FoundPrograms;
  const error = { message: "a script takes no input; name a function of it: a.py:main", wrong_use: true };
  const failed = (about: Partial<RunInfo>) => ({ spec: "a.py", input: "x", error, ...about }) as unknown as RunInfo;

  it("is told by its spec", () => {
    expect(["a.py", "-m pkg.tool", "n.ipynb", "a.py:main", "pkg:main"].map(isScript)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it("has functions that can be started instead with the input", () => {
    expect(functionsOf("/here/a.py", here).map(({ spec }) => spec)).toEqual(["a.py:main"]);
    const both = [
      { spec: "a.py:main", input: true },
      { spec: "a.py", input: false },
    ];
    expect(startInstead(failed({}), here)).toEqual(both);
    expect(startInstead(failed({}), { programs: [script] } as unknown as FoundPrograms)).toEqual(both);
    const quiet = { ...found(null, {}), spec: "a.py:quiet", takes: "nothing" as const };
    const three = startInstead(failed({}), { ...here, programs: [quiet, ...here.programs] });
    expect(three.map(({ spec, input }) => `${spec} ${input}`)).toEqual([
      "a.py:main true",
      "a.py:quiet false",
      "a.py false",
    ]);
    expect(startInstead(failed({}), undefined)).toEqual([]);
    expect(startInstead(failed({ input: null }), here)).toEqual([]);
    expect(startInstead(failed({ error: { message: "no" } as never }), here)).toEqual([]);
  });
});

it("a run of which nothing was seen is told from others", () => {
  const none = { model: 0, tool: 0, step: 0, agent: 0, task: 0 };
  const run = { live: false, imported: false, error: null, executed: none, reused: none, mocked: none };
  expect(sawNothing(run)).toBe(true);
  expect(sawNothing({ ...run, executed: { ...none, step: 1 } })).toBe(false);
  expect(sawNothing({ ...run, live: true })).toBe(false);
  expect(sawNothing({ ...run, error: { wrong_use: true } as never })).toBe(false);
});

describe("an input that was there before its form", () => {
  const story = found(null, { topic: {}, tone: { type: "string" } });
  it("is a field for each argument, a text where nothing is said of it", () => {
    expect(startValue(story)).toEqual({ topic: "", tone: "" });
    const fields = formOf(story)?.["properties"] as Record<string, Schema>;
    expect(fieldOf(fields["topic"] ?? {}, {}, "topic").control).toBe("text");
    expect(fieldOf(fields["topic"] ?? {}, {}, "topic", [1]).control).toBe("json");
  });
  it("goes into the form", () => {
    expect(formValue(story, "")).toEqual({ topic: "", tone: "" });
    expect(formValue(story, "sea")).toEqual({ topic: "sea", tone: "" });
    expect(formValue(story, { topic: "sea" })).toEqual({ topic: "sea" });
    expect(formValue(found("count", { count: { type: "integer" } }), 4)).toEqual({ count: 4 });
    expect(formValue(found("task", { task: { type: "string" } }), "sea")).toBe("sea");
    expect(formValue({ ...story, kind: "graph" }, "sea")).toBe("sea");
  });
});

describe("a run that failed at once", () => {
  const run = (executed: number) =>
    ({
      status: "failed",
      live: false,
      imported: false,
      executed: { model: executed },
      reused: {},
      mocked: {},
    }) as never;
  it("did nothing", () => {
    expect(failedAtOnce(run(0))).toBe(true);
    expect(failedAtOnce(run(1))).toBe(false);
  });
});
