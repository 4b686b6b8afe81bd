import { describe, expect, it } from "vitest";

import { NONE, type Outline } from "./outline";
import { DEFAULT_ASPECTS, type RowChoice } from "./row-choice";
import { logOf, random, recordsOf } from "./testing";
import { answerOf, cardOf, hitsOf, nextOf, placeOf, storyOf, Turns } from "./turns";

const ALL: RowChoice = {
  aspects: DEFAULT_ASPECTS,
  components: null,
  found: null,
  plumbing: false,
  folded: new Set(),
  held: new Set(),
  errors: false,
  changes: false,
};

const NOTHING = "941dffce4e4308ceb33e87326003257d";

function turnsOf(log: Outline): Turns {
  const turns = new Turns();
  turns.update(log);
  return turns;
}

/** The first records of the cards. */
function cards(log: Outline, choice: RowChoice = ALL): number[] {
  const turns = turnsOf(log);
  return [...storyOf(turns, log, choice).turns].map((turn) => turns.starts[turn] ?? NONE);
}

const start = (call: string, component: string, more: object = {}) =>
  ({ kind: "invocation_started", call, component, hash: "h", ...more }) as const;
const end = (call: string, component: string, invocation: number, more: object = {}) =>
  ({ kind: "invocation_ended", call, component, invocation, ...more }) as const;
const send = (component: string, recipient: string, more: object = {}) =>
  ({ kind: "message_queued", component, recipient, type: "Say", hash: "h", ...more }) as const;

/** A chat: the boss asks everybody, and hands over to `a`, who thinks, calls a tool that fails, and answers. */
const CHAT = [
  { kind: "run_started", hash: "q" },
  start("flow", "team"),
  send("user", "team/boss", { parent: 1, hash: "q" }),
  start("agent", "team/boss", { parent: 1, message: 2, hash: "q" }), // 3
  send("team/boss", "team/a", { parent: 3 }),
  send("team/boss", "team/b", { parent: 3 }),
  send("team/boss", "team/a", { parent: 3, hash: NOTHING, type: "Publish" }), // 6
  end("agent", "team/boss", 3, { parent: 1, hash: NOTHING }),
  start("agent", "team/a", { parent: 1, message: 4 }), // 8: takes note
  end("agent", "team/a", 8, { parent: 1, hash: NOTHING }),
  start("agent", "team/b", { parent: 1, message: 5 }), // 10: takes note
  end("agent", "team/b", 10, { parent: 1, hash: NOTHING }),
  start("agent", "team/a", { parent: 1, message: 6, hash: NOTHING }), // 12: its turn
  { kind: "noted", component: "team/a", parent: 12, type: "thought", hash: "t" },
  start("model", "team/a/model", { parent: 12 }), // 14
  end("model", "team/a/model", 14, { parent: 12, hash: "o" }),
  start("tool", "team/a/tools/look", { parent: 12 }), // 16
  end("tool", "team/a/tools/look", 16, { parent: 12, hash: "e", failed: true }),
  send("team/a", "team/boss", { parent: 12, hash: "x" }), // 18
  end("agent", "team/a", 12, { parent: 1, hash: NOTHING }),
  end("flow", "team", 1, { hash: "o" }),
  { kind: "run_ended", hash: "o" }, // 21
] as const;
const chat = () => logOf(CHAT);

