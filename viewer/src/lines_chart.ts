// Lines of any unit, with their 95 % intervals.

import { tooltipBody, tooltipStyle } from "./axis.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import type { ChartPoint, ChartSeries, MethodChart } from "./data.ts";
import type { Key } from "./legend.ts";
import { inUnit, onAxis } from "./quantity.ts";
import type { Palette } from "./theme.ts";
import { chartAxes, isPlaced } from "./value_axis.ts";

/** The colours of the first lines; then they come again with another stroke. */
export const COLOURS = ["mean", "p99", "p50", "mark", "service", "ink"] as const satisfies (keyof Palette)[];
const STROKES = ["solid", "dashed", "dotted"] as const;

/** Lines with more points have no signs on them. */
const SIGNED = 60;

/** The chart. */
export function linesChart(chart: MethodChart, label: string): Chart {
  return new Chart(label, 320, (frame) => option(chart, frame));
}

/** What each line looks like, where there are several. */
export function lineKeys(chart: MethodChart): Key[] {
  if (chart.series.length < 2) return [];
  return chart.series.map(({ name }, i) => ({ name, colour: colour(i), shape: stroke(i) }));
}

function colour(index: number): (typeof COLOURS)[number] {
  return COLOURS[index % COLOURS.length]!;
}

function stroke(index: number): (typeof STROKES)[number] {
  return STROKES[Math.floor(index / COLOURS.length) % STROKES.length]!;
}

function option(chart: MethodChart, { palette }: Frame): EChartsOption {
  const lines = chart.series.map((series) => series.points.filter((p) => isPlaced(chart.x, p.x) && isPlaced(chart.y, p.y)));
  const points = lines.flat();
  const marks = (chart.marks ?? []).filter((m) => isPlaced(chart.x, m.x));
  const x = [...points.map((p) => p.x), ...marks.map((m) => m.x)];
  const y = points.flatMap((p) => [p.y, ...(p.interval ?? [])]);
  return {
    ...chartAxes(palette, chart, x, y),
    axisPointer: { lineStyle: { color: palette.muted } },
    tooltip: {
      ...tooltipStyle(palette),
      trigger: "axis",
      formatter: (hits: unknown) => tip(chart, lines, hits as { seriesId?: string; dataIndex: number }[]),
    },
    series: [
      ...lines.map((own, i) => line(own, i, palette)),
      ...lines.map((own, i) => errorBars(own, palette[colour(i)], chart)),
      markLines(marks, palette),
    ],
  };
}

function line(points: ChartPoint[], index: number, palette: Palette) {
  const color = palette[colour(index)];
  return {
    type: "line" as const,
    id: `line-${index}`,
    z: 3,
    symbol: "circle",
    symbolSize: 6,
    showSymbol: points.length <= SIGNED,
    lineStyle: { color, width: 1.8, type: stroke(index) },
    itemStyle: { color },
    emphasis: { disabled: true },
    data: points.map((p) => [p.x, p.y]),
  };
}

/** An upright line from one end of each interval to the other, as far as the axis goes. */
function errorBars(points: ChartPoint[], color: string, chart: MethodChart) {
  const known = points.filter((p) => p.interval !== undefined);
  return {
    type: "custom" as const,
    silent: true,
    clip: true,
    z: 2,
    tooltip: { show: false },
    data: known.map((p) => [p.x, p.y]),
    renderItem: (params: { dataIndex: number }, api: { coord: (at: number[]) => number[] }) => {
      const p = known[params.dataIndex]!;
      const [low, high] = p.interval!;
      // On an axis of factors nothing lies at zero: there a bar goes to the bottom.
      const from = isPlaced(chart.y, low) ? low : p.y / 1e3;
      const [a, b] = [api.coord([p.x, from]), api.coord([p.x, high])];
      const shape = { x1: a[0]!, y1: a[1]!, x2: b[0]!, y2: b[1]! };
      return { type: "line" as const, shape, style: { stroke: color, lineWidth: 1.3, opacity: 0.65 } };
    },
  };
}

function markLines(marks: { x: number; label: string }[], palette: Palette) {
  const data = marks.map(({ x, label }) => ({
    xAxis: x,
    lineStyle: { color: palette.mark, type: "dashed", width: 1 },
    // Not a template: a label may have braces.
    label: { formatter: () => label, color: palette.mark, fontSize: 11, position: "end", distance: 4, width: 150, overflow: "truncate" },
  }));
  return { type: "line" as const, data: [], silent: true, markLine: { silent: true, symbol: "none", data: data as never } };
}

function tip(chart: MethodChart, lines: ChartPoint[][], hits: { seriesId?: string; dataIndex: number }[]): HTMLElement | string {
  const found = hits.flatMap((hit) => {
    const index = Number(/^line-(\d+)$/.exec(hit.seriesId ?? "")?.[1] ?? Number.NaN);
    const point = lines[index]?.[hit.dataIndex];
    return point ? [{ series: chart.series[index]!, point }] : [];
  });
  const [first] = found;
  if (!first) return "";
  const title = `${chart.x.label} ${onAxis(chart.x, first.point.x)}`;
  return tooltipBody(title, found.flatMap(({ series, point }) => pointLines(chart, series, point)));
}

/** A point in words. */
export function pointLines(chart: MethodChart, series: ChartSeries, point: ChartPoint): [string, string][] {
  const name = series.name === "" ? chart.y.label : series.name;
  const lines: [string, string][] = [[name, onAxis(chart.y, point.y)]];
  if (point.interval) lines.push(["95 %", point.interval.map((end) => inUnit(chart.y.unit, end)).join(" to ")]);
  return lines;
}
