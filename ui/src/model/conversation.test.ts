import { describe, expect, it } from "vitest";

import {
  answerText,
  at,
  callsThatStay,
  type Conversation,
  edited,
  inferredSchema,
  moved,
  newMessage,
  readAnswer,
  readConversation,
  readMessage,
  withArguments,
  withCall,
  withMessages,
  withoutPart,
  withSettings,
  writeAnswer,
  writeConversation,
} from "./conversation";
import { isFields } from "./schema";
import { random } from "./testing";

const IMAGE = "data:image/png;base64,AAAA";
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** A prompt with a system text, a question, a call of a tool and its result, as each target records it. */
const PROMPTS: { [target: string]: { [name: string]: unknown } } = {
  autogen: {
    model: "gpt-x",
    messages: [
      { type: "SystemMessage", content: "Be brief." },
      { type: "UserMessage", source: "user", content: ["Where is it?", { type: "Image", data: "AAAA" }] },
      {
        type: "AssistantMessage",
        source: "coder",
        thought: "I look.",
        content: [{ id: "c1", arguments: '{"city": "Oslo"}', name: "look" }],
      },
      {
        type: "FunctionExecutionResultMessage",
        content: [{ content: "cold", call_id: "c1", name: "look", is_error: false }],
      },
    ],
    args: { temperature: 0.2 },
    tools: [{ name: "look", description: "Looks.", parameters: SCHEMA, strict: false }],
  },
  langchain: {
    model: "gpt-x",
    messages: [
      { $type: "message", type: "system", content: "Be brief." },
      {
        $type: "message",
        type: "human",
        content: [
          { type: "text", text: "Where is it?" },
          { type: "image_url", image_url: { url: IMAGE } },
        ],
      },
      { $type: "message", type: "ai", content: "", tool_calls: [{ name: "look", args: { city: "Oslo" }, id: "c1" }] },
      { $type: "message", type: "tool", content: "cold", tool_call_id: "c1" },
    ],
    tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters: SCHEMA } }],
  },
  llamaindex: {
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        blocks: [
          { $type: "model", class: "llama:TextBlock", fields: { block_type: "text", text: "Where is it?" } },
          {
            $type: "model",
            class: "llama:ImageBlock",
            fields: {
              block_type: "image",
              image: { $type: "bytes", base64: "QUFBQQ==" },
              path: null,
              image_mimetype: "image/png",
            },
          },
        ],
      },
      {
        role: "assistant",
        content: "",
        additional_kwargs: {
          tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"city": "Oslo"}' } }],
        },
      },
      { role: "tool", content: "cold", additional_kwargs: { tool_call_id: "c1" } },
    ],
  },
  openai: {
    model: "gpt-x",
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Where is it?" },
          { type: "image_url", image_url: { url: IMAGE } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"city": "Oslo"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "cold" },
    ],
    temperature: 0,
    tools: [{ type: "function", function: { name: "look", parameters: SCHEMA } }],
  },
  responses: {
    model: "gpt-x",
    instructions: "Be brief.",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Where is it?" },
          { type: "input_image", image_url: IMAGE },
        ],
      },
      { type: "function_call", call_id: "c1", name: "look", arguments: '{"city": "Oslo"}' },
      { type: "function_call_output", call_id: "c1", output: "cold" },
    ],
    tools: [{ type: "function", name: "look", parameters: SCHEMA }],
  },
  anthropic: {
    model: "claude-x",
    max_tokens: 100,
    system: "Be brief.",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Where is it?", cache_control: { type: "ephemeral" } },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: { city: "Oslo" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "cold" }] },
    ],
    tools: [{ name: "look", description: "Looks.", input_schema: SCHEMA }],
  },
};

const read = (value: unknown): Conversation => {
  const conversation = readConversation(value);
  if (conversation === null) throw new Error("it is none");
  return conversation;
};

/** Every text in a value but at one place. */
function leaves(value: unknown, path: readonly (string | number)[] = []): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((item, n) => leaves(item, [...path, n]));
  if (isFields(value)) return Object.entries(value).flatMap(([name, item]) => leaves(item, [...path, name]));
  return [[JSON.stringify(path), value]];
}

