import { expect, test } from "vitest";

import { EDITORS, isAddress, sourceAddress } from "./editors";

test("a line is opened in an editor", () => {
  const [code] = EDITORS;
  expect(sourceAddress(code?.address ?? "", "/home/a b/boom.py", 12)).toBe("vscode://file/home/a%20b/boom.py:12");
  expect(sourceAddress(code?.address ?? "", "C:\\work\\boom.py")).toBe("vscode://file/C%3A/work/boom.py:1");
  expect(sourceAddress("idea://open?file={path}&line={line}", "/x.py", 3)).toBe("idea://open?file=/x.py&line=3");
});

test("what is no file, and what a browser would follow itself, is no link", () => {
  expect(sourceAddress("vscode://file{path}", "<string>")).toBeNull();
  expect(sourceAddress("", "/x.py")).toBeNull();
  for (const template of ["javascript:alert(1)//{path}", "https://x{path}", "data:{path}", "x"])
    expect(isAddress(template)).toBe(false);
  expect(EDITORS.filter(({ address }) => address !== "").every(({ address }) => isAddress(address))).toBe(true);
});
