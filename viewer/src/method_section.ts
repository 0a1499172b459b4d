// A method's verdict: its sentence, figures, tables and charts, whatever the method.

import { barKeys, barsChart } from "./bars_chart.ts";
import { cellsChart, cellsLegend } from "./cells_chart.ts";
import type { Chart } from "./chart.ts";
import type { MethodChart, MethodVerdict } from "./data.ts";
import { h, section } from "./dom.ts";
import { legend } from "./legend.ts";
import { lineKeys, linesChart } from "./lines_chart.ts";
import { figuresTable, methodTable, pointsOf } from "./method_tables.ts";
import { isPlaced } from "./value_axis.ts";
import { methodTitle } from "./words.ts";

/** More points than these are in no table of the page: the export has them. */
const MOST_POINTS = 2000;

/** The section of the page's `number`-th verdict, from 1; its sentence stands at the head of the page. */
export function methodSection(verdict: MethodVerdict, number: number): HTMLElement {
  return section(
    `method-${number}`,
    methodTitle(verdict),
    !verdict.decided &&
      h("p", { class: "flag undecided" }, h("b", {}, "Not decided."), " The question could not be answered with what was measured."),
    h("div", { class: "method-charts" }, ...(verdict.charts ?? []).map((chart, i) => figure(chart, `chart-${number}-${i + 1}`))),
    verdict.figures.length > 0 && figuresTable(verdict.figures, `figures-${number}`),
    ...(verdict.tables ?? []).map((t, i) => methodTable(t, `table-${number}-${i + 1}`)),
  );
}

function figure(chart: MethodChart, id: string): HTMLElement {
  const heading = h("h3", {}, chart.title);
  if (!hasPoints(chart)) {
    return h("figure", { id }, h("figcaption", {}, heading), h("p", { class: "undrawn" }, "There is nothing to draw."));
  }
  const drawn = draw(chart);
  queueMicrotask(() => drawn.redraw());
  const points = chart.series.reduce((sum, s) => sum + s.points.length, 0);
  return h(
    "figure",
    { id, class: chart.kind },
    h("figcaption", {}, heading, keys(chart), saidOf(chart)),
    drawn.element,
    points <= MOST_POINTS && pointsOf(chart, `${id}-points`),
  );
}

/** Whether anything has a place on the axes. */
function hasPoints(chart: MethodChart): boolean {
  const points = chart.series.flatMap((s) => s.points);
  if (chart.kind === "heat") return points.some((p) => p.z !== undefined && (chart.z === undefined || isPlaced(chart.z, p.z)));
  return points.some((p) => isPlaced(chart.x, p.x) && isPlaced(chart.y, p.y));
}

function draw(chart: MethodChart): Chart {
  const label = `${chart.title}: ${chart.y.label} against ${chart.x.label}. The numbers are in the table below.`;
  switch (chart.kind) {
    case "lines":
      return linesChart(chart, label);
    case "bars":
      return barsChart(chart, label);
    case "heat":
      return cellsChart(chart, label);
  }
}

/** What the intervals are of, and what has none. */
function saidOf(chart: MethodChart): HTMLElement | false {
  const said = chart.z?.intervals ?? chart.y.intervals;
  const points = chart.series.flatMap((s) => s.points);
  const without = points.some((p) => p.interval === undefined);
  if (said !== undefined) return h("p", { class: "intervals" }, `${said}.`);
  if (points.every((p) => p.interval === undefined)) return false;
  return h("p", { class: "intervals" }, without ? "95 % intervals; a point without one rests on too little for it." : "95 % intervals.");
}

function keys(chart: MethodChart): HTMLElement | false {
  if (chart.kind === "heat") return cellsLegend(chart);
  const all = chart.kind === "lines" ? lineKeys(chart) : barKeys(chart);
  return all.length > 0 && legend(all);
}
