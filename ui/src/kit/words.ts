/** Numbers and times as people say them. */

export function duration(seconds: number): string {
  if (Number.isNaN(seconds)) return "";
  if (seconds < 0.0005) return "0 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function count(number: number, thing: string, things = `${thing}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? thing : things}`;
}

export function money(dollars: number): string {
  return dollars === 0 ? "" : `$${dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}

/** The time of day, with the date where it was not today. */
export function moment(seconds: number, now = new Date()): string {
  const at = new Date(seconds * 1000);
  const time = at.toLocaleTimeString("en-GB");
  return at.toDateString() === now.toDateString()
    ? time
    : `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time.slice(0, 5)}`;
}

/** A text that was cut at its beginning, from its first whole word on; one without blanks as it is. */
export function fromWord(text: string): string {
  const at = text.search(/\s/);
  return at < 0 || at === text.length - 1 ? text : text.slice(at).trimStart();
}

/** A text that was cut at its end, to its last whole word; one without blanks as it is. */
export function toWord(text: string): string {
  const at = text.search(/\s\S*$/);
  return at <= 0 ? text : text.slice(0, at);
}

/** The first characters of a text, on one line, up to the end of a word where there is one near. */
export function oneLine(text: string, limit = 160): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  if (flat.length <= limit) return flat;
  const cut = flat.slice(0, limit - 1);
  const whole = flat[limit - 1] === " " ? cut : cut.slice(0, Math.max(0, cut.lastIndexOf(" ")));
  return `${whole.length > limit / 2 ? whole : cut}…`;
}
