// A chart in the page: drawn again when the size, the theme or the choice of step changes.

import { CustomChart, LineChart, ScatterChart } from "echarts/charts";
import {
  DataZoomComponent,
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import { type ECharts, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import type { EChartsOption } from "echarts/types/dist/shared";
import { h } from "./dom.ts";
import { type Palette, onPaper, onThemeChange, palette } from "./theme.ts";

use([
  CanvasRenderer,
  CustomChart,
  DataZoomComponent,
  GridComponent,
  LineChart,
  MarkAreaComponent,
  MarkLineComponent,
  ScatterChart,
  TooltipComponent,
]);

export type { ECharts, EChartsOption };

/** Width of a chart on paper, px: what A4 and Letter both hold. */
const PAPER_WIDTH = 690;

export interface Frame {
  palette: Palette;
  width: number;
  height: number;
}

/** A chart that knows how to draw itself into any frame. */
export class Chart {
  readonly element: HTMLElement;
  readonly #host: HTMLElement;
  readonly #draw: (frame: Frame) => EChartsOption;
  #chart: ECharts | null = null;
  #ready: ((chart: ECharts) => void)[] = [];

  /** `label` is what a person who cannot see the chart hears; `height` in px. */
  constructor(label: string, height: number, draw: (frame: Frame) => EChartsOption) {
    this.#draw = draw;
    this.#host = h("div", { class: "chart-canvas", style: `height:${height}px` });
    this.element = h("div", { class: "chart", role: "img", "aria-label": label }, this.#host);
    onThemeChange(() => this.redraw());
    new ResizeObserver(() => {
      if (!onPaper()) this.redraw();
    }).observe(this.element);
  }

  /** Calls back with the chart as soon as it exists. */
  whenReady(callback: (chart: ECharts) => void): void {
    if (this.#chart) callback(this.#chart);
    else this.#ready.push(callback);
  }

  setHeight(height: number): void {
    this.#host.style.height = `${height}px`;
  }

  setLabel(label: string): void {
    this.element.setAttribute("aria-label", label);
  }

  /** Draws at once: a printer doesn't wait for the next frame. */
  redraw(): void {
    const width = onPaper() ? PAPER_WIDTH : this.element.clientWidth;
    const height = this.#host.clientHeight || Number.parseInt(this.#host.style.height, 10);
    if (width === 0) return;
    if (!this.#chart) {
      // Twice the pixels: text stays sharp on paper and when zoomed.
      this.#chart = init(this.#host, null, { width, height, devicePixelRatio: Math.max(2, devicePixelRatio) });
      for (const callback of this.#ready.splice(0)) callback(this.#chart);
    }
    this.#chart.resize({ width, height, silent: true });
    const fontFamily = getComputedStyle(this.#host).fontFamily;
    const option = this.#draw({ palette: palette(), width, height });
    this.#chart.setOption({ textStyle: { fontFamily }, animation: false, ...option }, { notMerge: true });
    this.#chart.getZr().flush();
  }
}
