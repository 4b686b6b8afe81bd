import { describe, expect, it } from "vitest";

import { isMarkdown, shapeOf, soleText, untyped } from "./body";

describe("a body", () => {
  it("is a text, an image or nothing", () => {
    expect(shapeOf("hello")).toEqual({ form: "text", text: "hello" });
    expect(shapeOf(null).form).toBe("nothing");
    expect(shapeOf("data:image/png;base64,AAAA")).toEqual({ form: "image", address: "data:image/png;base64,AAAA" });
    expect(shapeOf("data:image/svg+xml;base64,AAAA").form).toBe("text");
  });

  it("is a conversation where it holds messages", () => {
    const shape = shapeOf({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "How many walks?" }] },
        { role: "assistant", content: null, tool_calls: [{ function: { name: "look", arguments: '{"year": 1977}' } }] },
      ],
    });
    expect(shape).toMatchObject({
      form: "conversation",
      rest: { model: "m" },
      turns: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "How many walks?" },
        { role: "assistant", calls: [{ name: "look", arguments: { year: 1977 } }] },
      ],
    });
  });

  it("is an answer where it holds the pieces of one", () => {
    const chunk = (delta: unknown) => ({ object: "chat.completion.chunk", choices: [{ index: 0, delta }] });
    const asked = (index: number, told: unknown) => chunk({ tool_calls: [{ index, function: told }] });
    expect(
      shapeOf([chunk({ role: "assistant", content: "" }), chunk({ content: "51" }), chunk({ content: "9" })]),
    ).toEqual({ form: "answer", text: "519", calls: [], rest: {} });
    expect(
      shapeOf([asked(0, { name: "look", arguments: '{"ye' }), asked(0, { arguments: 'ar": 1977}' }), { choices: [] }]),
    ).toMatchObject({ form: "answer", text: "", calls: [{ name: "look", arguments: { year: 1977 } }] });
    const events = [
      { type: "response.created" },
      { type: "response.output_text.delta", delta: "5" },
      { type: "response.output_text.delta", delta: "19" },
    ];
    expect(shapeOf(events)).toMatchObject({ form: "answer", text: "519" });
    const output = [{ type: "message", content: [{ type: "output_text", text: "520" }] }];
    expect(shapeOf([...events, { type: "response.completed", response: { output } }])).toMatchObject({ text: "520" });
    expect(
      shapeOf([
        { type: "message_start", message: { role: "assistant", content: [] } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "let me" } },
        { type: "content_block_start", index: 1, content_block: { type: "tool_use", name: "look" } },
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"year": 1977}' } },
      ]),
    ).toMatchObject({ text: "let me", calls: [{ name: "look", arguments: { year: 1977 } }] });
    expect(
      shapeOf([
        { message: { type: "AIMessageChunk", content: "5" } },
        "19",
        { message: { type: "AIMessageChunk", content: [{ type: "text", text: "!" }] } },
      ]),
    ).toMatchObject({ form: "answer", text: "519!" });
  });

  it("is an answer, however deep", () => {
    const choices = [{ message: { role: "assistant", content: "519" }, index: 0 }];
    expect(shapeOf({ id: "x", choices })).toMatchObject({ form: "answer", text: "519", calls: [], rest: { id: "x" } });
    expect(shapeOf({ answer: "519", messages: 22 })).toMatchObject({
      form: "answer",
      text: "519",
      rest: { messages: 22 },
    });
    const response = { chat_message: { content: "519", source: "coder" } };
    expect(shapeOf({ response })).toMatchObject({ form: "answer", text: "519" });
  });

  it("is a table where its items are flat", () => {
    const rows = [
      { name: "White", walks: 75 },
      { name: "Jackson", at_bats: 525 },
    ];
    expect(shapeOf(rows)).toEqual({
      form: "table",
      columns: ["name", "walks", "at_bats"],
      rows: [
        ["White", 75, undefined],
        ["Jackson", undefined, 525],
      ],
    });
  });

  it("is an error with its frames", () => {
    const frame = { file: "a.py", line: 3, function: "go", source: "raise", locals: { x: "1" } };
    expect(shapeOf({ $type: "exception", class: "builtins:ValueError", message: "bad", frames: [frame] })).toEqual({
      form: "error",
      name: "ValueError",
      message: "bad",
      frames: [{ file: "a.py", line: 3, function: "go", source: [{ number: 3, text: "raise" }], locals: [["x", "1"]] }],
    });
  });

  it("is plain JSON without its types", () => {
    const typed = { $type: "model", class: "flow:Ranked", fields: { cities: { $type: "tuple", items: ["Oslo"] } } };
    expect(shapeOf(typed)).toEqual({ form: "json", type: "Ranked", value: { cities: ["Oslo"] } });
    expect(untyped(typed)).toEqual({ cities: ["Oslo"] });
    const send = { $type: "send", node: "work", arg: { $type: "dict", items: [[1, "one"]] } };
    expect(untyped({ $type: "command", goto: [send] })).toEqual({ goto: [{ node: "work", arg: { "1": "one" } }] });
  });

  it("is the program's own error, where that made a replay depart from its record", () => {
    const cause = { $type: "exception", class: "builtins:KeyError", message: "no key" };
    expect(shapeOf({ difference: "record 5", cause })).toMatchObject({ form: "error", name: "KeyError" });
  });
});

describe("the sole text", () => {
  it("is there where a text is all that is said", () => {
    expect(soleText("x")).toBe("x");
    expect(soleText({ content: "x", source: "coder" })).toBe("x");
    expect(soleText({ query: "x" })).toBeNull();
  });
});

describe("Markdown", () => {
  it("is told by its marks", () => {
    expect(["# Head", "- item", "see `code`", "**bold**", "| a | b |"].map(isMarkdown)).toEqual(Array(5).fill(true));
    expect(["plain words", "2 * 3 * 4", "snake_case_name"].map(isMarkdown)).toEqual([false, false, false]);
  });
});
