// Rate and latency over time, of one step or of all side by side.

import { actionLines, actionMarks } from "./actions.ts";
import { clockAxis, logRange, rateAxis, timeAxis, tooltipBody, tooltipStyle } from "./axis.ts";
import { type BandPoint, band } from "./band.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import type { Series, Step } from "./data.ts";
import { bytes, clock, number, percent, time } from "./format.ts";
import { heldAreas, heldLines } from "./held_marks.ts";
import { pathEvents } from "./path_events.ts";
import { type Placed, place } from "./placement.ts";
import type { Palette } from "./theme.ts";
import { perSecond } from "./words.ts";

/** One point: its place on the axis, and where it comes from. */
interface Point {
  x: number;
  step: Step;
  series: Series;
  index: number;
}

/** The chart; `steps` says which steps to show now. */
export function timelineChart(steps: () => Step[]): Chart {
  return new Chart("Rate and response time over time, with what is in flight and the host's CPU; the numbers of each step are in the table of steps.", 520, (frame) =>
    option(steps(), frame),
  );
}

function option(steps: Step[], frame: Frame): EChartsOption {
  const { palette } = frame;
  const placed = place(steps);
  const points = placed.flatMap(pointsOf);
  const end = placed.at(-1)?.end ?? 1;
  // A saturated step's times are no latency: shown, but not as one.
  const backlogged = points.filter((p) => p.step.saturation?.saturated);
  const sound = points.filter((p) => !p.step.saturation?.saturated);
  const zoom = points.length > 400;
  const [left, right] = [64, 44];
  const range = logRange(points.flatMap((p) => [value(p, "response_p50_ns"), value(p, "response_p99_ns"), value(p, "response_mean_ns")]));
  const x = clockAxis(palette, end);
  return {
    grid: [
      { left, right, top: 34, height: "24%" },
      { left, right, top: "39%", height: "30%" },
      { left, right, top: "77%", bottom: zoom ? 58 : 28 },
    ],
    axisPointer: { link: [{ xAxisIndex: "all" }], lineStyle: { color: palette.muted } },
    tooltip: {
      ...tooltipStyle(palette),
      trigger: "axis",
      formatter: (hits: unknown) => {
        const at = (hits as { axisValue?: number }[])[0]?.axisValue;
        const point = at === undefined ? undefined : nearest(points, at);
        return point ? tip(point) : "";
      },
    },
    dataZoom: zoom ? zoomControls(palette) : [],
    xAxis: [
      { ...x, gridIndex: 0, axisLabel: { show: false } },
      { ...x, gridIndex: 1, axisLabel: { show: false } },
      { ...x, gridIndex: 2, axisLine: { show: true, lineStyle: { color: palette.muted } } },
    ],
    yAxis: [
      { ...rateAxis(palette), gridIndex: 0, name: perSecond(), splitNumber: 3, nameTextStyle: nameStyle(palette) },
      { ...timeAxis(palette, range), gridIndex: 1, name: "response", nameTextStyle: nameStyle(palette) },
      { ...rateAxis(palette), minInterval: 0, gridIndex: 2, name: "in flight", splitNumber: 2, nameTextStyle: nameStyle(palette) },
      cpuAxis(palette),
    ],
    series: [
      frames(placed, frame),
      ...heldAreas(placed, palette),
      band(between(points, (p) => [p.series.rate_min[p.index] ?? null, p.series.rate_max[p.index] ?? null]), palette.mean, 0.2),
      line(broken(points, (p) => value(p, "rate")), palette.mean, 0, "solid"),
      line(broken(backlogged, (p) => value(p, "response_mean_ns")), palette.muted, 1, "solid", 1),
      band(between(sound, (p) => [value(p, "response_p50_ns"), value(p, "response_p99_ns")]), palette.p99, 0.14, 1),
      line(broken(sound, (p) => value(p, "response_p99_ns")), palette.p99, 1, "solid", 1),
      line(broken(sound, (p) => value(p, "response_p50_ns")), palette.p50, 1, "dashed", 1),
      line(broken(sound, (p) => value(p, "response_mean_ns")), palette.mean, 1, "solid", 1.6),
      line(broken(points, (p) => value(p, "depth")), palette.p50, 2, "solid"),
      { ...line(broken(points, (p) => value(p, "cpu")), palette.mark, 2, "dashed"), yAxisIndex: 3 },
      pathMarks(placed, palette),
      actionMarks(placed, palette),
    ],
  };
}

