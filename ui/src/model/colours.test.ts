import { describe, expect, it } from "vitest";

import { cssOf, ink, inkOf, mixed } from "./colours";

describe("colours", () => {
  it("are read as style sheets write them", () => {
    expect(cssOf(inkOf("#0b7285"))).toBe("#0b7285");
    expect(cssOf(inkOf(" #fff "))).toBe("#ffffff");
    expect(cssOf(inkOf("rgb(11, 114, 133)"))).toBe("#0b7285");
    expect(cssOf(inkOf("rgba(11 114 133 / 1)"))).toBe("#0b7285");
    expect(cssOf(inkOf("hotpink"))).toBe("#808080");
  });

  it("lie in memory as a canvas wants them", () => {
    expect([...new Uint8Array(new Uint32Array([ink(1, 2, 3)]).buffer)]).toEqual([1, 2, 3, 255]);
  });

  it("mix", () => {
    expect(cssOf(mixed(ink(0, 0, 0), ink(200, 100, 50), 0.5))).toBe("#643219");
    expect(mixed(ink(9, 8, 7), ink(1, 2, 3), 0)).toBe(ink(9, 8, 7));
    expect(mixed(ink(9, 8, 7), ink(1, 2, 3), 1)).toBe(ink(1, 2, 3));
  });
});
