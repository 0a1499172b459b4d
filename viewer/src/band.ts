// A filled band between two lines of a chart, with gaps where either is unknown.

import type { CustomSeriesOption } from "echarts/charts";

export type BandPoint = [x: number, low: number | null, high: number | null];

/** The band as a series of one polygon for each stretch without a gap. */
export function band(points: BandPoint[], colour: string, opacity: number, axis = 0): CustomSeriesOption {
  const stretches = split(points);
  return {
    type: "custom",
    xAxisIndex: axis,
    yAxisIndex: axis,
    silent: true,
    clip: true,
    z: 1,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2] },
    data: stretches.map((stretch) => stretch[0]!.slice()),
    renderItem: (params, api) => {
      const stretch = stretches[params.dataIndex] ?? [];
      const top = stretch.map(([x, , high]) => api.coord([x, high!]));
      const bottom = stretch.map(([x, low]) => api.coord([x, low!])).reverse();
      return { type: "polygon", shape: { points: [...top, ...bottom] }, style: { fill: colour, opacity } };
    },
  };
}

function split(points: BandPoint[]): BandPoint[][] {
  const stretches: BandPoint[][] = [[]];
  for (const point of points) {
    if (point[1] === null || point[2] === null) stretches.push([]);
    else stretches.at(-1)!.push(point);
  }
  return stretches.filter((s) => s.length > 0);
}
