/**
 * What goes to a model and what it answers, as messages that a person edits: of AutoGen, LangChain, LlamaIndex, the OpenAI and
 * Anthropic clients and plain functions, each as its target records it.
 *
 * What is read keeps the recorded form, and says where in it each text and each argument stands: an edit changes just that
 * place, so that nothing which is not understood here is ever lost.
 */

import { isFields, type Fields, type Json, type Schema } from "./schema";

/** Where something stands in a recorded value: names of fields and places in lists. */
export type Path = readonly (string | number)[];

export type Part =
  | { kind: "text"; path: Path; text: string; about: "" | "thought" }
  | { kind: "result"; path: Path; text: string; of: string }
  | { kind: "image"; path: Path; address: string }
  | { kind: "call"; path: Path; call: Call }
  | { kind: "other"; path: Path; value: Json };

export interface Call {
  name: string;
  namePath: Path;
  arguments: Json;
  argumentsPath: Path;
  /** Whether the arguments are recorded as a text in JSON. */
  asText: boolean;
}

export interface Message {
  /** As it is recorded. */
  raw: Json;
  role: string;
  /** Where the role stands; null where it cannot be another. */
  rolePath: Path | null;
  /** Who speaks, where that is told beside the role. */
  name: string;
  parts: Part[];
}

export interface Tool {
  name: string;
  about: string;
  schema: Schema | null;
  aboutPath: Path;
  schemaPath: Path;
}

/** A text beside the messages that goes to the model, too: a system prompt, instructions, a prompt. */
export interface Heading {
  name: string;
  text: string;
  path: Path;
}

export interface Conversation {
  raw: Json;
  headings: Heading[];
  messages: Message[];
  /** Where the messages are; null where there are none and can be none. */
  path: Path | null;
  tools: Tool[];
  /** What else is asked: settings, formats. */
  settings: Fields;
}

export type Dialect = "autogen" | "langchain" | "anthropic" | "responses" | "roles";

const LISTS = ["messages", "input"] as const;
const HEADINGS = ["system", "instructions", "prompt", "input"] as const;
const TYPED = /^(model|dataclass|opaque)$/;
const TYPES: ReadonlySet<Json> = new Set([
  "SystemMessage",
  "UserMessage",
  "AssistantMessage",
  "FunctionExecutionResultMessage",
]);
const ITEMS: ReadonlySet<Json> = new Set(["message", "function_call", "function_call_output", "reasoning"]);
const LANGCHAIN: ReadonlySet<Json> = new Set([
  "human",
  "ai",
  "system",
  "tool",
  "function",
  "chat",
  "remove",
  "AIMessageChunk",
]);

// -- places ----------------------------------------------------------------------------------------------------------

/** What stands at a place; undefined where there is none. */
export function at(value: Json, path: Path): Json {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here)) here = here[step as number];
    else if (isFields(here)) here = Object.hasOwn(here, step) ? here[step] : undefined;
    else return undefined;
  }
  return here;
}

/** The value with something else at a place; all else is as it was. */
export function put(value: Json, path: Path, to: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return to;
  if (Array.isArray(value)) return value.map((item, n) => (n === step ? put(item, rest, to) : item));
  const fields = isFields(value) ? value : {};
  const own = Object.hasOwn(fields, step) ? fields[step] : undefined;
  return { ...fields, [step]: put(own, rest, to) };
}

/** The value without what stands at a place. */
export function without(value: Json, path: Path): Json {
  const last = path.at(-1);
  const around = at(value, path.slice(0, -1));
  if (last === undefined) return value;
  if (Array.isArray(around)) return put(value, path.slice(0, -1), around.toSpliced(last as number, 1));
  if (!isFields(around)) return value;
  const { [last]: _, ...rest } = around;
  return put(value, path.slice(0, -1), rest);
}

// -- what goes to a model --------------------------------------------------------------------------------------------

