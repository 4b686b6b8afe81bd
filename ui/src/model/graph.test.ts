import { describe, expect, it } from "vitest";

import { componentTree, type Flow, Tally } from "./components";
import { edgeInWords, graphOf } from "./graph";
import { TEAM, TEAM_EDGES, teamLog } from "./testing";

const tally = new Tally();
tally.update(teamLog());
const nodes = componentTree(TEAM, tally);
const graph = (parts: boolean) => graphOf(nodes, tally.flows.values(), TEAM_EDGES, parts);

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
    const drawn = (flows: Flow[], declared: typeof TEAM_EDGES) =>
      graphOf(nodes, flows, declared, false)
        .edges.filter((edge) => edge.messages > 0)
        .map(({ id, messages, quiet }) => [id, messages, quiet]);
    expect(drawn(copies, TEAM_EDGES)).toEqual([["team/a → team/b", 2, true]]);
    expect(drawn(copies, [])).toEqual([["team/a → team/b", 2, true]]);
    expect(drawn(copies, [{ source: "team/a", target: "team/b", label: "asks" }])).toEqual([
      ["team/a → team/b", 2, false],
    ]);
    const more = copies.map((flow) => ({ ...flow, count: 3 }));
    expect(drawn(more, TEAM_EDGES)).toEqual([["team/a → team/b", 3, false]]);
    const outside = copies.map((flow) => ({ ...flow, from: "user" }));
    expect(drawn(outside, TEAM_EDGES)).toEqual([["user → team/b", 2, false]]);
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
    expect(graphOf(nodes, more, TEAM_EDGES, false).shape).toBe(graph(false).shape);
    expect(graphOf(nodes, [], [], false).shape).not.toBe(graph(false).shape);
  });

  it("is told in words", () => {
    const words = graph(false).edges.map((edge) => edgeInWords(edge, (path) => path.split("/").at(-1) ?? path));
    expect(words[0]).toBe("boss to a: 2 messages (asks)");
    expect(words[2]).toBe("boss to b: nothing yet (asks)");
  });
});
