// What an array told over time: how busy its cores were, its journal, and what it asked of its media.

import type { ArrayLine } from "./arrays_table.ts";
import { axisStyle, clockAxis, rateAxis, tooltipBody, tooltipStyle } from "./axis.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import type { ArraySeries, Step } from "./data.ts";
import { clock, number, percent } from "./format.ts";
import type { Key } from "./legend.ts";
import { type Placed, place } from "./placement.ts";
import type { Palette } from "./theme.ts";
import { frames } from "./timeline.ts";

/** One point: its place on the axis, and where it comes from. */
interface Point {
  x: number;
  step: Step;
  series: ArraySeries;
  index: number;
}

type Column = keyof ArraySeries;

interface Line {
  column: Column;
  name: string;
  colour: "mean" | "p50" | "p99" | "service" | "mark";
  shape: "solid" | "dashed" | "dotted";
}

/** The charts, from top to bottom; one without a value is left out. */
const GRIDS: { title: string; lines: Line[] }[] = [
  {
    title: "busy, filled",
    lines: [
      { column: "core_max", name: "busiest core", colour: "p99", shape: "solid" },
      { column: "core_mean", name: "mean of the cores", colour: "mean", shape: "solid" },
      { column: "journal_fill", name: "journal fill", colour: "mark", shape: "dashed" },
    ],
  },
  {
    title: "requests per second",
    lines: [
      { column: "front_end_iops", name: "from hosts", colour: "service", shape: "dotted" },
      { column: "back_end_iops", name: "to flash and disks", colour: "p50", shape: "solid" },
    ],
  },
  { title: "write amplification", lines: [{ column: "write_amplification", name: "write amplification", colour: "mark", shape: "solid" }] },
];

const HEIGHT = { grid: 104, above: 38, below: 26 };

/** The chart; `steps` says which steps to show now. */
export function arrayChart(name: string, steps: () => Step[]): Chart {
  const grids = (): number => gridsOf(steps().flatMap((s) => seriesOf(s, name) ?? [])).length;
  const chart: Chart = new Chart(
    "The array's cores, journal and requests over time; its numbers by step are in the tables of this section.",
    height(grids()),
    (frame) => {
      chart.setHeight(height(grids()));
      return option(name, steps(), frame);
    },
  );
  return chart;
}

/** True where a step has something of the array to draw. */
export function isDrawn(steps: Step[], name: string): boolean {
  return gridsOf(steps.flatMap((s) => seriesOf(s, name) ?? [])).length > 0;
}

/** What the lines mean. */
export function arrayKeys(lines: ArrayLine[], name: string): Key[] {
  const all = lines.flatMap((l) => seriesOf(l.step, name) ?? []);
  return gridsOf(all).flatMap((g) => g.lines.map(({ name, colour, shape }) => ({ name, colour, shape })));
}

function height(grids: number): number {
  return grids * (HEIGHT.grid + HEIGHT.above) + HEIGHT.below;
}

function seriesOf(step: Step, name: string): ArraySeries | undefined {
  return step.series?.arrays[step.arrays.findIndex((a) => a.name === name)];
}

/** The charts with the lines that are known. */
function gridsOf(series: ArraySeries[]) {
  const known = (line: Line): boolean => series.some((s) => s[line.column].some((v) => v !== null));
  return GRIDS.map((g) => ({ ...g, lines: g.lines.filter(known) })).filter((g) => g.lines.length > 0);
}

function option(name: string, steps: Step[], frame: Frame): EChartsOption {
  const { palette } = frame;
  const placed = place(steps);
  const points = placed.flatMap((p) => pointsOf(p, name));
  const grids = gridsOf(points.map((p) => p.series));
  // Whatever is drawn needs an axis.
  if (grids.length === 0) return {};
  const end = placed.at(-1)?.end ?? 1;
  const left = 64;
  return {
    grid: grids.map((_, i) => ({ left, right: 12, top: HEIGHT.above + i * (HEIGHT.grid + HEIGHT.above), height: HEIGHT.grid })),
    axisPointer: { link: [{ xAxisIndex: "all" }], lineStyle: { color: palette.muted } },
    tooltip: {
      ...tooltipStyle(palette),
      trigger: "axis",
      formatter: (hits: unknown) => {
        const at = (hits as { axisValue?: number }[])[0]?.axisValue;
        const point = points.reduce<Point | undefined>(
          (best, p) => (at !== undefined && (!best || Math.abs(p.x - at) < Math.abs(best.x - at)) ? p : best),
          undefined,
        );
        return point ? tip(point, grids.flatMap((g) => g.lines)) : "";
      },
    },
    xAxis: grids.map((_, i) => ({
      ...clockAxis(palette, end, i === grids.length - 1),
      gridIndex: i,
      axisLine: { show: i === grids.length - 1, lineStyle: { color: palette.muted } },
    })),
    yAxis: grids.map((g, i) => ({ ...axis(g.title, palette, points), gridIndex: i, name: g.title, nameTextStyle: nameStyle(palette) })),
    series: [frames(placed, frame), ...grids.flatMap((g, i) => g.lines.map((l) => line(l, i, points, palette)))],
  };
}

function axis(title: string, palette: Palette, points: Point[]) {
  const style = axisStyle(palette);
  if (title === GRIDS[0]!.title) {
    const most = points.flatMap((p) => p.series.journal_fill[p.index] ?? 0).reduce((a, b) => Math.max(a, b), 1);
    return { ...style, type: "value" as const, min: 0, max: most, splitNumber: 2, axisLabel: { ...style.axisLabel, formatter: (v: number) => percent(v) } };
  }
  if (title === GRIDS[1]!.title) return { ...rateAxis(palette), splitNumber: 2 };
  return { ...style, type: "value" as const, min: 1, splitNumber: 2, axisLabel: { ...style.axisLabel, formatter: (v: number) => v.toFixed(2) } };
}

function nameStyle(palette: Palette) {
  return { color: palette.muted, fontSize: 11, align: "left" as const, padding: [0, 0, 0, -56] };
}

function pointsOf({ step, start }: Placed, name: string): Point[] {
  const array = seriesOf(step, name);
  const times = step.series;
  if (!array || !times) return [];
  return times.start_s.map((s, index) => ({ x: start + s + (times.length_s[index] ?? 0) / 2, step, series: array, index }));
}

function line({ column, colour, shape }: Line, grid: number, points: Point[], palette: Palette) {
  const color = palette[colour];
  const data = points.flatMap((p, i): [number, number | null][] => {
    const here: [number, number | null] = [p.x, p.series[column][p.index] ?? null];
    return i > 0 && points[i - 1]!.step !== p.step ? [[p.x, null], here] : [here];
  });
  return {
    type: "line" as const,
    xAxisIndex: grid,
    yAxisIndex: grid,
    data,
    showSymbol: data.length <= 2,
    symbol: "circle",
    symbolSize: 5,
    lineStyle: { color, width: 1.5, type: shape },
    itemStyle: { color },
    emphasis: { disabled: true },
  };
}

function tip({ step, series, index }: Point, lines: Line[]): HTMLElement {
  const times = step.series!;
  const start = times.start_s[index] ?? 0;
  const at: [string, string] = ["at", `${clock(start)} to ${clock(start + (times.length_s[index] ?? 0))}`];
  const value = ({ column }: Line): string => {
    const v = series[column][index] ?? null;
    return column === "core_max" || column === "core_mean" || column === "journal_fill" ? percent(v) : number(v);
  };
  return tooltipBody(step.name, [at, ...lines.map((l): [string, string] => [l.name, value(l)])]);
}
