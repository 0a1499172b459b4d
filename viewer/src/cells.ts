// Cells of the tables.

import type { Estimate } from "./data.ts";
import { h } from "./dom.ts";
import { type Unit, count, number } from "./format.ts";
import type { Cell } from "./table.ts";

export function words(text: string): Cell {
  return { text, value: text };
}

export function whole(value: number): Cell {
  return { text: count(value), value };
}

export function plain(value: number | null): Cell {
  return { text: number(value), value };
}

/** A time in the column's unit. */
export function timeIn(unit: Unit, ns: number | null, isVoid = false): Cell {
  return { text: ns === null ? number(null) : number(ns / unit.size), value: ns, void: isVoid };
}

/** A mean with half of its 95 % confidence interval, in the column's unit. */
export function estimate(e: Estimate, size = 1): Cell {
  const half = e.half_width === null ? null : h("span", { class: "half-width" }, ` ± ${number(e.half_width / size)}`);
  return { text: h("span", {}, number(e.mean / size), half), value: e.mean };
}
