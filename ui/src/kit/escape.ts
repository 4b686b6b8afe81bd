/** Escape leaves an editor; a list that is open in it is closed first. */

import type { KeyboardEvent } from "react";

export function onEscape(leave: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    if (target.getAttribute("aria-expanded") === "true" || target.closest(".cm-panel") !== null) return;
    event.stopPropagation();
    leave();
  };
}
