// Where events lie on the axis of time.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "../src/data.ts";
import { pathEvents } from "../src/path_events.ts";

test("a path's failure lies at its time in its step, steps one after the other", () => {
  const step = (at: number[]): Step => ({ paths: [{ events: at.map((at_s) => ({ at_s, state: "down" })) }] }) as unknown as Step;
  const placed = [
    { step: step([2]), start: 0, end: 10 },
    { step: step([1, 3]), start: 11, end: 20 },
  ];
  assert.deepEqual(pathEvents(placed).map((e) => e.x), [2, 12, 14]);
});
