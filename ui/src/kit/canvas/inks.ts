/** The colours of the theme, for pictures. */

import { useComputedColorScheme } from "@mantine/core";
import { useLayoutEffect, useState } from "react";

import { ASPECTS, type Aspect } from "@/model/aspects";
import { type Ink, inkOf } from "@/model/colours";
import { HUES, type Hues } from "@/model/hues";

export interface Inks {
  surface: Ink;
  sunken: Ink;
  line: Ink;
  quiet: Ink;
  text: Ink;
  primary: Ink;
  failed: Ink;
  held: Ink;
  edited: Ink;
  aspects: { [aspect in Aspect]: Ink };
  hues: readonly Ink[];
}

function read(): Inks {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => inkOf(style.getPropertyValue(name));
  return {
    surface: of("--ot-surface"),
    sunken: of("--ot-sunken"),
    line: of("--ot-line"),
    quiet: of("--ot-quiet"),
    text: of("--ot-run"),
    primary: of("--mantine-primary-color-filled"),
    failed: of("--ot-failed"),
    held: of("--ot-held"),
    edited: of("--ot-edit"),
    aspects: Object.fromEntries(ASPECTS.map((aspect) => [aspect, of(`--ot-${aspect}`)])) as Inks["aspects"],
    hues: Array.from({ length: HUES }, (_, n) => of(`--ot-hue-${n + 1}`)),
  };
}

/** The colours as they are now, light or dark. */
export function useInks(): Inks {
  const scheme = useComputedColorScheme("light");
  const [inks, setInks] = useState(read);
  useLayoutEffect(() => setInks(read()), [scheme]);
  return inks;
}

/** The colour of a component: that of its agent, else none. */
export function inkOfComponent(path: string, inks: Inks, hues: Hues): Ink {
  const hue = hues.of(path);
  return (hue === null ? undefined : inks.hues[hue]) ?? inks.quiet;
}
