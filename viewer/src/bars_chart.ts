// Bars of any unit, side by side where there are several series.

import { tooltipBody, tooltipStyle } from "./axis.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import type { ChartPoint, MethodChart } from "./data.ts";
import type { Key } from "./legend.ts";
import { COLOURS, pointLines } from "./lines_chart.ts";
import { onAxis } from "./quantity.ts";
import { chartAxes, isPlaced } from "./value_axis.ts";

/** The widest group of bars, px. */
const WIDEST = 90;

/** The chart. */
export function barsChart(chart: MethodChart, label: string): Chart {
  return new Chart(label, 320, (frame) => option(chart, frame));
}

/** What each bar looks like, where there are several at a place. */
export function barKeys(chart: MethodChart): Key[] {
  if (chart.series.length < 2) return [];
  const bars: Key[] = chart.series.some((s) => s.points.some((p) => p.interval)) ? [{ name: "95 % interval", colour: "ink", shape: "bar" }] : [];
  const blocks = chart.series.map(({ name }, i) => ({ name, colour: COLOURS[i % COLOURS.length]!, shape: "block" as const }));
  return [...blocks, ...bars];
}

interface Bar {
  point: ChartPoint;
  series: number;
}

function option(chart: MethodChart, frame: Frame): EChartsOption {
  const { palette } = frame;
  const bars: Bar[] = chart.series.flatMap((s, series) =>
    s.points.filter((p) => isPlaced(chart.x, p.x) && isPlaced(chart.y, p.y)).map((point) => ({ point, series })),
  );
  const x = bars.map((b) => b.point.x);
  const axes = chartAxes(palette, chart, x, bars.flatMap((b) => [b.point.y, ...(b.point.interval ?? [])]));
  const places = [...new Set(x)].sort((a, b) => a - b);
  return {
    ...axes,
    // Half a place of room at each end, so that no bar is cut.
    xAxis: chart.x.categories || chart.x.logarithmic ? axes.xAxis : { ...axes.xAxis, ...room(places) },
    tooltip: { ...tooltipStyle(palette), trigger: "item" },
    series: [
      {
        type: "custom" as const,
        clip: true,
        data: bars.map((b) => [b.point.x, b.point.y]),
        renderItem: (params: { dataIndex: number }, api: { coord: (at: number[]) => number[] }) => {
          const bar = bars[params.dataIndex]!;
          const left = frameLeft(api, places);
          return drawn(bar, chart, api, left, palette[COLOURS[bar.series % COLOURS.length]!], palette.ink);
        },
        tooltip: {
          formatter: ({ dataIndex }: { dataIndex: number }) => {
            const { point, series } = bars[dataIndex]!;
            return tooltipBody(onAxis(chart.x, point.x), pointLines(chart, chart.series[series]!, point));
          },
        },
      },
    ],
  } as EChartsOption;
}

function room(places: number[]): { min: number; max: number } {
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const gaps = places.slice(1).map((p, i) => p - places[i]!);
  const half = gaps.length > 0 ? gaps.reduce((a, b) => Math.min(a, b)) / 2 : 0.5;
  return { min: first - half, max: last + half };
}

/** Room for the bars of one place, px: what lies between two of them. */
function frameLeft(api: { coord: (at: number[]) => number[] }, places: number[]): number {
  const at = places.map((p) => api.coord([p, 1])[0]!);
  const gaps = at.slice(1).map((x, i) => Math.abs(x - at[i]!));
  return Math.min(WIDEST, ...gaps.map((gap) => gap * 0.8));
}

function drawn(
  { point, series }: Bar,
  chart: MethodChart,
  api: { coord: (at: number[]) => number[] },
  group: number,
  fill: string,
  ink: string,
) {
  const width = group / chart.series.length;
  const [x, top] = api.coord([point.x, point.y]) as [number, number];
  // On an axis of factors there is no zero: the bar goes below the bottom, and is clipped there.
  const bottom = api.coord([point.x, chart.y.logarithmic ? point.y / 1e6 : 0])[1]!;
  const left = x - group / 2 + series * width;
  const shape = { x: left, y: Math.min(top, bottom), width: Math.max(1, width * 0.92), height: Math.max(1, Math.abs(bottom - top)) };
  const bar = { type: "rect" as const, shape, style: { fill } };
  if (!point.interval) return bar;
  const [low, high] = point.interval.map((end) => (isPlaced(chart.y, end) ? end : point.y / 1e6)) as [number, number];
  const middle = left + (width * 0.92) / 2;
  const [y1, y2] = [api.coord([point.x, low])[1]!, api.coord([point.x, high])[1]!];
  const line = { type: "line" as const, shape: { x1: middle, y1, x2: middle, y2 }, style: { stroke: ink, lineWidth: 1.3, opacity: 0.7 } };
  return { type: "group" as const, children: [bar, line] };
}
