/** A hold is a stop: what it is about is selected, and the inspector shows it, ready for an answer. */

import { useEffect, useRef } from "react";

import { subjectOf } from "@/model/pending";
import { isEdited } from "@/state/editing";
import { usePrefs } from "@/state/prefs";
import { useWorkspace } from "@/views/workspace/context";

/** Go to what is held as soon as it is, but not away from what somebody writes or has an address of. */
export function useStops(): void {
  const { id, view, place, go } = useWorkspace();
  const { info } = view;
  const hold = info?.live === true ? info.held[0] : undefined;
  const told = useRef<number | null>(null);
  const looked = useRef(false);
  const live = info?.live;
  useEffect(() => {
    const first = !looked.current && live !== undefined;
    if (live !== undefined) looked.current = true;
    if (hold === undefined || told.current === hold.hold) return;
    told.current = hold.hold;
    if (first && (place.at !== undefined || place.component !== undefined)) return;
    if (place.at !== undefined && place.mode === undefined && isEdited(id, place.at)) return;
    const at = subjectOf(hold) ?? place.at;
    go({ at, component: undefined, mode: "held", [usePrefs.getState().docks.inspector]: "inspector" });
  }, [hold, live, id, place, go]);
  const held = place.mode === "held";
  const wasLive = useRef(false);
  useEffect(() => {
    // What was held is no more: the run shows how it came out.
    if (wasLive.current && live === false && held) go({ at: undefined, mode: undefined });
    wasLive.current = live === true;
  }, [live, held, go]);
}