/** The conversation in the input of a model call; null where it is none that can be told. */
export function readConversation(value: Json): Conversation | null {
  if (isList(value))
    return { raw: value, headings: [], messages: value.map(readMessage), path: [], tools: [], settings: {} };
  if (!isFields(value) || "$type" in value) return null;
  const path = LISTS.find((name) => isList(value[name])) ?? null;
  const headings = headingsOf(value, path);
  if (path === null && headings.length === 0) return null;
  const taken = new Set<string>([
    ...(path === null ? [] : [path]),
    "tools",
    ...headings.map((one) => String(one.path[0])),
  ]);
  return {
    raw: value,
    headings,
    messages: path === null ? [] : (value[path] as Json[]).map(readMessage),
    path: path === null ? null : [path],
    tools: toolsOf(value["tools"]),
    settings: Object.fromEntries(Object.entries(value).filter(([name]) => !taken.has(name))),
  };
}

/** The input of a call again, with these messages. */
export function withMessages(conversation: Conversation, messages: readonly Message[]): Json {
  const raws = messages.map(({ raw }) => raw);
  return conversation.path === null ? conversation.raw : put(conversation.raw, conversation.path, raws);
}

/** The input of a call again, as it was read. */
export function writeConversation(conversation: Conversation): Json {
  return withMessages(conversation, conversation.messages);
}

/** The input of a call with other settings; those that are gone are taken out. */
export function withSettings(conversation: Conversation, settings: Fields): Json {
  const kept = Object.entries(conversation.raw as Fields).filter(
    ([name]) => !(name in conversation.settings) || name in settings,
  );
  return {
    ...Object.fromEntries(kept.map(([name, item]) => [name, name in settings ? settings[name] : item])),
    ...settings,
  };
}

function isList(value: Json): value is Json[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

function isMessage(value: Json): boolean {
  if (!isFields(value)) return false;
  if (value["$type"] === "message") return true;
  const inner = at(value, insideOf(value));
  if (!isFields(inner)) return false;
  const told = typeof inner["role"] === "string" || ITEMS.has(inner["type"]) || TYPES.has(inner["type"]);
  const says = ["content", "blocks", "tool_calls", "arguments", "output", "summary", "parts"].some(
    (name) => name in inner,
  );
  return (told && says) || (LANGCHAIN.has(inner["type"]) && "content" in inner);
}

function headingsOf(value: Fields, list: string | null): Heading[] {
  const found: Heading[] = [];
  for (const name of HEADINGS) {
    if (name === list) continue;
    const told = value[name];
    if (typeof told === "string") found.push({ name, text: told, path: [name] });
    else if (name === "system" && Array.isArray(told))
      for (const [n, block] of told.entries())
        if (isFields(block) && typeof block["text"] === "string")
          found.push({ name, text: block["text"], path: [name, n, "text"] });
  }
  const several = value["prompts"];
  if (list === null && Array.isArray(several) && several.every((one) => typeof one === "string"))
    for (const [n, text] of several.entries()) found.push({ name: `prompt ${n + 1}`, text, path: ["prompts", n] });
  return found;
}

function toolsOf(tools: Json): Tool[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool, n) => {
    if (!isFields(tool)) return [];
    const inner = isFields(tool["function"]) ? ["function"] : insideOf(tool);
    const told = at(tool, inner);
    if (!isFields(told) || typeof told["name"] !== "string") return [];
    const where = ["parameters", "input_schema", "args_schema"].find((name) => isFields(told[name]));
    const path = ["tools", n, ...inner];
    return {
      name: told["name"],
      about: typeof told["description"] === "string" ? told["description"] : "",
      schema: where === undefined ? null : (told[where] as Schema),
      aboutPath: [...path, "description"],
      schemaPath: [...path, where ?? "parameters"],
    };
  });
}

// -- messages --------------------------------------------------------------------------------------------------------

