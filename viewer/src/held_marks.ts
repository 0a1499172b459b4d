// What held I/Os up for a while, on the axis of all steps.

import type { Step, Stretch } from "./data.ts";
import { counted, time } from "./format.ts";
import type { Placed } from "./placement.ts";
import type { Palette } from "./theme.ts";
import { one } from "./words.ts";

/** Stalls, and times in which the host was late, across rates and response times. */
export function heldAreas(placed: Placed[], palette: Palette) {
  return [0, 1].map((axis) => {
    const areas = placed.flatMap(({ step, start }) => [
      ...step.stalls.longest.map((s) => area(start, s, palette.p99)),
      ...step.late_by_host.longest.map((s) => area(start, s, palette.mark)),
    ]);
    const markArea = { silent: true, data: areas as never };
    return { type: "line" as const, xAxisIndex: axis, yAxisIndex: axis, data: [], silent: true, z: 1, markArea };
  });
}

/** With an edge, so that a short one in a long step is seen. */
function area(start: number, stretch: Stretch, colour: string): object[] {
  const from = start + stretch.start_ns / 1e9;
  const itemStyle = { color: colour, opacity: 0.28, borderColor: colour, borderWidth: 1 };
  return [{ xAxis: from, itemStyle }, { xAxis: from + stretch.length_ns / 1e9 }];
}

/** What held I/Os up between two instants of a step, s, for the pointer's box. */
export function heldLines(step: Step, from: number, to: number): [string, string][] {
  const meets = (s: Stretch): boolean => s.start_ns / 1e9 < to && (s.start_ns + s.length_ns) / 1e9 > from;
  const line = (name: string) => (s: Stretch): [string, string] => [name, `${time(s.length_ns)}, ${counted(s.ios, one())}`];
  return [...step.stalls.longest.filter(meets).map(line("stall")), ...step.late_by_host.longest.filter(meets).map(line("host late"))];
}
