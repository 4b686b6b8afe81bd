/** Which panel is open in which dock, and opening one from anywhere in the window of a run. */

import { useMediaQuery } from "@mantine/hooks";

import { type Dock, isView, type PanelId, PANELS } from "@/state/place";
import { usePrefs } from "@/state/prefs";

import { useWorkspace } from "./context";

/** The panels that live in a dock, in their order. */
export function usePanelsOf(dock: Dock): PanelId[] {
  const docks = usePrefs((prefs) => prefs.docks);
  return PANELS.filter((panel) => docks[panel] === dock);
}

/** Windows that are narrower have one column; what is beside it comes in drawers. */
const NARROW = "(max-width: 999.9px)";

export function useNarrow(): boolean {
  return useMediaQuery(NARROW, false, { getInitialValueInEffect: false }) ?? false;
}

/** What is open in each dock: what the address says, else the usual; drawers are closed until somebody opens one. */
export function useOpen(): Record<Dock, PanelId | null> {
  const { place } = useWorkspace();
  const docks = usePrefs((prefs) => prefs.docks);
  const narrow = useNarrow();
  const shown = (dock: Dock): PanelId | null => {
    const asked = place[dock];
    if (asked !== undefined && asked !== "none" && docks[asked] === dock) return asked;
    if (asked === "none" || dock === "bottom" || narrow) return null;
    return docks.inspector === dock ? "inspector" : (PANELS.find((panel) => docks[panel] === dock) ?? null);
  };
  return { bottom: shown("bottom"), side: shown("side") };
}

/** Open a panel where it lives: beside or below the story where that is open, else in the place of the story. */
export function useShow(): (panel: PanelId) => void {
  const { go, place } = useWorkspace();
  const { bottom } = useOpen();
  return (panel) => {
    const dock = usePrefs.getState().docks[panel];
    const covers = place.full !== undefined && (isView(place.full) ? dock === "bottom" : true);
    if (isView(panel) && dock === "bottom" && (bottom === null || covers)) go({ full: panel });
    else go({ [dock]: panel, ...(panel === "inspector" && { mode: undefined }), ...(covers && { full: undefined }) });
  };
}

/** Open what is held and queued, in the inspector. */
export function useShowHeld(): () => void {
  const { go, place } = useWorkspace();
  return () => {
    const covered = place.full !== undefined && !isView(place.full);
    go({ [usePrefs.getState().docks.inspector]: "inspector", mode: "held", ...(covered && { full: undefined }) });
  };
}

/** Give a panel all the room, or take it back where it has that. */
export function useMaximise(): (panel: PanelId | null) => void {
  const { go, place } = useWorkspace();
  return (panel) => go({ full: panel === place.full ? undefined : (panel ?? undefined) });
}
