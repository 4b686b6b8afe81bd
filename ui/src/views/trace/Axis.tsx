import { AxisTop } from "@visx/axis";
import { scaleLinear } from "@visx/scale";

import { clockText, type Scale, ticksOf } from "@/model/trace";
import { type Bounds, shown, type Viewport } from "@/model/viewport";

import classes from "./Trace.module.css";

export const AXIS = 22;

/** The time since the run began, or the numbers of its records, above the bars. */
export function Axis({ by, view, bounds }: { by: Scale["by"]; view: Viewport; bounds: Bounds }) {
  const [from] = shown(view, bounds);
  const to = from + bounds.size / view.scale;
  const scale = scaleLinear({ domain: [from, to], range: [0, bounds.size] });
  const { values, step } = ticksOf(by, from, Math.min(to, bounds.total), bounds.size / 96);
  return (
    <svg className={classes["axis"]} width={bounds.size} height={AXIS} aria-hidden>
      <AxisTop
        scale={scale}
        top={AXIS - 0.5}
        tickValues={values}
        tickLength={5}
        hideAxisLine
        tickFormat={(value) => (by === "time" ? clockText(Number(value), step) : Number(value).toLocaleString("en"))}
        tickLineProps={{ className: classes["tick"] ?? "" }}
        tickLabelProps={{ className: classes["label"] ?? "", textAnchor: "start", dx: 4, dy: "0.1em" }}
      />
    </svg>
  );
}
