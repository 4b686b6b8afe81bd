/** Marks what is searched for wherever it is shown, without touching what is shown: the browser's own highlights. */

import { type RefObject, useCallback, useEffect } from "react";

/** The names by which the style sheet knows them. */
export const SEARCHED = "outtake-search";
export const WRONG = "outtake-wrong";

/** What is marked by the value of an attribute, a JSON list of texts, only in the elements that have it. */
export const MARKS = "data-marks";
/** Places that are marked at most. */
const MOST = 2000;

/** Mark texts in everything below an element, and in what comes there. */
export function useHighlights(root: RefObject<HTMLElement | null>, texts: readonly string[]): void {
  const key = JSON.stringify(texts);
  const find = useCallback(
    (element: HTMLElement) => (JSON.parse(key) as string[]).flatMap((text) => placesOf(element, text)),
    [key],
  );
  useMarked(root, SEARCHED, texts.length > 0, find);
}

/** Mark what came out wrong in the elements below one that say what of them is. */
export function useWrongMarked(root: RefObject<HTMLElement | null>, any: boolean): void {
  useMarked(root, WRONG, any, wrongIn);
}

function wrongIn(element: HTMLElement): Range[] {
  return [...element.querySelectorAll<HTMLElement>(`[${MARKS}]`)].flatMap((part) =>
    (JSON.parse(part.getAttribute(MARKS) ?? "[]") as string[]).flatMap((text) => placesOf(part, text)),
  );
}

function useMarked(
  root: RefObject<HTMLElement | null>,
  name: string,
  any: boolean,
  find: (element: HTMLElement) => Range[],
): void {
  useEffect(() => {
    const element = root.current;
    if (element === null || !any || !("highlights" in CSS)) return;
    let frame = 0;
    const mark = () => {
      frame = 0;
      CSS.highlights.set(name, new Highlight(...find(element)));
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
      CSS.highlights.delete(name);
    };
  }, [root, name, any, find]);
}

/**
 * Pixels from the top of a card to its part about a record: to what is looked for, where it says that.  What is folded
 * there is unfolded, if nothing else says it.
 */
export function placeOfPart(card: HTMLElement, seq: number, texts: readonly string[]): number | null {
  const parts = [...card.querySelectorAll<HTMLElement>(`[data-seq="${seq}"]`)];
  const [first] = parts;
  if (first === undefined) return null;
  const places = parts.flatMap((part) => texts.flatMap((text) => placesOf(part, text)));
  const shown = places.find((place) => place.startContainer.parentElement?.checkVisibility() === true);
  const top = card.getBoundingClientRect().top;
  if (shown !== undefined) return shown.getBoundingClientRect().top - top;
  const folded = places[0]?.startContainer.parentElement?.closest("details");
  if (folded) folded.open = true;
  return first.getBoundingClientRect().top - top;
}

function placesOf(element: HTMLElement, text: string): Range[] {
  const sought = text.trim().toLowerCase();
  if (sought === "") return [];
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
