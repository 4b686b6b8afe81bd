/** Colours for tests: no two are the same. */

import { ASPECTS } from "@/model/aspects";
import { ink } from "@/model/colours";

import type { Inks } from "./inks";

export const INKS: Inks = {
  surface: ink(255, 255, 255),
  sunken: ink(250, 250, 250),
  line: ink(240, 240, 240),
  quiet: ink(120, 120, 120),
  text: ink(0, 0, 0),
  primary: ink(0, 0, 200),
  failed: ink(200, 0, 0),
  held: ink(200, 100, 0),
  edited: ink(150, 100, 0),
  aspects: Object.fromEntries(ASPECTS.map((aspect, n) => [aspect, ink(n * 8, 100, 200)])) as Inks["aspects"],
  hues: Array.from({ length: 9 }, (_, n) => ink(10, n * 20, 10)),
};