function nameStyle(palette: Palette) {
  return { color: palette.muted, fontSize: 11, align: "left" as const, padding: [0, 0, 0, -56] };
}

function pointsOf({ step, start }: Placed): Point[] {
  const series = step.series;
  if (!series) return [];
  return series.start_s.map((s, index) => ({ x: start + s + (series.length_s[index] ?? 0) / 2, step, series, index }));
}

/** The host's CPU, at the right of what is in flight. */
function cpuAxis(palette: Palette) {
  return {
    ...rateAxis(palette),
    gridIndex: 2,
    position: "right" as const,
    name: "CPU",
    max: 1,
    minInterval: 0,
    interval: 0.5,
    splitLine: { show: false },
    nameTextStyle: { color: palette.muted, fontSize: 11 },
    axisLabel: { color: palette.muted, fontSize: 11, formatter: (share: number) => percent(share) },
  };
}

/** Where a path failed or came back, across the response times. */
function pathMarks(placed: Placed[], palette: Palette) {
  const data = pathEvents(placed).map(({ x, state }) => ({
    xAxis: x,
    lineStyle: { color: state === "down" ? palette.p99 : palette.p50, type: "dotted", width: 1.5 },
    label: { formatter: state === "down" ? "path down" : "path up", color: palette.muted, fontSize: 10, position: "insideEndTop" },
  }));
  const markLine = { silent: true, symbol: "none", data: data as never };
  return { type: "line" as const, xAxisIndex: 1, yAxisIndex: 1, data: [], silent: true, markLine };
}

type Column = "depth" | "cpu" | "rate" | "response_mean_ns" | "response_p50_ns" | "response_p99_ns";

function value(point: Point, column: Column): number | null {
  return point.series[column][point.index] ?? null;
}

/** The values, with a gap between one step and the next. */
function broken(points: Point[], of: (p: Point) => number | null): [number, number | null][] {
  return points.flatMap((p, i) => {
    const here: [number, number | null] = [p.x, of(p)];
    return i > 0 && points[i - 1]!.step !== p.step ? [[p.x, null] as [number, null], here] : [here];
  });
}

/** The band, with a gap between one step and the next. */
function between(points: Point[], of: (p: Point) => [number | null, number | null]): BandPoint[] {
  return points.flatMap((p, i) => {
    const here: BandPoint = [p.x, ...of(p)];
    return i > 0 && points[i - 1]!.step !== p.step ? [[p.x, null, null] as BandPoint, here] : [here];
  });
}

function line(data: [number, number | null][], color: string, axis: number, type: "solid" | "dashed", width = 1.4) {
  return {
    type: "line" as const,
    xAxisIndex: axis,
    yAxisIndex: axis,
    data,
    z: 3,
    showSymbol: data.length <= 2,
    symbol: "circle",
    symbolSize: 5,
    lineStyle: { color, width, type },
    itemStyle: { color },
    emphasis: { disabled: true },
  };
}

