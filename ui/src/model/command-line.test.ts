import { describe, expect, it } from "vitest";

import { lineOf, settingsOf, wordsOf, writtenOf } from "./command-line";

describe("a command line", () => {
  it("has words, of which those in quotes are one", () => {
    expect(wordsOf(`--city "New York" 'a "b"' x`)).toEqual(["--city", "New York", 'a "b"', "x"]);
  });

  it("is written so that it is read as it was", () => {
    const words = ["--city", "New York", 'say "yes"', "it's", `both ' and "`, ""];
    expect(wordsOf(lineOf(words))).toEqual(words);
  });
});

describe("settings", () => {
  it("are written so that they are read as they were", () => {
    const settings = { "team/a.manner": "calm", "b.limit": 3, "b.name": "3", "c.list": ["x"], "c.none": null };
    expect(writtenOf(settings)).toEqual([
      "team/a.manner=calm",
      "b.limit=3",
      'b.name="3"',
      'c.list=["x"]',
      "c.none=null",
    ]);
    expect(settingsOf(writtenOf(settings))).toEqual(settings);
  });

  it("name a component, a key and a value", () => {
    expect(settingsOf(["manner=calm"])).toBeNull();
    expect(settingsOf(["a.manner"])).toBeNull();
    expect(settingsOf(["a.text=x=y"])).toEqual({ "a.text": "x=y" });
  });
});
