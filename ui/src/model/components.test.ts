import { describe, expect, it } from "vitest";

import { componentTree, didMost, shownNodes, stateOf, Tally } from "./components";
import { Outline } from "./outline";
import { componentOf, logOf, recordsOf } from "./testing";

const LOG = [
  { kind: "run_started" },
  { kind: "invocation_started", call: "flow", component: "team" },
  { kind: "message_queued", component: "team/boss", recipient: "team/a", type: "Say", parent: 1, hash: "h" },
  { kind: "message_queued", component: "team/boss", recipient: "team/b", type: "Say", parent: 1, hash: "h" },
  { kind: "message_queued", component: "team/boss", recipient: "team/b", type: "Reset", parent: 1 },
  { kind: "invocation_started", call: "agent", component: "team/a", parent: 1, message: 2, hash: "h" },
  { kind: "invocation_started", call: "model", component: "team/a/model", parent: 5, hash: "p" },
  { kind: "invocation_ended", call: "model", component: "team/a/model", invocation: 6, parent: 5, hash: "o" },
  { kind: "invocation_started", call: "tool", component: "team/a/tools/search", parent: 5, hash: "p" },
  {
    kind: "invocation_ended",
    call: "tool",
    component: "team/a/tools/search",
    invocation: 8,
    parent: 5,
    hash: "e",
    failed: true,
  },
] as const;
const tallyOf = (outline: Outline) => {
  const tally = new Tally();
  tally.update(outline);
  return tally;
};
describe("a tally", () => {
  const tally = tallyOf(logOf(LOG));

  it("counts messages, calls and errors", () => {
    expect(tally.byPath.get("team/boss")).toMatchObject({ sent: 1, received: 0, calls: 0 });
    expect(tally.byPath.get("team/b")).toMatchObject({ received: 1 });
    expect(tally.byPath.get("team/a")).toMatchObject({ calls: 1, open: 1, errors: 0 });
    expect(tally.byPath.get("team/a/tools/search")).toMatchObject({ calls: 1, open: 0, errors: 1, failedLast: true });
  });

  it("counts a message to several recipients once, also where it was edited", () => {
    const said = { kind: "message_queued" as const, component: "team/boss" };
    const { byPath } = tallyOf(
      logOf([
        { kind: "run_started" },
        { ...said, recipient: "team/a", hash: "one" },
        { ...said, recipient: "team/b", hash: "one" },
        { kind: "edited", component: "team/boss", op: "replace_message", hash: "two" },
        { ...said, recipient: "team/a", hash: "two" },
        { ...said, recipient: "team/b", hash: "two" },
        { ...said, recipient: "team/a", hash: "2afb9b83f9314e5d029766197f539792" },
        { ...said, component: "team/a", recipient: "team/output", hash: "three" },
      ]),
    );
    expect(byPath.get("team/boss")).toMatchObject({ sent: 2, received: 0 });
    expect(byPath.get("team/a")).toMatchObject({ sent: 0, received: 2 });
    expect(byPath.get("team/b")).toMatchObject({ sent: 0, received: 2 });
  });

  it("counts what went from where to where", () => {
    expect([...tally.flows.values()].map(({ from, to, by, count, shared }) => [from, to, by, count, shared])).toEqual([
      ["team/boss", "team/a", "message", 1, 1],
      ["team/boss", "team/b", "message", 1, 1],
      ["team/a", "team/a/model", "call", 1, 0],
      ["team/a", "team/a/tools/search", "call", 1, 0],
    ]);
  });

  it("is the same however the records come", () => {
    for (let cut = 0; cut <= LOG.length; cut++) {
      const outline = new Outline();
      const grown = new Tally();
      for (const record of recordsOf(LOG)) {
        outline.push(record);
        if (record.seq < cut) grown.update(outline);
      }
      grown.update(outline);
      expect([...grown.byPath.values()]).toEqual([...tally.byPath.values()]);
    }
  });

  it("forgets what was taken back", () => {
    const outline = logOf(LOG);
    const grown = tallyOf(outline);
    outline.truncate(4);
    grown.update(outline);
    expect([...grown.byPath.keys()]).toEqual(["team", "team/boss", "team/a", "team/b"]);
    const others = recordsOf(LOG).map((record) => ({ ...record, at: record.at + 5 }));
    for (const record of others) outline.push(record);
    grown.update(outline);
    outline.truncate(4);
    for (const record of recordsOf(LOG)) outline.push(record);
    grown.update(outline);
    expect([...grown.byPath.values()]).toEqual([...tally.byPath.values()]);
  });
});

describe("the tree", () => {
  const nodes = componentTree([componentOf("team", "team"), componentOf("team/b", "agent")], tallyOf(logOf(LOG)));

  const paths = (filter: string, folded: string[]) =>
    shownNodes(nodes, filter, new Set(folded)).map((node) => node.path);

  it("has what the target says and what the records show, parts below their owners", () => {
    expect(nodes.map(({ path, name, kind, depth }) => [path, name, kind, depth])).toEqual([
      ["team", "team", "team", 0],
      ["team/b", "b", "agent", 1],
      ["team/boss", "boss", "agent", 1],
      ["team/a", "a", "agent", 1],
      ["team/a/model", "model", "model", 2],
      ["team/a/tools/search", "search", "tool", 2],
    ]);
  });

  it("leaves out what only collects what was said", () => {
    const echo = logOf([
      { kind: "message_queued", component: "team/a", recipient: "team/output", hash: "h" },
      { kind: "invocation_started", call: "agent", component: "team/output", message: 0, hash: "h" },
    ]);
    expect(componentTree([], tallyOf(echo)).map((node) => node.path)).toEqual(["team/a"]);
  });

  it("says what each did", () => {
    expect(nodes.map(didMost)).toEqual([
      { number: 1, thing: "call" },
      { number: 0, thing: "call" },
      { number: 1, thing: "message" },
      { number: 1, thing: "call" },
      { number: 1, thing: "call" },
      { number: 1, thing: "call" },
    ]);
  });

  it("is filtered with what is around, and folded", () => {
    expect(paths("SEARCH", [])).toEqual(["team", "team/a", "team/a/tools/search"]);
    expect(paths("", ["team/a"])).toEqual(["team", "team/b", "team/boss", "team/a"]);
    expect(paths("", ["team"])).toEqual(["team"]);
  });
});

it("a function that is the run itself is counted once", () => {
  const about = { component: "team", hash: "h" } as const;
  const tally = tallyOf(
    logOf([
      { kind: "run_started" },
      { kind: "invocation_started", call: "flow", ...about },
      { kind: "invocation_started", call: "agent", parent: 1, ...about },
      { kind: "invocation_ended", call: "agent", invocation: 2, parent: 1, failed: true, ...about },
      { kind: "invocation_ended", call: "flow", invocation: 1, failed: true, ...about },
    ]),
  );
  expect(tally.byPath.get("team")).toMatchObject({ call: "agent", calls: 1, errors: 1, open: 0 });
  expect([...tally.flows]).toEqual([]);
});

describe("the state of a component", () => {
  it("is what it does, or how it ended", () => {
    const { byPath } = tallyOf(logOf(LOG));
    const state = (path: string, live: boolean, held = false) => stateOf(byPath.get(path) ?? null, live, held);
    expect(state("team/a", true)).toBe("running");
    expect(state("team/a", true, true)).toBe("held");
    expect(state("team/a", false)).toBe("idle");
    expect(state("team/a/tools/search", false)).toBe("failed");
    expect(state("nobody", true)).toBe("idle");
  });
});
