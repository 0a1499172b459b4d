// What was done while a step ran: on the axis of all steps, and in words.

import type { Action, Step } from "./data.ts";
import { clock, time } from "./format.ts";
import type { Placed } from "./placement.ts";
import type { Palette } from "./theme.ts";

/** More letters than these are cut beside a mark; the table of facts has all. */
const LETTERS = 20;

/** Where something was done, across the rates. */
export function actionMarks(placed: Placed[], palette: Palette) {
  const data = placed.flatMap(({ step, start }) =>
    step.actions.flatMap((action) => (action.began_s === null ? [] : [mark(action, start + action.began_s, palette)])),
  );
  const markLine = { silent: true, symbol: "none", data: data as never };
  return { type: "line" as const, xAxisIndex: 0, yAxisIndex: 0, data: [], silent: true, markLine };
}

function mark(action: Action, x: number, palette: Palette): object {
  const color = action.failed === null ? palette.ink : palette.p99;
  const name = action.what.length > LETTERS ? `${action.what.slice(0, LETTERS)}…` : action.what;
  return {
    xAxis: x,
    lineStyle: { color, type: "dotted", width: 1.5 },
    // Not a template: a name may have braces.
    label: { formatter: () => name, color: palette.muted, fontSize: 10, position: "insideEndTop" },
  };
}

/** What was done between two instants of a step, s, for the pointer's box. */
export function actionLines(step: Step, from: number, to: number): [string, string][] {
  const begun = step.actions.filter((a) => a.began_s !== null && a.began_s >= from && a.began_s < to);
  return begun.map((a) => ["done", a.failed === null ? a.what : `${a.what}: ${a.failed}`]);
}

/** Each in words. */
export function actionFacts(step: Step): [string, string][] {
  return step.actions.map((a) => [a.began_s === null ? "Not done" : "Done", words(a)]);
}

function words(action: Action): string {
  const { what, planned_s, began_s, ended_s, failed } = action;
  if (began_s === null) {
    const planned = planned_s === null ? "" : `, planned for ${clock(planned_s)}`;
    return `${what}${planned}: ${failed ?? "the step had ended"}`;
  }
  const took = ended_s !== null && ended_s > began_s ? `, for ${time((ended_s - began_s) * 1e9)}` : "";
  const said = action.output.trim().split("\n").at(-1) ?? "";
  const bad = failed === null ? "" : `: failed, ${failed}${said === "" ? "" : ` (${said})`}`;
  return `${what} at ${clock(began_s)}${took}${bad}`;
}