/** Each step's frame with its name where there is room, and its warm-up shaded. */
export function frames(placed: Placed[], { palette, width }: Frame) {
  const end = placed.at(-1)?.end ?? 1;
  const areas: object[][] = [];
  for (const { step, start, end: stop } of placed) {
    const room = ((stop - start) / end) * (width - 80);
    const name = placed.length === 1 ? "" : shorten(step, room);
    if (placed.length > 1) {
      const label = { show: name !== "", formatter: name, position: "top", color: palette.muted, fontSize: 11, distance: 3 };
      areas.push([{ xAxis: start, itemStyle: { color: palette.shade, opacity: 0.5 }, label }, { xAxis: stop }]);
    }
    const warm = step.series ? warmupEnd(step.series) : 0;
    if (warm > 0) {
      const fits = placed.length === 1 && (warm / end) * (width - 80) > 50;
      const label = { show: fits, formatter: "warm-up", position: "insideTop", color: palette.muted, fontSize: 11 };
      areas.push([{ xAxis: start, itemStyle: { color: palette.line, opacity: 0.9 }, label }, { xAxis: start + warm }]);
    }
  }
  return { type: "line" as const, data: [], silent: true, markArea: { silent: true, data: areas as never } };
}

/** As much of the step's name as has room: its end tells it from its sisters. */
function shorten(step: Step, room: number): string {
  const letters = Math.floor(room / 7.5 - 0.5);
  const short = step.name.startsWith(`${step.run}_`) ? step.name.slice(step.run.length + 1) : step.name;
  for (const name of [step.name, short.replace(/^\((.*)\)$/, "$1"), String(step.number)]) {
    if (name.length <= letters) return name;
  }
  return "";
}

function warmupEnd(series: Series): number {
  const last = series.warmup.lastIndexOf(true);
  return last < 0 ? 0 : (series.start_s[last] ?? 0) + (series.length_s[last] ?? 0);
}

function zoomControls(palette: Palette) {
  const shared = { xAxisIndex: [0, 1, 2], filterMode: "none" as const };
  return [
    { ...shared, type: "inside" as const, zoomOnMouseWheel: "ctrl" as const, moveOnMouseWheel: false },
    {
      ...shared,
      type: "slider" as const,
      height: 16,
      bottom: 6,
      borderColor: palette.line,
      fillerColor: palette.shade,
      showDataShadow: false,
      moveHandleSize: 0,
      brushSelect: false,
      backgroundColor: "transparent",
      handleStyle: { color: palette.paper, borderColor: palette.muted },
      textStyle: { color: palette.muted, fontSize: 10 },
      labelFormatter: (s: number) => clock(s),
    },
  ];
}

function nearest(points: Point[], x: number): Point | undefined {
  let [low, high] = [0, points.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.x < x) low = middle + 1;
    else high = middle;
  }
  const [after, before] = [points[low], points[low - 1]];
  return before && after && x - before.x < after.x - x ? before : after;
}

function tip({ step, series, index }: Point): HTMLElement {
  const [start, length] = [series.start_s[index] ?? 0, series.length_s[index] ?? 0];
  const lines: [string, string][] = [
    ["at", `${clock(start)} to ${clock(start + length)}${series.warmup[index] ? ", warm-up" : ""}`],
    ["rate", `${number(series.rate[index] ?? 0)}/s`],
    ["bandwidth", `${bytes((series.rate[index] ?? 0) * (series.bytes_per_io[index] ?? 0))}/s`],
    ["response mean", time(series.response_mean_ns[index] ?? null)],
    ["response p50", time(series.response_p50_ns[index] ?? null)],
    ["response p99", time(series.response_p99_ns[index] ?? null)],
    ["response max", time(series.response_max_ns[index] ?? null)],
    ["service mean", time(series.service_mean_ns[index] ?? null)],
    ["in flight", number(series.depth[index] ?? 0)],
  ];
  const [backlog, errors, cpu] = [series.backlog[index] ?? 0, series.errors[index] ?? 0, series.cpu[index] ?? null];
  if (backlog > 0) lines.push(["backlog", number(backlog)]);
  lines.push(...heldLines(step, start, start + length), ...actionLines(step, start, start + length));
  if (errors > 0) lines.push(["errors", number(errors)]);
  if (cpu !== null) lines.push(["host CPU", percent(cpu)]);
  return tooltipBody(step.name, lines);
}
