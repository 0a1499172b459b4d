// A step's name that shows the step in the charts.

import { h } from "./dom.ts";
import { breakable } from "./table.ts";

export function stepLink(name: string, step: number, onPick: (step: number) => void): HTMLElement {
  return h("button", { type: "button", class: "step-link", title: "Show this step over time", click: () => onPick(step) }, breakable(name));
}
