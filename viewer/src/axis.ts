// Axes and tooltips that look alike in all charts.

import { clock, shortRate, time } from "./format.ts";
import type { Palette } from "./theme.ts";

/** Steps of a decade for a range that is a part of one. */
const FINE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];

/** 1-2-5 values from below `min` to above `max`, thinned to decades where there are many, and more where there are few. */
export function logTicks(min: number, max: number): number[] {
  const decades = Math.log10(max / min);
  if (decades < 0.25) return evenTicks(min, max);
  const steps = decades > 4 ? [1] : decades > 2.2 ? [1, 3] : decades > 0.7 ? [1, 2, 5] : FINE;
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(min)) - 1; power <= Math.log10(max) + 1; power++) {
    for (const step of steps) ticks.push(step * 10 ** power);
  }
  return ticks;
}

/** Round values equally far apart, some five of them. */
function evenTicks(min: number, max: number): number[] {
  const rough = (max - min) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((s) => s * power >= rough) ?? 10);
  if (!Number.isFinite(step) || step <= 0) return [min];
  const first = Math.ceil(min / step);
  return Array.from({ length: Math.max(0, Math.floor(max / step) - first + 1) }, (_, i) => (first + i) * step);
}

/** The range of a log axis: the values with a little room. */
export function logRange(values: (number | null | undefined)[]): [number, number] {
  const known = values.filter((v): v is number => typeof v === "number" && v > 0);
  if (known.length === 0) return [1e3, 1e6];
  const [low, high] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))];
  const room = Math.max((high / low) ** 0.08, 1.08);
  return [low / room, high * room];
}

const FONT = 11;

/** What all axes share. */
export function axisStyle(palette: Palette) {
  return {
    nameTextStyle: { color: palette.muted, fontSize: FONT },
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: palette.muted, fontSize: FONT, hideOverlap: true },
    splitLine: { lineStyle: { color: palette.line, width: 1 } },
  };
}

/** A vertical axis of times, logarithmic. */
export function timeAxis(palette: Palette, range: [number, number]) {
  const style = axisStyle(palette);
  const customValues = logTicks(...range).filter((t) => t >= range[0] && t <= range[1]);
  return {
    ...style,
    type: "log" as const,
    min: range[0],
    max: range[1],
    axisTick: { show: false, customValues },
    axisLabel: { ...style.axisLabel, customValues, formatter: (ns: number) => time(ns) },
  };
}

/** An axis of I/Os per second from zero. */
export function rateAxis(palette: Palette) {
  const style = axisStyle(palette);
  return {
    ...style,
    type: "value" as const,
    min: 0,
    minInterval: 1,
    axisLabel: { ...style.axisLabel, formatter: shortRate },
  };
}

/** Steps that clocks have, s. */
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];

/** An axis of seconds from zero to `end`, labelled as clocks are. */
export function clockAxis(palette: Palette, end: number, labels = true) {
  const style = axisStyle(palette);
  const interval = CLOCK_STEPS.find((s) => end / s <= 9) ?? 86400 * Math.ceil(end / 86400 / 9);
  // All labels of an axis in the form of its last one.
  const formatter = (seconds: number): string => (end < 120 ? clock(seconds) : clock(seconds, true));
  return {
    ...style,
    type: "value" as const,
    min: 0,
    max: end,
    interval,
    splitLine: { show: false },
    axisLabel: { ...style.axisLabel, show: labels, formatter, showMaxLabel: end % interval === 0 },
  };
}

/** What all tooltips share. */
export function tooltipStyle(palette: Palette) {
  return {
    backgroundColor: palette.paper,
    borderColor: palette.line,
    textStyle: { color: palette.ink, fontSize: 12 },
    extraCssText: "box-shadow:0 2px 10px rgb(0 0 0 / .18);font-variant-numeric:tabular-nums",
    confine: true,
  };
}

/** A tooltip's inside: a title and lines of name and value. */
export function tooltipBody(title: string, lines: [string, string][]): HTMLElement {
  const table = document.createElement("table");
  table.className = "tip";
  const caption = table.createCaption();
  caption.textContent = title;
  for (const [name, value] of lines) {
    const row = table.insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = value;
  }
  return table;
}
