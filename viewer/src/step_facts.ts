// One step in all its numbers.

import type { ErrorSample, Latency, Saturation, Step, Stretches } from "./data.ts";
import { actionFacts } from "./actions.ts";
import { timeIn, whole, words } from "./cells.ts";
import { h } from "./dom.ts";
import { bytes, clock, count, counted, percent, signed, time, timeUnit } from "./format.ts";
import { facts } from "./facts.ts";
import { partsTables } from "./parts_tables.ts";
import { type Column, table } from "./table.ts";
import { endWords, one, several } from "./words.ts";

interface LatencyRow {
  what: string;
  ios: number;
  bytes: number;
  errors: number | null;
  latency: Latency;
  own?: boolean;
}

/** The panel of a step that was chosen. */
export function stepFacts(step: Step): HTMLElement {
  return h(
    "div",
    { class: "step-facts" },
    facts([
      ["Load", `${step.load}; ${counted(step.slots, "slot")}, ${counted(step.workers, "worker")}`],
      ...step.loops.map(([key, value]): [string, string] => [key, value]),
      ["Counted", `${clock(step.counted_s)} after ${clock(step.warmup_s)} of warm-up`],
      ["Moved", `${bytes(step.bytes)} in ${count(step.ios)} ${several()}`],
      ["Ended", endWords(step.end)],
      ...saturationFacts(step.saturation),
      ["Limit", step.limited_by],
      ...heldFacts(step),
      ...actionFacts(step),
    ]),
    ...partsTables(step),
    latencyTable(step),
    step.error_samples.length > 0 && errorsTable(step.error_samples),
  );
}

function saturationFacts(saturation: Saturation | null): [string, string][] {
  if (!saturation) return [];
  const backlog = `${count(saturation.backlog_end)} ${several()} at the end, ${signed(saturation.backlog_growth)}/s`;
  return [
    ["Found no free slot", percent(saturation.no_slot_share)],
    ["Short of the offered rate", percent(saturation.shortfall)],
    ["Short of slots or behind", `${percent(saturation.short_samples)} of the time`],
    ["Backlog", backlog],
  ];
}

/** More stretches than these are not named one by one. */
const NAMED = 4;

/** What held I/Os up, and what never came back. */
function heldFacts(step: Step): [string, string | null][] {
  const drain = step.series?.drain ?? null;
  return [
    ["Stalls", stretches(step.stalls, "waited")],
    ["Host late", stretches(step.late_by_host, "went out late")],
    ["Back after the end", drain && `${counted(drain.ios, one())}, the last after ${time(drain.length_s * 1e9)}`],
    ["Never back", step.unfinished > 0 ? `${counted(step.unfinished, one())}, in the times with what they had waited` : null],
  ];
}

/** All of few; of many their number and the longest. */
function stretches({ count: all, ios, longest }: Stretches, verb: string): string | null {
  if (all === 0) return null;
  if (all > NAMED) {
    const most = longest.reduce((a, b) => (b.length_ns > a.length_ns ? b : a));
    return `${count(all)}, ${counted(ios, one())} ${verb}; the longest ${time(most.length_ns)} at ${clock(most.start_ns / 1e9)}`;
  }
  return longest.map((s) => `${time(s.length_ns)} at ${clock(s.start_ns / 1e9)}, ${counted(s.ios, one())} ${verb}`).join("; ");
}

function latencyTable(step: Step): HTMLElement {
  const rows: LatencyRow[] = [];
  const add = (what: string, part: { ios: number; bytes: number; errors: number; response: Latency; service: Latency }): void => {
    rows.push({ what: `${what}response`, ...part, latency: part.response });
    rows.push({ what: `${what}service`, ...part, latency: part.service });
  };
  add("", step);
  if (step.ops.length > 1) for (const op of step.ops) add(`${op.op} `, op);
  if (step.syncs !== null) rows.push({ what: "fsync", ...step.syncs, latency: step.syncs.service });
  if (step.lateness.max_ns !== null) {
    rows.push({ what: "generator lateness", ios: step.ios, bytes: step.bytes, errors: null, latency: step.lateness, own: true });
  }
  const saturated = step.saturated_by !== null;
  const caption = saturated
    ? `Times of ${step.name}: no latencies, for it is saturated (${step.saturated_by})`
    : `Latencies of ${step.name}`;
  const unit = timeUnit(rows.filter((r) => !r.own).map((r) => r.latency.p50_ns));
  const of = (title: string, key: keyof Latency): Column<LatencyRow> => ({
    title,
    key,
    // Lateness is the generator's own, and what it says holds of a saturated step, too.
    cell: (r) => timeIn(unit, r.latency[key], saturated && !r.own),
  });
  return table<LatencyRow>(
    [
      {
        title: "",
        columns: [
          { title: "Time", key: "what", words: true, cell: (r) => words(r.what) },
          { title: several(), key: "ios", cell: (r) => whole(r.ios) },
        ],
      },
      {
        title: unit.name,
        columns: [
          of("mean", "mean_ns"),
          of("std. dev.", "std_dev_ns"),
          of("min", "min_ns"),
          of("p50", "p50_ns"),
          of("p90", "p90_ns"),
          of("p95", "p95_ns"),
          of("p99", "p99_ns"),
          of("p99.9", "p999_ns"),
          of("p99.99", "p9999_ns"),
          of("max", "max_ns"),
        ],
      },
    ],
    rows,
    { id: "step-latencies", caption },
  );
}

function errorsTable(errors: ErrorSample[]): HTMLElement {
  return table<ErrorSample>(
    [
      {
        title: "",
        columns: [
          { title: "Error", key: "what", words: true, cell: (e) => words(e.what) },
          { title: "operation", key: "op", words: true, cell: (e) => words(e.op) },
          { title: "target", key: "target", words: true, cell: (e) => words(e.target) },
          { title: "offset", key: "offset", cell: (e) => whole(e.offset) },
          { title: "length", key: "length", cell: (e) => whole(e.length) },
          { title: "at", key: "at_ns", cell: (e) => ({ text: time(e.at_ns), value: e.at_ns }) },
        ],
      },
    ],
    errors,
    { id: "step-errors", caption: "First errors" },
  );
}
