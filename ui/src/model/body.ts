/**
 * What a body is, so that it can be shown as that: a text, an image, a conversation, a table, an error, or JSON.
 *
 * Nothing here trusts a body: it is whatever a program said.
 */

import { joined } from "./pieces";

export type Json = unknown;
type Fields = { [name: string]: Json };

export interface Turn {
  role: string;
  /** Who spoke, where that is told beside the role. */
  name: string;
  content: Json;
  calls: ToolCall[];
}

export interface ToolCall {
  name: string;
  arguments: Json;
}

export interface Frame {
  file: string;
  line: number;
  function: string;
  /** The line itself, and those around it where they are known. */
  source: { number: number; text: string }[];
  locals: [string, string][];
}

export type Shape =
  | { form: "nothing" }
  | { form: "text"; text: string }
  | { form: "image"; address: string }
  | { form: "error"; name: string; message: string; frames: Frame[] }
  | { form: "conversation"; turns: Turn[]; rest: Fields }
  | { form: "table"; columns: string[]; rows: Json[][] }
  | { form: "answer"; text: string; calls: ToolCall[]; rest: Fields }
  | { form: "json"; type: string; value: Json };

const MOST_COLUMNS = 12;

export function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name of the class of a typed object, else nothing. */
export function typeName(value: Json): string {
  if (!isFields(value) || typeof value["$type"] !== "string") return "";
  return String(value["class"] ?? "")
    .split(/[.:]/)
    .at(-1) as string;
}

/** A value as plain JSON: typed objects by their fields, what cannot be brought back by its text. */
export function untyped(value: Json): Json {
  if (Array.isArray(value)) return value.map(untyped);
  if (!isFields(value)) return value;
  if (!("$type" in value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, untyped(item)]));
  if (value["$type"] === "exception") return value;
  if (value["$type"] === "dict" && Array.isArray(value["items"]))
    return untyped(Object.fromEntries(pairsOf(value["items"])));
  const inner = ["fields", "items", "value", "repr"].find((name) => name in value);
  if (inner !== undefined) return untyped(value[inner]);
  const held = Object.entries(value).filter(([name]) => name !== "$type" && name !== "class");
  if (held.length === 0) return value["class"] ?? value["$type"];
  return Object.fromEntries(held.map(([name, item]) => [name, untyped(item)]));
}

/** The items of a mapping whose keys are no texts, or that holds a key with a meaning of its own. */
function pairsOf(items: Json[]): [string, Json][] {
  return items.filter(Array.isArray).map(([key, item]) => {
    const plain = untyped(key);
    return [typeof plain === "string" ? plain : JSON.stringify(plain), item];
  });
}

/** What a body is. */
export function shapeOf(body: Json): Shape {
  if (body === null || body === undefined || body === "") return { form: "nothing" };
  if (isFields(body) && body["$type"] === "exception") return errorOf(body);
  const type = typeName(body);
  const value = untyped(body);
  if (typeof value === "string") return imageOf(value) ?? { form: "text", text: value };
  if (Array.isArray(value)) return listOf(value) ?? { form: "json", type, value };
  if (!isFields(value)) return { form: "json", type, value };
  return imageIn(value) ?? conversationOf(value) ?? errorIn(value) ?? answerOf(value) ?? { form: "json", type, value };
}

/** The one text that a body says, where an edit may give another text instead; null where it is more than that. */
export function soleText(body: Json): string | null {
  if (typeof body === "string") return body;
  const shape = shapeOf(body);
  if (shape.form === "text") return shape.text;
  return shape.form === "answer" && shape.calls.length === 0 && shape.text !== "" ? shape.text : null;
}

