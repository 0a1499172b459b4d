// The report's data as the page uses it, of what `plimsoll_report::html::packed` left of it to keep the page small.

import type { ArraySeries, ArrayView, ChartPoint, HeatMap, Latency, OpPart, Report, Series, Step } from "./data.ts";

/** What is left of a record: anything may be missing. */
type Packed = Record<string, any>;

const NO_ARRAY: Omit<ArrayView, "name"> = {
  scale: null,
  core_max: null,
  core_mean: null,
  owner_max: null,
  port_max: null,
  mean_us: null,
  back_end_per_io: null,
  front_end: null,
  back_end: null,
  read_source: [],
  write_destination: [],
  cores: [],
  paths: [],
  media: [],
  journal: null,
  write_amplification: null,
  reduction: null,
};

/** What a step has nothing of. */
const NO_STEP = {
  fill: false,
  offered: null,
  saturation: null,
  saturated_by: null,
  cpu_ns_per_io: null,
  workloads: [],
  targets: [],
  error_samples: [],
  notes: [],
  actions: [],
  paths: [],
  stalls: { count: 0, ios: 0, longest: [] },
  late_by_host: { count: 0, ios: 0, longest: [] },
} satisfies Partial<Step>;

/** Puts back what was left out. */
export function unpacked(report: Packed): Report {
  for (const verdict of report["verdicts"]) {
    for (const chart of verdict.charts ?? []) unpackChart(chart);
  }
  return { ...report, steps: report["steps"].map((one: Packed) => step({ ...report["all_steps"], ...one }, report)) } as unknown as Report;
}

/** What of a latency is known, in the order of the columns. */
type Known = (number | null)[] | undefined;
type ToLatency = (known: Known) => Latency;

function latencies(columns: string[]): ToLatency {
  return (known) => Object.fromEntries(columns.map((name, i) => [name, known?.[i] ?? null])) as unknown as Latency;
}

function step(packed: Packed, report: Packed): Step {
  const latency = latencies(report["latency_columns"]);
  const { response_curve_us = [], service_curve_us = response_curve_us, hosts, series, ...rest } = packed;
  const response = latency(packed["response"]);
  return {
    ...NO_STEP,
    ...rest,
    loops: packed["loops"] ?? loopsOf(packed["name"]),
    bytes_per_s: packed["counted_s"] > 0 ? packed["bytes"] / packed["counted_s"] : 0,
    limited_by: report["limits"][packed["limited_by"]] ?? null,
    response,
    service: packed["service"] ? latency(packed["service"]) : response,
    service_mean_ns: packed["service_mean_ns"] ?? packed["response_mean_ns"],
    lateness: latency(packed["lateness"]),
    ops: (packed["ops"] ?? []).map((op: Packed) => operation(op, response, latency)),
    syncs: packed["syncs"] ? operation(packed["syncs"], response, latency) : null,
    hosts: { parts: [], lost: [], series: null, ...hosts },
    arrays: (packed["arrays"] ?? []).map(arrayView),
    response_curve_ns: inNs(response_curve_us),
    service_curve_ns: inNs(service_curve_us),
    series: series ? timeSeries(series, report) : null,
  } as unknown as Step;
}

function arrayView(packed: Packed): ArrayView {
  const filled = (of: Packed | undefined, nothing: Packed): Packed | null => (of ? { ...nothing, ...of } : null);
  const all = (list: Packed[] | undefined, nothing: Packed): Packed[] => (list ?? []).map((one) => ({ ...nothing, ...one }));
  const front = packed["front_end"];
  return {
    ...NO_ARRAY,
    ...packed,
    front_end: front ? { ...front, reads: filled(front.reads, { mean_us: null }), writes: filled(front.writes, { mean_us: null }) } : null,
    reduction: filled(packed["reduction"], { distinct_bytes: null }),
    cores: all(packed["cores"], { controller: null, owner_bound: null }),
    media: all(packed["media"], { busiest: null, drives: null }),
  } as unknown as ArrayView;
}

