import { describe, expect, it } from "vitest";

import type { ChainLink, ChainSource } from "@/api/schema";

import { nearestOf } from "./origins";

const source = (seq: number, relation: ChainSource["relation"]): ChainSource => ({
  seq,
  relation,
  name: "",
  match: null,
});

function link(seq: number, ...sources: ChainSource[]): ChainLink {
  return {
    seq,
    kind: "invocation_ended",
    component: "a",
    call: "model",
    recipient: null,
    invocation: null,
    hash: null,
    failed: false,
    depth: 0,
    sources,
    more: 0,
  };
}

describe("where a record came from", () => {
  const chain = [link(9, source(8, "input")), link(8, source(5, "value"), source(3, "message")), link(5)];

  it("is where its input came from, too, where it has nothing else", () => {
    expect(nearestOf(chain, 9).map(({ seq }) => seq)).toEqual([8, 5, 3]);
    expect(nearestOf(chain, 8).map(({ seq }) => seq)).toEqual([5, 3]);
  });

  it("may be unknown", () => {
    expect(nearestOf(chain, 5)).toEqual([]);
    expect(nearestOf(chain, 77)).toEqual([]);
  });
});
