/** The form for a new run, filled with what a run began with, from that run's own page. */

import { useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";

import { useRuns } from "@/state/runs";

// The form is only loaded by who asks for it.
const NewRun = lazy(() => import("./NewRun").then((module) => ({ default: module.NewRun })));

interface RunWithChangesProps {
  run: string;
  /** The button that opens the form. */
  renderButton: (open: () => void) => ReactNode;
}

export function RunWithChanges({ run, renderButton }: RunWithChangesProps) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      {renderButton(() => setAsked(true))}
      {asked && <ChangedRun run={run} close={() => setAsked(false)} />}
    </>
  );
}

/** The form itself, for who opens it by something else than a button. */
export function ChangedRun({ run, close }: { run: string; close: () => void }) {
  const { runs } = useRuns();
  const navigate = useNavigate();
  return (
    <Suspense fallback={null}>
      <NewRun
        from={{ like: run }}
        runs={runs}
        close={close}
        started={(made) => void navigate({ to: "/runs/$run", params: { run: made }, search: {} })}
      />
    </Suspense>
  );
}