/** The loops that a step's name ends with: `curve_(depth=4,block=8KiB)`. */
function loopsOf(name: string): [string, string][] {
  const said = /\(([^()]*)\)$/.exec(name)?.[1];
  return (said?.split(",") ?? []).map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
}

function operation(packed: Packed, ofStep: Latency, latency: ToLatency): OpPart {
  const response = packed["response"] ? latency(packed["response"]) : ofStep;
  return { errors: 0, ...packed, response, service: packed["service"] ? latency(packed["service"]) : response } as OpPart;
}

function inNs<T extends number | null>(us: T[]): T[] {
  return us.map((v) => (v === null ? v : v * 1e3) as T);
}

/** A column of values, of one for all, or of nothing. */
function column<T>(packed: T | T[] | null | undefined, points: number, nothing: T): T[] {
  return Array.isArray(packed) ? packed : new Array<T>(points).fill(packed ?? nothing);
}

function timeSeries(packed: Packed, report: Packed): Series {
  const points = packed["points"] as number;
  const of = (name: string): any => packed["columns"][report["series_columns"].indexOf(name)] ?? null;
  const values = (name: string): number[] => column(of(name), points, 0);
  const times = (name: string): (number | null)[] => inNs(column<number | null>(of(`${name}_us`), points, null));
  const response_mean_ns = times("response_mean");
  const length_s = column(packed["length_s"], points, 0);
  const grouped = packed["group"] > 1;
  return {
    group: packed["group"],
    start_s: starts(packed["start_s"], length_s),
    length_s,
    warmup: column(packed["warmup"], points, false),
    rate: values("rate"),
    rate_min: grouped ? values("rate_min") : [],
    rate_max: grouped ? values("rate_max") : [],
    bytes_per_io: values("bytes_per_io"),
    response_mean_ns,
    response_p50_ns: times("response_p50"),
    response_p99_ns: times("response_p99"),
    response_max_ns: times("response_max"),
    service_mean_ns: of("service_mean_us") === null ? response_mean_ns : times("service_mean"),
    depth: values("depth"),
    backlog: column(packed["backlog"], points, 0),
    errors: column(packed["errors"], points, 0),
    cpu: column<number | null>(of("cpu"), points, null),
    arrays: (packed["arrays"] ?? []).map((array: Packed) => arraySeries(array["columns"], points, report["array_columns"])),
    heat: heat(packed["heat"], starts(packed["start_s"], length_s).at(-1) ?? 0, length_s.at(-1) ?? 0),
    drain: packed["drain"] ?? null,
  };
}

/** The map of addresses; where its one row is as long as the step, that begins last and lasts so long. */
function heat({ columns, lanes, ...rest }: Packed, last: number, length: number): HeatMap {
  const row = (cells: number[] | number | null): number[] => (cells === null ? [] : column(cells, columns, 0));
  return { start_s: [0], length_s: [last + length], ...rest, lanes: lanes.map((lane: Packed) => ({ hottest_share: null, ...lane, rows: lane["rows"].map(row) })) } as HeatMap;
}

/** Each point's start; of points that follow each other at once only the first is there. */
function starts(packed: number | number[] | undefined, length_s: number[]): number[] {
  if (Array.isArray(packed)) return packed;
  let at = packed ?? 0;
  return length_s.map((length) => {
    const start = at;
    at += length;
    return start;
  });
}

function arraySeries(packed: (number | null)[][], points: number, columns: string[]): ArraySeries {
  const all = columns.map((name, i) => [name, column<number | null>(packed[i], points, null)]);
  return Object.fromEntries(all) as unknown as ArraySeries;
}

/** Columns become points again; a line without places has those of the line before it. */
function unpackChart(chart: Packed): void {
  let x: number[] = [];
  for (const line of chart["series"]) {
    const { y, low, high, z, ...columns } = line.points;
    x = columns.x ?? x;
    line.points = y.map(
      (value: number, i: number): ChartPoint => ({
        x: x[i]!,
        y: value,
        ...(low && low[i] !== null ? { interval: [low[i], high[i]] } : {}),
        ...(z && z[i] !== null ? { z: z[i] } : {}),
      }),
    );
  }
}
