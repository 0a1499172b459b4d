// The array's main figures, a line for each step.

import type { ArrayView, Step } from "./data.ts";
import { plain, timeIn } from "./cells.ts";
import { percent, timeUnit } from "./format.ts";
import { stepLink } from "./step_link.ts";
import { type Cell, type Column, table } from "./table.ts";

export interface ArrayLine {
  step: Step;
  array: ArrayView;
}

/** The table; columns that no step has a number for are left out. */
export function arraysTable(lines: ArrayLine[], number: number, pick: (step: number) => void): HTMLElement {
  const unit = timeUnit(lines.map((l) => ns(l.array.mean_us)));
  const share = (value: number | null): Cell => ({ text: percent(value), value });
  const columns: Column<ArrayLine>[] = [
    { title: `in the array, ${unit.name}`, key: "mean_ns", cell: (l) => timeIn(unit, ns(l.array.mean_us)) },
    { title: "busiest core", key: "core_max", cell: (l) => share(l.array.core_max) },
    { title: "mean core", key: "core_mean", cell: (l) => share(l.array.core_mean) },
    { title: "largest owner", key: "owner_max", cell: (l) => share(l.array.owner_max) },
    { title: "busiest port", key: "port_max", cell: (l) => share(l.array.port_max) },
    { title: "back-end per I/O", key: "back_end_ratio", cell: (l) => plain(l.array.back_end_per_io) },
    { title: "journal", key: "journal_fill", cell: (l) => share(journal(l.array)) },
    { title: "write amp.", key: "write_amplification", cell: (l) => plain(l.array.write_amplification) },
    { title: "read from", key: "read_source", words: true, cell: (l) => places(l.array.read_source) },
    { title: "written to", key: "write_destination", words: true, cell: (l) => places(l.array.write_destination) },
  ];
  const known = columns.filter((c) => lines.some((l) => ![null, ""].includes(c.cell(l).value as string | null)));
  return table<ArrayLine>(
    [
      {
        title: "",
        columns: [
          { title: "Step", key: "name", words: true, cell: (l) => ({ text: stepLink(l.step.name, l.step.number, pick), value: l.step.name }) },
          ...known,
        ],
      },
    ],
    lines,
    { id: `arrays-${number}`, caption: "By step" },
  );
}

function ns(us: number | null): number | null {
  return us === null ? null : us * 1e3;
}

function journal(array: ArrayView): number | null {
  // One that was full before anything was in it has room for nothing.
  return array.journal && array.journal.capacity_bytes > 0 ? array.journal.fill_bytes / array.journal.capacity_bytes : null;
}

function places(shares: ArrayView["read_source"]): Cell {
  const told = shares.filter((s) => s.share >= 0.005).sort((a, b) => b.share - a.share);
  const text = told.map((s) => `${s.place} ${percent(s.share)}`).join(", ");
  return { text, value: text };
}
