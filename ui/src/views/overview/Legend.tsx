import { UnstyledButton } from "@mantine/core";

import { useInks } from "@/kit/canvas/inks";
import { count } from "@/kit/words";
import { cssOf } from "@/model/colours";
import { type Legend as LegendModel, listed } from "@/model/overview";

import { inkOfEntry } from "./paint";
import classes from "./Overview.module.css";

interface LegendProps {
  legend: LegendModel;
  /** Keys of what is asked for; none is all. */
  only: ReadonlySet<string>;
  onOnly: (only: ReadonlySet<string>) => void;
}

/** What the colours mean; a click asks for these alone. */
export function Legend({ legend, only, onOnly }: LegendProps) {
  const inks = useInks();
  const toggle = (key: string) => {
    const next = new Set(only);
    if (!next.delete(key)) next.add(key);
    onOnly(next);
  };
  return (
    <div
      className={classes["legend"]}
      role="group"
      aria-label="Colours and how many records of this run have them: choose which to bring out"
    >
      {listed(legend).map(({ entry }) => (
        <UnstyledButton
          key={entry.key}
          className={classes["entry"]}
          aria-pressed={only.has(entry.key)}
          data-faded={(only.size > 0 && !only.has(entry.key)) || undefined}
          onClick={() => toggle(entry.key)}
        >
          <span className={classes["swatch"]} style={{ background: cssOf(inkOfEntry(entry, inks)) }} />
          <span className="ellipsis">{entry.label}</span>
          <span className={`quiet number ${classes["count"]}`} title={count(entry.count, "record")}>
            {entry.count.toLocaleString("en")}
          </span>
        </UnstyledButton>
      ))}
      {only.size > 0 && (
        <UnstyledButton className={classes["entry"]} onClick={() => onOnly(new Set())}>
          <span className={classes["all"]}>Show all</span>
        </UnstyledButton>
      )}
    </div>
  );
}
