/** How else a text that is searched for may be written. */

const PLAIN = /^\d{4,15}$/;
const PARTED = /^\d{1,3}(?:,\d{3}){1,4}$/;

/** A number with commas between its thousands, and without them; any other text is only what it is. */
export function spellingsOf(text: string): string[] {
  const sought = text.trim();
  if (PARTED.test(sought)) return [sought, sought.replaceAll(",", "")];
  if (PLAIN.test(sought) && !sought.startsWith("0")) return [sought, sought.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")];
  return sought === "" ? [] : [sought];
}
