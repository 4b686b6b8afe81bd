import { expect, it } from "vitest";

import { withoutUnused } from "./usedRules";

it("leaves out rules that only hold for classes which nobody uses", () => {
  const sheet = ".m_a{top:0}.m_b{top:1}.m_a .m_b,.m_a:hover,.own{top:2}@media print{.m_b{top:3}}:root{--m_b:1}";
  expect(withoutUnused(sheet, new Set(["m_a"]))).toBe(".m_a{top:0}.m_a:hover,.own{top:2}:root{--m_b:1}");
});
