// Where I/Os went: address by time. The cells are one picture; the axes around it are a chart's.

import { axisStyle, clockAxis, tooltipBody, tooltipStyle } from "./axis.ts";
import { Chart, type EChartsOption, type Frame } from "./chart.ts";
import { ramp, rgb } from "./colour.ts";
import type { Step, Target } from "./data.ts";
import { bytes, clock, number, percent } from "./format.ts";
import { type Placed, place } from "./placement.ts";
import { tipOver } from "./tip_over.ts";

/** Cells count in tenths of an even share. */
const EVEN = 10;

/** The most maps that one chart shows. */
const MOST_LANES = 6;

const LANE_HEIGHT = 270;
const NARROW_LANE_HEIGHT = 130;

/** The chart; `steps` says which steps to show now. */
export function heatChart(steps: () => Step[], targets: Target[]): Chart {
  const lanes = Math.min(laneCount(steps()), MOST_LANES);
  const height = 60 + lanes * (lanes > 1 ? NARROW_LANE_HEIGHT : LANE_HEIGHT - 30);
  const chart = new Chart("Accesses by address and time; the table of steps says how much the hottest part got.", height, (frame) =>
    option(place(steps()), targets, lanes, frame),
  );
  tipOver(chart, () => lanes, (at, lane) => cellTip(at, lane, steps(), targets));
  return chart;
}

/** How many maps there are: one a target, or one a stream where streams have different targets. */
export function laneCount(steps: Step[]): number {
  return Math.max(1, ...steps.map((s) => s.series?.heat.lanes.length ?? 0));
}

/** The hottest cell of these steps, as a multiple of an even share; at least 4, so that noise looks even. */
export function hottest(steps: Step[]): number {
  let most = 4 * EVEN;
  for (const lane of steps.flatMap((s) => s.series?.heat.lanes ?? [])) {
    for (const row of lane.rows) for (const cell of row) if (cell > most) most = cell;
  }
  return most / EVEN;
}

/** Where a multiple of an even share lies on the colour scale, 0..1. */
export function heatScale(share: number, most: number): number {
  return Math.log1p(share) / Math.log1p(most);
}

function option(placed: Placed[], targets: Target[], lanes: number, frame: Frame): EChartsOption {
  const { palette } = frame;
  const style = axisStyle(palette);
  const end = placed.at(-1)?.end ?? 1;
  const most = hottest(placed.map((p) => p.step));
  const top = 24;
  const each = (frame.height - top - 28) / lanes;
  const indexes = Array.from({ length: lanes }, (_, i) => i);
  return {
    grid: indexes.map((i) => ({ left: 64, right: 12, top: top + i * each, height: each - (lanes > 1 ? 34 : 8) })),
    tooltip: { ...tooltipStyle(palette), show: false },
    xAxis: indexes.map((i) => ({
      ...clockAxis(palette, end, i === lanes - 1),
      gridIndex: i,
    })),
    yAxis: indexes.map((i) => ({
      ...style,
      gridIndex: i,
      type: "value" as const,
      min: 0,
      max: 1,
      interval: lanes > 1 ? 0.5 : 0.25,
      splitLine: { show: false },
      name: lanes > 1 ? laneName(placed, i, targets) : "address",
      nameTruncate: { maxWidth: frame.width - 20 },
      nameTextStyle: { ...style.nameTextStyle, align: "left" as const, padding: [0, 0, -4, -56] },
      axisLabel: { ...style.axisLabel, formatter: (share: number) => addressLabel(share, targetOf(placed[0]?.step, i, targets)) },
    })),
    series: indexes.map((i) => ({
      type: "custom" as const,
      xAxisIndex: i,
      yAxisIndex: i,
      silent: true,
      data: placed.length > 0 ? [[0, 0]] : [],
      renderItem: (_params: unknown, api: { coord: (at: number[]) => number[] }) => {
        const [x0, y0] = api.coord([0, 1]) as [number, number];
        const [x1, y1] = api.coord([end, 0]) as [number, number];
        const [width, height] = [Math.max(1, x1 - x0), Math.max(1, y1 - y0)];
        const image = paint(placed, i, end, width, height, (cell) =>
          cell === 0 ? palette.shade : ramp(palette.heat, heatScale(cell / EVEN, most)),
        );
        return { type: "image" as const, style: { image: image as never, x: x0, y: y0, width, height } };
      },
    })),
  };
}

/** The cells as a picture at twice the resolution; the hottest of the addresses that share a pixel is shown. */
function paint(
  placed: Placed[],
  lane: number,
  end: number,
  width: number,
  height: number,
  colour: (cell: number) => string,
): HTMLCanvasElement {
  const scale = 2;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d")!;
  context.imageSmoothingEnabled = false;
  for (const { step, start } of placed) {
    const heat = step.series!.heat;
    heat.lanes[lane]?.rows.forEach((row, r) => {
      if (row.length === 0) return;
      const from = ((start + heat.start_s[r]!) / end) * canvas.width;
      const to = ((start + heat.start_s[r]! + heat.length_s[r]!) / end) * canvas.width;
      const x = Math.floor(from);
      context.drawImage(strip(row, canvas.height, colour), x, 0, Math.max(1, Math.ceil(to) - x), canvas.height);
    });
  }
  return canvas;
}

/** One row of cells, one pixel wide, address 0 at the bottom. */
function strip(row: number[], pixels: number, colour: (cell: number) => string): HTMLCanvasElement {
  const height = Math.min(row.length, pixels);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1, height];
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(1, height);
  for (let y = 0; y < height; y++) {
    const from = Math.floor((y * row.length) / height);
    const to = Math.max(from + 1, Math.floor(((y + 1) * row.length) / height));
    const cell = Math.max(...row.slice(from, to));
    image.data.set([...rgb(colour(cell)), 255], (height - 1 - y) * 4);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function laneName(placed: Placed[], lane: number, targets: Target[]): string {
  return targetOf(placed[0]?.step, lane, targets)?.name ?? `stream ${lane + 1}`;
}

/** The target that a lane is of, where that is known. */
function targetOf(step: Step | undefined, lane: number, targets: Target[]): Target | undefined {
  return step?.series?.heat.by === "target" ? targets[lane] : undefined;
}

/** An address where the target is known, else a share of it. */
function addressLabel(share: number, target: Target | undefined): string {
  const size = target?.size_bytes ?? 0;
  return size > 0 ? bytes(share * size) : percent(share);
}

function cellTip([x, y]: [number, number], lane: number, steps: Step[], targets: Target[]): HTMLElement | null {
  const found = place(steps).find((p) => x >= p.start && x <= p.end);
  if (!found) return null;
  const heat = found.step.series!.heat;
  const second = x - found.start;
  const row = heat.start_s.findLastIndex((s) => s <= second);
  const cells = heat.lanes[lane]?.rows[row];
  if (!cells || cells.length === 0) return null;
  const column = Math.min(cells.length - 1, Math.max(0, Math.floor(y * cells.length)));
  return tooltipBody(found.step.name, [
    ["at", clock(heat.start_s[row] ?? 0)],
    ["from", addressLabel(column / cells.length, targetOf(found.step, lane, targets))],
    ["accesses", `${number((cells[column] ?? 0) / EVEN)} × an even share`],
  ]);
}
