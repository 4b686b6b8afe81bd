import { describe, expect, it } from "vitest";

import { namesNext, onFewLines, withoutAnswer } from "./gist";

describe("what a card says of a long text", () => {
  it("has its first line, and the others after each other", () => {
    expect(onFewLines("I clicked 'Zillow'.\n1,880 results\n$445,000")).toBe(
      "I clicked 'Zillow'.\n1,880 results · $445,000",
    );
    expect(onFewLines("One line")).toBe("One line");
  });

  it("does not say twice what the answer says, but why", () => {
    const answer = "Please click on the link from Zillow and summarise what was sold.";
    const thought = `Is in loop: yes · again\nInstruction: **${answer}** · A link may tell.`;
    expect(withoutAnswer(thought, answer)).toBe("Is in loop: yes · again\nInstruction: A link may tell.");
    expect(withoutAnswer(answer, answer)).toBe("");
    expect(withoutAnswer("So I say yes", "yes")).toBe("So I say yes");
  });

  it("says nothing where it only names who is next", () => {
    expect(namesNext("Next speaker WebSurfer", ["WebSurfer"])).toBe(true);
    expect(namesNext("Stalled.... Replanning...", ["WebSurfer"])).toBe(false);
    expect(namesNext("WebSurfer has not found the price, so go on", ["WebSurfer"])).toBe(false);
  });
});