describe.each(Object.entries(PROMPTS))("a prompt of %s", (_, prompt) => {
  it("says who said what, what was called, and what came back", () => {
    const { headings, messages } = read(prompt);
    const texts = [
      ...headings.map(({ text }) => text),
      ...messages.flatMap(({ parts }) => parts.map((part) => ("text" in part ? part.text : ""))),
    ];
    expect(texts).toEqual(expect.arrayContaining(["Be brief.", "Where is it?", "cold"]));
    const parts = messages.flatMap((message) => message.parts);
    expect(parts.find(({ kind }) => kind === "call")).toMatchObject({
      call: { name: "look", arguments: { city: "Oslo" } },
    });
    expect(parts.find(({ kind }) => kind === "image")).toMatchObject({ address: IMAGE });
    expect(parts.filter(({ kind }) => kind === "other")).toEqual([]);
  });

  it("is written as it was read", () => {
    expect(writeConversation(read(prompt))).toEqual(prompt);
  });

  it("keeps what an edit does not touch", () => {
    const conversation = read(prompt);
    for (const [n, message] of conversation.messages.entries())
      for (const part of message.parts) {
        if (part.kind !== "text" && part.kind !== "result") continue;
        const after = withMessages(conversation, conversation.messages.with(n, edited(message, part.path, "new")));
        const [was, is] = [new Map(leaves(prompt)), new Map(leaves(after))];
        expect([...is.keys()]).toEqual([...was.keys()]);
        expect([...is].filter(([path, value]) => was.get(path) !== value)).toHaveLength(1);
      }
  });

  it("keeps the form of arguments that are changed", () => {
    const { messages } = read(prompt);
    const message = messages.find(({ parts }) => parts.some(({ kind }) => kind === "call"));
    const part = message?.parts.find(({ kind }) => kind === "call");
    if (message === undefined || part?.kind !== "call") throw new Error("there is no call");
    const recorded = at(message.raw, part.call.argumentsPath);
    const after = withArguments(message, part.call, { city: "Rome" });
    expect(typeof at(after.raw, part.call.argumentsPath)).toBe(typeof recorded);
    expect(after.parts.find(({ kind }) => kind === "call")).toMatchObject({ call: { arguments: { city: "Rome" } } });
  });
});

describe("a conversation", () => {
  it("is written as it was read, whatever it holds beside what is understood", () => {
    const draw = random(7);
    const odd = (depth: number): unknown => {
      const kind = draw(depth > 2 ? 4 : 7);
      if (kind === 0) return null;
      if (kind === 1) return draw(1000);
      if (kind === 2) return draw(2) === 0;
      if (kind === 3) return `text ${draw(100)}`;
      if (kind === 4) return Array.from({ length: draw(3) }, () => odd(depth + 1));
      const names = [
        "content",
        "role",
        "type",
        "text",
        "name",
        "arguments",
        "x",
        "$type",
        "tool_calls",
        "blocks",
        "fields",
      ];
      return Object.fromEntries(Array.from({ length: draw(5) }, () => [names[draw(names.length)], odd(depth + 1)]));
    };
    const prompts = Object.values(PROMPTS);
    let seen = 0;
    for (let n = 0; n < 3000; n++) {
      const prompt: { [name: string]: unknown } = structuredClone(prompts[draw(prompts.length)]) ?? {};
      const list = ["messages", "input"].find((name) => Array.isArray(prompt[name])) ?? "messages";
      const messages = prompt[list] as { [name: string]: unknown }[];
      const message = messages[draw(messages.length)] ?? {};
      message[["content", "extra", "tool_calls", "name", "blocks"][draw(5)] ?? ""] = odd(0);
      prompt[`other ${draw(3)}`] = odd(0);
      const before = structuredClone(prompt);
      const conversation = readConversation(prompt);
      if (conversation === null) continue;
      seen++;
      expect(writeConversation(conversation)).toEqual(before);
      expect(conversation.messages.map((one) => edited(one, [], one.raw).raw)).toEqual(before[list]);
      for (const one of conversation.messages)
        for (const part of one.parts)
          if (part.kind === "text" || part.kind === "result") expect(at(one.raw, part.path)).toBe(part.text);
    }
    expect(seen).toBeGreaterThan(1000);
  });

  it("is no other value", () => {
    for (const value of [null, "text", 5, {}, [], { city: "Oslo" }, { rows: [{ role: "x" }] }, [{ a: 1 }]])
      expect(readConversation(value)).toBeNull();
  });

  it("is the prompt of a function, too", () => {
    const conversation = read({ prompt: "Where is it?", size: 3 });
    expect(conversation.headings).toEqual([{ name: "prompt", text: "Where is it?", path: ["prompt"] }]);
    expect(conversation.settings).toEqual({ size: 3 });
    expect(withSettings(conversation, { size: 4 })).toEqual({ prompt: "Where is it?", size: 4 });
  });

  it("gets messages as those that are there", () => {
    expect(newMessage(read(PROMPTS["autogen"]).messages, "AssistantMessage").raw).toEqual({
      type: "AssistantMessage",
      source: "coder",
      content: "",
    });
    expect(newMessage(read(PROMPTS["langchain"]).messages, "human").raw).toEqual({
      $type: "message",
      type: "human",
      content: "",
    });
    expect(newMessage([], "user").raw).toEqual({ role: "user", content: "" });
    expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
    expect(moved(["a", "b"], 0, 2)).toEqual(["a", "b"]);
  });

  it("tells the schemas of its tools", () => {
    for (const [target, prompt] of Object.entries(PROMPTS))
      if ("tools" in prompt)
        expect([target, read(prompt).tools[0]]).toMatchObject([target, { name: "look", schema: SCHEMA }]);
  });
});

