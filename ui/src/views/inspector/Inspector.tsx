/** What one looks at, in one panel: to read it, to change it, or, of what is held, to say how it goes on. */

import { lazy } from "react";

import { changesOf } from "@/model/telling";
import { beginEdit, closeEdit, useBegun } from "@/state/editing";
import Details from "@/views/details/Details";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Inspector.module.css";

const Pending = lazy(() => import("@/views/pending/Pending"));

const MODES = ["read", "edit", "held"] as const;
type Mode = (typeof MODES)[number];
const NAMES: { [mode in Mode]: string } = { read: "Read", edit: "Edit", held: "Held" };
const ABOUT: { [mode in Mode]: string } = {
  read: "What is selected, as what it is",
  edit: "Change what is selected (E)",
  held: "What is held and what is queued, and sending a message",
};

export default function Inspector() {
  const { id, view, place, go } = useWorkspace();
  const { info, outline } = view;
  const at = place.component === undefined ? place.at : undefined;
  const begun = useBegun(id, at ?? -1);
  const mode: Mode = place.mode === "held" ? "held" : at !== undefined && begun?.open === true ? "edit" : "read";
  const change = at === undefined || info?.imported === true ? undefined : changesOf(outline, at)[0];
  const held = info?.live === true ? info.held.length : 0;
  const can: { [mode in Mode]: boolean } = {
    read: true,
    edit: change !== undefined,
    held: info?.imported !== true,
  };
  const choose = (to: Mode) => {
    if (!can[to]) return;
    if (to === "held") go({ mode: "held" });
    else if (place.mode !== undefined) go({ mode: undefined });
    if (at === undefined || change === undefined) return;
    if (to === "edit") beginEdit(id, at, begun?.op ?? change.op);
    if (to === "read") closeEdit(id, at);
  };
  const step = (event: React.KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const open = MODES.filter((one) => can[one]);
    const to = open[(open.indexOf(mode) + by + open.length) % open.length] ?? "read";
    choose(to);
    document.getElementById(`inspector-${to}`)?.focus();
  };
  return (
    <div className={classes["inspector"]}>
      <div role="tablist" aria-label="What the inspector is for" className={classes["modes"]}>
        {MODES.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`inspector-${one}`}
            className={classes["mode"]}
            aria-selected={one === mode}
            aria-controls="inspector-body"
            tabIndex={one === mode ? 0 : -1}
            title={ABOUT[one]}
            disabled={!can[one]}
            onKeyDown={step}
            data-held={(one === "held" && held > 0) || undefined}
            onClick={() => choose(one)}
          >
            {NAMES[one]}
            {one === "held" && held > 0 && <span className={classes["badge"]}>{held}</span>}
          </button>
        ))}
      </div>
      <div id="inspector-body" role="tabpanel" aria-labelledby={`inspector-${mode}`} className={classes["body"]}>
        {mode === "held" ? <Pending /> : <Details />}
      </div>
    </div>
  );
}
