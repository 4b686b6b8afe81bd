import { describe, expect, it } from "vitest";

import type { Difference, Item, Pair } from "@/api/schema";

import {
  changesOf,
  comparedOf,
  componentsOf,
  differingAtAGlance,
  endsOf,
  entriesOf,
  fateOf,
  figuresOf,
  percentOf,
} from "./compare";

function item(seq: number, kind: string, component: string, about: Partial<Item> = {}): Item {
  const none = { type: "", body: null, digest: null, output: null, failed: false, how: "", ended: 0 };
  return { seq, kind, component, ...none, ...about };
}

function pair(a: Item | null, b: Item | null, alike = 0): Pair {
  return { change: a && b ? "changed" : a ? "only_a" : "only_b", a, b, alike };
}

const said = (seq: number, to: string, body: string) =>
  item(seq, "message", `team/boss -> ${to}`, { body, digest: body });
const changes = [
  pair(said(4, "team/a", "old"), said(5, "team/a", "new"), 3),
  pair(said(5, "team/b", "old"), said(6, "team/b", "new")),
  pair(
    item(7, "agent", "team/a", { type: "Say", digest: "d1", ended: 8 }),
    item(8, "agent", "team/a", { type: "Say", digest: "d2", ended: 9 }),
    1,
  ),
  pair(
    item(9, "model", "team/a/model", { digest: "p1", output: "o1" }),
    item(10, "model", "team/a/model", { digest: "p2", output: "o2" }),
  ),
  pair(item(11, "tool", "team/a/tools/search"), null, 2),
  pair(null, said(12, "team/output", "x")),
];

describe("the line of a difference", () => {
  const glance = (text: string, thought = "") => ({
    form: "text" as const,
    text,
    thought,
    size: text.length,
    type: "",
    calls: 0,
  });

  it("tells what was said, and where that is alike what was thought", () => {
    expect(differingAtAGlance(glance("519"), glance("525"))).toEqual({ thought: false, before: "519", after: "525" });
    const thoughts = { thought: true, before: "the first", after: "the highest" };
    expect(differingAtAGlance(glance("click", "the first"), glance("click", "the highest"))).toEqual(thoughts);
    expect(differingAtAGlance(glance("click"), glance("click"))).toBeNull();
  });

  it("is of a model's answer, and of what a tool was asked", () => {
    const asked = item(1, "tool", "t", { body: "in", output: "out" });
    expect(comparedOf({ what: ["input", "output"], kind: "tool" }, asked)).toBe("in");
    expect(comparedOf({ what: ["output"], kind: "tool" }, asked)).toBe("out");
    expect(comparedOf({ what: ["input", "output"], kind: "model" }, asked)).toBe("out");
    expect(comparedOf({ what: ["input"], kind: "model" }, null)).toBeNull();
  });
});

describe("changes", () => {
  const found = changesOf({ changes });

  it("are one for a message that several got", () => {
    expect(found[0]).toMatchObject({ component: "team/boss", recipients: ["team/a", "team/b"], what: ["message"] });
    expect(found).toHaveLength(5);
  });

  it("say what differs, and which only pass something on", () => {
    expect(found.map(({ what }) => what.join())).toEqual([
      "message",
      "input",
      "input,output",
      "only here",
      "only there",
    ]);
    expect(found.map(({ plumbing }) => plumbing)).toEqual([false, true, false, false, true]);
  });

  it("are only passed on where a message says nothing", () => {
    const silent = changesOf({ changes }, (side, seq) => !(side === "a" ? seq === 4 : seq === 5));
    expect(silent[0]?.plumbing).toBe(true);
    expect(changesOf({ changes }, (side) => side === "b")[0]?.plumbing).toBe(false);
  });

  it("are listed with what is alike between them, whatever is left out", () => {
    const told = (shown: { plumbing: boolean; component: string | null }) =>
      entriesOf(found, 10, shown).map((entry) =>
        entry.form === "change" ? entry.change.kind : `${entry.alike} alike`,
      );
    expect(told({ plumbing: false, component: null })).toEqual([
      "3 alike",
      "message",
      "1 alike",
      "model",
      "2 alike",
      "tool",
      "4 alike",
    ]);
    expect(told({ plumbing: true, component: null })).toHaveLength(9);
    expect(told({ plumbing: false, component: "team/boss" })).toEqual(["3 alike", "message", "7 alike"]);
  });

  it("know where in the list of what is alike a stretch begins", () => {
    const stretches = entriesOf(found, 10, { plumbing: false, component: null }).filter(({ form }) => form === "alike");
    expect(stretches).toEqual([
      { form: "alike", alike: 3, from: 0 },
      { form: "alike", alike: 1, from: 3 },
      { form: "alike", alike: 2, from: 4 },
      { form: "alike", alike: 4, from: 6 },
    ]);
  });

  it("are counted for whoever they belong to", () => {
    expect(componentsOf(found, false)).toEqual([
      { component: "team/a", count: 2 },
      { component: "team/boss", count: 1 },
    ]);
  });
});

it("figures leave out what neither run has", () => {
  const run = (model: number) => ({ executed: { model }, records: 9, tokens: { input: 5, output: 0 } });
  const figures = figuresOf({ a: run(4), b: run(1) } as unknown as Difference);
  expect(figures.map(({ name, a, b }) => [name, a, b])).toEqual([
    ["Model calls", 4, 1],
    ["Tokens in", 5, 5],
    ["Records", 9, 9],
  ]);
  expect([percentOf(4, 1), percentOf(0, 1)]).toEqual([-75, null]);
});

it("a line is marked as its figures count it", () => {
  const told = (kind: string, how: string, cut = 0) => fateOf({ kind, how, ended: 7 }, cut);
  expect([told("tool", "reused"), told("model", "executed", 8), told("tool", "mocked", 8)]).toEqual(
    Array(3).fill("served"),
  );
  expect([told("model", "executed", 7), told("agent", "reused"), told("agent", "executed", 8)]).toEqual(["", "", ""]);
  expect([told("agent", "mocked"), told("tool", "dropped")]).toEqual(["given by you", "dropped"]);
});

it("the earlier run comes first", () => {
  const [a, b] = [
    { run: "r1", created: 1 },
    { run: "r2", created: 2 },
  ];
  expect([endsOf(a, b), endsOf(b, a)]).toEqual([
    ["r1", "r2"],
    ["r1", "r2"],
  ]);
});
