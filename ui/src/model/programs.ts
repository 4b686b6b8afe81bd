/** Programs that were found in a folder: what a form for one begins with, and the input that is meant by what is in it. */

import type { FoundProgram } from "@/api/schema";

import { type Fields, initialOf, isFields, type Json, propertiesOf } from "./schema";

/** What a form for its input begins with: what has to be there, and the defaults of the rest. */
export function startValue({ input }: FoundProgram): Json {
  if (input === null) return "";
  const start = initialOf(input.schema);
  const defaults = propertiesOf(input.schema).filter(({ schema }) => "default" in schema);
  return { ...Object.fromEntries(defaults.map(({ name, schema }) => [name, schema["default"]])), ...(start as Fields) };
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
