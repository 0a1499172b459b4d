// Steps side by side on one axis of time.

import type { Step } from "./data.ts";

/** A step and its part of the axis, s. */
export interface Placed {
  step: Step;
  start: number;
  end: number;
}

/** One after the other, with a small gap between; steps without a series have no place. */
export function place(steps: Step[]): Placed[] {
  const shown = steps.filter((s) => (s.series?.start_s.length ?? 0) > 0);
  const length = (step: Step): number => {
    const series = step.series!;
    return (series.start_s.at(-1) ?? 0) + (series.length_s.at(-1) ?? 0);
  };
  const gap = shown.length > 1 ? (shown.reduce((sum, s) => sum + length(s), 0) / shown.length) * 0.06 : 0;
  let at = 0;
  return shown.map((step) => {
    const placed = { step, start: at, end: at + length(step) };
    at = placed.end + gap;
    return placed;
  });
}
