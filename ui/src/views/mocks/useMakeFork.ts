/** Make the next fork of a run with the changes that are collected for it, as it is asked for. */

import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, got } from "@/api/client";
import type { Edit, RunInfo } from "@/api/schema";
import { refusedBy } from "@/model/mocks";
import { asBefore, forked, mayStart } from "@/state/commands";
import { type Draft, useDrafts } from "@/state/drafts";
import { useForking, useForkings } from "@/state/forking";
import { conditionsFrom } from "@/state/kept";
import { useWorkspace } from "@/views/workspace/context";

/** Why the server does not make the fork, and which change it is about; -1 where none. */
export interface Refusal {
  message: string;
  draft: number;
}

export interface MakeFork {
  busy: "fork" | "run" | null;
  refusal: Refusal | null;
  forgetRefusal: () => void;
  /** Gives why it was refused, or null. */
  fork: () => Promise<Refusal | null>;
  /** A new run of the same target and input, with changes that hold from the start. */
  runAgain: () => Promise<Refusal | null>;
}

export function useMakeFork(drafts: readonly Draft[]): MakeFork {
  const { id, view } = useWorkspace();
  const { info } = view;
  const clear = useDrafts((all) => all.clear);
  const forget = useForkings((forkings) => forkings.forget);
  const [forking] = useForking(id);
  const navigate = useNavigate();
  const [busy, setBusy] = useState<"fork" | "run" | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const edits: Edit[] = drafts.map(({ edit }) => edit);
  const made = async (how: "fork" | "run", asking: () => Promise<RunInfo>) => {
    setBusy(how);
    setRefusal(null);
    let refused: Refusal | null = null;
    try {
      const { run } = await asking();
      clear(id);
      forget(id);
      void navigate({ to: "/runs/$run", params: { run }, search: {} });
    } catch (error) {
      const { message } = error as Error;
      refused = { message, draft: drafts[refusedBy(message, edits)]?.id ?? -1 };
      setRefusal(refused);
    }
    setBusy(null);
    return refused;
  };
  return {
    busy,
    refusal,
    forgetRefusal: () => setRefusal(null),
    fork: () =>
      made("fork", () => {
        const { at, reuse, repeat, serveFailures, live, pause, name } = forking;
        const how = { reuse, repeat, serve_failures: serveFailures, live, pause, name };
        return forked(id, { at, edits, ...how, breakpoints: conditionsFrom(id) });
      }),
    runAgain: () =>
      made("run", () => {
        if (info === null) throw new Error("the run is not known yet");
        if (!mayStart(info)) throw new Error("nothing was started");
        const body = { ...asBefore(info), pause: forking.pause, edits: [...info.mocks, ...edits] };
        return got(api.POST("/api/runs", { body })) as Promise<RunInfo>;
      }),
  };
}
