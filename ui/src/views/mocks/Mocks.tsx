/** Changes: those that are collected for the next fork, and what became of those that a fork was made with. */

import { SegmentedControl } from "@mantine/core";
import { useEffect, useState } from "react";

import { useDrafts } from "@/state/drafts";
import { useMocking } from "@/state/mocking";
import { useWorkspace } from "@/views/workspace/context";

import { ForkReport } from "./ForkReport";
import { NextFork } from "./NextFork";
import classes from "./Mocks.module.css";

export default function Mocks() {
  const { id, view } = useWorkspace();
  const collected = useDrafts(({ byRun }) => byRun[id]?.length ?? 0);
  const adding = useMocking(({ run }) => run === id);
  const [asked, ask] = useState<"next" | "report" | null>(null);
  const end = useMocking((mocking) => mocking.end);
  useEffect(() => {
    if (adding) ask("next");
  }, [adding]);
  const made = Boolean(view.info?.parent) || (view.info?.mocks?.length ?? 0) > 0;
  const shown = made && !adding ? (asked ?? (collected > 0 ? "next" : "report")) : "next";
  return (
    <div className={classes["panel"]}>
      {made && (
        <div className={classes["switch"]}>
          <SegmentedControl
            size="xs"
            aria-label="Which changes"
            value={shown}
            onChange={(which) => {
              ask(which as "next" | "report");
              if (which === "report") end();
            }}
            data={[
              { value: "report", label: `What ${id} did with its changes` },
              { value: "next", label: collected > 0 ? `For the next fork (${collected})` : "For the next fork" },
            ]}
          />
        </div>
      )}
      {shown === "next" ? <NextFork /> : <ForkReport />}
    </div>
  );
}
