import { expect, it } from "vitest";

import { HUES, Hues } from "./hues";
import { logOf } from "./testing";

const log = (...agents: string[]) =>
  logOf(agents.map((component) => ({ kind: "invocation_started", call: "agent", component })));

it("gives each agent a colour of its own, and its tools and models the same", () => {
  const hues = new Hues();
  const agents = Array.from({ length: HUES }, (_, n) => `team/agent${n}`);
  hues.update(log(...agents));
  expect(new Set(agents.map((path) => hues.of(path))).size).toBe(HUES);
  expect(hues.of("team/agent3/tools/look")).toBe(hues.of("team/agent3"));
  expect(hues.of("user")).toBeNull();
});

it("keeps colours when more agents come, and has the same ones in a fork", () => {
  const [run, fork] = [new Hues(), new Hues()];
  const outline = log("team/a", "team/b");
  run.update(outline);
  const before = ["team/a", "team/b"].map((path) => run.of(path));
  run.update(log("team/a", "team/b", "team/c"));
  fork.update(log("team/a", "team/b"));
  expect(["team/a", "team/b"].map((path) => run.of(path))).toEqual(before);
  expect(["team/a", "team/b"].map((path) => fork.of(path))).toEqual(before);
});

it("gives a colour to the agents beyond the last", () => {
  const hues = new Hues();
  hues.update(log(...Array.from({ length: 3 * HUES }, (_, n) => `agent${n}`)));
  expect(hues.of(`agent${3 * HUES - 1}`)).toBeLessThan(HUES);
});
