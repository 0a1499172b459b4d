// Numbers with their units, of which only the data knows what they are.

import type { Axis, Interval, Quantity, Unit } from "./data.ts";
import { bytes, clock, count, number, percent, shortRate, time } from "./format.ts";

/** A quantity as people read it; a dash where it is not known. */
export function quantity(of: Quantity | null): string {
  if (of === null) return number(null);
  if (of.unit === "text") return of.value;
  return of.unit === "count" ? count(of.value) : inUnit(of.unit, of.value);
}

/** The ends of an interval in a quantity's unit: `12,100/s to 12,700/s`. */
export function shownInterval(of: Quantity, [low, high]: Interval): string {
  const unit: Unit = of.unit === "text" || of.unit === "count" ? "number" : of.unit;
  return `${inUnit(unit, low)} to ${inUnit(unit, high)}`;
}

/** A number in a unit. */
export function inUnit(unit: Unit, value: number): string {
  switch (unit) {
    case "seconds":
      if (value === 0) return "0 s";
      return value >= 120 ? clock(value) : time(value * 1e9);
    case "ns":
      return time(value);
    case "share":
      return percent(value);
    case "per_second":
      return `${number(value)}/s`;
    case "bytes":
      return bytes(value);
    case "bytes_per_second":
      return `${bytes(value)}/s`;
    default:
      return number(value);
  }
}

/** A place on an axis: its name, where it has one. */
export function onAxis(axis: Axis, at: number): string {
  return axis.categories?.[at] ?? inUnit(axis.unit, at);
}

/** The same beside an axis, where there is little room. */
export function tick(axis: Axis, at: number): string {
  return axis.unit === "per_second" && !axis.categories ? shortRate(at) : onAxis(axis, at);
}
