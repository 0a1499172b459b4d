// What each array below the targets told of itself: by step, over time, and one step's cores and shares.

import { type ArrayLine, arraysTable } from "./arrays_table.ts";
import { arrayChart, arrayKeys, isDrawn } from "./array_time.ts";
import { arrayFacts } from "./array_facts.ts";
import { coreBars, coresTable } from "./core_bars.ts";
import type { Report, Step } from "./data.ts";
import { h, section } from "./dom.ts";
import { legend } from "./legend.ts";
import type { Selection } from "./selection.ts";
import { shareBar } from "./share_bar.ts";

/** The section, which follows the selection; `null` where no array told anything. */
export function arraySection(report: Report, selection: Selection): HTMLElement | null {
  const names = [...new Set(report.steps.flatMap((s) => s.arrays.map((a) => a.name)))];
  if (names.length === 0) return null;
  const parts = names.map((name, i) => arrayPart(name, i + 1, report, selection));
  return section("array", names.length === 1 ? "The array" : "The arrays", ...parts);
}

function arrayPart(name: string, number: number, report: Report, selection: Selection): HTMLElement {
  const lines = report.steps.flatMap((step) => step.arrays.filter((a) => a.name === name).map((array): ArrayLine => ({ step, array })));
  const of = (step: number | null): ArrayLine | undefined => lines.find((l) => l.step.number === step);
  const shown = (): Step[] => {
    const chosen = report.steps.find((s) => s.number === selection.step);
    return chosen ? [chosen] : lines.map((l) => l.step);
  };
  const chart = arrayChart(name, shown);
  const time = h("figure", { class: "array-time" }, h("figcaption", {}, h("h3", {}, "In the array over time"), legend(arrayKeys(lines, name))), chart.element);
  const panel = h("div", { class: "array-panel" });
  const refresh = (): void => {
    const chosen = selection.step === null ? busiest(lines) : of(selection.step);
    const why = selection.step === null && lines.length > 1 ? ", the step with the busiest core" : "";
    panel.replaceChildren(...(chosen ? [arrayPanel(chosen, number, why)] : []));
    // A step may have been on another array.
    time.hidden = !isDrawn(shown(), name);
    chart.redraw();
  };
  selection.onChange(refresh);
  queueMicrotask(refresh);
  const scale = lines[0]?.array.scale ?? null;
  return h(
    "div",
    { class: "array" },
    h(
      "p",
      { class: "array-name" },
      h("code", {}, name),
      scale !== null && scale !== 1 && ` at a scale of ${scale}: its rates, capacity and caches are divided by it, its latencies are not`,
    ),
    lines.length > 1 && arraysTable(lines, number, (step) => selection.select(step)),
    time,
    panel,
  );
}

/** The step whose busiest core was the busiest: the first of equals. */
function busiest(lines: ArrayLine[]): ArrayLine | undefined {
  return lines.reduce<ArrayLine | undefined>((best, l) => ((l.array.core_max ?? 0) > (best?.array.core_max ?? -1) ? l : best), undefined);
}

function arrayPanel({ step, array }: ArrayLine, number: number, why: string): HTMLElement {
  return h(
    "div",
    {},
    h("h3", { class: "array-step" }, `The array in ${step.name}${why}`),
    h(
      "div",
      { class: "halves" },
      h("div", { class: "half" }, array.cores.length > 0 && coreBars(array), shareBar("Read from", array.read_source), shareBar("Written to", array.write_destination)),
      h("div", { class: "half" }, arrayFacts(array), array.cores.length > 0 && coresTable(array, number)),
    ),
  );
}
