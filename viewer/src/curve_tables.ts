// The curve in numbers: its points, and the capacity at each limit.

import { estimate, plain, timeIn, words } from "./cells.ts";
import type { Capacity, CurvePoint, CurveVerdict, Estimate } from "./data.ts";
import { h } from "./dom.ts";
import { time, timeUnit } from "./format.ts";
import { stepLink } from "./step_link.ts";
import { table } from "./table.ts";
import { perSecond, statisticName } from "./words.ts";

/** The points, by rising rate; a saturated one has dashes for its times, and what shows the saturation at the end. */
export function pointsTable(verdict: CurveVerdict, id: string, onPick: (step: number) => void): HTMLElement {
  const unit = timeUnit(verdict.points.filter((p) => !p.saturated).flatMap((p) => [p.response_mean_ns.mean, p.response_p99_ns]));
  const time = (key: string, title: string, of: (p: CurvePoint) => number | null) => ({
    title,
    key,
    cell: (p: CurvePoint) => timeIn(unit, p.saturated ? null : of(p)),
  });
  const mean = (p: CurvePoint, of: Estimate) => (p.saturated ? timeIn(unit, null) : estimate(of, unit.size));
  return table<CurvePoint>(
    [
      {
        title: "",
        columns: [
          { title: "Point", key: "name", words: true, cell: (p) => ({ text: stepLink(pointName(p), p.step, onPick), value: p.name }) },
        ],
      },
      {
        title: perSecond(),
        columns: [
          { title: "offered", key: "offered", cell: (p) => plain(p.offered) },
          { title: "achieved", key: "achieved", cell: (p) => estimate(p.achieved) },
        ],
      },
      {
        title: `Response, ${unit.name}`,
        columns: [
          { title: "mean", key: "response_mean_ns", cell: (p) => mean(p, p.response_mean_ns) },
          time("response_p50_ns", "p50", (p) => p.response_p50_ns),
          time("response_p99_ns", "p99", (p) => p.response_p99_ns),
          time("response_p999_ns", "p99.9", (p) => p.response_p999_ns),
        ],
      },
      {
        title: `Service, ${unit.name}`,
        columns: [{ title: "mean", key: "service_mean_ns", cell: (p) => mean(p, p.service_mean_ns) }],
      },
      {
        title: "",
        columns: [
          { title: "in flight", key: "depth_mean", cell: (p) => plain(p.depth_mean) },
          { title: "", key: "state", words: true, cell: (p) => words(pointState(verdict, p)) },
        ],
      },
    ],
    verdict.points,
    { id, caption: "Points of the curve", rowClass: (p) => (p.saturated ? "saturated" : p.percent === null ? "maximum" : "") },
  );
}

function pointName(point: CurvePoint): string {
  return point.percent === null ? "maximum" : `${point.percent}%`;
}

function pointState(verdict: CurveVerdict, point: CurvePoint): string {
  if (point.saturated) return `saturated: ${verdict.saturated_by[point.step] ?? ""}`;
  return point.percent === null ? "closed loop" : "";
}

/** The largest rate at which each response limit holds. */
export function capacitiesTable(verdict: CurveVerdict, id: string): HTMLElement {
  const unit = timeUnit(verdict.capacities.map((c) => c.response_mean_ns));
  return table<Capacity>(
    [
      {
        title: "",
        columns: [
          {
            title: "Response limit",
            key: "limit",
            words: true,
            cell: (c) => words(`${statisticName(c.statistic)} ≤ ${time(c.limit_ns)}`),
          },
          { title: perSecond(), key: "rate", cell: rateCell },
          {
            title: `mean there, ${unit.name}`,
            key: "response_mean_ns",
            cell: (c) => timeIn(unit, c.response_mean_ns),
          },
        ],
      },
    ],
    verdict.capacities,
    { id, caption: "Capacity" },
  );
}

function rateCell(capacity: Capacity) {
  if (capacity.rate === null) return { text: "never held", value: null, void: true };
  const cell = estimate(capacity.rate);
  return capacity.at_least ? { ...cell, text: h("span", {}, "≥ ", cell.text) } : cell;
}
