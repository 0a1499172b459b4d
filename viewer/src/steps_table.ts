// All steps in numbers.

import { estimate, plain, timeIn, whole, words } from "./cells.ts";
import type { Estimate, Latency, Step } from "./data.ts";
import { type Unit, bytesUnit, number, percent, timeUnit } from "./format.ts";
import { stepLink } from "./step_link.ts";
import { type Cell, type Column, type Group, table } from "./table.ts";
import { onTrees, perSecond, several, stateWords } from "./words.ts";

/** One row a step; a saturated one has dashes for its times. */
export function stepsTable(steps: Step[], onPick: (step: number) => void): HTMLElement {
  const unit = timeUnit(steps.filter((s) => !isSaturated(s)).flatMap((s) => [s.response.mean_ns, s.response.p99_ns]));
  const bandwidth = bytesUnit(steps.map((s) => s.bytes_per_s));
  const groups: Group<Step>[] = [
    {
      title: "",
      columns: [
        { title: "Step", key: "name", words: true, cell: (s) => ({ text: stepLink(s.name, s.number, onPick), value: s.name }) },
        { title: "load", key: "load", words: true, cell: (s) => words(s.load) },
        { title: several(), key: "ios", cell: (s) => whole(s.ios) },
        { title: "errors", key: "errors", cell: (s) => whole(s.errors) },
      ],
    },
    {
      title: "Achieved",
      columns: [
        { title: perSecond(), key: "rate", cell: (s) => estimate(s.rate) },
        { title: `${bandwidth.name}/s`, key: "bytes_per_s", cell: (s) => ({ text: number(s.bytes_per_s / bandwidth.size), value: s.bytes_per_s }) },
      ],
    },
    { title: `Response, ${unit.name}`, columns: responseColumns(unit) },
    {
      title: `Service, ${unit.name}`,
      columns: [
        { title: "mean", key: "service_mean_ns", cell: (s) => meanCell(s, s.service_mean_ns, unit) },
        { title: "p99", key: "service_p99_ns", cell: (s) => timeIn(unit, isSaturated(s) ? null : s.service.p99_ns) },
      ],
    },
    { title: "", columns: restColumns(steps) },
  ];
  return table(groups, steps, { id: "steps-table", caption: "Steps", rowClass: (s) => (isSaturated(s) ? "saturated" : s.fill ? "fill" : "") });
}

/** A mean of no I/Os is none, and that of a saturated step is none of a latency. */
function meanCell(step: Step, mean: Estimate, unit: Unit): Cell {
  return step.ios > 0 && !isSaturated(step) ? estimate(mean, unit.size) : timeIn(unit, null);
}

function isSaturated(step: Step): boolean {
  return step.saturation?.saturated ?? false;
}

function responseColumns(unit: Unit): Column<Step>[] {
  const of = (title: string, key: keyof Latency): Column<Step> => ({
    title,
    key: `response_${key}`,
    cell: (s) => timeIn(unit, isSaturated(s) ? null : s.response[key]),
  });
  return [
    { title: "mean", key: "response_mean_ns", cell: (s) => meanCell(s, s.response_mean_ns, unit) },
    of("p50", "p50_ns"),
    of("p99", "p99_ns"),
    of("p99.9", "p999_ns"),
    of("max", "max_ns"),
  ];
}

function restColumns(steps: Step[]): Column<Step>[] {
  const cpu = timeUnit(steps.map((s) => s.cpu_ns_per_io));
  const hottest: Column<Step> = {
    title: "hottest 1/256",
    key: "hottest_share",
    cell: (s) => ({ text: percent(hottestShare(s)), value: hottestShare(s) }),
  };
  const columns: Column<Step>[] = [
    { title: "in flight", key: "depth_mean", cell: (s) => plain(s.depth_mean) },
    { title: `CPU/IO, ${cpu.name}`, key: "cpu_ns_per_io", cell: (s) => timeIn(cpu, s.cpu_ns_per_io) },
    ...(onTrees() ? [] : [hottest]),
    { title: "counted, s", key: "counted_s", cell: (s) => plain(s.counted_s) },
  ];
  if (steps.some((s) => stateWords(s) !== "")) {
    columns.push({ title: "", key: "state", words: true, cell: (s) => words(stateWords(s)) });
  }
  return columns;
}

/** Share of the accesses that the hottest 1/256 of the addresses got; the largest of all maps. */
function hottestShare(step: Step): number | null {
  const shares = (step.series?.heat.lanes ?? []).map((l) => l.hottest_share).filter((s) => s !== null);
  return shares.length > 0 ? Math.max(...shares) : null;
}
