/** Programs that were found in a folder: what a form for one begins with, and the input that is meant by what is in it. */

import type { FoundProgram, FoundPrograms, RunInfo } from "@/api/schema";

import { type Fields, initialOf, isFields, type Json, propertiesOf, type Schema, TEXTUAL } from "./schema";

/** The schema of the form for its input: an argument of which nothing is said is written as a text. */
export function formOf({ input }: FoundProgram): Schema | null {
  if (input === null) return null;
  const unsaid = propertiesOf(input.schema).filter(({ schema }) => Object.keys(schema).length === 0);
  const texts = Object.fromEntries(unsaid.map(({ name }) => [name, { [TEXTUAL]: true }]));
  return { ...input.schema, properties: { ...(input.schema["properties"] as Fields), ...texts } };
}

/** What a form for its input begins with: what has to be there, and the defaults of the rest. */
export function startValue(program: FoundProgram): Json {
  const schema = formOf(program);
  if (schema === null) return "";
  const properties = propertiesOf(schema);
  const defaults = properties.filter((one) => "default" in one.schema);
  const texts = properties.filter((one) => one.required && TEXTUAL in one.schema);
  return {
    ...Object.fromEntries(defaults.map((one) => [one.name, one.schema["default"]])),
    ...(initialOf(schema) as Fields),
    ...Object.fromEntries(texts.map(({ name }) => [name, ""])),
  };
}

/** What its form has of an input that was written before it was known, or that a run was started with. */
export function formValue(program: FoundProgram, input: Json): Json {
  const parameter = program.input?.parameter ?? null;
  const properties = propertiesOf(program.input?.schema ?? {});
  if (input === "" || input === null) return startValue(program);
  if (properties.length === 0 || (takesText(program) && typeof input === "string")) return input;
  if (parameter !== null) return { [parameter]: input };
  if (program.kind !== "function" || isFields(input)) return input;
  // A text alone is most likely what the first of several arguments was meant to be.
  const first = properties.find(({ schema }) => schema["type"] === "string" || Object.keys(schema).length === 0);
  const start = startValue(program) as Fields;
  return typeof input === "string" && first !== undefined ? { ...start, [first.name]: input } : start;
}

/** The input that a form's value stands for: the value of the only parameter, where there is one. */
export function inputOf(program: FoundProgram | null, value: Json): Json {
  const parameter = program?.input?.parameter ?? null;
  return parameter !== null && isFields(value) && parameter in value ? value[parameter] : value;
}

/** Whether a text is what it is given. */
export function takesText({ input }: FoundProgram): boolean {
  if (input === null) return true;
  const properties = input.schema["properties"];
  const only = input.parameter === null || !isFields(properties) ? undefined : properties[input.parameter];
  return isFields(only) && (only["type"] === "string" || Object.keys(only).length === 0);
}

/** What it is, in two words: *team, AutoGen*. */
export function kindOf({ kind, framework }: FoundProgram): string {
  return framework === "" ? kind : `${kind}, ${framework}`;
}

/** Whether a spec names what is run from its first line to its last, which takes no input: a script, a module, a notebook. */
export function isScript(spec: string): boolean {
  return /^-m\s/.test(spec) || /\.(py|ipynb)$/.test(spec);
}

/** The functions and other programs in the file of a script, which can be given an input. */
export function functionsOf(spec: string, found: FoundPrograms | undefined): FoundProgram[] {
  const isThere = (file: string) => spec === file || spec.endsWith(`/${file}`);
  return (found?.programs ?? []).filter(
    ({ spec: one, file, kind, note }) => isThere(file) && kind !== "script" && note === "" && !isScript(one),
  );
}

/** Whether a run failed before anything of it was recorded, as one does whose input does not fit. */
export function failedAtOnce(
  info: Pick<RunInfo, "live" | "imported" | "status" | "executed" | "reused" | "mocked">,
): boolean {
  return info.status === "failed" && !info.live && !info.imported && didNothing(info);
}

type Figures = Pick<RunInfo, "executed" | "reused" | "mocked">;

function didNothing(info: Figures): boolean {
  const counted = [info.executed, info.reused, info.mocked].flatMap((counts) => Object.values(counts));
  return counted.every((number) => number === 0);
}

export interface Instead {
  spec: string;
  /** Whether it is given the input. */
  input: boolean;
}

/**
 * What can be started instead of a script that was given an input: its functions, those first that take it; where none is
 * known the one that its error names; and the script without the input.
 */
export function startInstead(
  info: Pick<RunInfo, "spec" | "input" | "error">,
  found: FoundPrograms | undefined,
): Instead[] {
  const { spec, input, error } = info;
  if (found === undefined || !isFields(error) || error["wrong_use"] !== true || !isScript(spec) || input === null)
    return [];
  const functions = functionsOf(spec, found).map((one) => ({ spec: one.spec, input: one.takes !== "nothing" }));
  const named = /\S+\.py:[\w.]+/.exec(String(error["message"] ?? ""))?.[0];
  if (functions.length === 0 && named !== undefined) functions.push({ spec: named, input: true });
  return [...functions.toSorted((a, b) => Number(b.input) - Number(a.input)), { spec, input: false }];
}

/** Whether a run is over and nothing of what it did was seen: no call of a model or a tool, no agent, no step. */
export function sawNothing(
  info: Pick<RunInfo, "live" | "imported" | "error" | "executed" | "reused" | "mocked">,
): boolean {
  if (info.live || info.imported || (isFields(info.error) && info.error["wrong_use"] === true)) return false;
  return didNothing(info);
}
