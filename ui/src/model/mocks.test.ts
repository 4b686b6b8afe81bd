import { describe, expect, it } from "vitest";

import type { Edit, Report } from "@/api/schema";

import {
  barsOf,
  cutOf,
  fateName,
  holdsFromStart,
  invokedIn,
  lastResult,
  linesOf,
  tellBar,
  mocksFile,
  refusedBy,
  tellMock,
} from "./mocks";
import { logOf } from "./testing";

const message: Edit = { op: "replace_message", seq: 90, component: "team/boss", value: "Sort it." };
const mock: Edit = { op: "mock_output", component: "team/a/tools/search", call: "tool", occurrence: 2, value: "none" };
const failing: Edit = { op: "raise", component: "fetch", where: { url: { $regex: "^ftp" } }, value: "no" };
const setting: Edit = { op: "set_config", component: "team/a", key: "system_message", value: "Be brief." };

describe("words", () => {
  it("say which call is meant, and what becomes of it", () => {
    expect([message, mock, failing, setting].map(tellMock)).toEqual([
      "Message #90 of boss says something else",
      "Call 2 of a · search returns this",
      "Every call of fetch, where the input fits, fails with this",
      "system_message of a",
    ]);
    expect(tellMock({ op: "execute", seq: 7 })).toBe("#7 is executed in any case");
  });

  it("say of a run that is over that nothing goes on in it", () => {
    expect([fateName("running", true), fateName("running", false)]).toEqual(["running", "not finished"]);
    expect(fateName("served", false)).toBe("served");
  });
});

describe("a file of mocks", () => {
  it("has the mocks, and what is executed in any case", () => {
    const edits: Edit[] = [
      message,
      mock,
      failing,
      { op: "mock_output", seq: 57, value: 1 },
      { op: "execute", seq: 64 },
    ];
    expect(mocksFile(edits, ["summarise"])).toEqual({
      document: {
        mocks: [
          { tool: "team/a/tools/search", nth: 2, output: "none" },
          { component: "fetch", where: { url: { $regex: "^ftp" } }, raise: "no" },
          { seq: 57, output: 1 },
        ],
        live: ["summarise", 64],
      },
      others: 1,
    });
  });
});

describe("edits", () => {
  it("cut where the first of them is", () => {
    expect([cutOf([{ op: "drop", seq: 40 }, message, mock]), cutOf([mock])]).toEqual([40, null]);
  });

  it("hold from the start where they name no record", () => {
    expect([message, mock, failing, setting].map(holdsFromStart)).toEqual([false, true, true, false]);
  });

  it("are found by what a refusal names", () => {
    const edits = [mock, message, failing];
    expect(refusedBy("record 90 lies before the cut at 95; cut at 90 or earlier to change it", edits)).toBe(1);
    expect(refusedBy("r1 has no component 'fetch'; it has team/a", edits)).toBe(2);
    expect(refusedBy("the store is away", edits)).toBe(-1);
  });
});

it("components are those that were invoked", () => {
  const outline = logOf([
    { kind: "message_queued", component: "team/boss" },
    { kind: "invocation_started", call: "tool", component: "team/b" },
    { kind: "invocation_started", call: "agent", component: "team/a" },
    { kind: "invocation_started", call: "agent", component: "team/a" },
  ]);
  expect(invokedIn(outline)).toEqual([
    { component: "team/a", call: "agent" },
    { component: "team/b", call: "tool" },
  ]);
});

it("the last result of a component is that of a call that did not fail", () => {
  const outline = logOf([
    { kind: "invocation_started", call: "tool", component: "fetch" },
    { kind: "invocation_ended", call: "tool", component: "fetch", invocation: 0 },
    { kind: "invocation_started", call: "tool", component: "fetch" },
    { kind: "invocation_ended", call: "tool", component: "fetch", invocation: 2, failed: true },
  ]);
  expect([lastResult(outline, "fetch"), lastResult(outline, "search")]).toEqual([1, null]);
});

it("a report is counted by kind, and narrowed", () => {
  const counts = { executed: { agent: 2, model: 1 }, served: { model: 3 }, mocked: {} } as unknown as Report["counts"];
  expect(barsOf(counts)).toEqual([
    {
      kind: "model",
      total: 4,
      parts: [
        { fate: "executed", count: 1 },
        { fate: "served", count: 3 },
      ],
    },
    { kind: "agent", total: 2, parts: [{ fate: "executed", count: 2 }] },
  ]);
  expect(barsOf(counts).map((bar) => tellBar(bar, false))).toEqual([
    "1 model call executed, 3 served",
    "2 agent turns executed",
  ]);
  const lines = [
    { fate: "served", kind: "model" },
    { fate: "executed", kind: "model" },
  ];
  expect(linesOf({ lines } as unknown as Report, "executed", null)).toEqual([lines[1]]);
});