/** A message as it is recorded, with where in it its texts and calls are. */
export function readMessage(raw: Json): Message {
  const inner = insideOf(raw);
  const told = at(raw, inner);
  if (!isFields(told)) return { raw, role: "", rolePath: null, name: "", parts: partOf(raw, []) };
  const holds = ["role", "type"].find((name) => typeof told[name] === "string" && told[name] !== "message");
  const role = holds === undefined ? "" : String(told[holds]);
  const parts: Part[] = [];
  if (typeof told["thought"] === "string")
    parts.push({ kind: "text", path: [...inner, "thought"], text: told["thought"], about: "thought" });
  for (const name of ["content", "blocks", "parts", "summary", "output"])
    if (name in told)
      parts.push(...contentOf(told[name], [...inner, name], "call_id" in told || "tool_call_id" in told));
  for (const list of [["tool_calls"], ["additional_kwargs", "tool_calls"]]) {
    const calls = at(told, list);
    if (Array.isArray(calls))
      for (const [n, call] of calls.entries()) parts.push(...partOf(call, [...inner, ...list, n]));
  }
  if (told["type"] === "function_call") parts.push(...partOf(told, inner));
  const name = [told["name"], told["source"]].find((said) => typeof said === "string" && said !== role);
  return {
    raw,
    role,
    rolePath: holds === undefined || ITEMS.has(role) ? null : [...inner, holds],
    name: told["type"] === "function_call" || name === undefined ? "" : String(name),
    parts,
  };
}

/** What an object of a class holds is one level further in. */
function insideOf(value: Json): Path {
  if (!isFields(value) || !TYPED.test(String(value["$type"]))) return [];
  return ["fields", "value"].filter((name) => isFields(value[name])).slice(0, 1);
}

function contentOf(content: Json, path: Path, isResult: boolean): Part[] {
  if (content === null || content === undefined) return [];
  if (typeof content === "string")
    return [
      isResult ? { kind: "result", path, text: content, of: "" } : { kind: "text", path, text: content, about: "" },
    ];
  if (!Array.isArray(content)) return [{ kind: "other", path, value: content }];
  return content.flatMap((item, n) => partOf(item, [...path, n]));
}

function partOf(item: Json, path: Path): Part[] {
  if (typeof item === "string") {
    const address = imageAddress(item);
    return [address === null ? { kind: "text", path, text: item, about: "" } : { kind: "image", path, address }];
  }
  const inner = insideOf(item);
  const told = at(item, inner);
  const here = [...path, ...inner];
  if (!isFields(told)) return [{ kind: "other", path, value: item }];
  const call = callOf(told, here);
  if (call !== null) return [{ kind: "call", path, call }];
  const address = imageIn(told);
  if (address !== null) return [{ kind: "image", path, address }];
  if (told["type"] === "message") return contentOf(told["content"], [...here, "content"], false);
  if (told["type"] === "reasoning")
    return contentOf(told["summary"], [...here, "summary"], false).map((part) =>
      part.kind === "text" ? { ...part, about: "thought" } : part,
    );
  const of = told["tool_use_id"] ?? told["call_id"];
  if (typeof of === "string") return resultOf(told, here, String(told["name"] ?? ""));
  for (const [name, about] of [
    ["text", ""],
    ["thinking", "thought"],
  ] as const) {
    const text = told[name];
    if (typeof text === "string") return [{ kind: "text", path: [...here, name], text, about }];
  }
  return [{ kind: "other", path, value: item }];
}

function resultOf(told: Fields, path: Path, of: string): Part[] {
  const name = "content" in told ? "content" : "output";
  const said = told[name];
  if (typeof said === "string") return [{ kind: "result", path: [...path, name], text: said, of }];
  const inside = Array.isArray(said) ? said.flatMap((item, n) => partOf(item, [...path, name, n])) : [];
  return inside.map((part) => (part.kind === "text" ? { kind: "result", path: part.path, text: part.text, of } : part));
}

