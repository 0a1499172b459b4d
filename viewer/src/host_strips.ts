// A strip for each host: its rate, and its response time, as colours over time.

import { axisStyle, clockAxis, tooltipBody, tooltipStyle } from "./axis.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import { ramp } from "./colour.ts";
import type { HostSeries, Step } from "./data.ts";
import { clock, number, time } from "./format.ts";
import { type Placed, place } from "./placement.ts";
import type { Palette } from "./theme.ts";
import { frames } from "./timeline.ts";
import { tipOver } from "./tip_over.ts";

type Column = "rate" | "response_mean_ns";

/** The charts, from top to bottom. */
const GRIDS: { column: Column; title: string }[] = [
  { column: "rate", title: "rate" },
  { column: "response_mean_ns", title: "mean response" },
];

/** Heights, px: of a strip where there are few, and of all where there are many. */
const [STRIP, MOST] = [17, 400];

/** A strip must be so high to have its host's name beside it, px. */
const NAMED = 12;

const ROOM = { above: 30, below: 26 };

/** From where to where the colours go. */
export interface Range {
  low: number;
  high: number;
}

/** The chart; `steps` says which steps to show now, `name` what a host is called. */
export function hostStrips(steps: () => Step[], name: (host: number) => string): Chart {
  const all = hostsOf(steps());
  const chart: Chart = new Chart("The rate and the mean response time of each host over time; the numbers are in the table of hosts.", height(all.length), (frame) => {
    const hosts = hostsOf(steps());
    chart.setHeight(height(hosts.length));
    return option(place(steps()), hosts, name, { ...frame, height: height(hosts.length) });
  });
  tipOver(chart, () => GRIDS.length, (at) => tip(at, steps(), name));
  return chart;
}

/** The hosts that told something, in their order. */
export function hostsOf(steps: Step[]): number[] {
  const all = steps.flatMap((s) => s.hosts.series?.lines.map((l) => l.host) ?? []);
  return [...new Set(all)].sort((a, b) => a - b);
}

/** What the colours of a column mean; chance alone makes no host stand out, and hosts that are alike have the middle colour. */
export function rangeOf(steps: Step[], column: Column): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const step of steps) {
    for (const line of step.hosts.series?.lines ?? []) {
      if (column === "response_mean_ns" && isSaturated(step, line.host)) continue;
      for (const v of line[column]) {
        if (v === null) continue;
        [low, high] = [Math.min(low, v), Math.max(high, v)];
      }
    }
  }
  if (high === 0) return { low: 0, high: 0 };
  if (column === "rate") {
    const [middle, half] = [(low + high) / 2, Math.max((high - low) / 2, (low + high) / 16)];
    return { low: Math.max(0, middle - half), high: middle + half };
  }
  const wider = Math.max(1, Math.sqrt(2 / (high / low)));
  return { low: low / wider, high: high * wider };
}

/** Where a value lies on the colours, 0..1: of rates by differences, of times by factors. */
export function stripScale(column: Column, value: number, { low, high }: Range): number {
  const part = column === "rate" ? (value - low) / (high - low) : Math.log(value / low) / Math.log(high / low);
  return Number.isFinite(part) ? Math.min(Math.max(part, 0), 1) : 0;
}

/** Whether a host told nothing while others did. */
export function hasHoles(steps: Step[]): boolean {
  return steps.some((s) => s.hosts.series?.lines.some((l) => l.rate.includes(null)));
}

/** Whether the times of a host are no latency. */
export function isSaturated(step: Step, host: number): boolean {
  const part = step.hosts.parts.find((p) => p.host === host);
  return part ? part.saturated_by !== null : step.saturated_by !== null;
}

function stripHeight(hosts: number): number {
  return Math.min(STRIP, MOST / Math.max(1, hosts));
}

function height(hosts: number): number {
  return GRIDS.length * (Math.max(1, hosts) * stripHeight(hosts) + ROOM.above) + ROOM.below;
}

function option(placed: Placed[], hosts: number[], name: (host: number) => string, frame: Frame): EChartsOption {
  const { palette, width } = frame;
  const end = placed.at(-1)?.end ?? 1;
  const each = Math.max(1, hosts.length) * stripHeight(hosts.length);
  const left = width < 600 ? 84 : 138;
  const steps = placed.map((p) => p.step);
  return {
    grid: GRIDS.map((_, i) => ({ left, right: 12, top: ROOM.above + i * (each + ROOM.above), height: each })),
    tooltip: { ...tooltipStyle(palette), show: false },
    xAxis: GRIDS.map((_, i) => ({ ...clockAxis(palette, end, i === GRIDS.length - 1), gridIndex: i })),
    yAxis: GRIDS.map(({ title }, i) => ({ ...hostAxis(hosts, name, palette, left), gridIndex: i, name: title, nameTextStyle: nameStyle(palette, left) })),
    series: [
      frames(placed, frame),
      ...GRIDS.map(({ column }, i) => strips(placed, hosts, column, rangeOf(steps, column), { end, grid: i, palette })),
    ],
  } as EChartsOption;
}