describe("turns", () => {
  it("are one for each agent that did something, with what happened in it", () => {
    const log = chat();
    const turns = turnsOf(log);
    expect(cards(log)).toEqual([0, 3, 12, 21]);
    const turn = turns.turnOf(12);
    expect(turns.partsOf(turn)).toEqual([
      { kind: "note", seq: 13, end: NONE },
      { kind: "model", seq: 14, end: 15 },
      { kind: "tool", seq: 16, end: 17 },
      { kind: "said", seq: 18, end: 18 },
    ]);
    expect(turns.ends[turn]).toBe(19);
  });

  it("know what they were asked: the message that they take, else what they have heard last", () => {
    const turns = turnsOf(chat());
    expect(turns.asked[turns.turnOf(3)]).toBe(2);
    expect(turns.asked[turns.turnOf(12)]).toBe(4);
    expect(turns.heard[turns.turnOf(12)]).toBe(0);
  });

  it("tell a message to several as one, and whom they hand over to", () => {
    const turns = turnsOf(chat());
    const boss = turns.turnOf(3);
    expect(turns.partsOf(boss)).toEqual([{ kind: "said", seq: 4, end: 5 }]);
    expect(turns.handed[boss]).toBe(6);
  });

  it("carry errors upward, each counted once", () => {
    const log = chat();
    const turns = turnsOf(log);
    expect(turns.errors).toEqual([17]);
    expect([12, 16, 1, 3].map((seq) => turns.errorsOf(seq))).toEqual([1, 1, 1, 0]);
    expect(cards(log, { ...ALL, errors: true })).toEqual([12]);
  });

  it("count an error once that goes through everything around it", () => {
    const log = logOf([
      { kind: "run_started" },
      start("flow", "main"),
      start("agent", "main/a", { parent: 1 }),
      start("tool", "main/t", { parent: 2 }),
      end("tool", "main/t", 3, { parent: 2, failed: true }),
      end("agent", "main/a", 2, { parent: 1, failed: true }),
      end("flow", "main", 1, { failed: true }),
      { kind: "run_ended", status: "failed" },
    ]);
    const turns = turnsOf(log);
    expect(turns.errors).toEqual([4]);
    expect(turns.errorsOf(2)).toBe(1);
    expect(cards(log, { ...ALL, errors: true })).toEqual([2, 7]);
  });

  it("show a program that fails before anything happens in it", () => {
    const log = logOf([
      { kind: "run_started" },
      start("flow", "factory"),
      end("flow", "factory", 1, { failed: true }),
      { kind: "run_ended", status: "failed" },
    ]);
    expect(cards(log)).toEqual([0, 1, 3]);
  });

  it("make a card of a call that no agent is around, and of each of several flows of a script", () => {
    const one = [{ kind: "run_started" } as const, start("flow", "main"), start("tool", "main/t", { parent: 1 })];
    expect(cards(logOf(one))).toEqual([0, 2]);
    const two = [...one, end("flow", "main", 1), start("flow", "main"), start("tool", "main/t", { parent: 4 })];
    expect(cards(logOf(two))).toEqual([0, 1, 2, 4, 5]);
  });

  it("nest an agent that a tool runs below its card, and what is folded is not shown", () => {
    const log = logOf([
      start("step", "a"),
      start("step", "b"),
      start("tool", "a/t", { parent: 0 }),
      start("agent", "a/t/inner", { parent: 2 }),
      start("model", "a/t/inner/model", { parent: 3 }),
      start("flow", "b/sub", { parent: 1 }),
      start("step", "b/sub/s", { parent: 5 }),
    ]);
    const turns = turnsOf(log);
    expect(cards(log)).toEqual([0, 3, 1, 5, 6]);
    expect(cards(log, { ...ALL, folded: new Set([0, 5]) })).toEqual([0, 1, 5]);
    expect([0, 3, 5, 6].map((seq) => turns.depths[turns.turnOf(seq)])).toEqual([0, 1, 1, 2]);
    const story = storyOf(turns, log, { ...ALL, folded: new Set([0]) });
    expect(placeOf(story, turns, log, 4)).toBe(0);
  });

  it("make cards of what a person did, and count it where it was done", () => {
    const log = logOf([
      start("agent", "a"),
      send("a", "b", { parent: 0 }),
      { kind: "edited", op: "replace_message", message: 1, by: "user", parent: 0 },
      send("user", "a", { injected: true, parent: 0 }),
      start("agent", "a", { message: 3 }),
      start("model", "a/model", { parent: 4 }),
    ]);
    const turns = turnsOf(log);
    expect(cards(log)).toEqual([0, 2, 3, 4]);
    expect(turns.changes).toEqual([2, 3]);
    expect(cards(log, { ...ALL, changes: true })).toEqual([0, 2, 3]);
  });

  it("show a message that nobody takes, and not the one that somebody takes", () => {
    const log = [send("user", "a"), send("user", "b"), start("agent", "a", { message: 0 })];
    const busy = [...log, start("model", "a/model", { parent: 2 })];
    expect(cards(logOf(log))).toEqual([0]);
    expect(cards(logOf(busy))).toEqual([2]);
  });

  it("are found by a record, a search, a component and a kind", () => {
    const log = chat();
    const turns = turnsOf(log);
    const story = storyOf(turns, log, ALL);
    expect([0, 2, 5, 8, 11, 16, 21].map((seq) => placeOf(story, turns, log, seq))).toEqual([0, 1, 1, 1, 1, 2, 3]);
    expect(cards(log, { ...ALL, found: new Set([8, 15]) })).toEqual([3, 12]);
    expect(cards(log, { ...ALL, components: new Set(["team/a"]) })).toEqual([3, 12]);
    expect(cards(log, { ...ALL, aspects: new Set(["tool"]) })).toEqual([12]);
    expect(turns.starts[cardOf(turns, log, 10)]).toBe(3);
    expect(answerOf(turns)).toBe(21);
  });

  it("are the same whether records come one by one or at once, or some are taken back", () => {
    const pick = random(7);
    const whole = chat();
    const grown = logOf([]);
    const turns = new Turns();
    const records = recordsOf(CHAT);
    let at = 0;
    while (at < records.length) {
      const upto = Math.min(records.length, at + 1 + pick(4));
      for (const record of records.slice(at, upto)) grown.push(record);
      at = upto;
      turns.update(grown);
      if (pick(3) === 0 && at > 3) {
        at -= 2;
        grown.truncate(at - 1);
        turns.update(grown);
      }
    }
    const fresh = turnsOf(whole);
    expect(turns.starts).toEqual(fresh.starts);
    expect(turns.errors).toEqual(fresh.errors);
    expect([...storyOf(turns, grown, ALL).turns]).toEqual([...storyOf(fresh, whole, ALL).turns]);
  });

  it("tell of what was found once, where it was said", () => {
    const log = chat();
    const turns = turnsOf(log);
    expect(hitsOf(turns, log, [12, 15, 18, 19])).toEqual([15, 18]);
    expect(hitsOf(turns, log, [3, 10])).toEqual([3]);
  });

  it("go from error to error and around", () => {
    expect([nextOf([3, 9], 3, false), nextOf([3, 9], 9, false), nextOf([3, 9], 3, true), nextOf([], 1, true)]).toEqual([
      9,
      3,
      9,
      NONE,
    ]);
  });
});
