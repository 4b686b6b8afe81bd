/** Colours as pictures are drawn with them: one number, in the order of bytes that a canvas wants. */

export type Ink = number;

/** A colour as a style sheet writes it (#rgb, #rrggbb, rgb(...)); what it cannot read is grey. */
export function inkOf(css: string): Ink {
  const text = css.trim();
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text)?.[1];
  if (hex !== undefined) {
    const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
    const value = Number.parseInt(full, 16);
    return ink(value >> 16, (value >> 8) & 255, value & 255);
  }
  const parts = /^rgba?\(([^)]*)\)$/i.exec(text)?.[1]?.match(/[\d.]+/g);
  if (parts && parts.length >= 3) return ink(Number(parts[0]), Number(parts[1]), Number(parts[2]));
  return ink(128, 128, 128);
}

export function ink(red: number, green: number, blue: number): Ink {
  return ((255 << 24) | (byte(blue) << 16) | (byte(green) << 8) | byte(red)) >>> 0;
}

/** A colour between two: at share 0 the first, at 1 the second. */
export function mixed(one: Ink, other: Ink, share: number): Ink {
  const between = (shift: number) => {
    const from = (one >>> shift) & 255;
    return from + (((other >>> shift) & 255) - from) * share;
  };
  return ink(between(0), between(8), between(16));
}

/** The same as a style sheet writes it. */
export function cssOf(colour: Ink): string {
  const digits = [colour & 255, (colour >>> 8) & 255, (colour >>> 16) & 255].map((n) =>
    n.toString(16).padStart(2, "0"),
  );
  return `#${digits.join("")}`;
}

function byte(value: number): number {
  return Math.max(0, Math.min(255, Math.round(value)));
}
