// A grid of cells, coloured by how much: for two things that were varied.

import { tooltipBody, tooltipStyle } from "./axis.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import { ramp, rgb } from "./colour.ts";
import type { Axis, ChartPoint, MethodChart } from "./data.ts";
import { h } from "./dom.ts";
import { type Key, legend } from "./legend.ts";
import { inUnit, onAxis, tick } from "./quantity.ts";
import { chartAxes, isPlaced, namedAxis } from "./value_axis.ts";

/** A cell must be so large to have its number in it, px. */
const [LETTER, LINE] = [6.6, 15];

/** A cell with the name of its series: of those that have something in common. */
type Named = ChartPoint & { name: string };

/** The places of the rows and columns: each that occurs, equally far apart. */
interface Grid {
  across: number[];
  up: number[];
  cells: Named[];
  least: number;
  most: number;
  logarithmic: boolean;
}

const NUMBERS: Axis = { label: "", unit: "number", logarithmic: false };

function gridOf(chart: MethodChart): Grid {
  const known = (p: ChartPoint): boolean => p.z !== undefined && isPlaced(chart.z ?? NUMBERS, p.z);
  const cells = chart.series.flatMap((s) => s.points.map((p): Named => ({ ...p, name: s.name }))).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
  const places = (of: (p: ChartPoint) => number): number[] => [...new Set(cells.map(of))].sort((a, b) => a - b);
  const values = cells.filter(known).map((p) => p.z!);
  return {
    across: places((p) => p.x),
    up: places((p) => p.y),
    cells: cells.filter(known),
    least: values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    most: values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    logarithmic: chart.z?.logarithmic ?? false,
  };
}

/** The chart. */
export function cellsChart(chart: MethodChart, label: string): Chart {
  const grid = gridOf(chart);
  const height = Math.min(520, Math.max(150, 80 + grid.up.length * 36));
  return new Chart(label, height, (frame) => option(chart, grid, frame));
}

/** What the colours mean. */
export function cellsLegend(chart: MethodChart): HTMLElement {
  const { least, most } = gridOf(chart);
  const axis = chart.z ?? NUMBERS;
  const named = chart.series.filter((s) => s.name !== "" && s.points.length > 0);
  const colours = h(
    "div",
    { class: "heat-legend" },
    `${axis.label} from ${onAxis(axis, least)}`,
    h("span", { class: "ramp", "aria-hidden": "true" }),
    `to ${onAxis(axis, most)}`,
  );
  if (named.length === 0) return colours;
  return h("div", { class: "heat-keys" }, colours, legend(named.map(({ name }): Key => ({ name, colour: "ink", shape: "outlined" }))));
}

/** Where a value lies between the least and the most, 0..1. */
function share(grid: Grid, z: number): number {
  const [low, high] = [grid.least, grid.most];
  const part = grid.logarithmic ? Math.log(z / low) / Math.log(high / low) : (z - low) / (high - low);
  // All alike are all the most.
  return Number.isFinite(part) ? part : 1;
}

function option(chart: MethodChart, grid: Grid, { palette, width, height }: Frame): EChartsOption {
  const axes = chartAxes(palette, chart, grid.across, grid.up);
  const names = (axis: Axis, places: number[]): string[] => places.map((p) => tick(axis, p));
  const z = chart.z ?? NUMBERS;
  // Room beside the labels, about.
  const room = [(width - 90) / grid.across.length, (height - 80) / grid.up.length] as const;
  return {
    ...axes,
    xAxis: { ...axes.xAxis, ...namedAxis(palette, chart.x, names(chart.x, grid.across)) },
    yAxis: { ...axes.yAxis, ...namedAxis(palette, chart.y, names(chart.y, grid.up)) },
    tooltip: { ...tooltipStyle(palette), trigger: "item" },
    series: [
      {
        type: "custom" as const,
        clip: true,
        data: grid.cells.map((p) => [grid.across.indexOf(p.x), grid.up.indexOf(p.y)]),
        renderItem: (params: { dataIndex: number }, api: { coord: (at: number[]) => number[]; value: (i: number) => number }) => {
          const cell = grid.cells[params.dataIndex]!;
          const value = cell.z!;
          const fill = ramp(palette.heat, share(grid, value));
          const [x, y] = [api.value(0), api.value(1)];
          const [left, top] = api.coord([x - 0.5, y + 0.5]) as [number, number];
          const [right, bottom] = api.coord([x + 0.5, y - 0.5]) as [number, number];
          const text = written(z, cell, room);
          const inset = cell.name === "" ? 1 : 2;
          const outline = cell.name === "" ? {} : { stroke: palette.ink, lineWidth: 2 };
          return {
            type: "rect" as const,
            // An outline lies inside of its cell.
            shape: { x: left + inset, y: top + inset, width: Math.max(1, right - left - 2 * inset), height: Math.max(1, bottom - top - 2 * inset) },
            style: { fill, ...outline },
            ...(text !== "" ? { textContent: { style: { text, fill: legible(fill), fontSize: 11, lineHeight: 14 } }, textConfig: { position: "inside" as const } } : {}),
          };
        },
        tooltip: {
          formatter: ({ dataIndex }: { dataIndex: number }) => {
            const p = grid.cells[dataIndex]!;
            return tooltipBody(onAxis(z, p.z!), [
              [chart.x.label, onAxis(chart.x, p.x)],
              [chart.y.label, onAxis(chart.y, p.y)],
              ...(p.name !== "" ? [["", p.name] as [string, string]] : []),
              ...(p.interval ? [["95 %", p.interval.map((end) => inUnit(z.unit, end)).join(" to ")] as [string, string]] : []),
            ]);
          },
        },
      },
    ],
  } as EChartsOption;
}

/** A cell's value and below it half of its interval, as far as there is room. */
function written(axis: Axis, { z, interval }: ChartPoint, [width, height]: readonly [number, number]): string {
  const fits = (line: string): boolean => line.length * LETTER < width;
  const value = tick(axis, z!);
  if (!fits(value) || height < LINE) return "";
  const half = interval && `± ${tick(axis, (interval[1] - interval[0]) / 2)}`;
  return half !== undefined && fits(half) && height >= 2 * LINE ? `${value}\n${half}` : value;
}

/** Black or white, whichever stands out more (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance, without the curve). */
function legible(fill: string): string {
  const [r, g, b] = rgb(fill);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 140 ? "#111111" : "#ffffff";
}
