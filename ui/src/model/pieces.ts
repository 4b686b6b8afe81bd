/** The pieces of a streamed answer as one answer, whichever library gave them; `outtake.core.answers` does the same. */

import { isFields } from "./schema";

type Json = unknown;
type Fields = { [name: string]: Json };

export interface Joined {
  text: string;
  calls: { name: string; arguments: string }[];
}

/** The answer that is streamed in these pieces; null where they are something else. */
export function joined(pieces: Json[]): Joined | null {
  const told = pieces.filter(isFields);
  if (told.length === 0 || !pieces.every((piece) => isFields(piece) || typeof piece === "string")) return null;
  return completion(told) ?? response(told) ?? message(told) ?? langchain(pieces, told);
}

/** Tool calls whose parts come in any order of pieces, by their number. */
class Calls {
  private readonly byNumber = new Map<Json, { name: string; arguments: string }>();

  begin(number: Json, name: Json): void {
    this.byNumber.set(number, { name: textOf(name), arguments: "" });
  }

  add(number: Json, name: Json, given: Json): void {
    if (!this.byNumber.has(number)) this.begin(number, "");
    const call = this.byNumber.get(number);
    if (call === undefined) return;
    call.name += textOf(name);
    call.arguments += textOf(given);
  }

  has(number: Json): boolean {
    return this.byNumber.has(number);
  }

  get all(): Joined["calls"] {
    return [...this.byNumber.values()];
  }
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : "";
}

function itemsOf(value: Json): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Chunks of a chat completion. */
function completion(pieces: Fields[]): Joined | null {
  if (!pieces.every((piece) => Array.isArray(piece["choices"]))) return null;
  const deltas = pieces.map((piece) => itemsOf(piece["choices"])[0]?.["delta"]).filter(isFields);
  if (deltas.length === 0) return null;
  const calls = new Calls();
  for (const asked of deltas.flatMap((delta) => itemsOf(delta["tool_calls"]))) {
    const said = isFields(asked["function"]) ? asked["function"] : {};
    calls.add(asked["index"] ?? 0, said["name"], said["arguments"]);
  }
  const text = deltas.map((delta) => textOf(delta["content"]) || textOf(delta["refusal"])).join("");
  return { text, calls: calls.all };
}

/** Events of a response: the last one has all of it, where the stream was read to its end. */
function response(pieces: Fields[]): Joined | null {
  if (!pieces.some((piece) => textOf(piece["type"]).startsWith("response."))) return null;
  const whole = pieces.findLast((piece) => piece["type"] === "response.completed")?.["response"];
  if (isFields(whole) && Array.isArray(whole["output"])) {
    const items = itemsOf(whole["output"]);
    const texts = items.flatMap((item) => itemsOf(item["content"]).map((part) => textOf(part["text"])));
    const calls = items.filter((item) => item["type"] === "function_call");
    return {
      text: texts.filter(Boolean).join("\n"),
      calls: calls.map((call) => ({ name: textOf(call["name"]), arguments: textOf(call["arguments"]) })),
    };
  }
  const deltas = pieces.filter((piece) => piece["type"] === "response.output_text.delta");
  return { text: deltas.map((piece) => textOf(piece["delta"])).join(""), calls: [] };
}

/** Events of a message, in blocks of text and of tool calls. */
function message(pieces: Fields[]): Joined | null {
  if (!pieces.some((piece) => piece["type"] === "message_start" || piece["type"] === "content_block_delta"))
    return null;
  const calls = new Calls();
  let text = "";
  for (const piece of pieces) {
    const { content_block: begun, delta, index = 0 } = piece;
    if (isFields(begun) && begun["type"] === "tool_use") calls.begin(index, begun["name"]);
    if (!isFields(delta)) continue;
    text += textOf(delta["text"]);
    if (calls.has(index)) calls.add(index, "", delta["partial_json"]);
  }
  return { text, calls: calls.all };
}

/** Texts, and messages of LangChain where a piece is more than that. */
function langchain(pieces: Json[], told: Fields[]): Joined | null {
  const held = (piece: Fields) => (isFields(piece["message"]) ? piece["message"] : piece);
  if (!told.every((piece) => held(piece)["type"] === "AIMessageChunk")) return null;
  const calls = new Calls();
  for (const asked of told.flatMap((piece) => itemsOf(held(piece)["tool_call_chunks"])))
    calls.add(asked["index"] ?? 0, asked["name"], asked["args"]);
  const texts = pieces.map((piece) => (isFields(piece) ? saidIn(held(piece)["content"]) : textOf(piece)));
  return { text: texts.join(""), calls: calls.all };
}

function saidIn(content: Json): string {
  if (!Array.isArray(content)) return textOf(content);
  return content.map((part) => (isFields(part) ? textOf(part["text"]) : textOf(part))).join("");
}
