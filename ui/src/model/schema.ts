/**
 * Forms from JSON schemas: which control a schema asks for, what a form begins with, and what is wrong with what is in it.
 *
 * A schema comes from a program and may be anything.  What is not understood is a field for JSON, and is not judged.
 */

export type Json = unknown;
export type Fields = { [name: string]: Json };

/** A schema; what names refer to is looked up in the one that the form was made from. */
export type Schema = Fields;

export interface Choice {
  value: Json;
  label: string;
}

export type Control =
  | { control: "text"; long: boolean }
  | { control: "number"; whole: boolean; least: number | null; most: number | null }
  | { control: "switch" }
  | { control: "choice"; choices: Choice[] }
  | { control: "several"; choices: Choice[] }
  | { control: "list"; item: Schema }
  | { control: "object"; properties: Property[] }
  | { control: "constant"; value: Json }
  | { control: "json" };

export interface Property {
  name: string;
  schema: Schema;
  required: boolean;
}

export type Field = Control & {
  title: string;
  about: string;
  /** Null is a value of it, too. */
  nullable: boolean;
};

export interface Problem {
  path: string;
  message: string;
}

const DEEPEST = 12;
const LONG_NAMES = /content|message|prompt|instruction|system|text|body|description|goal|backstory|task|code/i;
/** A text from here on is edited in several lines. */
const LONG_TEXT = 60;

export function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a schema of a name stands for: references followed, a lone alternative taken. */
export function resolved(schema: Schema, root: Schema): { schema: Schema; nullable: boolean } {
  let at = schema;
  let nullable = false;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const around = without(at, ["$ref", "allOf", "anyOf", "oneOf"]);
    const ref = at["$ref"];
    const alternatives = listOf(at["anyOf"] ?? at["oneOf"]);
    const all = listOf(at["allOf"]);
    if (typeof ref === "string") {
      const found = lookedUp(ref, root);
      if (found === null) return { schema: around, nullable };
      at = { ...found, ...around };
    } else if (alternatives.length > 0) {
      const others = alternatives.filter((other) => other["type"] !== "null");
      nullable ||= others.length < alternatives.length;
      if (others.length !== 1) return { schema: at, nullable };
      at = { ...others[0], ...around };
    } else if (all.length === 1) {
      at = { ...all[0], ...around };
    } else break;
  }
  if (Array.isArray(at["type"])) {
    const types = at["type"].filter((type) => type !== "null");
    nullable ||= types.length < at["type"].length;
    at = types.length === 1 ? { ...at, type: types[0] } : without(at, ["type"]);
  }
  return { schema: at, nullable };
}

/** Marks a schema that says nothing of a value for which a text is the likeliest. */
export const TEXTUAL = "x-textual";

/** The control that a schema asks for, given what is in it at the moment. */
export function fieldOf(schema: Schema, root: Schema, name = "", value?: Json): Field {
  const { schema: own, nullable } = resolved(schema, root);
  const told = {
    title: name === "" ? textOf(own["title"]) : titleOf(name),
    about: textOf(own["description"]),
    nullable,
  };
  return { ...controlOf(own, name, value), ...told };
}

function controlOf(schema: Schema, name: string, value: Json): Control {
  if ("const" in schema) return { control: "constant", value: schema["const"] };
  if (schema[TEXTUAL] === true && (value === undefined || value === null || typeof value === "string"))
    return { control: "text", long: isLong(schema, name, value) };
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0)
    return { control: "choice", choices: choicesOf(schema["enum"]) };
  switch (schema["type"]) {
    case "string":
      return { control: "text", long: isLong(schema, name, value) };
    case "integer":
    case "number":
      return {
        control: "number",
        whole: schema["type"] === "integer",
        least: numberOf(schema["minimum"]),
        most: numberOf(schema["maximum"]),
      };
    case "boolean":
      return { control: "switch" };
    case "array": {
      const item = isFields(schema["items"]) ? schema["items"] : {};
      if (Array.isArray(item["enum"])) return { control: "several", choices: choicesOf(item["enum"]) };
      return "type" in item || "$ref" in item || "anyOf" in item ? { control: "list", item } : { control: "json" };
    }
    default:
      break;
  }
  const properties = propertiesOf(schema);
  return properties.length > 0 ? { control: "object", properties } : { control: "json" };
}

