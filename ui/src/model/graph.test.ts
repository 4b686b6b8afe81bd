import { describe, expect, it } from "vitest";

import type { Component } from "@/api/schema";

import { componentTree, type Flow, Tally } from "./components";
import { type Box, curve, edgeInWords, fittingLayout, graphOf, layoutOf, middleOf } from "./graph";
import { logOf } from "./testing";

const told = (path: string, kind: string): Component => ({
  path,
  kind,
  doc: "",
  config: {},
  schema: {},
  accepts: {},
  effects: null,
  calls: null,
});
const TARGET = [
  told("team", "team"),
  told("team/boss", "agent"),
  told("team/a", "agent"),
  told("team/a/model", "model"),
  told("team/a/tools/search", "tool"),
  told("team/b", "agent"),
];
const STATIC = [
  { source: "team/boss", target: "team/a", label: "asks" },
  { source: "team/a", target: "team/boss", label: "answers" },
  { source: "team/boss", target: "team/b", label: "asks" },
];
const tally = new Tally();
tally.update(
  logOf([
    { kind: "run_started" },
    { kind: "invocation_started", call: "flow", component: "team" },
    { kind: "message_queued", component: "user", recipient: "team/boss", hash: "q" },
    { kind: "message_queued", component: "team/boss", recipient: "team/a", hash: "h" },
    { kind: "invocation_started", call: "agent", component: "team/a", parent: 1, message: 3, hash: "h" },
    { kind: "invocation_started", call: "model", component: "team/a/model", parent: 4, hash: "p" },
    { kind: "invocation_started", call: "tool", component: "team/a/tools/search", parent: 4, hash: "p" },
    { kind: "message_queued", component: "team/a", recipient: "team/a", hash: "s" },
    { kind: "message_queued", component: "team/boss", recipient: "team/a", hash: "h2" },
  ]),
);
const nodes = componentTree(TARGET, tally);
const graph = (parts: boolean) => graphOf(nodes, tally.flows.values(), STATIC, parts);
const overlap = (one: Box, other: Box) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;
const contains = (outer: Box | undefined, inner: Box | undefined) =>
  outer !== undefined &&
  inner !== undefined &&
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

describe("the graph", () => {
  it("has agents as nodes, in the groups they are in, and their parts folded", () => {
    expect(graph(false).nodes.map(({ path, group }) => [path, group])).toEqual([
      ["team/boss", "team"],
      ["team/a", "team"],
      ["team/b", "team"],
      ["user", null],
    ]);
    expect(graph(false).groups.map((group) => group.path)).toEqual(["team"]);
  });

  it("has what can flow and what did, loops included", () => {
    expect(
      graph(false).edges.map(({ from, to, messages, calls, label }) => [from, to, messages, calls, label]),
    ).toEqual([
      ["team/boss", "team/a", 2, 0, "asks"],
      ["team/a", "team/boss", 0, 0, "answers"],
      ["team/boss", "team/b", 0, 0, "asks"],
      ["user", "team/boss", 1, 0, ""],
      ["team/a", "team/a", 1, 0, ""],
    ]);
  });

  it("has models and tools with their calls when they are asked for", () => {
    const { nodes: shown, edges } = graph(true);
    expect(shown.map((node) => node.path)).toContain("team/a/tools/search");
    expect(edges.filter((edge) => edge.calls > 0).map((edge) => edge.id)).toEqual([
      "team/a → team/a/model",
      "team/a → team/a/tools/search",
    ]);
  });

  it("has every pair between which messages went, thin where they were only copies to several", () => {
    const copies = [{ from: "team/a", to: "team/b", by: "message" as const, count: 2, shared: 2, last: 9 }];
    const drawn = (flows: Flow[], declared: typeof STATIC) =>
      graphOf(nodes, flows, declared, false)
        .edges.filter((edge) => edge.messages > 0)
        .map(({ id, messages, quiet }) => [id, messages, quiet]);
    expect(drawn(copies, STATIC)).toEqual([["team/a → team/b", 2, true]]);
    expect(drawn(copies, [])).toEqual([["team/a → team/b", 2, true]]);
    expect(drawn(copies, [{ source: "team/a", target: "team/b", label: "asks" }])).toEqual([
      ["team/a → team/b", 2, false],
    ]);
    const more = copies.map((flow) => ({ ...flow, count: 3 }));
    expect(drawn(more, STATIC)).toEqual([["team/a → team/b", 3, false]]);
    const outside = copies.map((flow) => ({ ...flow, from: "user" }));
    expect(drawn(outside, STATIC)).toEqual([["user → team/b", 2, false]]);
  });

  it("says whose a model is", () => {
    const names = graph(true).nodes.map((node) => node.name);
    expect(names).toContain("a · model");
    expect(names).toContain("search");
  });

  it("shows a group as a node, too, where something flows to it", () => {
    const touched = graphOf(nodes, [], [{ source: "user", target: "team", label: "" }], false);
    expect(touched.nodes.find((node) => node.path === "team")).toMatchObject({ group: "team", self: true });
  });

  it("keeps its shape while only counts change", () => {
    const more = [...tally.flows.values()].map((flow) => ({ ...flow, count: flow.count + 7 }));
    expect(graphOf(nodes, more, STATIC, false).shape).toBe(graph(false).shape);
    expect(graphOf(nodes, [], [], false).shape).not.toBe(graph(false).shape);
  });

  it("is told in words", () => {
    const words = graph(false).edges.map((edge) => edgeInWords(edge, (path) => path.split("/").at(-1) ?? path));
    expect(words[0]).toBe("boss to a: 2 messages (asks)");
    expect(words[2]).toBe("boss to b: nothing yet (asks)");
  });
});

