// A method's figures, tables and the points of its charts, in numbers.

import { words } from "./cells.ts";
import type { Axis, ChartPoint, Figure, MethodCell, MethodChart, MethodTable, Quantity } from "./data.ts";
import { h } from "./dom.ts";
import { type Unit, bytesUnit, number, percent, timeUnit } from "./format.ts";
import { inUnit, onAxis, quantity } from "./quantity.ts";
import { type Cell, type Column, table } from "./table.ts";

/** All figures, with their intervals and remarks. */
export function figuresTable(figures: Figure[], id: string): HTMLElement {
  const end = (at: 0 | 1) => (f: Figure): Cell => {
    const value = f.interval?.[at] ?? null;
    return { text: value === null ? "" : shownEnd(f.quantity, value), value };
  };
  const remarks = figures.some((f) => f.remark !== undefined);
  return table<Figure>(
    [
      {
        title: "",
        columns: [
          { title: "Figure", key: "figure", words: true, cell: (f) => ({ text: f.label, value: keyOf(f) }) },
          { title: "value", key: "value", cell: (f) => ({ text: quantity(f.quantity), value: f.quantity?.value ?? null }) },
        ],
      },
      ...(figures.some((f) => f.interval)
        ? [
            {
              title: "95 %",
              columns: [
                { title: "from", key: "low", cell: end(0) },
                { title: "to", key: "high", cell: end(1) },
              ],
            },
          ]
        : []),
      ...(remarks ? [{ title: "", columns: [{ title: "", key: "remark", words: true, cell: (f: Figure) => words(f.remark ?? "") }] }] : []),
    ],
    figures,
    { id, caption: "Figures" },
  );
}

/** A figure's key with its unit, so that saved numbers say what they are. */
function keyOf(figure: Figure): string {
  const unit = figure.quantity?.unit;
  return unit === undefined || unit === "text" || unit === "number" || unit === "count" ? figure.name : `${figure.name}_${unit}`;
}

function shownEnd(of: Quantity | null, value: number): string {
  if (of === null || of.unit === "text" || of.unit === "count") return number(value);
  return inUnit(of.unit, value);
}

const NOTHING: MethodCell = { quantity: null };

/** A table as the method made it; a column has one unit, where its cells have. */
export function methodTable(of: MethodTable, id: string): HTMLElement {
  const columns = of.columns.map(({ name, label }, at): Column<MethodCell[]> => {
    const cells = of.rows.map((row) => row[at] ?? NOTHING);
    const units = new Set(cells.flatMap((c) => (c.quantity ? [c.quantity.unit] : [])));
    const only = units.size === 1 ? [...units][0] : undefined;
    const scale = only === undefined ? null : scaleOf(only, cells);
    return {
      title: scale && scale.name !== "" ? [label, scale.name].filter((t) => t !== "").join(", ") : label,
      key: scale && only !== "number" && only !== "count" ? `${name}_${only}` : name,
      words: units.size === 0 || units.has("text"),
      cell: (row) => cellOf(row[at] ?? NOTHING, scale),
    };
  });
  return table<MethodCell[]>([{ title: "", columns }], of.rows, { id, caption: of.title });
}

/** The unit of a column's heading; `null` where each number has its own beside it. */
function scaleOf(unit: Quantity["unit"], cells: MethodCell[]): Unit | null {
  const values = cells.flatMap((c) => (c.quantity && c.quantity.unit !== "text" ? [c.quantity.value] : []));
  switch (unit) {
    case "ns":
      return timeUnit(values);
    case "seconds": {
      const nice = timeUnit(values.map((s) => s * 1e9));
      return { name: nice.name, size: nice.size / 1e9 };
    }
    case "bytes":
      return bytesUnit(values);
    case "bytes_per_second": {
      const nice = bytesUnit(values);
      return { name: `${nice.name}/s`, size: nice.size };
    }
    case "per_second":
      return { name: "per s", size: 1 };
    case "number":
    case "count":
      return { name: "", size: 1 };
    default:
      return null;
  }
}

function cellOf({ quantity: of, interval }: MethodCell, scale: Unit | null): Cell {
  if (of === null || of.unit === "text" || scale === null) {
    const text = of?.unit === "share" ? percent(of.value) : quantity(of);
    return { text: interval ? h("span", {}, text, spread(interval, of?.unit === "share" ? percent : number)) : text, value: of?.value ?? null };
  }
  const shown = (value: number): string => number(value / scale.size);
  if (!interval) return { text: shown(of.value), value: of.value };
  const [low, high] = interval;
  const [below, above] = [of.value - low, high - of.value];
  const even = Math.abs(above - below) <= 0.02 * Math.max(above, below);
  const beside = even ? h("span", { class: "half-width" }, ` ± ${shown((high - low) / 2)}`) : spread(interval, shown);
  return { text: h("span", {}, shown(of.value), beside), value: of.value };
}

/** The ends of an interval that is no ±. */
function spread([low, high]: [number, number], shown: (value: number) => string): HTMLElement {
  return h("span", { class: "half-width" }, ` (${shown(low)} to ${shown(high)})`);
}

/** The points of a chart, folded below it: for whoever cannot see it, or wants the numbers. */
export function pointsOf(chart: MethodChart, id: string): HTMLElement {
  interface Row {
    series: string;
    point: ChartPoint;
  }
  const rows: Row[] = chart.series.flatMap((s) => s.points.map((point) => ({ series: s.name, point })));
  const of = (axis: Axis, key: string, value: (p: ChartPoint) => number | null): Column<Row> => ({
    title: axis.label,
    key: axis.categories ? key : `${key}_${axis.unit}`,
    words: axis.categories !== undefined,
    cell: ({ point }) => {
      const at = value(point);
      if (at === null) return { text: number(null), value: null };
      return { text: onAxis(axis, at), value: axis.categories?.[at] ?? at };
    },
  });
  const named = chart.series.some((s) => s.name !== "");
  const columns: Column<Row>[] = [
    ...(named ? [{ title: "Series", key: "series", words: true, cell: (r: Row) => words(r.series) }] : []),
    of(chart.x, "x", (p) => p.x),
    of(chart.y, "y", (p) => p.y),
    ...(rows.some((r) => r.point.interval)
      ? [
          of({ ...(chart.z ?? chart.y), label: "from" }, "low", (p) => p.interval?.[0] ?? null),
          of({ ...(chart.z ?? chart.y), label: "to" }, "high", (p) => p.interval?.[1] ?? null),
        ]
      : []),
    ...(chart.z ? [of(chart.z, "z", (p) => p.z ?? null)] : []),
  ];
  return h(
    "details",
    { class: "numbers" },
    h("summary", {}, "Numbers"),
    table<Row>([{ title: "", columns }], rows, { id, caption: `${chart.title} in numbers` }),
  );
}