describe("an answer", () => {
  const calls = {
    role: "assistant",
    content: "I look.",
    tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: "{}" } }],
  };
  const answers: [string, unknown][] = [
    ["autogen", { finish_reason: "stop", content: "519", usage: { prompt_tokens: 1 }, cached: false, thought: null }],
    [
      "openai",
      { id: "x", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "519" } }] },
    ],
    [
      "anthropic",
      {
        id: "x",
        type: "message",
        role: "assistant",
        content: [{ type: "text", text: "519" }],
        stop_reason: "end_turn",
      },
    ],
    ["langchain", { $type: "message", type: "ai", content: "519", id: "x", usage_metadata: { total: 3 } }],
    ["llamaindex", { content: "519", raw: { id: 1 }, additional: {} }],
    [
      "llamaindex, in blocks",
      { blocks: [{ $type: "model", class: "llama:TextBlock", fields: { block_type: "text", text: "519" } }] },
    ],
    [
      "responses",
      {
        id: "x",
        object: "response",
        output: [
          { type: "reasoning", summary: [{ type: "summary_text", text: "I know it." }] },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "519", annotations: [] }] },
        ],
      },
    ],
  ];

  it.each(answers)("of %s is a text that can be another", (_, recorded) => {
    const answer = readAnswer(recorded);
    if (answer === null) throw new Error("it is none");
    expect(writeAnswer(answer, answer.message)).toEqual(recorded);
    const said = answerText(answer.message);
    expect(said?.text).toBe("519");
    const after = readAnswer(writeAnswer(answer, edited(answer.message, said?.path ?? [], "525")));
    expect(after === null ? null : answerText(after.message)?.text).toBe("525");
  });

  it("asks for a tool, as its target records that, and says so", () => {
    for (const [target, recorded] of answers) {
      const answer = readAnswer(recorded);
      if (answer === null) throw new Error("it is none");
      const message = withCall(answer.message, answer.dialect, "look", { city: "Oslo" }, "c9");
      if (message === null) throw new Error("it cannot ask");
      const after = writeAnswer(answer, message);
      const part = readAnswer(after)?.message.parts.find(({ kind }) => kind === "call");
      expect([target, part]).toMatchObject([target, { call: { name: "look", arguments: { city: "Oslo" } } }]);
      const ended = { autogen: "function_calls", openai: "tool_calls", anthropic: "tool_use" }[target];
      if (ended !== undefined) expect(JSON.stringify(after)).toContain(`"${ended}"`);
    }
  });

  it("loses a call without a trace", () => {
    const message = readMessage(calls);
    const part = message.parts.find(({ kind }) => kind === "call");
    if (part === undefined) throw new Error("there is no call");
    expect(withoutPart(message, part).raw).toEqual({ role: "assistant", content: "I look." });
  });

  it("is no stream", () => {
    expect(readAnswer([{ choices: [] }])).toBeNull();
    expect(readAnswer("text")).toBeNull();
  });
});

it("infers a form from a value", () => {
  expect(inferredSchema({ a: "x", b: 1, c: [1], d: { e: true } })).toEqual({
    type: "object",
    properties: {
      a: { type: "string" },
      b: { type: "number" },
      c: {},
      d: { type: "object", properties: { e: { type: "boolean" } }, required: ["e"] },
    },
    required: ["a", "b", "c", "d"],
  });
});

it("tells which calls stay where only the words of an answer are changed", () => {
  const call = { id: "c", name: "click", arguments: '{"link": "Jackson"}' };
  const answer = { content: [call], finish_reason: "function_calls", thought: "I know that name." };
  expect(callsThatStay(answer, { ...answer, thought: "I read the table." })).toEqual(["click(link: Jackson)"]);
  expect(callsThatStay(answer, answer)).toEqual(["click(link: Jackson)"]);
  const other = { ...call, arguments: '{"link": "Batting"}' };
  expect(callsThatStay(answer, { ...answer, thought: "I read the table.", content: [other] })).toEqual([]);
  expect(callsThatStay(answer, "525")).toEqual([]);
  const address = `http://127.0.0.1/${"statistics/".repeat(20)}`;
  const long = { ...answer, content: [{ ...call, arguments: JSON.stringify({ address }) }] };
  expect(callsThatStay(long, { ...long, thought: "I read the table." })).toEqual([`click(address: ${address})`]);
});
