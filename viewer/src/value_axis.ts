// An axis of any unit: of numbers, of factors, or of names.

import { axisStyle, clockAxis, logRange, logTicks } from "./axis.ts";
import type { Axis, MethodChart } from "./data.ts";
import { tick } from "./quantity.ts";
import type { Palette } from "./theme.ts";

/** Names past so many are thinned. */
const MOST_NAMES = 16;

/** Whether a number has a place on an axis. */
export function isPlaced(axis: Axis, value: number): boolean {
  return Number.isFinite(value) && (!axis.logarithmic || value > 0);
}

/** The axis for these values; `across` lies at the bottom. */
export function valueAxis(palette: Palette, axis: Axis, values: number[], across: boolean) {
  const placed = values.filter((v) => isPlaced(axis, v));
  if (axis.categories) return namedAxis(palette, axis, axis.categories);
  const high = placed.reduce((a, b) => Math.max(a, b), 0);
  const low = placed.reduce((a, b) => Math.min(a, b), high);
  // A minute and more is read as a clock is.
  if (across && axis.unit === "seconds" && !axis.logarithmic && low >= 0 && high >= 10) return clockAxis(palette, high);
  const style = axisStyle(palette);
  if (across && axis.unit === "seconds" && !axis.logarithmic && low < 0 && high > low) return aroundZero(palette, axis, low, high);
  const axisLabel = { ...style.axisLabel, formatter: (value: number) => tick(axis, value) };
  if (axis.logarithmic) {
    const [min, max] = logRange(placed);
    const customValues = ticks(axis, min, max).filter((t) => t >= min && t <= max);
    return {
      ...style,
      type: "log" as const,
      min,
      max,
      axisTick: { show: false, customValues },
      axisLabel: { ...axisLabel, customValues },
    };
  }
  const cut = axis.cut === undefined ? {} : { max: axis.cut };
  const zero = low >= 0 && (!across || low < high / 2);
  const binary = axis.unit.startsWith("bytes") && high > low ? { interval: binaryStep(zero ? high : high - low) } : {};
  return { ...style, type: "value" as const, scale: !zero, ...(zero ? { min: 0 } : {}), ...binary, ...cut, axisLabel };
}

/** An axis of seconds before and after something, no longer than it must be. */
function aroundZero(palette: Palette, axis: Axis, min: number, max: number) {
  const style = axisStyle(palette);
  const label = { showMinLabel: false, showMaxLabel: false, formatter: (value: number) => tick(axis, value) };
  return { ...style, type: "value" as const, min, max, axisLabel: { ...style.axisLabel, ...label } };
}

/** An axis of names or of other places that are equally far apart, from 0. */
export function namedAxis(palette: Palette, axis: Axis, names: string[]) {
  const style = axisStyle(palette);
  const every = Math.ceil(names.length / MOST_NAMES);
  const customValues = names.map((_, i) => i).filter((i) => i % every === 0);
  return {
    ...style,
    type: "value" as const,
    min: -0.5,
    max: names.length - 0.5,
    splitLine: { show: false },
    axisTick: { show: false, customValues },
    axisLabel: {
      ...style.axisLabel,
      customValues,
      width: 110,
      overflow: "truncate" as const,
      formatter: (at: number) => names[at] ?? tick(axis, at),
    },
  };
}

/** Powers of two for bytes, so that they are round; else of ten. */
function ticks(axis: Axis, min: number, max: number): number[] {
  if (!axis.unit.startsWith("bytes")) return logTicks(min, max);
  const [from, to] = [Math.ceil(Math.log2(min)), Math.floor(Math.log2(max))];
  const every = Math.max(1, Math.ceil((to - from + 1) / 10));
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
    .filter((power) => power % every === 0)
    .map((power) => 2 ** power);
}

/** A power of two of which some four to eight make up a length. */
function binaryStep(length: number): number {
  return 2 ** Math.ceil(Math.log2(length / 8));
}

/** What lies across the bottom of a chart, and what upright, with their names. */
export function chartAxes(palette: Palette, chart: MethodChart, x: number[], y: number[]) {
  return {
    grid: { left: 8, right: 18, top: 34, bottom: 30, outerBoundsMode: "same" as const, outerBoundsContain: "axisLabel" as const },
    xAxis: {
      ...valueAxis(palette, chart.x, x, true),
      splitLine: { show: false },
      axisLine: { show: true, onZero: false, lineStyle: { color: palette.muted } },
      name: chart.x.label,
      nameLocation: "middle" as const,
      nameGap: 28,
    },
    yAxis: {
      ...valueAxis(palette, chart.y, y, false),
      // At the left end, wherever zero is.
      axisLine: { show: false, onZero: false },
      name: chart.y.label,
      nameLocation: "end" as const,
      nameTextStyle: { ...axisStyle(palette).nameTextStyle, align: "left" as const },
    },
  };
}
