// A tooltip over a picture, which is one element to its chart.

import type { Chart } from "./chart.ts";

/** Shows what `body` says of the place under the pointer: in the axes' units, and in which of the chart's grids it is. */
export function tipOver(chart: Chart, grids: () => number, body: (at: [number, number], grid: number) => HTMLElement | null): void {
  chart.whenReady((echarts) => {
    const host = chart.element;
    const tip = document.createElement("div");
    tip.className = "heat-tip";
    tip.hidden = true;
    host.append(tip);
    echarts.getZr().on("globalout", () => {
      tip.hidden = true;
    });
    echarts.getZr().on("mousemove", (event) => {
      const at = [event.offsetX, event.offsetY];
      const gridIndex = Array.from({ length: grids() }, (_, i) => i).find((i) => echarts.containPixel({ gridIndex: i }, at));
      const found = gridIndex === undefined ? null : body(echarts.convertFromPixel({ gridIndex }, at) as [number, number], gridIndex);
      tip.hidden = found === null;
      if (found) {
        tip.replaceChildren(found);
        tip.style.left = `${Math.min(event.offsetX + 14, host.clientWidth - tip.offsetWidth - 4)}px`;
        tip.style.top = `${Math.max(0, event.offsetY - tip.offsetHeight - 10)}px`;
      }
    });
  });
}