function nameStyle(palette: Palette, left: number) {
  return { color: palette.muted, fontSize: 11, align: "left" as const, padding: [0, 0, 0, 8 - left] };
}

/** The hosts from top to bottom, by their names where there is room, else by their numbers. */
function hostAxis(hosts: number[], name: (host: number) => string, palette: Palette, left: number) {
  const style = axisStyle(palette);
  const named = stripHeight(hosts.length) >= NAMED;
  const apart = named ? 1 : Math.ceil(hosts.length / 8);
  const customValues = hosts.map((_, i) => i + 0.5).filter((_, i) => i % apart === 0);
  const formatter = (at: number): string => {
    const host = hosts[Math.floor(at)];
    return host === undefined ? "" : named ? name(host) : `host ${host}`;
  };
  return {
    ...style,
    type: "value" as const,
    min: 0,
    max: Math.max(1, hosts.length),
    inverse: true,
    nameLocation: "start" as const,
    splitLine: { show: false },
    axisTick: { show: false, customValues },
    axisLabel: { ...style.axisLabel, hideOverlap: false, customValues, formatter, width: left - 16, overflow: "truncate" as const },
  };
}

interface Where {
  end: number;
  grid: number;
  palette: Palette;
}

/** All strips of a grid as one picture. */
function strips(placed: Placed[], hosts: number[], column: Column, range: Range, { end, grid, palette }: Where) {
  return {
    type: "custom" as const,
    xAxisIndex: grid,
    yAxisIndex: grid,
    silent: true,
    data: hosts.length > 0 ? [[0, 0]] : [],
    renderItem: (_params: unknown, api: { coord: (at: number[]) => number[] }) => {
      const [x, y] = api.coord([0, 0]) as [number, number];
      const [right, bottom] = api.coord([end, hosts.length]) as [number, number];
      const [width, height] = [Math.max(1, right - x), Math.max(1, bottom - y)];
      const image = paint(placed, hosts, column, [width, height], end, (step, host, value) => {
        if (column === "response_mean_ns" && isSaturated(step, host)) return palette.line;
        return ramp(palette.heat, stripScale(column, value, range));
      });
      return { type: "image" as const, style: { image: image as never, x, y, width, height } };
    },
  };
}

/** The cells at twice the resolution; where nothing was told there is nothing. */
function paint(
  placed: Placed[],
  hosts: number[],
  column: Column,
  [width, height]: [number, number],
  end: number,
  colour: (step: Step, host: number, value: number) => string,
): HTMLCanvasElement {
  const scale = 2;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  const context = canvas.getContext("2d")!;
  const strip = canvas.height / hosts.length;
  // A line between strips, where they are wide enough for one.
  const gap = strip >= 8 ? 2 : 0;
  for (const { step, start } of placed) {
    const series = step.hosts.series;
    for (const line of series?.lines ?? []) {
      const row = hosts.indexOf(line.host);
      const [top, bottom] = [Math.round(row * strip), Math.round((row + 1) * strip)];
      line[column].forEach((value, i) => {
        if (value === null) return;
        const from = Math.round(((start + series!.start_s[i]!) / end) * canvas.width);
        const to = Math.round(((start + series!.start_s[i]! + series!.length_s[i]!) / end) * canvas.width);
        context.fillStyle = colour(step, line.host, value);
        context.fillRect(from, top + gap / 2, Math.max(1, to - from), Math.max(1, bottom - top - gap));
      });
    }
  }
  return canvas;
}

function tip([x, y]: [number, number], steps: Step[], name: (host: number) => string): HTMLElement | null {
  const host = hostsOf(steps)[Math.floor(y)];
  const found = place(steps).find((p) => x >= p.start && x <= p.end);
  const series = found?.step.hosts.series;
  const line = series?.lines.find((l) => l.host === host);
  if (!found || !series || !line || host === undefined) return null;
  const column = columnAt(series, x - found.start);
  if (column === null) return null;
  const [start, length] = [series.start_s[column]!, series.length_s[column]!];
  const response = time(line.response_mean_ns[column] ?? null);
  const rate = line.rate[column] ?? null;
  return tooltipBody(name(host), [
    ["step", found.step.name],
    ["at", `${clock(start)} to ${clock(start + length)}`],
    ["rate", rate === null ? "nothing was heard of it" : `${number(rate)}/s`],
    ["response mean", isSaturated(found.step, host) ? `${response}, while saturated` : response],
  ]);
}

/** The column that a second lies in. */
function columnAt({ start_s, length_s }: HostSeries, second: number): number | null {
  const column = start_s.findLastIndex((s) => s <= second);
  return column >= 0 && second <= start_s[column]! + length_s[column]! ? column : null;
}
