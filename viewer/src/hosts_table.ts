// What each host did, a line for each step.

import { estimate, timeIn, whole } from "./cells.ts";
import type { HostPart, LostHost, Step } from "./data.ts";
import { h } from "./dom.ts";
import { number, percent, time, timeUnit } from "./format.ts";
import { type Cell, type Column, type Group, table } from "./table.ts";
import { perSecond, several } from "./words.ts";

/** A host of a step: its part, or why there is none. */
interface Line {
  step: Step;
  name: string;
  part: HostPart | null;
  lost: LostHost | null;
}

const NONE: Cell = { text: "–", value: null };

/** How many lines a step's hosts take. */
export function lineCount(step: Step): number {
  return step.hosts.parts.length + step.hosts.lost.length;
}

/** The table. */
export function hostsTable(steps: Step[], caption: string): HTMLElement {
  const lines = steps.flatMap(linesOf);
  const sound = lines.flatMap((l) => (l.part && isSound(l.part) ? [l.part] : []));
  const unit = timeUnit(sound.map((p) => p.response_mean_ns.mean));
  const served = timeUnit(sound.map((p) => p.service_mean_ns.mean));
  const of = (title: string, key: string, cell: (part: HostPart) => Cell): Column<Line> => ({
    title,
    key,
    cell: (l) => (l.part ? cell(l.part) : NONE),
  });
  const some = (has: (part: HostPart) => boolean, column: Column<Line>): Column<Line>[] => (lines.some((l) => l.part && has(l.part)) ? [column] : []);
  const times = (part: HostPart, cell: Cell): Cell => (isSound(part) ? cell : NONE);
  const groups: Group<Line>[] = [
    {
      title: "",
      columns: [
        { title: "Host", key: "host", words: true, cell: (l) => ({ text: hostName(l.name), value: l.name }) },
        ...(steps.length > 1 ? [{ title: "step", key: "step", words: true, cell: (l: Line) => stepName(l) }] : []),
        ...some((p) => p.offered !== null, of("offered", "offered", (p) => ({ text: number(p.offered), value: p.offered }))),
      ],
    },
    {
      title: "Achieved",
      columns: [of(perSecond(), "rate", (p) => estimate(p.rate)), of("of all", "share", (p) => ({ text: percent(p.share), value: p.share }))],
    },
    {
      title: `Response, ${unit.name}`,
      columns: [
        of("mean", "response_mean_ns", (p) => times(p, estimate(p.response_mean_ns, unit.size))),
        of("p99", "response_p99_ns", (p) => times(p, timeIn(unit, p.response_p99_ns))),
        of("max", "response_max_ns", (p) => times(p, timeIn(unit, p.response_max_ns))),
      ],
    },
    {
      title: "",
      columns: [
        of(`service, ${served.name}`, "service_mean_ns", (p) => times(p, timeIn(served, p.service_mean_ns.mean))),
        of("in flight", "depth_mean", (p) => ({ text: number(p.depth_mean), value: p.depth_mean })),
        of("errors", "errors", (p) => whole(p.errors)),
        ...some((p) => p.late_ios > 0, of(`late ${several()}`, "late_ios", (p) => whole(p.late_ios))),
      ],
    },
    {
      title: "Start",
      columns: [
        ...some((p) => p.start_late_ns > 0, of("late", "start_late_ns", (p) => ({ text: p.start_late_ns > 0 ? time(p.start_late_ns) : "0", value: p.start_late_ns }))),
        of("±", "start_bound_ns", (p) => ({ text: time(p.start_bound_ns), value: p.start_bound_ns })),
      ],
    },
    ...(lines.some((l) => state(l) !== "") ? [{ title: "", columns: [{ title: "", key: "state", words: true, cell: stateCell }] }] : []),
  ];
  return table(groups, lines, { id: "hosts-table", caption, rowClass: (l) => (l.lost ? "down" : l.part?.saturated_by ? "saturated" : "") });
}

function linesOf(step: Step): Line[] {
  return [
    ...step.hosts.parts.map((part): Line => ({ step, name: part.name, part, lost: null })),
    ...step.hosts.lost.map((lost): Line => ({ step, name: lost.name, part: null, lost })),
  ];
}

/** Whether its times are latencies. */
function isSound(part: HostPart): boolean {
  return part.saturated_by === null && part.ios > 0;
}

/** What became of a host, in a word or two. */
function state({ part, lost }: Line): string {
  if (lost) return "lost";
  if (!part) return "";
  const end = part.end === "elapsed" || part.end === "limit" ? [] : [part.end];
  return [...(part.saturated_by === null ? [] : [part.saturated_by]), ...end].join(", ");
}

/** A name that may be broken at its dots. */
function hostName(name: string): HTMLElement {
  const parts = name.split(/(?<=\.)/);
  return h("span", {}, ...parts.flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part])));
}

/** In one line: many lines have the same. */
function stepName({ step }: Line): Cell {
  return { text: h("span", {}, step.name), value: step.name };
}

/** A rate in it is not broken at its sign. Saved, it has the reason too. */
function stateCell(line: Line): Cell {
  const why = line.lost ? `: ${line.lost.why}` : "";
  return { text: h("span", {}, state(line)), value: state(line) + why };
}

/** Why hosts were lost, and what was doubtful about one alone: a sentence each. */
export function hostRemarks(steps: Step[]): HTMLElement[] {
  return steps.flatMap(linesOf).flatMap(({ step, name, part, lost }) => {
    const said = lost ? [`lost: ${lost.why}`] : (part?.doubts ?? []);
    return said.map((what) => h("p", { class: "flag" }, h("b", {}, name), ` in ${step.name}: ${what}`));
  });
}
