// A curve: the chart, its capacities and its points.

import { curveChart, limitsAbove } from "./curve.ts";
import { capacitiesTable, pointsTable } from "./curve_tables.ts";
import type { CurveVerdict } from "./data.ts";
import { h, prose, section } from "./dom.ts";
import { legend } from "./legend.ts";
import { curveName } from "./words.ts";

/** The section of the `number`-th curve, from 1, of `of`. */
export function curveSection(verdict: CurveVerdict, number: number, of: number, onPick: (step: number) => void): HTMLElement {
  const chart = curveChart(verdict, onPick);
  queueMicrotask(() => chart.redraw());
  const saturated = verdict.points.some((p) => p.saturated);
  const above = limitsAbove(verdict);
  return section(
    `curve-${number}`,
    of > 1 ? `The curve of ${curveName(verdict)}` : "The curve",
    // The only one's stands at the head of the page.
    of > 1 && h("p", { class: "answer" }, ...prose(verdict.sentence)),
    h(
      "div",
      { class: "curve" },
      h(
        "figure",
        {},
        h(
          "figcaption",
          {},
          legend([
            { name: "response p99", colour: "p99", shape: "solid" },
            { name: "response mean", colour: "mean", shape: "solid" },
            { name: "response p50", colour: "p50", shape: "dashed" },
            { name: "service mean", colour: "service", shape: "dotted" },
            { name: "closed loop at the maximum", colour: "mean", shape: "hollow" },
            { name: "capacity at a limit", colour: "ink", shape: "ring" },
            ...(saturated ? [{ name: "saturated, no latency", colour: "muted", shape: "triangle" as const }] : []),
          ]),
          above !== "" && h("p", { class: "above" }, above),
        ),
        chart.element,
        verdict.limit !== undefined && h("p", { class: "limit" }, ...prose(`Maximum: ${verdict.limit.sentence}`)),
      ),
      verdict.capacities.length > 0 && capacitiesTable(verdict, `capacities-${number}`),
    ),
    pointsTable(verdict, `points-${number}`, onPick),
  );
}
