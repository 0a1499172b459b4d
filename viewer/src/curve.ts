// The curve: response against achieved rate.

import { axisStyle, logRange, rateAxis, timeAxis, tooltipBody, tooltipStyle } from "./axis.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import type { CurvePoint, CurveVerdict, Estimate } from "./data.ts";
import { number, shortRate, time } from "./format.ts";
import { askedLimits, curveName, perSecond, statisticName } from "./words.ts";
import type { Palette } from "./theme.ts";

/** One line of the curve. */
interface Line {
  name: string;
  colour: keyof Omit<Palette, "heat">;
  symbol: string;
  dash: "solid" | "dashed" | "dotted";
  of: (point: CurvePoint) => number | null;
}

/** The lines, most telling last so that it lies on top. */
export const LINES: Line[] = [
  { name: "service mean", colour: "service", symbol: "none", dash: "dotted", of: (p) => p.service_mean_ns.mean },
  { name: "response p50", colour: "p50", symbol: "emptyRect", dash: "dashed", of: (p) => p.response_p50_ns },
  { name: "response mean", colour: "mean", symbol: "circle", dash: "solid", of: (p) => p.response_mean_ns.mean },
  { name: "response p99", colour: "p99", symbol: "diamond", dash: "solid", of: (p) => p.response_p99_ns },
];

/** The chart of a curve's verdict; a click on a point tells its step's number. */
export function curveChart(verdict: CurveVerdict, onPick: (step: number) => void): Chart {
  const chart = new Chart(label(verdict), 430, (frame) => option(verdict, frame));
  chart.whenReady((echarts) => {
    echarts.on("click", (event) => {
      const step = (event.data as { step?: number } | undefined)?.step;
      if (step !== undefined) onPick(step);
    });
  });
  return chart;
}

/** The points whose latency is one, by rising achieved rate. */
function steady(verdict: CurveVerdict): CurvePoint[] {
  return verdict.points
    .filter((p) => !p.saturated && p.percent !== null && p.achieved.mean > 0)
    .sort((a, b) => a.achieved.mean - b.achieved.mean);
}

function saturated(verdict: CurveVerdict): CurvePoint[] {
  return verdict.points.filter((p) => p.saturated && p.percent !== null);
}

/** Where the grey part begins: at the first saturated point, and never left of a sound one. */
function saturationStart(verdict: CurveVerdict): number | null {
  const rates = saturated(verdict).map((p) => p.achieved.mean);
  if (rates.length === 0) return verdict.maximum.mean > 0 ? verdict.maximum.mean : null;
  const sound = steady(verdict).at(-1)?.achieved.mean ?? 0;
  return Math.max(Math.min(...rates), sound);
}

/** The range of the times: all points, and the limits that a rate between them reaches. */
function scale(verdict: CurveVerdict): [number, number] {
  const ceiling = verdict.points.filter((p) => p.percent === null && !p.saturated);
  const times = [...steady(verdict), ...ceiling].flatMap((p) => LINES.map((line) => line.of(p)));
  const reached = verdict.capacities.filter((c) => c.rate !== null && !c.at_least);
  return logRange([...times, ...[...reached, ...askedLimits(verdict)].map((c) => c.limit_ns)]);
}

/** The limits that lie above all times of the chart, in words; empty where there are none. */
export function limitsAbove(verdict: CurveVerdict): string {
  const [, top] = scale(verdict);
  const above = verdict.capacities.filter((c) => c.limit_ns > top);
  const names = above.map((c) => `${statisticName(c.statistic)} ≤ ${time(c.limit_ns)}`);
  return names.length > 0 ? `Above the scale: ${names.join(", ")}.` : "";
}

