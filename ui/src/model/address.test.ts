import { expect, it } from "vitest";

import { givenIn } from "./address";

const HERE = "http://127.0.0.1:8765";
const TOKEN = "abcDEF-123_456_789";

it("finds the token of an address that was printed, and of one that a page was sent on to", () => {
  for (const path of ["/?token=", "/runs/r1?density=calls&token=", "/#token="])
    expect(givenIn(` ${HERE}${path}${TOKEN}\n`, HERE)).toEqual({ token: TOKEN, elsewhere: null });
  expect(givenIn(TOKEN, HERE)).toEqual({ token: TOKEN, elsewhere: null });
});

it("tells of a server that is at another port now", () => {
  const given = givenIn(`http://127.0.0.1:9000/?token=${TOKEN}`, HERE);
  expect(given).toEqual({ token: TOKEN, elsewhere: "http://127.0.0.1:9000" });
});

it("takes nothing else", () => {
  for (const text of ["", "r1", HERE, "hello there", `javascript:alert(1)?token=${TOKEN}`, `?token=${TOKEN}`])
    expect(givenIn(text, HERE)).toBeNull();
});
