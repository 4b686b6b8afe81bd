import { expect, it } from "vitest";

import { Heights } from "./heights";
import { random } from "./testing";

it("finds every line by its place, whatever was changed", () => {
  const pick = random(3);
  for (const length of [0, 1, 2, 7, 64, 100]) {
    const heights = Array.from({ length }, () => 1 + pick(50));
    const tree = new Heights(length, (line) => heights[line] ?? 0);
    for (let change = 0; change < (length === 0 ? 0 : 20); change++) {
      const line = pick(length);
      heights[line] = 1 + pick(90);
      tree.set(line, heights[line]);
    }
    let start = 0;
    heights.forEach((height, line) => {
      expect([tree.startOf(line), tree.of(line)]).toEqual([start, height]);
      expect([tree.lineAt(start), tree.lineAt(start + height - 1)]).toEqual([line, line]);
      start += height;
    });
    expect(tree.total).toBe(start);
    expect(tree.lineAt(start + 1000)).toBe(Math.max(0, length - 1));
    expect(tree.lineAt(-5)).toBe(0);
  }
});
