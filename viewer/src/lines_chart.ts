// Lines of any unit, with their 95 % intervals.

import { tooltipBody, tooltipStyle } from "./axis.ts";
import { type BandPoint, band } from "./band.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import type { ChartPoint, ChartSeries, Interval, MethodChart } from "./data.ts";
import { type Drawn, withGaps } from "./gaps.ts";
import type { Key } from "./legend.ts";
import { markSeries, marksHeight } from "./marks.ts";
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
  // Where there are many marks, their labels take room.
  const labels = 7 * Math.min(8, chart.marks?.length ?? 0);
  return new Chart(label, 320 + labels, (frame) => option(chart, frame));
}

/** What each line looks like, where there are several; what the bars mean, and what lies beyond the axis. */
export function lineKeys(chart: MethodChart): Key[] {
  const several = chart.series.length > 1;
  const lines: Key[] = several ? chart.series.map(({ name }, i) => ({ name, colour: colour(i), shape: stroke(i) })) : [];
  const known = chart.series.filter((s) => s.points.some((p) => p.interval));
  const shape = known.some((s) => s.points.length > SIGNED) ? "band" : "bar";
  const bars: Key[] = known.length > 0 && several ? [{ name: "95 % interval", colour: colour(chart.series.indexOf(known[0]!)), shape }] : [];
  const beyond = highest(chart);
  const cut: Key[] = beyond === null ? [] : [{ name: `beyond the axis, up to ${onAxis(chart.y, beyond)}`, colour: "ink", shape: "triangle" }];
  return [...lines, ...bars, ...cut];
}

/** The greatest value where it lies beyond the axis. */
function highest({ y, series }: MethodChart): number | null {
  const cut = y.cut;
  if (cut === undefined) return null;
  const most = series.flatMap((s) => s.points).reduce((a, p) => Math.max(a, p.y), cut);
  return most > cut ? most : null;
}

function colour(index: number): (typeof COLOURS)[number] {
  return COLOURS[index % COLOURS.length]!;
}

function stroke(index: number): (typeof STROKES)[number] {
  return STROKES[Math.floor(index / COLOURS.length) % STROKES.length]!;
}

function option(chart: MethodChart, { palette, width }: Frame): EChartsOption {
  const lines = chart.series.map((series) => {
    const placed = series.points.filter((p) => isPlaced(chart.x, p.x) && isPlaced(chart.y, p.y));
    return withGaps(placed, chart.x.gap);
  });
  const points = lines.flat().filter((p) => p !== null);
  const marks = (chart.marks ?? []).filter((m) => isPlaced(chart.x, m.x));
  const x = [...points.map((p) => p.x), ...marks.map((m) => m.x)];
  const top = chart.y.cut ?? Number.POSITIVE_INFINITY;
  const y = points.flatMap((p) => [p.y, ...(p.interval ?? [])]).map((v) => Math.min(v, top));
  const axes = chartAxes(palette, chart, x, y);
  const above = marksHeight(marks, chart.x, x, width);
  return {
    ...axes,
    ...(above > 0 ? { grid: { ...axes.grid, top: 24 + above }, yAxis: { ...axes.yAxis, nameGap: above + 4 } } : {}),
    axisPointer: { lineStyle: { color: palette.muted } },
    tooltip: {
      ...tooltipStyle(palette),
      trigger: "axis",
      formatter: (hits: unknown) => tip(chart, lines, hits as { seriesId?: string; dataIndex: number }[]),
    },
    series: [
      ...lines.map((own, i) => line(own, i, palette, lines)),
      reach(points, chart),
      ...lines.map((own, i) => intervals(own, palette[colour(i)], chart)),
      beyondSigns(points, chart, palette),
      markSeries(marks, y[0] ?? 1, palette),
    ],
  } as EChartsOption;
}

/** No axis is longer than this many times its greatest point for an interval's end: a few wide ones would flatten all else. */
const REACH = 1.5;

