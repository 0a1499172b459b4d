// Numbers as people read them: as base/printable/src/human.rs has them, but that zeros at the end are left out, and units
// have a space before them. base/printable/tests/numbers.json is the test of both.

const NONE = "–";

/** Three significant digits at least: 0.00123, 0.123, 1.23, 12.3, 123, 1,234. */
export function number(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size < 1e-4) return value.toExponential(1);
  if (size < 1) return value.toLocaleString("en-US", { maximumSignificantDigits: 3 });
  const decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: 0, maximumFractionDigits: decimals });
}

/** A change: +1.23, -13.6. */
export function signed(value: number): string {
  return `${value > 0 ? "+" : ""}${number(value)}`;
}

/** A whole number with commas. */
export function count(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** So many of something: `1 worker`, `64 slots`. */
export function counted(value: number, one: string): string {
  return `${count(value)} ${value === 1 ? one : `${one}s`}`;
}

export interface Unit {
  name: string;
  size: number;
}

const TIMES: Unit[] = [
  { name: "ns", size: 1 },
  { name: "us", size: 1e3 },
  { name: "ms", size: 1e6 },
  { name: "s", size: 1e9 },
];

const BYTES: Unit[] = [
  { name: "B", size: 1 },
  { name: "KiB", size: 2 ** 10 },
  { name: "MiB", size: 2 ** 20 },
  { name: "GiB", size: 2 ** 30 },
  { name: "TiB", size: 2 ** 40 },
  { name: "PiB", size: 2 ** 50 },
];

/** What rounds to 1 of a unit is one: 999.7 us is 1 ms. */
function largest(units: Unit[], value: number): Unit {
  return units.findLast((unit) => Math.abs(value) >= unit.size * 0.9995) ?? units[0]!;
}

/** A time with its unit: 1.25 ms. */
export function time(ns: number | null): string {
  if (ns === null || !Number.isFinite(ns)) return NONE;
  const unit = largest(TIMES, ns);
  return `${number(ns / unit.size)} ${unit.name}`;
}

/** Bytes with their binary unit: 8 KiB. */
export function bytes(value: number): string {
  const unit = largest(BYTES, value);
  return `${number(value / unit.size)} ${unit.name}`;
}

/** The unit in which most of these times read well, for a column of them. */
export function timeUnit(times: (number | null)[]): Unit {
  const known = times.filter((t): t is number => t !== null && t > 0).sort((a, b) => a - b);
  return largest(TIMES, known[Math.floor(known.length / 2)] ?? 1e3);
}

/** The unit in which most of these sizes read well, for a column of them. */
export function bytesUnit(sizes: number[]): Unit {
  const known = sizes.filter((s) => s > 0).sort((a, b) => a - b);
  return largest(BYTES, known[Math.floor(known.length / 2)] ?? 1);
}

/** A rate for an axis: 0, 500, 12k, 1.5M. */
export function shortRate(value: number): string {
  if (value >= 1e6) return `${number(value / 1e6)}M`;
  if (value >= 1e4) return `${number(value / 1e3)}k`;
  return value < 10 ? number(value) : count(value);
}

/** A share: 12%, and below 10 1.3%. */
export function percent(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return NONE;
  const [value, sign] = [Math.abs(share) * 100, share < 0 ? "-" : ""];
  if (value === 0) return "0%";
  if (value < 0.05) return `${sign}<0.1%`;
  return `${sign}${value.toFixed(value < 9.95 ? 1 : 0)}%`;
}

/** Seconds as a clock reads them past two minutes, or always: 90 s, 12:05, 3:02:11. */
export function clock(seconds: number, always = false): string {
  if (seconds < 120 && !always) return `${number(seconds)} s`;
  const whole = Math.round(seconds);
  const pad = (n: number): string => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

/** The label of a percentile at 1/(1-q): min, 50%, 99.9%. */
export function nines(x: number): string {
  if (x <= 1) return "min";
  return `${Number(((1 - 1 / x) * 100).toFixed(6))}%`;
}

/** `767us` as `767 us`, `22.0s` as `22.0 s`. */
export function spacedTimes(text: string): string {
  return text.replace(/(?<![\w=])(\d[\d,.]*)(ns|us|ms|s)\b/g, "$1 $2");
}