/** The properties of an object, those that must be there first. */
export function propertiesOf(schema: Schema): Property[] {
  const told = schema["properties"];
  if (!isFields(told)) return [];
  const needed = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const all = Object.entries(told)
    .filter((entry): entry is [string, Schema] => isFields(entry[1]))
    .map(([name, own]) => ({ name, schema: own, required: needed.has(name) }));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

/** What a form begins with: what is asked for, as empty as it may be; what may be left out is left out. */
export function initialOf(schema: Schema, root: Schema = schema, depth = 0): Json {
  const { schema: own, nullable } = resolved(schema, root);
  if ("default" in own) return own["default"];
  if ("const" in own) return own["const"];
  if (nullable) return null;
  if (Array.isArray(own["enum"])) return own["enum"][0] ?? null;
  switch (own["type"]) {
    case "string":
      return "";
    case "integer":
    case "number":
      return numberOf(own["minimum"]) ?? 0;
    case "boolean":
      return false;
    case "array":
      return [];
    default:
      break;
  }
  const properties = propertiesOf(own);
  if (properties.length === 0 && own["type"] !== "object") return null;
  if (depth > DEEPEST) return {};
  const needed = properties.filter((one) => one.required);
  return Object.fromEntries(needed.map((one) => [one.name, initialOf(one.schema, root, depth + 1)]));
}

/** What is wrong with a value; nothing is said about what the schema leaves open. */
export function problemsOf(value: Json, schema: Schema, root: Schema = schema, path = "", depth = 0): Problem[] {
  const { schema: own, nullable } = resolved(schema, root);
  const problem = (message: string): Problem[] => [{ path, message }];
  if (depth > DEEPEST) return [];
  if (value === null) {
    const told = "type" in own || "enum" in own || "const" in own;
    return nullable || !told || own["type"] === "null" ? [] : problem("must not be empty");
  }
  const alternatives = listOf(own["anyOf"] ?? own["oneOf"]);
  if (alternatives.length > 1) {
    const fits = alternatives.some((other) => problemsOf(value, other, root, path, depth + 1).length === 0);
    return fits ? [] : problem("fits none of what is possible here");
  }
  if ("const" in own && !same(own["const"], value)) return problem(`must be ${shown(own["const"])}`);
  if (Array.isArray(own["enum"]) && !own["enum"].some((one) => same(one, value)))
    return problem(`must be one of ${own["enum"].map(shown).join(", ")}`);
  switch (own["type"]) {
    case "string":
      return typeof value === "string" ? wrongText(value, own).flatMap(problem) : problem("must be a text");
    case "integer":
    case "number":
      if (typeof value !== "number" || Number.isNaN(value)) return problem("must be a number");
      if (own["type"] === "integer" && !Number.isInteger(value)) return problem("must be a whole number");
      return wrongNumber(value, own).flatMap(problem);
    case "boolean":
      return typeof value === "boolean" ? [] : problem("must be true or false");
    case "array": {
      if (!Array.isArray(value)) return problem("must be a list");
      const item = own["items"];
      return isFields(item)
        ? value.flatMap((one, n) => problemsOf(one, item, root, joined(path, String(n + 1)), depth + 1))
        : [];
    }
    default:
      break;
  }
  const properties = propertiesOf(own);
  if (properties.length === 0 && own["type"] !== "object") return [];
  if (!isFields(value)) return problem("must be an object");
  const inside = properties.flatMap((one) => {
    const at = joined(path, one.name);
    if (!(one.name in value)) return one.required ? [{ path: at, message: "is missing" }] : [];
    return problemsOf(value[one.name], one.schema, root, at, depth + 1);
  });
  if (own["additionalProperties"] !== false) return inside;
  const known = new Set(properties.map((one) => one.name));
  const strange = Object.keys(value).filter((name) => !known.has(name));
  return [...inside, ...strange.map((name) => ({ path: joined(path, name), message: "is not known here" }))];
}

/** A problem in a sentence. */
export function problemText({ path, message }: Problem): string {
  return path === "" ? `It ${message}` : `${path} ${message}`;
}

/** JSON out of a text that a person wrote; `problem` says why it is none. */
export function parsedJson(text: string): { value: Json; problem: string | null } {
  try {
    return { value: JSON.parse(text) as Json, problem: null };
  } catch (error) {
    return { value: undefined, problem: `This is not JSON: ${(error as Error).message}` };
  }
}

/** A value as a person edits it. */
export function prettyJson(value: Json): string {
  return value === undefined ? "" : (JSON.stringify(value, null, 2) ?? "");
}

/** The value with another text in the first place where it says `before`. */
export function withText(value: Json, before: string, text: string): Json {
  let done = false;
  const put = (at: Json): Json => {
    if (done) return at;
    if (at === before) {
      done = true;
      return text;
    }
    if (Array.isArray(at)) return at.map(put);
    return isFields(at) ? Object.fromEntries(Object.entries(at).map(([name, item]) => [name, put(item)])) : at;
  };
  return put(value);
}

/** A name of a property as words: `max_turns` becomes "max turns". */
export function titleOf(name: string): string {
  return name.replaceAll("_", " ");
}

/** Whether two JSON values are equal. */
export function same(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, n) => same(item, other[n]));
  if (!isFields(one) || !isFields(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => name in other && same(one[name], other[name]))
  );
}

