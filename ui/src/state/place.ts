/** Where a person is: what is selected, opened and filtered, all of it in the address, so that it can be sent and reloaded. */

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

import { ASPECTS, type Aspect } from "@/model/aspects";

export const PANELS = ["inspector", "overview", "trace", "graph", "compare", "console"] as const;
export type PanelId = (typeof PANELS)[number];
export type Dock = "bottom" | "side";
/** What fills the window's middle, in the order of the keys 1 to 6; the story is there where nothing else is. */
export const VIEWS = ["story", "compare", "trace", "graph", "console", "overview"] as const;
export type ViewId = (typeof VIEWS)[number];

export function isView(panel: PanelId): panel is PanelId & ViewId {
  return (VIEWS as readonly string[]).includes(panel);
}

/** What a dock shows; nothing where it is closed. */
export type Shown = PanelId | "none";

/** `story` is turns, `calls` a call and its return on a row, `records` every record on its own. */
export const DENSITIES = ["story", "calls", "records"] as const;
export type Density = (typeof DENSITIES)[number];

export interface Place {
  /** The selected record. */
  at?: number;
  /** The component that is looked at, instead of a record. */
  component?: string;
  /** Panels that are open in the two docks. */
  bottom?: Shown;
  side?: Shown;
  /** The panel that fills the place of the story. */
  full?: PanelId;
  /** The run that this one is compared with. */
  vs?: string;
  /** What is searched for in the history. */
  q?: string;
  /** Aspects that are shown, where not the usual ones. */
  kinds?: string;
  /** Components that are shown, where not all. */
  only?: string;
  plumbing?: boolean;
  /** How densely the history tells the run, where not as usual. */
  density?: Density;
  /** Only what has an error in it, or only what was changed. */
  show?: "errors" | "changes";
  /** Only the records that say what is searched for in words that none before has. */
  first?: boolean;
  /** Whether the path to a wrong answer is shown. */
  why?: boolean;
  /** What is held and queued, in the inspector, instead of what is selected. */
  mode?: "held";
  /** Whether the collected changes are open. */
  tray?: boolean;
}

/** A place out of an address that somebody may have typed: what makes no sense is left out. */
export function readPlace(search: Record<string, unknown>): Place {
  const place: Place = {};
  const at = Number(search["at"]);
  if (search["at"] !== undefined && Number.isInteger(at) && at >= 0) place.at = at;
  for (const name of ["component", "vs", "q", "kinds", "only"] as const) {
    const value = search[name];
    if (typeof value === "string" && value !== "") place[name] = value;
    // A number that is searched for, in an address that somebody has typed.
    if (typeof value === "number") place[name] = String(value);
  }
  for (const dock of ["bottom", "side"] as const) {
    const value = search[dock];
    if (value === "none" || PANELS.includes(value as PanelId)) place[dock] = value as Shown;
    // Addresses of earlier releases.
    if (value === "details" || value === "pending") place[dock] = "inspector";
    if (value === "pending") place.mode = "held";
    if (value === "mocks") place.tray = true;
  }
  const full = PANELS.find((panel) => panel === search["full"]);
  if (full) place.full = full;
  const density = DENSITIES.find((one) => one === search["density"]);
  if (density) place.density = density;
  if (search["show"] === "errors" || search["show"] === "changes") place.show = search["show"];
  if (search["plumbing"] === true || search["plumbing"] === "true") place.plumbing = true;
  if (search["first"] === true || search["first"] === "true") place.first = true;
  if (search["mode"] === "held") place.mode = "held";
  if (search["tray"] === true || search["tray"] === "true") place.tray = true;
  if (search["why"] === true || search["why"] === "true") place.why = true;
  return place;
}

/** The aspects that an address names, or null for the usual ones. */
export function aspectsOf(place: Place): ReadonlySet<Aspect> | null {
  if (place.kinds === undefined) return null;
  return new Set(
    place.kinds.split(",").filter((kind): kind is Aspect => (ASPECTS as readonly string[]).includes(kind)),
  );
}

export type Go = (change: { [name in keyof Place]?: Place[name] | undefined }, keep?: "replace" | "push") => void;

/** The place, and how to go on from it; a step that is worth going back over is pushed. */
export function usePlace(): [Place, Go] {
  const place = useSearch({ from: "/runs/$run" });
  const navigate = useNavigate({ from: "/runs/$run" });
  const go = useCallback<Go>(
    (change, keep = "replace") => {
      void navigate({
        search: (before: Place) => without({ ...before, ...change }),
        replace: keep === "replace",
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [place, go];
}

function without(place: { [name in keyof Place]?: Place[name] | undefined }): Place {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined)) as Place;
}
