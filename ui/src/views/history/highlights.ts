/** Marks what is searched for wherever it is shown, without touching what is shown: the browser's own highlights. */

import { type RefObject, useEffect } from "react";

const NAME = "outtake-search";
/** Places that are marked at most. */
const MOST = 2000;

/** Mark a text in everything below an element, and in what comes there. */
export function useHighlights(root: RefObject<HTMLElement | null>, text: string | undefined): void {
  const sought = text?.trim().toLowerCase() ?? "";
  useEffect(() => {
    const element = root.current;
    if (element === null || sought === "" || !("highlights" in CSS)) return;
    let frame = 0;
    const mark = () => {
      frame = 0;
      CSS.highlights.set(NAME, new Highlight(...placesOf(element, sought)));
    };
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(mark);
    };
    mark();
    const observer = new MutationObserver(later);
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [root, sought]);
}

/**
 * Pixels from the top of a card to its part about a record: to what is searched for, where it says that.  What is folded
 * there is unfolded, if nothing else says it.
 */
export function placeOfPart(card: HTMLElement, seq: number, text: string | undefined): number | null {
  const part = card.querySelector<HTMLElement>(`[data-seq="${seq}"]`);
  if (part === null) return null;
  const sought = text?.trim().toLowerCase() ?? "";
  const places = sought === "" ? [] : placesOf(part, sought);
  const shown = places.find((place) => place.getClientRects().length > 0);
  const top = card.getBoundingClientRect().top;
  if (shown !== undefined) return shown.getBoundingClientRect().top - top;
  const folded = places[0]?.startContainer.parentElement?.closest("details");
  if (folded) folded.open = true;
  return part.getBoundingClientRect().top - top;
}

function placesOf(element: HTMLElement, sought: string): Range[] {
  const found: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && found.length < MOST; node = walker.nextNode()) {
    const said = (node.nodeValue ?? "").toLowerCase();
    if (said.length !== (node.nodeValue ?? "").length) continue;
    for (let at = said.indexOf(sought); at >= 0 && found.length < MOST; at = said.indexOf(sought, at + sought.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + sought.length);
      found.push(range);
    }
  }
  return found;
}
