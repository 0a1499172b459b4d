// When paths failed and came back, on the axis of all steps.

import type { Placed } from "./placement.ts";

/** Each path's event at its place on the axis. */
export function pathEvents(placed: Placed[]): { x: number; state: string }[] {
  return placed.flatMap(({ step, start }) =>
    step.paths.flatMap((target) => target.events.map((event) => ({ x: start + event.at_s, state: event.state }))),
  );
}
