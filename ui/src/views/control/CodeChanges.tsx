/** A word in the bar where the program's files are not what the run imported any more, and the fork that executes the new code. */

import { Button, Tooltip } from "@mantine/core";
import { IconFileDiff } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { firstConcerned, tellChanged, tellChangedParts, tellStale } from "@/model/code";
import { useCode } from "@/state/code";
import { fork } from "@/state/commands";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./ControlBar.module.css";

export function CodeChanges() {
  const { id, view } = useWorkspace();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const live = view.info?.live ?? false;
  const code = useCode(id, live);
  if (code === null || view.info?.imported === true) return null;
  const [changed, stale] = [tellChanged(code), tellStale(code)];
  if (changed === "" && stale === "") return null;
  const forks = changed === "" ? "" : "A fork executes what uses the new code after its cut.";
  const at = firstConcerned(code);
  const again = async () => {
    setBusy(true);
    const made = await fork(id, { at });
    setBusy(false);
    if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
  };
  return (
    <>
      <Tooltip
        multiline
        maw={420}
        label={[changed !== "" && `${tellChangedParts(code)}.`, stale, forks].filter(Boolean).join(" ")}
      >
        <span
          className={classes["code"]}
          role="status"
          aria-label={[changed, stale].filter(Boolean).join(". ")}
          tabIndex={0}
        >
          <IconFileDiff size={14} aria-hidden />
          <span className="ellipsis">{changed === "" ? "Old code before the cut" : changed}</span>
        </span>
      </Tooltip>
      {at !== null && (
        <Button
          size="compact-xs"
          variant="light"
          loading={busy}
          title={`${tellChangedParts(code)}. ${at === 0 ? "What is asked as before comes from the record" : "A fork from there: everything before comes from the record"}`}
          onClick={() => void again()}
        >
          Run again {at === 0 ? "" : `from #${at} `}with the new code
        </Button>
      )}
    </>
  );
}
