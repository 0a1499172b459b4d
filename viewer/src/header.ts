// What was measured and what came of it: the first thing that is read.

import type { CurveVerdict, Estimate, Measured, MethodVerdict, Report, Step, Verdict } from "./data.ts";
import { h, prose } from "./dom.ts";
import { facts } from "./facts.ts";
import { bytes, count, number, time } from "./format.ts";
import { plans } from "./plan.ts";
import { toggleTheme } from "./theme.ts";
import { quantity, shownInterval } from "./quantity.ts";
import { askedLimits, several, statisticName, verdictName } from "./words.ts";

/** The top of the page. */
export function header(report: Report): HTMLElement {
  const { environment } = report;
  return h(
    "header",
    {},
    h(
      "div",
      { class: "masthead" },
      h("span", { class: "brand" }, mark(), "Plimsoll"),
      h("span", { class: "about" }, about(report)),
      h("button", { type: "button", class: "theme", "aria-label": "Light or dark", click: toggleTheme }, "◐"),
    ),
    report.measured.title !== null && h("p", { class: "run-title" }, report.measured.title),
    h("h1", {}, ...prose(report.sentence)),
    ...beside(report),
    ...report.verdicts.slice(1).map((v) => h("p", { class: "also" }, ...prose(`${verdictName(v)}: ${v.sentence}`))),
    environment.simulated &&
      h("p", { class: "flag simulated" }, h("b", {}, "Simulated."), " Nothing here is real: a model of storage in virtual time."),
    report.incomplete !== null && h("p", { class: "flag incomplete" }, h("b", {}, "Not whole."), ` ${report.incomplete}`),
    keyFigures(report),
  );
}

/** What limits the answer, and how far it can be trusted. */
function beside({ limit, trust }: Report): HTMLElement[] {
  const labelled = (label: string, text: string): HTMLElement => h("p", { class: "trust" }, h("b", {}, label), " ", ...prose(`${text}.`));
  return [...(limit !== null ? [labelled("Limit:", limit)] : []), labelled("Trust:", trust)];
}

/** What was measured: block, mix, addresses, content, depth; the plan folded behind it. */
export function measured(all: Measured): HTMLElement | false {
  const folded = plans(all);
  if (all.facts.length === 0 && folded.length === 0) return false;
  const list = facts(all.facts);
  list.id = "measured";
  return h("div", { class: "measured" }, list, ...folded);
}

/** What the page's title says. */
export function title(report: Report): string {
  return `${subject(report)} – Plimsoll`;
}

function subject({ environment: { targets } }: Report): string {
  const [first, ...others] = targets;
  if (!first) return "Report";
  const place = shortened(first.location);
  return others.length > 0 ? `${place} and ${others.length} more` : place;
}

/** Of several ways to one volume, which stand in a row, the first and their number. */
function shortened(location: string): string {
  const [first = location, ...others] = /^nbd(\+unix)?:/.test(location) ? location.split(",") : [location];
  return others.length > 0 ? `${first} over ${others.length + 1} paths` : first;
}

function about(report: Report): string {
  const started = report.environment.started.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
  const { host, more_hosts = [] } = report.environment;
  const hosts = more_hosts.length > 0 ? `${more_hosts.length + 1} hosts` : host.hostname;
  return [subject(report), hosts, started].filter((s) => s !== "").join("  ·  ");
}

/** The load line: a circle and the line through it. */
function mark(): Node {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", "M1 8H23M12 2a6 6 0 1 0 .01 0Z");
  svg.append(path);
  return svg;
}

interface Figure {
  name: string;
  value: string;
  unit: string;
  beside: string;
}

function keyFigures(report: Report): HTMLElement | false {
  const [first] = report.verdicts;
  const measured = report.steps.filter((s) => !s.fill);
  const figures = first ? verdictFigures(first) : stepFigures(measured);
  const errors = report.steps.reduce((sum, s) => sum + s.errors, 0);
  if (figures.length === 0) return false;
  figures.push({ name: `failed ${several()}`, value: count(errors), unit: "", beside: `of ${count(measured.reduce((sum, s) => sum + s.ios, 0) + errors)}` });
  return h(
    "dl",
    { class: "figures" },
    ...figures.map((f) =>
      h(
        "div",
        {},
        h("dt", {}, f.name),
        h("dd", { class: "value" }, f.value),
        h("dd", { class: "beside" }, [f.unit, f.beside].filter((t) => t !== "").join("  ")),
      ),
    ),
  );
}

function rateFigure(name: string, rate: Estimate, prefix = ""): Figure {
  const beside = rate.half_width === null ? "" : `± ${number(rate.half_width)}`;
  return { name, value: `${prefix}${number(rate.mean)}`, unit: `${several()} per s`, beside };
}

function verdictFigures(verdict: Verdict): Figure[] {
  return verdict.kind === "curve" ? curveFigures(verdict) : methodFigures(verdict);
}

/** The first of a method's figures that could be found out, which are its most important ones; all are in its section. */
function methodFigures(method: MethodVerdict): Figure[] {
  const known = method.figures.filter((f) => f.quantity !== null);
  return known.slice(0, 4).map((f) => {
    const beside = f.quantity && f.interval ? shownInterval(f.quantity, f.interval) : "";
    return { name: f.label, value: quantity(f.quantity), unit: "", beside };
  });
}

/** The maximum, the knee, and the two tightest limits that hold anywhere. */
function curveFigures(curve: CurveVerdict): Figure[] {
  const figures = [rateFigure("maximum", curve.maximum)];
  if (curve.knee) figures.push(rateFigure("knee", curve.knee));
  for (const c of askedLimits(curve).filter((c) => c.rate === null)) {
    figures.push({ name: `${statisticName(c.statistic)} ≤ ${time(c.limit_ns)}`, value: "–", unit: "not decided", beside: "" });
  }
  for (const c of curve.capacities.filter((c) => c.rate !== null).slice(0, 2)) {
    figures.push(rateFigure(`${statisticName(c.statistic)} ≤ ${time(c.limit_ns)}`, c.rate!, c.at_least ? "≥ " : ""));
  }
  return figures;
}

/** Of one step its numbers; of many none, for the table has them. */
function stepFigures(steps: Step[]): Figure[] {
  const [step] = steps;
  // Of a step that ended in its warm-up there is no number.
  if (!step || steps.length > 1 || step.counted_s === 0) return [];
  const timeFigure = (name: string, ns: number | null, half: number | null): Figure => {
    const [value = "", unit = ""] = time(ns).split(" ");
    return { name, value, unit, beside: half === null ? "" : `± ${time(half)}` };
  };
  const [bandwidth = "", unit = ""] = bytes(step.bytes_per_s).split(" ");
  return [
    rateFigure("rate", step.rate),
    { name: "bandwidth", value: bandwidth, unit: `${unit}/s`, beside: "" },
    ...(step.saturated_by !== null
      ? [{ name: "response", value: "saturated", unit: "", beside: step.saturated_by }]
      : [
          timeFigure("mean response", step.response.mean_ns, step.response_mean_ns.half_width),
          timeFigure("p99 response", step.response.p99_ns, null),
          timeFigure("mean service", step.service.mean_ns, step.service_mean_ns.half_width),
        ]),
  ];
}