function callOf(told: Fields, path: Path): Call | null {
  const inner = isFields(told["function"]) ? ["function"] : [];
  const asked = at(told, inner);
  if (!isFields(asked)) return null;
  const name = ["name", "tool_name"].find((one) => typeof asked[one] === "string");
  const given = ["arguments", "input", "args", "tool_kwargs"].find((one) => one in asked);
  if (name === undefined || given === undefined) return null;
  const recorded = asked[given];
  const read = typeof recorded === "string" ? parsed(recorded) : undefined;
  return {
    name: String(asked[name]),
    namePath: [...path, ...inner, name],
    arguments: read === undefined ? recorded : read,
    argumentsPath: [...path, ...inner, given],
    asText: typeof recorded === "string",
  };
}

function parsed(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/;
const KINDS = /^image\/(png|jpeg|gif|webp)$/;

function imageAddress(text: string): string | null {
  return IMAGE.test(text) ? text : null;
}

function imageIn(told: Fields): string | null {
  const url = told["image_url"];
  const address = isFields(url) ? url["url"] : url;
  if (typeof address === "string") return imageAddress(address);
  const source = isFields(told["source"]) ? told["source"] : told;
  const isOne =
    /^image$/i.test(String(told["type"] ?? told["block_type"])) || "image_mimetype" in told || "media_type" in source;
  const data = isOne ? base64Of(source["data"] ?? source["image"]) : null;
  if (data === null) return null;
  const kind = [source["media_type"], source["mime_type"], source["image_mimetype"]].find(Boolean) ?? kindOf(data);
  return KINDS.test(String(kind)) ? `data:${String(kind)};base64,${data}` : null;
}

/** An image's bytes in base64; of bytes that hold a text in base64 themselves, as LlamaIndex has them, that text. */
function base64Of(data: Json): string | null {
  if (typeof data === "string") return data;
  if (!isFields(data) || data["$type"] !== "bytes" || typeof data["base64"] !== "string") return null;
  try {
    const inside = atob(data["base64"]);
    return /^[A-Za-z0-9+/]+=*$/.test(inside) ? inside : data["base64"];
  } catch {
    return null;
  }
}

/** The kind of an image, by how its bytes begin. */
function kindOf(data: string): string {
  const begins = { "/9j/": "jpeg", R0lG: "gif", UklG: "webp" };
  const found = Object.entries(begins).find(([start]) => data.startsWith(start));
  return `image/${found?.[1] ?? "png"}`;
}

// -- edits -----------------------------------------------------------------------------------------------------------

/** A message with something else at a place of it. */
export function edited(message: Message, path: Path, to: Json): Message {
  return readMessage(put(message.raw, path, to));
}

/** A message whose call has other arguments, recorded as they were. */
export function withArguments(message: Message, call: Call, given: Json): Message {
  return edited(message, call.argumentsPath, call.asText && typeof given !== "string" ? JSON.stringify(given) : given);
}

/** How the messages of a conversation are recorded. */
export function dialectOf(messages: readonly Message[]): Dialect {
  for (const { raw } of messages) {
    if (!isFields(raw)) continue;
    if (raw["$type"] === "message" || (LANGCHAIN.has(raw["type"]) && !("role" in raw))) return "langchain";
    if (TYPES.has(raw["type"])) return "autogen";
    if (ITEMS.has(raw["type"])) return "responses";
    const content = raw["content"];
    if (
      Array.isArray(content) &&
      content.some((part) => isFields(part) && /^tool_(use|result)$/.test(String(part["type"])))
    )
      return "anthropic";
  }
  return "roles";
}

const ROLES: { [dialect in Dialect]: readonly string[] } = {
  autogen: ["SystemMessage", "UserMessage", "AssistantMessage"],
  langchain: ["system", "human", "ai"],
  anthropic: ["user", "assistant"],
  responses: ["system", "user", "assistant"],
  roles: ["system", "user", "assistant"],
};

/** The roles that a message can have beside its own. */
export function rolesOf(messages: readonly Message[]): readonly string[] {
  return ROLES[dialectOf(messages)];
}

const SPOKEN: { [role: string]: string } = {
  SystemMessage: "system",
  UserMessage: "user",
  AssistantMessage: "assistant",
  FunctionExecutionResultMessage: "tool results",
  human: "user",
  ai: "assistant",
  AIMessageChunk: "assistant",
  function_call: "tool call",
  function_call_output: "tool result",
};

/** A role as people say it. */
export function roleName(role: string): string {
  return SPOKEN[role] ?? role;
}

/** Whether a role is one whose messages ask for tools. */
export function isAssistant(role: string): boolean {
  return roleName(role) === "assistant";
}

/** A new message that says nothing yet, as the others are recorded. */
export function newMessage(messages: readonly Message[], role: string): Message {
  const dialect = dialectOf(messages);
  if (dialect === "langchain") return readMessage({ $type: "message", type: role, content: "" });
  if (dialect !== "autogen") return readMessage({ role, content: "" });
  const like = messages.findLast((one) => one.role === role)?.name;
  const source = role === "SystemMessage" ? {} : { source: like ?? (role === "UserMessage" ? "user" : "assistant") };
  return readMessage({ type: role, ...source, content: "" });
}

/** Where a message is put that is moved. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const item = list[from];
  return item === undefined || to < 0 || to >= list.length ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item);
}

/**
 * A message that asks for a tool, too, recorded as its dialect does; null where that is not known.
 *
 * @param id what the call is known by, where the dialect names its calls
 */
export function withCall(message: Message, dialect: Dialect, name: string, given: Json, id: string): Message | null {
  const { raw } = message;
  if (!isFields(raw) || insideOf(raw).length > 0) return null;
  const text = JSON.stringify(given);
  const content = raw["content"];
  switch (dialect) {
    case "langchain":
      return readMessage({ ...raw, tool_calls: [...listOf(raw["tool_calls"]), { name, args: given, id }] });
    case "autogen": {
      const said = typeof content === "string" && content !== "" ? { thought: content } : {};
      return readMessage({ ...raw, content: [...listOf(content), { id, arguments: text, name }], ...said });
    }
    case "anthropic": {
      const before =
        typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : listOf(content);
      return readMessage({ ...raw, content: [...before, { type: "tool_use", id, name, input: given }] });
    }
    case "roles": {
      if (Array.isArray(raw["blocks"])) {
        const block = { block_type: "tool_call", tool_call_id: id, tool_name: name, tool_kwargs: given };
        return readMessage({ ...raw, blocks: [...raw["blocks"], block] });
      }
      const call = { id, type: "function", function: { name, arguments: text } };
      return readMessage({ ...raw, tool_calls: [...listOf(raw["tool_calls"]), call] });
    }
    case "responses": {
      // A message among others is an item, and so is a call; only an answer holds items.
      if (!Array.isArray(raw["output"])) return null;
      const item = { type: "function_call", call_id: id, name, arguments: text, status: "completed" };
      return readMessage({ ...raw, output: [...raw["output"], item] });
    }
  }
}

/** A message without one of its parts; where the last call goes, the list of calls goes. */
export function withoutPart(message: Message, part: Part): Message {
  const less = without(message.raw, part.path);
  const list = part.path.slice(0, -1);
  const left = at(less, list);
  const isEmpty = list.at(-1) === "tool_calls" && Array.isArray(left) && left.length === 0;
  return readMessage(isEmpty ? without(less, list) : less);
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [];
}

// -- what a model answers --------------------------------------------------------------------------------------------

export interface AnswerMessage {
  raw: Json;
  message: Message;
  /** Where the message is in the answer. */
  path: Path;
  dialect: Dialect;
}

const ANSWERS: readonly Path[] = [
  [],
  ["choices", 0, "message"],
  ["message"],
  ["generations", 0, 0, "message"],
  ["generations", 0, "message"],
];

/** The message in the answer of a model; null where it is none, as the pieces of a stream. */
export function readAnswer(value: Json): AnswerMessage | null {
  for (const path of ANSWERS) {
    const raw = at(value, path);
    if (
      !isFields(raw) ||
      !(
        ["content", "blocks", "tool_calls"].some((name) => name in raw) ||
        raw["$type"] === "message" ||
        holdsItems(raw)
      )
    )
      continue;
    const message = readMessage(raw);
    if (message.parts.some(({ kind }) => kind === "text" || kind === "call" || kind === "image") || emptyText(raw))
      return { raw: value, message, path, dialect: answerDialect(raw) };
  }
  return null;
}

/** The answer again, with this message in it; why it ended follows whether it asks for tools. */
export function writeAnswer(answer: AnswerMessage, message: Message): Json {
  const whole = put(answer.raw, answer.path, message.raw);
  const calls = (one: Message) => one.parts.some(({ kind }) => kind === "call");
  if (calls(message) === calls(answer.message)) return whole;
  const around = answer.path[0] === "choices" ? answer.path.slice(0, 2) : answer.path;
  for (const [name, ended, asked] of ENDINGS) {
    const place = [...around, name];
    if (at(whole, place) === ended || at(whole, place) === asked) {
      const isCalls = asked === "function_calls" ? answer.dialect === "autogen" : answer.dialect !== "autogen";
      if (isCalls) return put(whole, place, calls(message) ? asked : ended);
    }
  }
  return whole;
}

const ENDINGS = [
  ["finish_reason", "stop", "function_calls"],
  ["finish_reason", "stop", "tool_calls"],
  ["stop_reason", "end_turn", "tool_use"],
] as const;

/** Whether this is an answer of the Responses API: a list of texts, thoughts and calls. */
function holdsItems(raw: Fields): boolean {
  const items = listOf(raw["output"]);
  return items.length > 0 && items.every((item) => isFields(item) && typeof item["type"] === "string");
}

function emptyText(raw: Fields): boolean {
  return raw["content"] === "" || raw["content"] === null;
}

function answerDialect(raw: Fields): Dialect {
  if (raw["$type"] === "message") return "langchain";
  if ("stop_reason" in raw || raw["type"] === "message") return "anthropic";
  if (holdsItems(raw)) return "responses";
  // An answer of AutoGen says why it ended; calls are what it says then.
  return "finish_reason" in raw || Array.isArray(raw["content"]) ? "autogen" : "roles";
}

/** The text that an answer says and where it is; null where there is no place for one. */
export function answerText(message: Message): { text: string; path: Path } | null {
  const said = message.parts.find((part) => part.kind === "text" && part.about === "");
  if (said?.kind === "text") return { text: said.text, path: said.path };
  return isFields(message.raw) && emptyText(message.raw) ? { text: "", path: ["content"] } : null;
}

/** A schema that a value fits which has none: its fields as they are. */
export function inferredSchema(value: Json): Schema {
  if (typeof value === "string") return { type: "string" };
  if (typeof value === "boolean") return { type: "boolean" };
  if (typeof value === "number") return { type: "number" };
  if (Array.isArray(value)) {
    const texts = value.length > 0 && value.every((item) => typeof item === "string");
    return texts ? { type: "array", items: { type: "string" } } : {};
  }
  if (!isFields(value) || "$type" in value) return {};
  const properties = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inferredSchema(item)]));
  return { type: "object", properties, required: Object.keys(value) };
}

/** The tool calls that an answer with words still makes as before, whatever the words are, in full: `click(link: Jackson)`. */
export function callsThatStay(before: Json, after: Json): string[] {
  const [old, next] = [readAnswer(before), readAnswer(after)];
  if (old === null || next === null || !hasWords(next.message)) return [];
  const made = new Set(callsOf(old.message));
  return callsOf(next.message).filter((call) => made.has(call));
}

function hasWords({ parts }: Message): boolean {
  return parts.some((part) => part.kind === "text");
}

function callsOf({ parts }: Message): string[] {
  return parts.flatMap((part) => (part.kind === "call" ? [tellCall(part.call)] : []));
}

function tellCall({ name, arguments: given }: Call): string {
  const told = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));
  const fields = isFields(given)
    ? Object.entries(given).map(([field, value]) => `${field}: ${told(value)}`)
    : [told(given)];
  return `${name}(${fields.join(", ")})`;
}
