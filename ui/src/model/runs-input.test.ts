import { expect, it } from "vitest";

import type { Description } from "@/api/schema";

import { fieldOfRefusal, inputSchema, madeOf } from "./runs-input";

const described = (...components: object[]) => ({ components }) as unknown as Description;
const state = { type: "object", properties: { student: { type: "string" } } };

it("the input is the state of a graph, or the first event of a workflow that has fields", () => {
  const step = { path: "graph/assess", kind: "step", accepts: { state } };
  expect(inputSchema(described({ path: "graph", kind: "flow", accepts: {} }, step))).toEqual(state);
  const begin = { kind: "step", accepts: { Question: state, MyStartEvent: state } };
  expect(inputSchema(described(begin))).toEqual(state);
  expect(inputSchema(described({ kind: "step", accepts: { StartEvent: { properties: {} } } }))).toBeNull();
  expect(inputSchema(described({ kind: "team", accepts: { TextMessage: state } }))).toBeNull();
});

it("a target is told by its parts", () => {
  expect(madeOf(described({ kind: "agent" }, { kind: "agent" }, { kind: "tool" }))).toBe("2 agents, 1 tool");
});

it("refusals belong to a field where they name one", () => {
  expect(fieldOfRefusal("there is no interpreter x; --python takes the path of one")).toBe("python");
  expect(fieldOfRefusal("there is no file team.py in /home")).toBe("spec");
  expect(fieldOfRefusal("the folder /nowhere is not there")).toBe("folder");
  expect(fieldOfRefusal("the store is full")).toBeNull();
});
