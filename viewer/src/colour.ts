// Mixing colours of the palette.

type Rgb = [number, number, number];

/** `#rrggbb` as numbers. */
export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** The colour at `t` (0..1) of the way from `a` to `b`. */
export function mix(a: string, b: string, t: number): string {
  const [from, to] = [rgb(a), rgb(b)];
  const part = from.map((v, i) => Math.round(v + (to[i]! - v) * t));
  return `#${part.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}

/** The colour at `t` (0..1) of a ramp. */
export function ramp(colours: string[], t: number): string {
  const at = Math.min(Math.max(t, 0), 1) * (colours.length - 1);
  const i = Math.min(Math.floor(at), colours.length - 2);
  return mix(colours[i]!, colours[i + 1]!, at - i);
}
