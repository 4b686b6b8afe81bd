/** A word in the bar where the program's files are not what the run imported any more. */

import { Tooltip } from "@mantine/core";
import { IconFileDiff } from "@tabler/icons-react";

import { tellChanged, tellStale } from "@/model/code";
import { useCode } from "@/state/code";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./ControlBar.module.css";

export function CodeChanges() {
  const { id, view } = useWorkspace();
  const code = useCode(id, view.info?.live ?? false);
  if (code === null || view.info?.imported === true) return null;
  const [changed, stale] = [tellChanged(code), tellStale(code)];
  if (changed === "" && stale === "") return null;
  const forks = changed === "" ? "" : "A fork executes what uses the new code after its cut.";
  return (
    <Tooltip multiline maw={420} label={[changed !== "" && `${changed}.`, stale, forks].filter(Boolean).join(" ")}>
      <span
        className={classes["code"]}
        role="status"
        aria-label={[changed, stale].filter(Boolean).join(". ")}
        tabIndex={0}
      >
        <IconFileDiff size={14} aria-hidden />
        {changed === "" ? "Old code before the cut" : changed}
      </span>
    </Tooltip>
  );
}
