/** Changes: those that are collected for the next fork, and what became of those that a fork was made with. */

import { SegmentedControl } from "@mantine/core";
import { useState } from "react";

import { useDrafts } from "@/state/drafts";
import { useWorkspace } from "@/views/workspace/context";

import { ForkReport } from "./ForkReport";
import { NextFork } from "./NextFork";
import classes from "./Mocks.module.css";

export default function Mocks() {
  const { id, view } = useWorkspace();
  const collected = useDrafts(({ byRun }) => byRun[id]?.length ?? 0);
  const [asked, ask] = useState<"next" | "report" | null>(null);
  const made = Boolean(view.info?.parent) || (view.info?.mocks?.length ?? 0) > 0;
  const shown = made ? (asked ?? (collected > 0 ? "next" : "report")) : "next";
  return (
    <section className={classes["panel"]} aria-label="Changes">
      {made && (
        <div className={classes["switch"]}>
          <SegmentedControl
            size="xs"
            aria-label="Which changes"
            value={shown}
            onChange={(which) => ask(which as "next" | "report")}
            data={[
              { value: "report", label: `What ${id} did with its changes` },
              { value: "next", label: collected > 0 ? `For the next fork (${collected})` : "For the next fork" },
            ]}
          />
        </div>
      )}
      {shown === "next" ? <NextFork /> : <ForkReport />}
    </section>
  );
}
