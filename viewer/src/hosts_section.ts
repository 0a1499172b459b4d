// The hosts of a run that several carried out together: a table, and a strip for each over time.

import type { Report, Step } from "./data.ts";
import { h, section } from "./dom.ts";
import { number, time } from "./format.ts";
import { type Range, hasHoles, hostStrips, hostsOf, isSaturated, rangeOf } from "./host_strips.ts";
import { hostRemarks, hostsTable, lineCount } from "./hosts_table.ts";
import type { Selection } from "./selection.ts";

/** A longer table is only that of one step. */
const MOST_LINES = 300;

/** The section, which follows the selection; `null` where one host did all. */
export function hostsSection(report: Report, selection: Selection): HTMLElement | null {
  const several = report.steps.filter((s) => lineCount(s) > 0);
  if (several.length === 0) return null;
  const shown = (): Step[] => {
    const chosen = report.steps.find((s) => s.number === selection.step);
    return chosen ? [chosen] : several;
  };
  const strips = hostsOf(several).length > 0 ? hostStrips(shown, hostNames(report)) : null;
  const [legend, body] = [h("div"), h("div")];
  const figure = strips && h("figure", { class: "host-strips" }, h("figcaption", {}, h("h3", {}, "The hosts over time"), legend), strips.element);
  const refresh = (): void => {
    body.replaceChildren(...hostsPart(shown()));
    if (!figure || !strips) return;
    figure.hidden = hostsOf(shown()).length === 0;
    legend.replaceChildren(stripLegend(shown()));
    strips.redraw();
  };
  selection.onChange(refresh);
  queueMicrotask(refresh);
  return section("hosts", "The hosts", body, figure);
}

/** What each host is called, by its number. */
function hostNames({ environment, steps }: Report): (host: number) => string {
  const names = new Map([environment.host, ...(environment.more_hosts ?? [])].map((host, i) => [i + 1, host.hostname]));
  for (const { host, name } of steps.flatMap((s) => [...s.hosts.parts, ...s.hosts.lost])) names.set(host, name);
  return (host) => names.get(host) || `host ${host}`;
}

function hostsPart(steps: Step[]): HTMLElement[] {
  const lines = steps.reduce((sum, s) => sum + lineCount(s), 0);
  if (lines === 0) return [h("p", {}, "One host carried this step out.")];
  if (lines <= MOST_LINES || steps.length === 1) {
    return [hostsTable(steps, steps.length === 1 ? `What each did in ${steps[0]!.name}` : "What each did"), ...hostRemarks(steps)];
  }
  const one = farthestApart(steps);
  return [hostsTable([one], `What each did in ${one.name}, the step in which they were the farthest apart`), ...hostRemarks([one])];
}

/** The step whose hosts' shares differ the most: the first of equals. */
function farthestApart(steps: Step[]): Step {
  const apart = (step: Step): number => {
    const shares = step.hosts.parts.flatMap((p) => p.share ?? []);
    const [low, high] = [shares.reduce((a, b) => Math.min(a, b), 1), shares.reduce((a, b) => Math.max(a, b), 0)];
    return (high - low) * shares.length;
  };
  return steps.reduce((best, s) => (apart(s) > apart(best) ? s : best));
}

function stripLegend(steps: Step[]): HTMLElement {
  const colours = (title: string, { low, high }: Range, words: (value: number) => string): HTMLElement =>
    h("div", { class: "heat-legend" }, `${title} from ${words(low)}`, h("span", { class: "ramp", "aria-hidden": "true" }), `to ${words(high)}`);
  const rate = rangeOf(steps, "rate");
  const response = rangeOf(steps, "response_mean_ns");
  const saturated = steps.some((s) => hostsOf([s]).some((host) => isSaturated(s, host)));
  const key = (name: string, what: string): HTMLElement => h("div", { class: "heat-legend" }, h("span", { class: name }), what);
  return h(
    "div",
    { class: "strip-keys" },
    colours("rate", rate, (v) => `${number(v)}/s`),
    response.high > 0 && colours("mean response", response, (v) => time(v)),
    saturated && key("void-time", "saturated: its times are no latency"),
    hasHoles(steps) && key("untold", "nothing was heard of it"),
  );
}
