import { describe, expect, it } from "vitest";

import { componentTree, Tally } from "./components";
import { graphOf } from "./graph";
import { type Box, curve, fittingLayout, layoutOf, middleOf } from "./graph-layout";
import { TEAM, TEAM_EDGES, teamLog } from "./testing";

const tally = new Tally();
tally.update(teamLog());
const nodes = componentTree(TEAM, tally);
const graph = (parts: boolean) => graphOf(nodes, tally.flows.values(), TEAM_EDGES, parts);
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