/** Whether a text is written in Markdown: it has marks that only that would have. */
export function isMarkdown(text: string): boolean {
  return (
    /^(#{1,6} |[-*+] |\d+\. |> |```|\|.*\|\s*$)/m.test(text) ||
    /(\*\*|__)\S.*?\1|\[[^\]]+\]\([^)]+\)|`[^`\n]+`/.test(text)
  );
}

function imageOf(text: string): Shape | null {
  return /^data:image\/(png|jpeg|gif|webp);base64,/.test(text) ? { form: "image", address: text } : null;
}

function imageIn(value: Fields): Shape | null {
  const url = value["image_url"];
  const address = isFields(url) ? url["url"] : url;
  if (typeof address === "string") return imageOf(address);
  const data = value["data"];
  const kind = value["media_type"] ?? value["mime_type"] ?? value["mimeType"];
  if (typeof data === "string" && typeof kind === "string" && /^image\/(png|jpeg|gif|webp)$/.test(kind))
    return { form: "image", address: `data:${kind};base64,${data}` };
  return null;
}

function listOf(value: Json[]): Shape | null {
  const told = joined(value);
  if (told !== null) {
    const calls = told.calls.map((call) => ({ name: call.name, arguments: parsed(call.arguments) }));
    return { form: "answer", text: told.text, calls, rest: {} };
  }
  if (value.length > 0 && value.every((item) => isFields(item) && turnOf(item) !== null))
    return { form: "conversation", turns: turnsOf(value), rest: {} };
  if (value.length < 2 || !value.every(isFlat)) return null;
  const rows = value as Fields[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0 || columns.length > MOST_COLUMNS) return null;
  return { form: "table", columns, rows: rows.map((row) => columns.map((name) => row[name])) };
}

function isFlat(value: Json): boolean {
  return isFields(value) && Object.values(value).every((item) => item === null || typeof item !== "object");
}

function conversationOf(value: Fields): Shape | null {
  const { messages, ...rest } = value;
  if (!Array.isArray(messages) || messages.length === 0) return null;
  const turns = turnsOf(messages);
  return turns.length === messages.length ? { form: "conversation", turns, rest } : null;
}

function turnsOf(messages: Json[]): Turn[] {
  return messages.map((message) => (isFields(message) ? turnOf(message) : null)).filter((turn) => turn !== null);
}

function turnOf(message: Fields): Turn | null {
  const role = message["role"] ?? message["type"] ?? message["source"];
  if (typeof role !== "string" || !("content" in message || "tool_calls" in message)) return null;
  const name = [message["name"], message["source"]].find((told) => typeof told === "string" && told !== role);
  return {
    role,
    name: (name as string | undefined) ?? "",
    content: contentOf(message["content"]),
    calls: callsOf(message),
  };
}

/** Content in parts, of which each is a text, as one text. */
function contentOf(content: Json): Json {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part) => (isFields(part) && typeof part["text"] === "string" ? part["text"] : part));
  return texts.length > 0 && texts.every((part) => typeof part === "string") ? texts.join("\n") : content;
}

function callsOf(message: Fields): ToolCall[] {
  const told = message["tool_calls"] ?? message["content"];
  return Array.isArray(told) ? told.map(callOf).filter((call) => call !== null) : [];
}

function callOf(item: Json): ToolCall | null {
  if (!isFields(item)) return null;
  const call = isFields(item["function"]) ? item["function"] : item;
  const given = call["arguments"] ?? call["input"] ?? call["args"];
  if (typeof call["name"] !== "string" || given === undefined) return null;
  return { name: call["name"], arguments: parsed(given) };
}

function parsed(value: Json): Json {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

const INNER = ["response", "chat_message", "message", "choices"] as const;

function answerOf(value: Fields): Shape | null {
  for (const name of INNER) {
    const held = Array.isArray(value[name]) ? value[name][0] : value[name];
    const told = name === "message" && typeof held === "string" ? null : isFields(held) ? answerOf(held) : null;
    if (told?.form !== "answer") continue;
    const { [name]: _, ...rest } = value;
    return { ...told, rest: { ...told.rest, ...rest } };
  }
  if (!("content" in value)) return spokenIn(value);
  const { content, tool_calls: _, ...rest } = value;
  const calls = callsOf(value);
  const text = contentOf(content);
  if (typeof text === "string") return { form: "answer", text, calls, rest };
  if (calls.length > 0) return { form: "answer", text: spokenPart(content), calls, rest };
  return null;
}

/** What a program gives back beside other things: the text is the answer. */
function spokenIn(value: Fields): Shape | null {
  const { answer, ...rest } = value;
  return typeof answer === "string" ? { form: "answer", text: answer, calls: [], rest } : null;
}

function spokenPart(content: Json): string {
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isFields(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .filter(Boolean)
    .join("\n");
}

function errorIn(value: Fields): Shape | null {
  const error = value["error"] ?? ("difference" in value ? value["cause"] : null);
  return isFields(error) && error["$type"] === "exception" ? errorOf(error) : null;
}

function errorOf(value: Fields): Shape {
  const name = String(value["class"] ?? "Error")
    .split(/[.:]/)
    .at(-1) as string;
  const frames = Array.isArray(value["frames"]) ? value["frames"].filter(isFields).map(frameOf) : [];
  return {
    form: "error",
    name,
    message: String(value["message"] ?? ""),
    frames,
  };
}

function frameOf(frame: Fields): Frame {
  const line = Number(frame["line"] ?? 0);
  const around = isFields(frame["around"]) ? frame["around"] : null;
  const lines = around !== null && Array.isArray(around["lines"]) ? around["lines"].map(String) : [];
  const first = Number(around?.["first"] ?? line);
  const source =
    lines.length > 0
      ? lines.map((text, n) => ({ number: first + n, text }))
      : [{ number: line, text: String(frame["source"] ?? "") }];
  const locals = isFields(frame["locals"]) ? Object.entries(frame["locals"]) : [];
  return {
    file: String(frame["file"] ?? ""),
    line,
    function: String(frame["function"] ?? ""),
    source,
    locals: locals.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  };
}
