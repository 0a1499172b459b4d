// The charts of one step, or of all: over time, percentiles, addresses.

import type { Report, Step } from "./data.ts";
import type { Chart } from "./chart.ts";
import { h, section } from "./dom.ts";
import { number } from "./format.ts";
import { heatChart, hottest, laneCount } from "./heatmap.ts";
import { heatLegend, legend } from "./legend.ts";
import { percentileChart, plotted } from "./percentiles.ts";
import type { Selection } from "./selection.ts";
import { stepFacts } from "./step_facts.ts";
import { timelineChart } from "./timeline.ts";
import { onTrees, several } from "./words.ts";

/** The section, which follows the selection. */
export function detail(report: Report, selection: Selection): HTMLElement {
  const shown = (): Step[] => {
    const only = report.steps.find((s) => s.number === selection.step);
    return only ? [only] : report.steps;
  };
  const pick = (step: number): void => selection.select(step);
  const charts: [Chart, Chart, Chart] = [
    timelineChart(shown),
    percentileChart(shown, report.percentile_grid, pick),
    heatChart(shown, report.environment.targets),
  ];
  const [timeline, percentiles, heat] = charts;
  const captions = { percentiles: h("div"), heat: h("div"), facts: h("div") };
  const refresh = (): void => {
    captions.percentiles.replaceChildren(percentileCaption(shown()));
    captions.heat.replaceChildren(heatCaption(shown()));
    const only = shown().length === 1 ? shown()[0] : undefined;
    captions.facts.replaceChildren(...(only ? [stepFacts(only)] : []));
    for (const chart of charts) chart.redraw();
  };
  const element = section(
    "detail",
    "Step by step",
    report.steps.length > 1 && selector(report.steps, selection),
    figure("Over time", timelineLegend(report.steps), timeline.element),
    h(
      "div",
      { class: "halves" },
      h("div", { class: "half" }, figure("Percentiles", captions.percentiles, percentiles.element)),
      !onTrees() && h("div", { class: "half" }, figure("Addresses", captions.heat, heat.element)),
    ),
    captions.facts,
  );
  selection.onChange(refresh);
  queueMicrotask(refresh);
  return element;
}

function figure(title: string, caption: Node, chart: HTMLElement): HTMLElement {
  return h("figure", {}, h("figcaption", {}, h("h3", {}, title), caption), chart);
}

function timelineLegend(steps: Step[]): HTMLElement {
  const reduced = steps.some((s) => (s.series?.group ?? 1) > 1);
  const warm = steps.some((s) => s.series?.warmup.includes(true));
  const saturated = steps.some((s) => s.saturation?.saturated);
  return legend([
    { name: "rate, response mean", colour: "mean", shape: "solid" },
    { name: "p50", colour: "p50", shape: "dashed" },
    { name: "p99", colour: "p99", shape: "solid" },
    { name: "in flight", colour: "p50", shape: "solid" },
    { name: "host CPU", colour: "mark", shape: "dashed" },
    ...(saturated ? [{ name: "mean while saturated", colour: "muted", shape: "solid" as const }] : []),
    ...(steps.some((s) => s.stalls.count > 0) ? [{ name: "stall", colour: "p99", shape: "band" as const }] : []),
    ...(steps.some((s) => s.late_by_host.count > 0) ? [{ name: "host late", colour: "mark", shape: "band" as const }] : []),
    ...(steps.some((s) => s.actions.some((a) => a.began_s !== null)) ? [{ name: "what was done", colour: "ink", shape: "dotted" as const }] : []),
    ...(warm ? [{ name: "warm-up", colour: "muted", shape: "band" as const }] : []),
    ...(reduced ? [{ name: "slowest to fastest interval", colour: "mean", shape: "band" as const }] : []),
  ]);
}

function percentileCaption(steps: Step[]): HTMLElement {
  if (plotted(steps).length === 0 && steps.every((s) => s.response_curve_ns.length === 0)) {
    return h("div", { class: "heat-legend" }, `too few ${several()} for any percentile`);
  }
  if (steps.length === 1) {
    return legend([
      { name: "response", colour: "mean", shape: "solid" },
      { name: "service", colour: "service", shape: "dotted" },
    ]);
  }
  const lines = plotted(steps).length;
  const which = lines < steps.length ? `${lines} of ${steps.length} steps` : `${lines} steps`;
  return h(
    "div",
    { class: "heat-legend" },
    `response of ${which}, from the slowest rate`,
    h("span", { class: "ramp rates", "aria-hidden": "true" }),
    "to the fastest",
  );
}

function heatCaption(steps: Step[]): HTMLElement {
  const hidden = laneCount(steps) > 6 ? `; 6 of ${laneCount(steps)} streams are drawn` : "";
  return heatLegend(`${number(hottest(steps))}${hidden}`);
}

function selector(steps: Step[], selection: Selection): HTMLElement {
  const select = h(
    "select",
    { "aria-label": "Step", change: () => selection.select(select.value === "" ? null : Number(select.value)) },
    h("option", { value: "" }, `all ${steps.length} steps`),
    ...steps.map((s) => h("option", { value: s.number }, s.name)),
  );
  const move = (by: number): void => {
    const options = [null, ...steps.map((s) => s.number)];
    const at = options.indexOf(selection.step);
    selection.select(options[(at + by + options.length) % options.length] ?? null);
  };
  selection.onChange((step) => {
    select.value = step === null ? "" : String(step);
  });
  return h(
    "div",
    { class: "selector" },
    h("button", { type: "button", "aria-label": "Previous step", click: () => move(-1) }, "‹"),
    select,
    h("button", { type: "button", "aria-label": "Next step", click: () => move(1) }, "›"),
  );
}