describe("the layout", () => {
  for (const direction of ["LR", "TB"] as const)
    for (const parts of [false, true])
      it(`puts nodes beside each other and groups around them (${direction}${parts ? ", parts" : ""})`, () => {
        const made = graph(parts);
        const layout = layoutOf(made, direction);
        const boxes = [...layout.nodes.values()];
        expect(boxes).toHaveLength(made.nodes.length);
        boxes.forEach((one, n) => boxes.slice(n + 1).forEach((other) => expect(overlap(one, other)).toBe(false)));
        for (const node of made.nodes)
          if (node.group !== null)
            expect(contains(layout.groups.get(node.group), layout.nodes.get(node.path))).toBe(true);
        for (const edge of made.edges) expect(layout.edges.get(edge.id)?.points.length).toBeGreaterThan(1);
      });

  it("draws copies to several beside the nodes, inside their group, and moves nothing for them", () => {
    const pairs = ["boss", "a", "b"].flatMap((from) => ["boss", "a", "b"].map((to) => [from, to] as const));
    const copies = pairs
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => ({
        from: `team/${from}`,
        to: `team/${to}`,
        by: "message" as const,
        count: 1,
        shared: 1,
        last: 9,
      }));
    for (const direction of ["LR", "TB"] as const) {
      const layout = layoutOf(graphOf(nodes, copies, [], false), direction);
      expect(layout.nodes).toEqual(layoutOf(graphOf(nodes, [], [], false), direction).nodes);
      expect(layout.edges.size).toBe(6);
      const middles = [...layout.edges.values()].map(({ label }) => `${label.x} ${label.y}`);
      expect(new Set(middles).size).toBe(3);
      for (const { label } of layout.edges.values()) {
        const at = { ...label, width: 0, height: 0 };
        expect(contains(layout.whole, at)).toBe(true);
        for (const box of layout.nodes.values()) expect(overlap(box, at)).toBe(false);
      }
    }
  });

  it("goes in the direction in which there is room", () => {
    const wide = fittingLayout(graph(true), 2000, 200);
    const tall = fittingLayout(graph(true), 200, 2000);
    expect(wide.whole.height).toBeLessThanOrEqual(tall.whole.height);
    expect(wide.whole.width).toBeGreaterThanOrEqual(tall.whole.width);
  });

  it("is nothing for nothing", () => {
    expect(layoutOf(graphOf([], [], [], false), "LR").nodes.size).toBe(0);
  });
});

describe("a curve", () => {
  it("has a middle that lies on it", () => {
    expect(middleOf([])).toEqual({ x: 0, y: 0 });
    expect(
      middleOf([
        { x: 0, y: 0 },
        { x: 4, y: 2 },
      ]),
    ).toEqual({ x: 2, y: 1 });
    expect(
      middleOf([
        { x: 0, y: 0 },
        { x: 4, y: 4 },
        { x: 8, y: 0 },
      ]),
    ).toEqual({ x: 4, y: 2 });
  });

  it("goes through its ends", () => {
    expect(curve([])).toBe("");
    expect(
      curve([
        { x: 0, y: 0 },
        { x: 4, y: 2 },
      ]),
    ).toBe("M0,0L4,2");
    const path = curve([
      { x: 0, y: 0 },
      { x: 4, y: 2 },
      { x: 8, y: 2 },
      { x: 9, y: 9 },
    ]);
    expect(path.startsWith("M0,0")).toBe(true);
    expect(path.endsWith("9,9")).toBe(true);
  });
});