/** What nobody sees, and makes the axis long enough for the intervals. */
function reach(points: ChartPoint[], { y }: MethodChart) {
  const most = points.reduce((a, p) => Math.max(a, p.y), 0);
  const highest = points.reduce((a, p) => Math.max(a, p.interval?.[1] ?? a), most);
  const [first] = points;
  const needed = first !== undefined && !y.logarithmic && y.cut === undefined;
  const data = needed ? [[first.x, Math.min(highest, REACH * most)]] : [];
  return { type: "scatter" as const, silent: true, symbolSize: 0, tooltip: { show: false }, data };
}

/** A line; where others have intervals and it has none, it is behind them. */
function line(points: Drawn[], index: number, palette: Palette, all: Drawn[][]) {
  const sure = (own: Drawn[]): boolean => own.some((p) => p?.interval !== undefined);
  const behind = points.length > SIGNED && !sure(points) && all.some(sure);
  const color = palette[colour(index)];
  return {
    type: "line" as const,
    id: `line-${index}`,
    z: behind ? 2 : 3,
    symbol: "circle",
    symbolSize: 6,
    showSymbol: points.length <= SIGNED,
    lineStyle: { color, width: points.length > SIGNED ? 1.4 : 1.8, type: stroke(index), opacity: behind ? 0.45 : 1 },
    itemStyle: { color },
    emphasis: { disabled: true },
    data: points.map((p) => (p === null ? [null, null] : [p.x, p.y])),
  };
}

/** A band where there are many points, else a bar at each that has an interval. */
function intervals(points: Drawn[], color: string, chart: MethodChart) {
  const ends = ({ interval, y }: ChartPoint): Interval => {
    const [low, high] = interval!;
    const top = chart.y.cut === undefined ? high : Math.min(high, chart.y.cut);
    // On an axis of factors nothing lies at zero: there a bar goes to the bottom.
    return [isPlaced(chart.y, low) ? low : y / 1e3, top];
  };
  if (points.length > SIGNED) {
    const stretch = points.map((p): BandPoint => (p?.interval ? [p.x, ...ends(p)] : [p?.x ?? 0, null, null]));
    return band(stretch, color, 0.28);
  }
  return errorBars(points.filter((p) => p?.interval !== undefined) as ChartPoint[], ends, color);
}

/** An upright line from one end of each interval to the other, with a short one across each end. */
function errorBars(known: ChartPoint[], ends: (p: ChartPoint) => Interval, color: string) {
  return {
    type: "custom" as const,
    silent: true,
    clip: true,
    z: 2,
    tooltip: { show: false },
    data: known.map((p) => [p.x, p.y]),
    renderItem: (params: { dataIndex: number }, api: { coord: (at: number[]) => number[] }) => {
      const p = known[params.dataIndex]!;
      const [low, high] = ends(p);
      const [x, bottom] = api.coord([p.x, low]) as [number, number];
      const top = api.coord([p.x, high])[1]!;
      const style = { stroke: color, lineWidth: 1.3, opacity: 0.8 };
      const stretch = (x1: number, y1: number, x2: number, y2: number) => ({ type: "line" as const, shape: { x1, y1, x2, y2 }, style });
      const across = (at: number) => stretch(x - 4, at, x + 4, at);
      return { type: "group" as const, children: [stretch(x, bottom, x, top), across(bottom), across(top)] };
    },
  };
}

/** A sign at the top for what lies beyond it. */
function beyondSigns(points: ChartPoint[], { y }: MethodChart, palette: Palette) {
  const cut = y.cut;
  const beyond = cut === undefined ? [] : points.filter((p) => p.y > cut);
  return {
    type: "scatter" as const,
    silent: true,
    z: 5,
    symbol: "triangle",
    symbolSize: 8,
    symbolOffset: [0, 5],
    itemStyle: { color: palette.ink },
    tooltip: { show: false },
    data: beyond.map((p) => [p.x, cut!]),
  };
}

function tip(chart: MethodChart, lines: Drawn[][], hits: { seriesId?: string; dataIndex: number }[]): HTMLElement | string {
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
