// The paths to targets that have several, or one that had trouble.

import { timeIn, whole, words } from "./cells.ts";
import type { Path, PathEvent, Report, Step, TargetPaths } from "./data.ts";
import { h, section } from "./dom.ts";
import { clock, count, timeUnit } from "./format.ts";
import type { Selection } from "./selection.ts";
import { type Column, table } from "./table.ts";

interface PathLine {
  step: Step;
  target: TargetPaths;
  path: Path;
}

interface EventLine {
  step: Step;
  event: PathEvent;
}

/** The section, which follows the selection; `null` where there is nothing to say. */
export function pathsSection(report: Report, selection: Selection): HTMLElement | null {
  if (report.steps.every((s) => s.paths.length === 0)) return null;
  const body = h("div", {});
  const refresh = (): void => {
    const chosen = report.steps.find((s) => s.number === selection.step);
    body.replaceChildren(...parts(chosen ? [chosen] : report.steps));
  };
  selection.onChange(refresh);
  refresh();
  return section("paths", "Paths", body);
}

function parts(steps: Step[]): HTMLElement[] {
  const lines = steps.flatMap((step) => step.paths.flatMap((target) => target.paths.map((path): PathLine => ({ step, target, path }))));
  if (lines.length === 0) return [h("p", {}, "This step has no targets on several paths.")];
  const events = steps.flatMap((step) => step.paths.flatMap((t) => t.events.map((event): EventLine => ({ step, event }))));
  const unconfirmed = steps.flatMap((s) => s.paths).reduce((sum, t) => sum + t.unconfirmed_writes, 0);
  const doubt = `${count(unconfirmed)} writes counted as done while an earlier copy of them might still arrive.`;
  return [
    pathsTable(lines),
    ...(events.length > 0 ? [eventsTable(events)] : []),
    ...(unconfirmed > 0 ? [h("p", { class: "flag" }, doubt)] : []),
  ];
}

function pathsTable(lines: PathLine[]): HTMLElement {
  const ns = (path: Path): number | null => (path.service_mean_us === null ? null : path.service_mean_us * 1e3);
  const unit = timeUnit(lines.map((l) => ns(l.path)));
  const target: Column<PathLine> = { title: "target", key: "target", words: true, cell: (l) => words(l.target.target) };
  const several = new Set(lines.map((l) => l.target.target)).size > 1;
  return table<PathLine>(
    [
      {
        title: "",
        columns: [
          { title: "Path", key: "uri", words: true, cell: (l) => words(l.path.uri) },
          { title: "step", key: "step", words: true, cell: (l) => words(l.step.name) },
          ...(several ? [target] : []),
          { title: "at the end", key: "state", words: true, cell: (l) => words(l.path.state) },
          { title: "I/Os", key: "ios", cell: (l) => whole(l.path.ios) },
          { title: `service mean, ${unit.name}`, key: "service_mean_ns", cell: (l) => timeIn(unit, ns(l.path)) },
          { title: "errors", key: "errors", cell: (l) => whole(l.path.errors) },
          { title: "sent again", key: "reissued", cell: (l) => whole(l.path.reissued) },
          { title: "failed", key: "times_down", cell: (l) => whole(l.path.times_down) },
          { title: "came back", key: "times_back", cell: (l) => whole(l.path.times_back) },
        ],
      },
    ],
    lines,
    { id: "paths-table", caption: "What each path carried", rowClass: (l) => (l.path.state === "down" ? "down" : "") },
  );
}

function eventsTable(events: EventLine[]): HTMLElement {
  return table<EventLine>(
    [
      {
        title: "",
        columns: [
          { title: "Path", key: "uri", words: true, cell: (e) => words(e.event.uri) },
          { title: "step", key: "step", words: true, cell: (e) => words(e.step.name) },
          { title: "at", key: "at_s", cell: (e) => ({ text: clock(e.event.at_s), value: e.event.at_s }) },
          { title: "from then on", key: "state", words: true, cell: (e) => words(e.event.state) },
          { title: "why", key: "why", words: true, cell: (e) => words(e.event.why) },
        ],
      },
    ],
    events,
    { id: "path-events", caption: "When they failed and came back" },
  );
}
