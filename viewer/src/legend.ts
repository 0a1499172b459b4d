// What the lines mean, in words beside them.

import { h } from "./dom.ts";

export interface Key {
  name: string;
  /** A variable of the style sheet: `mean`, `p99`. */
  colour: string;
  shape: "solid" | "dashed" | "dotted" | "band" | "ring" | "hollow" | "triangle" | "block" | "bar" | "outlined";
}

export function legend(keys: Key[]): HTMLElement {
  return h("ul", { class: "legend" }, ...keys.map((key) => h("li", {}, swatch(key), key.name)));
}

const SHAPES: Record<Key["shape"], string> = {
  solid: "M0 6H22",
  dashed: "M0 6H22",
  dotted: "M0 6H22",
  band: "M0 2H22V10H0Z",
  ring: "M11 2a4 4 0 1 0 .01 0Z",
  hollow: "M11 1L16 6L11 11L6 6Z",
  triangle: "M11 2L16 10H6Z",
  block: "M5 1H17V11H5Z",
  outlined: "M5 1H17V11H5Z",
  bar: "M7 1H15M11 1V11M7 11H15",
};

function swatch(key: Key): Node {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 22 12");
  svg.setAttribute("class", `swatch ${key.shape}`);
  svg.setAttribute("aria-hidden", "true");
  svg.style.setProperty("--colour", `var(--${key.colour})`);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[key.shape]);
  svg.append(path);
  return svg;
}

/** The heat map's colours: from never touched to the hottest. */
export function heatLegend(most: string): HTMLElement {
  return h(
    "div",
    { class: "heat-legend" },
    h("span", { class: "never" }),
    "never",
    h("span", { class: "ramp", "aria-hidden": "true" }),
    `little to ${most} × an even share`,
  );
}
