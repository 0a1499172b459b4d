// Where a line is not drawn: between points between which nothing is known.

import type { ChartPoint } from "./data.ts";

/** A point, or a gap between those beside it. */
export type Drawn = ChartPoint | null;

/** The points, with a gap between those that are farther apart than what may be joined. */
export function withGaps(points: ChartPoint[], gap: number | undefined): Drawn[] {
  return points.flatMap((p, i) => (gap !== undefined && i > 0 && p.x - points[i - 1]!.x > gap ? [null, p] : [p]));
}
