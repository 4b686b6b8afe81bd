import { expect, test } from "vitest";

import type { Code } from "@/api/schema";

import { changedSince, firstConcerned, tellChanged, tellChangedParts, tellNewCode, tellStale } from "./code";

const file = (path: string, since_run: Code["files"][number]["since_run"]) => ({ path, since_run, since_parent: null });
const code = (...files: Code["files"]): Code => ({
  run: "r1",
  parent: null,
  folder: "/x",
  files,
  stale: [],
  renewed: [],
  prompts: [],
});

test("what changed or is gone since a run is told, few by name", () => {
  expect(tellChanged(code(file("a.py", "same"), file("b.py", null)))).toBe("");
  expect(tellChanged(code(file("a.py", "changed"), file("b.py", "gone")))).toBe("a.py, b.py changed since r1");
  const many = code(...["a", "b", "c", "d", "e"].map((name) => file(name, "changed")));
  expect(changedSince(many)).toHaveLength(5);
  expect(tellChanged(many)).toBe("a, b, c and 2 more changed since r1");
});

test("what was served from the old code is named with the way out", () => {
  expect(tellStale(code())).toBe("");
  const stale = [{ component: "team/look", call: "tool", files: ["a.py"] }];
  expect(tellStale({ ...code(), stale })).toContain("team/look. An earlier cut executes it.");
});

test("what is made of changed code is counted, and where it begins", () => {
  const part = (component: string, call: string, seq: number) => ({ component, call, files: ["a.py"], seq });
  const changed = code(file("a.py", "changed"));
  expect(tellChangedParts(changed)).toBe("a.py changed since r1");
  expect(firstConcerned(code(file("a.py", "same")))).toBeNull();
  expect(firstConcerned(changed)).toBe(0);
  const renewed = [part("x/b", "tool", 9), part("x/a", "tool", 5), part("x/c", "step", 30)];
  expect(tellChangedParts({ ...changed, renewed })).toBe("a.py changed since r1: 2 tools, 1 step");
  expect(firstConcerned({ ...changed, renewed })).toBe(5);
  const prompts = ["x/b", "x/d"].map((component) => ({
    component,
    seq: 3,
    file: "a.py",
    was: "Be brief.",
    now: "Be kind.",
  }));
  expect(tellChangedParts({ ...changed, renewed, prompts })).toBe("a.py changed since r1: 2 tools, 1 step, 1 prompt");
  expect(firstConcerned({ ...changed, renewed, prompts })).toBe(3);
});

test("the files with new code are named, a few of them", () => {
  expect(tellNewCode(["story.py"])).toBe("new code in story.py");
  expect(tellNewCode(["a.py", "b.py", "c.py", "d.py"])).toBe("new code in a.py, b.py, c.py and 1 more");
});