function option(verdict: CurveVerdict, { palette, width }: Frame): EChartsOption {
  const roomy = width > 500;
  const points = steady(verdict);
  const ceiling = verdict.points.find((p) => p.percent === null);
  const range = scale(verdict);
  // Room right of the maximum, so that the grey part shows.
  const right = 1.12 * Math.max(verdict.maximum.mean, ...verdict.points.map((p) => p.achieved.mean), 1);
  return {
    grid: { left: 8, right: 14, top: 34, bottom: 30, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    tooltip: { ...tooltipStyle(palette), trigger: "item" },
    xAxis: {
      ...rateAxis(palette),
      max: right,
      splitLine: { show: false },
      axisLine: { show: true, lineStyle: { color: palette.muted } },
      axisLabel: { ...axisStyle(palette).axisLabel, formatter: shortRate, showMaxLabel: false },
      name: `achieved ${perSecond()}`,
      nameLocation: "middle",
      nameGap: 28,
    },
    yAxis: { ...timeAxis(palette, range), name: roomy ? "response time" : "", nameLocation: "end" },
    series: [
      region(verdict, palette, right, roomy),
      ...LINES.map((line) => lineSeries(line, points, palette, verdict)),
      errorBars(points, palette),
      ...(ceiling && !ceiling.saturated ? [ceilingSeries(ceiling, palette, verdict)] : []),
      saturatedSeries(verdict, palette, range[1], roomy),
      capacitySeries(verdict, palette),
    ],
  };
}

/** The grey part, the knee and the maximum, on a series without data of its own. */
function region(verdict: CurveVerdict, palette: Palette, right: number, roomy: boolean) {
  const start = saturationStart(verdict);
  const areas: object[][] = [];
  if (start !== null) {
    areas.push([
      { xAxis: start, name: saturated(verdict).length > 0 ? "saturated" : "", itemStyle: { color: palette.shade } },
      { xAxis: right },
    ]);
  }
  const knee = verdict.knee;
  if (knee?.half_width) {
    areas.push([
      { xAxis: knee.mean - knee.half_width, itemStyle: { color: palette.mark, opacity: 0.1 } },
      { xAxis: knee.mean + knee.half_width },
    ]);
  }
  const lines: object[] = [];
  if (knee) lines.push(verticalLine(roomy ? `knee ${number(knee.mean)}` : "knee", knee.mean, palette.mark, "dashed"));
  for (const { statistic, limit_ns } of askedLimits(verdict)) {
    const label = { formatter: `${statisticName(statistic)} ≤ ${time(limit_ns)}`, position: "insideStartTop", color: palette.muted, fontSize: 11 };
    lines.push({ yAxis: limit_ns, lineStyle: { color: palette.p99, type: "dashed", width: 1 }, label });
  }
  if (verdict.maximum.mean > 0) {
    const name = roomy ? `maximum ${number(verdict.maximum.mean)}` : "max";
    lines.push(verticalLine(name, verdict.maximum.mean, palette.muted, "solid"));
  }
  return {
    type: "line" as const,
    data: [],
    silent: true,
    markArea: {
      silent: true,
      label: { color: palette.muted, fontSize: 11, position: "insideBottom" as const },
      data: areas as never,
    },
    markLine: { silent: true, symbol: "none", data: lines as never },
  };
}

function verticalLine(name: string, x: number, color: string, type: string): object {
  return {
    xAxis: x,
    lineStyle: { color, type, width: 1 },
    label: { formatter: name, color, fontSize: 11, position: "end", distance: 4 },
  };
}

function lineSeries(line: Line, points: CurvePoint[], palette: Palette, verdict: CurveVerdict) {
  const color = palette[line.colour];
  return {
    type: "line" as const,
    name: line.name,
    z: 3,
    symbol: line.symbol,
    symbolSize: line.symbol === "diamond" ? 9 : 7,
    showSymbol: line.symbol !== "none",
    lineStyle: { color, width: line.dash === "solid" ? 2 : 1.5, type: line.dash },
    itemStyle: { color },
    cursor: "pointer",
    data: points.map((p) => ({ value: [p.achieved.mean, line.of(p)], step: p.step })),
    tooltip: { formatter: ({ dataIndex }: { dataIndex: number }) => pointTip(points[dataIndex]!, verdict) },
  };
}

/** 95 % confidence of the rate (across) and of the mean response (upright). */
function errorBars(points: CurvePoint[], palette: Palette) {
  const spread = (e: Estimate): [number, number] => [e.mean - (e.half_width ?? 0), e.mean + (e.half_width ?? 0)];
  return {
    type: "custom" as const,
    silent: true,
    clip: true,
    z: 2,
    data: points.map((p) => [p.achieved.mean, p.response_mean_ns.mean]),
    renderItem: (params: { dataIndex: number }, api: { coord: (at: number[]) => number[] }) => {
      const p = points[params.dataIndex]!;
      const [left, right] = spread(p.achieved);
      const [low, high] = spread(p.response_mean_ns);
      const stroke = (from: number[], to: number[]) => {
        const [a, b] = [api.coord(from), api.coord(to)];
        const shape = { x1: a[0]!, y1: a[1]!, x2: b[0]!, y2: b[1]! };
        return { type: "line" as const, shape, style: { stroke: palette.mean, lineWidth: 1.2, opacity: 0.7 } };
      };
      const [x, y] = [p.achieved.mean, p.response_mean_ns.mean];
      return { type: "group" as const, children: [stroke([left, y], [right, y]), stroke([x, Math.max(low, 1)], [x, high])] };
    },
  };
}

/** The closed loop at its maximum: a latency of this depth, not of a rate that somebody asked for; so not in a line. */
function ceilingSeries(point: CurvePoint, palette: Palette, verdict: CurveVerdict) {
  const colours = LINES.filter((line) => line.colour === "mean" || line.colour === "p99");
  return {
    type: "scatter" as const,
    z: 4,
    symbol: "diamond",
    symbolSize: 9,
    cursor: "pointer",
    data: colours.map((line) => ({
      value: [point.achieved.mean, line.of(point)],
      step: point.step,
      itemStyle: { color: palette.paper, borderColor: palette[line.colour], borderWidth: 1.5 },
    })),
    tooltip: { formatter: () => pointTip(point, verdict) },
  };
}

/** Saturated points have a rate but no latency: arrows at the top, each with what shows the saturation. */
function saturatedSeries(verdict: CurveVerdict, palette: Palette, top: number, roomy: boolean) {
  const points = saturated(verdict);
  return {
    type: "scatter" as const,
    z: 4,
    symbol: "triangle",
    symbolSize: 9,
    symbolOffset: [0, 7],
    clip: false,
    itemStyle: { color: palette.muted },
    cursor: "pointer",
    data: points.map((p) => ({ value: [p.achieved.mean, top], step: p.step })),
    label: {
      show: roomy && points.length <= 3,
      position: "left" as const,
      color: palette.muted,
      fontSize: 11,
      formatter: ({ dataIndex }: { dataIndex: number }) => cause(verdict, points[dataIndex]!),
    },
    tooltip: { formatter: ({ dataIndex }: { dataIndex: number }) => pointTip(points[dataIndex]!, verdict) },
  };
}

/** A ring where a limit is reached. */
function capacitySeries(verdict: CurveVerdict, palette: Palette) {
  const reached = verdict.capacities.filter((c) => c.rate !== null && !c.at_least);
  return {
    type: "scatter" as const,
    z: 5,
    symbol: "circle",
    symbolSize: 11,
    data: reached.map((c) => [c.rate!.mean, c.limit_ns]),
    itemStyle: { color: "transparent", borderColor: palette.ink, borderWidth: 1.5 },
    tooltip: {
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const c = reached[dataIndex]!;
        return tooltipBody(`${statisticName(c.statistic)} ≤ ${time(c.limit_ns)}`, [
          ["capacity", `${number(c.rate!.mean)}/s`],
          ["mean response there", time(c.response_mean_ns)],
        ]);
      },
    },
  };
}

function cause(verdict: CurveVerdict, point: CurvePoint): string {
  return verdict.saturated_by[point.step] ?? "";
}

function pointTip(point: CurvePoint, verdict: CurveVerdict): HTMLElement {
  const lines: [string, string][] = [["achieved", `${number(point.achieved.mean)}/s`]];
  if (point.offered !== null) lines.push(["offered", `${number(point.offered)}/s`]);
  if (point.saturated) {
    lines.push(["saturated", cause(verdict, point)]);
  } else {
    for (const line of LINES.toReversed()) lines.push([line.name, time(line.of(point))]);
  }
  lines.push(["in flight", number(point.depth_mean)]);
  return tooltipBody(point.name, lines);
}

function label(verdict: CurveVerdict): string {
  return `Response time against achieved rate of ${curveName(verdict)}. ${verdict.sentence} The points are in the table below.`;
}
