// A step's workloads and targets, where there are several.

import { estimate, timeIn, whole, words } from "./cells.ts";
import type { Brief, Part, Step } from "./data.ts";
import { h } from "./dom.ts";
import { type Unit, bytesUnit, number, timeUnit } from "./format.ts";
import { type Cell, type Column, type Group, table } from "./table.ts";
import { perSecond } from "./words.ts";

/** None, one or two tables. */
export function partsTables(step: Step): HTMLElement[] {
  const tables: [string, string, string, Part[]][] = [
    ["workload", "on", "Workloads", step.workloads],
    ["target", "by", "Targets", step.targets],
  ];
  return tables
    .filter(([, , , parts]) => parts.length > 0)
    .map(([what, beside, caption, parts]) => partsTable(what, beside, `${caption} of ${step.name}`, parts));
}

function partsTable(what: string, beside: string, caption: string, parts: Part[]): HTMLElement {
  const unit = timeUnit(parts.filter(sound).map((p) => p.response.p50_ns));
  const served = timeUnit(parts.filter(sound).map((p) => p.service_mean_ns.mean));
  const bandwidth = bytesUnit(parts.map((p) => p.bytes_per_s));
  const optional = (shown: boolean, column: Column<Part>): Column<Part>[] => (shown ? [column] : []);
  const groups: Group<Part>[] = [
    {
      title: "",
      columns: [
        { title: what, key: what, words: true, cell: (p) => words(p.name) },
        ...optional(
          parts.some((p) => p.with.length > 1 || p.with[0] !== parts[0]!.with[0]),
          { title: beside, key: "with", words: true, cell: (p) => words(p.with.join(", ")) },
        ),
        ...optional(
          parts.some((p) => p.offered !== null),
          { title: "offered", key: "offered", cell: (p) => ({ text: number(p.offered), value: p.offered }) },
        ),
        { title: "reads", key: "reads", cell: (p) => whole(p.reads) },
        { title: "writes", key: "writes", cell: (p) => whole(p.writes) },
        ...optional(
          parts.some((p) => p.trims > 0),
          { title: "trims", key: "trims", cell: (p) => whole(p.trims) },
        ),
        ...optional(
          parts.some((p) => p.errors > 0),
          { title: "errors", key: "errors", cell: (p) => whole(p.errors) },
        ),
      ],
    },
    {
      title: "Achieved",
      columns: [
        { title: perSecond(), key: "rate", cell: (p) => estimate(p.rate) },
        { title: `${bandwidth.name}/s`, key: "bytes_per_s", cell: (p) => ({ text: number(p.bytes_per_s / bandwidth.size), value: p.bytes_per_s }) },
      ],
    },
    { title: `Response, ${unit.name}`, columns: responseColumns(unit) },
    {
      title: `Service, ${served.name}`,
      columns: [
        { title: "mean", key: "service_mean_ns", cell: (p) => (sound(p) ? estimate(p.service_mean_ns, served.size) : timeIn(served, null)) },
        { title: "p99", key: "service_p99_ns", cell: (p) => timeIn(served, sound(p) ? p.service.p99_ns : null) },
      ],
    },
    ...(parts.some((p) => p.saturated_by !== null)
      ? [{ title: "", columns: [{ title: "saturated", key: "state", words: true, cell: cause }] }]
      : []),
  ];
  return table(groups, parts, { id: `step-${what}s`, caption, rowClass: (p) => (p.saturated_by === null ? "" : "saturated") });
}

/** What shows that it is saturated: a rate, which is not broken at its sign. */
function cause(part: Part): Cell {
  return { text: h("span", {}, part.saturated_by ?? ""), value: part.saturated_by };
}

/** Whether its times are latencies. */
function sound(part: Part): boolean {
  return part.saturated_by === null && part.ios > 0;
}

function responseColumns(unit: Unit): Column<Part>[] {
  const of = (title: string, key: keyof Brief): Column<Part> => ({
    title,
    key: `response_${key}`,
    cell: (p) => timeIn(unit, sound(p) ? p.response[key] : null),
  });
  return [
    { title: "mean", key: "response_mean_ns", cell: (p) => (sound(p) ? estimate(p.response_mean_ns, unit.size) : timeIn(unit, null)) },
    of("p50", "p50_ns"),
    of("p99", "p99_ns"),
    of("p99.9", "p999_ns"),
    of("max", "max_ns"),
  ];
}
