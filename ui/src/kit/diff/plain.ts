/** A value as text that a person can read line by line: names and values, long texts as they are, no quotes. */

const STEP = "  ";

/** The value as lines of text. */
export function plainText(value: unknown): string {
  return typeof value === "string" ? value : linesFor(value).join("\n");
}

function linesFor(value: unknown): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return ["[]"];
    return value.flatMap((item) => hung("- ", linesFor(item)));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return ["{}"];
    return entries.flatMap(([name, inner]) => named(name, inner));
  }
  return typeof value === "string" ? value.split("\n") : [String(value ?? "null")];
}

function named(name: string, value: unknown): string[] {
  const lines = linesFor(value);
  const nested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (lines.length === 1 && !nested) return [`${name}: ${lines[0] ?? ""}`];
  return [`${name}:`, ...lines.map((line) => (line === "" ? "" : STEP + line))];
}

function hung(mark: string, lines: readonly string[]): string[] {
  return lines.map((line, n) => (n === 0 ? mark + line : line === "" ? "" : " ".repeat(mark.length) + line));
}
