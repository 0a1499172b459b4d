// Percentiles on an axis of nines: of one step, response and service; of many, their responses.

import { axisStyle, logRange, timeAxis, tooltipBody, tooltipStyle } from "./axis.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import type { Step } from "./data.ts";
import { nines, time } from "./format.ts";
import { mix } from "./colour.ts";
import { several } from "./words.ts";

/** The most lines that can be told apart. */
const MOST = 16;

interface Line {
  name: string;
  step: number;
  values: number[];
  colour: string;
  dash: "solid" | "dotted";
}

/** The chart; `steps` says which steps to show now, `grid` is the axis, 1/(1-q). */
export function percentileChart(steps: () => Step[], grid: number[], onPick: (step: number) => void): Chart {
  const chart = new Chart("Percentiles of the response time; the usual ones are in the table of steps.", 330, (frame) =>
    option(steps(), grid, frame),
  );
  chart.whenReady((echarts) => {
    echarts.on("click", (event) => {
      const step = (event.data as { step?: number } | undefined)?.step;
      if (step !== undefined) onPick(step);
    });
  });
  return chart;
}

/** The steps of which a plot of many shows lines: those with a latency, thinned evenly. */
export function plotted(steps: Step[]): Step[] {
  const sound = steps.filter((s) => !s.saturation?.saturated && !s.fill && s.response_curve_ns.length > 0);
  if (sound.length <= MOST) return sound;
  const by = (sound.length - 1) / (MOST - 1);
  return Array.from({ length: MOST }, (_, i) => sound[Math.round(i * by)]!);
}

function linesOf(steps: Step[], { palette }: Frame): Line[] {
  const only = steps.length === 1 ? steps[0] : undefined;
  if (only) {
    const of = (name: string, values: number[], colour: string, dash: Line["dash"]): Line => ({ name, step: only.number, values, colour, dash });
    return [
      of("service", only.service_curve_ns, palette.service, "dotted"),
      of("response", only.response_curve_ns, palette.mean, "solid"),
    ];
  }
  const shown = plotted(steps).sort((a, b) => a.rate.mean - b.rate.mean);
  return shown.map((step, i) => ({
    name: step.name,
    step: step.number,
    values: step.response_curve_ns,
    colour: mix(palette.p50, palette.p99, shown.length > 1 ? i / (shown.length - 1) : 0),
    dash: "solid" as const,
  }));
}

function option(steps: Step[], grid: number[], frame: Frame): EChartsOption {
  const { palette } = frame;
  const lines = linesOf(steps, frame);
  const style = axisStyle(palette);
  const longest = Math.max(...lines.map((l) => l.values.length), 11);
  const right = grid[longest - 1] ?? 10;
  const customValues = [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6].filter((x) => x <= right * 1.01);
  return {
    grid: { left: 60, right: 14, top: 30, bottom: 44 },
    tooltip: {
      ...tooltipStyle(palette),
      trigger: "item",
      formatter: (hit: unknown) => {
        const { seriesIndex, dataIndex } = hit as { seriesIndex: number; dataIndex: number };
        const line = lines[seriesIndex];
        return line ? tooltipBody(line.name, [[nines(grid[dataIndex] ?? 1), time(line.values[dataIndex] ?? null)]]) : "";
      },
    },
    xAxis: {
      ...style,
      type: "log",
      min: 1,
      max: right,
      axisLine: { show: true, lineStyle: { color: palette.muted } },
      axisTick: { show: false, customValues },
      axisLabel: { ...style.axisLabel, customValues, formatter: nines },
      name: `share of ${several()} that took no longer`,
      nameLocation: "middle",
      nameGap: 28,
    },
    yAxis: { ...timeAxis(palette, logRange(lines.flatMap((l) => l.values))), name: "response" },
    series: lines.map((line) => ({
      type: "line" as const,
      name: line.name,
      data: line.values.map((ns, i) => ({ value: [grid[i]!, ns], step: line.step })),
      showSymbol: true,
      symbol: "circle",
      symbolSize: 6,
      itemStyle: { color: line.colour, opacity: 0 },
      lineStyle: { color: line.colour, width: line.dash === "solid" ? 1.8 : 1.5, type: line.dash, opacity: 1 },
      emphasis: { focus: "series" as const, itemStyle: { opacity: 1 } },
      cursor: "pointer",
    })),
  };
}
