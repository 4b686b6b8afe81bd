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

/** The first characters of a text, on one line. */
export function oneLine(text: string, limit = 160): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length <= limit ? flat : `${flat.slice(0, limit - 1)}…`;
}
