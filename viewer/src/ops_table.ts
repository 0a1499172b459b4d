// Reads, writes and operations on trees of all steps, apart.

import { timeIn, whole, words } from "./cells.ts";
import type { Latency, OpPart, Step } from "./data.ts";
import { bytesUnit, number, timeUnit } from "./format.ts";
import { stepLink } from "./step_link.ts";
import { type Cell, type Column, table } from "./table.ts";
import { one, perSecond, several } from "./words.ts";

interface Line {
  step: Step;
  op: OpPart;
}

/** One row for each operation of each step that has several; `null` where none has. */
export function opsTable(steps: Step[], pick: (step: number) => void): HTMLElement | null {
  const lines = steps.filter((s) => s.ops.length > 1 && s.counted_s > 0).flatMap((step) => step.ops.map((op): Line => ({ step, op })));
  if (lines.length === 0) return null;
  const unit = timeUnit(lines.filter(sound).map((l) => l.op.response.p50_ns));
  const served = timeUnit(lines.filter(sound).map((l) => l.op.service.p50_ns));
  const bandwidth = bytesUnit(lines.map(bytesPerSecond));
  const by = (value: number, size: number): Cell => ({ text: number(value / size), value });
  const of = (title: string, key: keyof Latency, part: "response" | "service" = "response"): Column<Line> => ({
    title,
    key: `${part}_${key}`,
    cell: (l) => timeIn(part === "response" ? unit : served, sound(l) ? l.op[part][key] : null),
  });
  return table<Line>(
    [
      {
        title: "",
        columns: [
          { title: "Step", key: "name", words: true, cell: (l) => ({ text: stepLink(l.step.name, l.step.number, pick), value: l.step.name }) },
          { title: "operation", key: "op", words: true, cell: (l) => words(l.op.op) },
          { title: several(), key: "ios", cell: (l) => whole(l.op.ios) },
          { title: "errors", key: "errors", cell: (l) => whole(l.op.errors) },
        ],
      },
      {
        title: "Achieved",
        columns: [
          { title: perSecond(), key: "rate", cell: (l) => by(l.op.ios / l.step.counted_s, 1) },
          { title: `${bandwidth.name}/s`, key: "bytes_per_s", cell: (l) => by(bytesPerSecond(l), bandwidth.size) },
        ],
      },
      {
        title: `Response, ${unit.name}`,
        columns: [of("mean", "mean_ns"), of("p50", "p50_ns"), of("p99", "p99_ns"), of("p99.9", "p999_ns"), of("max", "max_ns")],
      },
      { title: `Service, ${served.name}`, columns: [of("mean", "mean_ns", "service"), of("p99", "p99_ns", "service")] },
    ],
    lines,
    { id: "ops-table", caption: one() === "I/O" ? "Reads and writes" : "Operations", rowClass: (l) => (sound(l) ? "" : "saturated") },
  );
}

/** Whether its times are latencies. */
function sound(line: Line): boolean {
  return line.step.saturated_by === null;
}

function bytesPerSecond(line: Line): number {
  return line.op.bytes / line.step.counted_s;
}