function isLong(schema: Schema, name: string, value: Json): boolean {
  if (typeof value === "string" && (value.length > LONG_TEXT || value.includes("\n"))) return true;
  if (schema["format"] !== undefined) return false;
  const most = numberOf(schema["maxLength"]);
  return LONG_NAMES.test(name) && (most === null || most > LONG_TEXT);
}

function wrongText(value: string, schema: Schema): string[] {
  const least = numberOf(schema["minLength"]) ?? 0;
  const most = numberOf(schema["maxLength"]);
  if (value.length < least) return [least === 1 ? "must not be empty" : `must have ${least} characters or more`];
  return most !== null && value.length > most ? [`must have ${most} characters at most`] : [];
}

function wrongNumber(value: number, schema: Schema): string[] {
  const least = numberOf(schema["minimum"]);
  const most = numberOf(schema["maximum"]);
  if (least !== null && value < least) return [`must be ${least} or more`];
  return most !== null && value > most ? [`must be ${most} or less`] : [];
}

function lookedUp(ref: string, root: Schema): Schema | null {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return null;
  let at: Json = root;
  for (const part of ref.slice(2).split("/")) {
    if (!isFields(at)) return null;
    at = at[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return isFields(at) ? at : null;
}

function choicesOf(values: readonly Json[]): Choice[] {
  return values.map((value) => ({ value, label: typeof value === "string" ? value : shown(value) }));
}

function listOf(value: Json): Schema[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function without(schema: Schema, names: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: Json): number | null {
  return typeof value === "number" ? value : null;
}

function shown(value: Json): string {
  return JSON.stringify(value) ?? "nothing";
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** The type that a schema asks for, in a word or two. */
export function typeInWords(schema: Schema, root: Schema): string {
  const { schema: own, nullable } = resolved(schema, root);
  const or = nullable ? " or nothing" : "";
  if ("const" in own) return shown(own["const"]);
  if (Array.isArray(own["enum"])) return own["enum"].map(shown).join(" | ") + or;
  const alternatives = listOf(own["anyOf"] ?? own["oneOf"]);
  if (alternatives.length > 1) return alternatives.map((one) => typeInWords(one, root)).join(" | ");
  const item = own["items"];
  if (own["type"] === "array") return `list${isFields(item) ? ` of ${typeInWords(item, root)}` : ""}${or}`;
  const name = own["type"] === "object" && typeof own["title"] === "string" ? own["title"] : own["type"];
  return `${typeof name === "string" ? (WORDS[name] ?? name) : "anything"}${or}`;
}

const WORDS: { [type: string]: string } = { string: "text", integer: "whole number", boolean: "true or false" };
