// The report's data, as `plimsoll_report::html::data` says it. Times are ns, rates I/Os per second.

export interface Estimate {
  mean: number;
  half_width: number | null;
}

export interface Latency {
  mean_ns: number | null;
  std_dev_ns: number | null;
  min_ns: number | null;
  p50_ns: number | null;
  p90_ns: number | null;
  p95_ns: number | null;
  p99_ns: number | null;
  p999_ns: number | null;
  p9999_ns: number | null;
  max_ns: number | null;
}

export interface HeatLane {
  /** By row: accesses of each address column, in tenths of an even share; 0 only where there was none. */
  rows: number[][];
  hottest_share: number | null;
}

export interface HeatMap {
  start_s: number[];
  length_s: number[];
  /** What a lane is of; a target's place in the environment is its lane's. */
  by: "target" | "stream";
  lanes: HeatLane[];
}

export interface ArraySeries {
  core_max: (number | null)[];
  core_mean: (number | null)[];
  front_end_iops: (number | null)[];
  back_end_iops: (number | null)[];
  journal_fill: (number | null)[];
  write_amplification: (number | null)[];
}

/** What came back after the end of a step. */
export interface Drain {
  length_s: number;
  ios: number;
}

export interface Series {
  group: number;
  start_s: number[];
  length_s: number[];
  warmup: boolean[];
  rate: number[];
  rate_min: number[];
  rate_max: number[];
  bytes_per_io: number[];
  response_mean_ns: (number | null)[];
  response_p50_ns: (number | null)[];
  response_p99_ns: (number | null)[];
  response_max_ns: (number | null)[];
  service_mean_ns: (number | null)[];
  depth: number[];
  backlog: number[];
  errors: number[];
  cpu: (number | null)[];
  /** In the order of the step's arrays. */
  arrays: ArraySeries[];
  heat: HeatMap;
  drain: Drain | null;
}

export interface Saturation {
  saturated: boolean;
  no_slot_share: number;
  shortfall: number;
  backlog_growth: number;
  backlog_end: number;
  short_samples: number;
}

/** A part of a step's time in which something held I/Os up. */
export interface Stretch {
  start_ns: number;
  length_ns: number;
  ios: number;
}

export interface ErrorSample {
  target: string;
  op: string;
  offset: number;
  length: number;
  at_ns: number;
  what: string;
}

export interface OpPart {
  op: string;
  ios: number;
  bytes: number;
  errors: number;
  response: Latency;
  service: Latency;
}

/** Stretches of one kind. */
export interface Stretches {
  count: number;
  ios: number;
  /** In the order of time. */
  longest: Stretch[];
}

/** A workload or a target of a step. */
export interface Part {
  name: string;
  /** The targets of a workload, or the workloads of a target. */
  with: string[];
  offered: number | null;
  ios: number;
  bytes: number;
  bytes_per_s: number;
  errors: number;
  rate: Estimate;
  reads: number;
  writes: number;
  trims: number;
  response_mean_ns: Estimate;
  service_mean_ns: Estimate;
  response: Brief;
  service: Brief;
  saturated_by: string | null;
}

export type Brief = Pick<Latency, "p50_ns" | "p99_ns" | "p999_ns" | "max_ns">;

/** A path to a target. */
export interface Path {
  uri: string;
  state: "up" | "down";
  ios: number;
  errors: number;
  reissued: number;
  times_down: number;
  times_back: number;
  service_mean_us: number | null;
}

export interface PathEvent {
  at_s: number;
  uri: string;
  state: "up" | "down";
  why: string;
}

export interface TargetPaths {
  target: string;
  paths: Path[];
  events: PathEvent[];
  unconfirmed_writes: number;
}

/** What one of several hosts did in a step. */
export interface HostPart {
  host: number;
  name: string;
  workers: number;
  offered: number | null;
  ios: number;
  /** Of the I/Os of all hosts. */
  share: number | null;
  bytes: number;
  errors: number;
  rate: Estimate;
  response_mean_ns: Estimate;
  response_p99_ns: number | null;
  response_max_ns: number | null;
  service_mean_ns: Estimate;
  depth_mean: number;
  saturated_by: string | null;
  /** I/Os that its generator issued late. */
  late_ios: number;
  end: string;
  /** How much later than the common instant its I/O began. */
  start_late_ns: number;
  /** How far its instant may be from that of all, either way. */
  start_bound_ns: number;
  drift_ppm: number | null;
  /** What was doubtful about its part alone. */
  doubts: string[];
}

/** A host whose part of a step is missing. */
export interface LostHost {
  host: number;
  name: string;
  why: string;
}

/** How hosts went beside each other; `null` where one told nothing. */
export interface HostSeries {
  start_s: number[];
  length_s: number[];
  lines: { host: number; rate: (number | null)[]; response_mean_ns: (number | null)[] }[];
}

/** Empty where one host did all. */
export interface Hosts {
  parts: HostPart[];
  lost: LostHost[];
  series: HostSeries | null;
}

/** Chunks that were found, or went, in one place. */
export interface Share {
  place: string;
  share: number;
}

export interface Core {
  controller: number | null;
  utilisation: number;
  /** Of the time, the part in which it did what only the owner of an address can do. */
  owner_bound: number | null;
}

export interface ArrayRequests {
  ios: number;
  bytes: number;
  mean_us: number | null;
}

/** What an array told of itself; shares are 0..1. */
export interface ArrayView {
  name: string;
  scale: number | null;
  core_max: number | null;
  core_mean: number | null;
  owner_max: number | null;
  port_max: number | null;
  mean_us: number | null;
  back_end_per_io: number | null;
  front_end: { reads: ArrayRequests; writes: ArrayRequests; failed: number } | null;
  back_end: { reads: number; writes: number } | null;
  read_source: Share[];
  write_destination: Share[];
  cores: Core[];
  paths: { state: string; failed: number }[];
  media: { kind: string; count: number; utilisation: number; busiest: number | null; drives: { count: number; busiest: number } | null }[];
  journal: { fill_bytes: number; capacity_bytes: number; waited_s: number } | null;
  write_amplification: number | null;
  /** The filer in front of it; absent where there is none. */
  filer?: {
    calls: number;
    asked: number;
    by_client: number;
    changes: number;
    threads: number;
    utilisation: number;
    waited_for_threads_s: number;
    waited_for_directories_s: number;
    waited_for_log_s: number;
    flushes: number;
    flushing_s: number;
  };
  reduction: { new_bytes: number; stored_bytes: number; distinct_bytes: number | null } | null;
}

/** Something that was done while a step ran. Times from the step's start. */
export interface Action {
  what: string;
  planned_s: number | null;
  /** `null`: it was not done. */
  began_s: number | null;
  ended_s: number | null;
  failed: string | null;
  output: string;
}

export interface Step {
  number: number;
  name: string;
  run: string;
  loops: [string, string][];
  fill: boolean;
  offered: number | null;
  load: string;
  slots: number;
  workers: number;
  warmup_s: number;
  counted_s: number;
  ios: number;
  bytes: number;
  errors: number;
  /** The fsyncs among them. */
  fsync_errors: number;
  rate: Estimate;
  bytes_per_s: number;
  response_mean_ns: Estimate;
  service_mean_ns: Estimate;
  response: Latency;
  service: Latency;
  lateness: Latency;
  ops: OpPart[];
  /** fsyncs and flushes; they have service times alone. */
  syncs: OpPart | null;
  depth_mean: number;
  saturation: Saturation | null;
  /** What shows that it is saturated. */
  saturated_by: string | null;
  /** What limited it, in a sentence. */
  limited_by: string | null;
  /** Where there are several. */
  workloads: Part[];
  targets: Part[];
  /** Backlogs that came and went. */
  stalls: Stretches;
  /** When the generator itself was late. */
  late_by_host: Stretches;
  /** I/Os that never came back. */
  unfinished: number;
  cpu_ns_per_io: number | null;
  end: string;
  error_samples: ErrorSample[];
  /** Things to say of it that are in no finding. */
  notes: string[];
  /** What was done while it ran. */
  actions: Action[];
  hosts: Hosts;
  /** Of targets with several paths, or with one that had trouble. */
  paths: TargetPaths[];
  arrays: ArrayView[];
  response_curve_ns: number[];
  service_curve_ns: number[];
  series: Series | null;
}

export interface CurvePoint {
  step: number;
  name: string;
  percent: number | null;
  offered: number | null;
  achieved: Estimate;
  saturated: boolean;
  response_mean_ns: Estimate;
  service_mean_ns: Estimate;
  response_p50_ns: number | null;
  response_p99_ns: number | null;
  response_p999_ns: number | null;
  depth_mean: number;
  backlog_growth: number | null;
}

export type Statistic = "mean" | { quantile: number };

export interface Capacity {
  statistic: Statistic;
  limit_ns: number;
  rate: Estimate | null;
  response_mean_ns: number | null;
  at_least: boolean;
}

export interface CurveVerdict {
  kind: "curve";
  sentence: string;
  /** What shows that a point is saturated, by its step's number. */
  saturated_by: Record<string, string>;
  run: string;
  maximum: Estimate;
  /** What limited the maximum. */
  limit?: { sentence: string };
  points: CurvePoint[];
  knee: Estimate | null;
  capacities: Capacity[];
}

/** A number with its unit, or a word. */
export type Quantity = { unit: Exclude<Unit, "name"> | "count"; value: number } | { unit: "text"; value: string };

/** In what an axis's numbers are; a `name` is one of its categories. */
export type Unit = "seconds" | "ns" | "share" | "per_second" | "bytes" | "bytes_per_second" | "number" | "name";

/** The ends of a 95 % interval. */
export type Interval = [low: number, high: number];

export interface Figure {
  /** Its key for programs. */
  name: string;
  label: string;
  /** `null`: it could not be found out. */
  quantity: Quantity | null;
  interval?: Interval;
  remark?: string;
}

export interface MethodCell {
  quantity: Quantity | null;
  interval?: Interval;
}

export interface MethodTable {
  title: string;
  columns: { name: string; label: string }[];
  rows: MethodCell[][];
}

export interface Axis {
  label: string;
  unit: Unit;
  logarithmic: boolean;
  /** Names of the places 0, 1, 2 and so on, where it has names. */
  categories?: string[];
  /** What the intervals of the points along it are of, and which points have none. */
  intervals?: string;
  /** It is drawn up to here, and what lies beyond as beyond. */
  cut?: number;
  /** Points that are farther apart on it are not joined. */
  gap?: number;
}

export interface ChartPoint {
  x: number;
  y: number;
  interval?: Interval;
  z?: number;
}

export interface ChartSeries {
  name: string;
  points: ChartPoint[];
}

export interface MethodChart {
  title: string;
  kind: "lines" | "bars" | "heat";
  x: Axis;
  y: Axis;
  /** What the colours of a heat chart mean. */
  z?: Axis;
  series: ChartSeries[];
  marks?: { x: number; label: string }[];
}

/** What a method found out, in a form that says nothing of the method. */
export interface MethodVerdict {
  kind: "method";
  sentence: string;
  method: string;
  run: string;
  /** The answer in one word. */
  class: string;
  decided: boolean;
  figures: Figure[];
  tables?: MethodTable[];
  charts?: MethodChart[];
}

export type Verdict = CurveVerdict | MethodVerdict;

export interface Finding {
  /** The step or run that it is of. */
  about: string;
  rule: string;
  severity: "note" | "suspect" | "invalid";
  step: number | null;
  message: string;
}

export interface BlockLayer {
  name: string;
  kind: string;
  slaves: string[];
  size_bytes: number;
  model: string | null;
  wwn: string | null;
  serial: string | null;
  firmware: string | null;
  by_id: string[];
  scheduler: string | null;
  queue: [string, string][];
}

export interface Target {
  name: string;
  location: string;
  kind: string;
  size_bytes: number;
  logical_block_bytes: number;
  filesystem: string | null;
  backend: string | null;
  stack: BlockLayer[];
}

export interface Host {
  hostname: string;
  kernel: string;
  distribution: string | null;
  cpu_model: string | null;
  cpus_available: number;
  cpus_online: number;
  numa_nodes: number;
  memory_bytes: number;
  virtualization: string | null;
  clocksource: string | null;
  governor: string | null;
}

export interface Environment {
  seed_text: string;
  tool_version: string;
  started: string;
  command: string[];
  host: Host;
  /** Absent where one host did all. */
  more_hosts?: Host[];
  backend: string;
  backend_reason: string;
  submit_batch: number;
  reap_batch: number;
  clock: string;
  targets: Target[];
  simulated: boolean;
  notes: string[];
}

/** A text that the plan was read from. */
export interface Written {
  name: string;
  text: string;
  cut: boolean;
}

/** What was measured, said before any number. */
export interface Measured {
  title: string | null;
  facts: [string, string][];
  /** The plan as it was written: files, what they include, and what the command line changed. */
  written: Written[];
  /** The plan as the record keeps it. */
  plan: string | null;
}

export interface Report {
  format: number;
  sentence: string;
  /** What limited it, without a subject; `null` where that was not asked. */
  limit: string | null;
  /** How far it can be trusted. */
  trust: string;
  measured: Measured;
  /** What is counted: not all operations on directories and files are I/Os. */
  counted: "ios" | "operations";
  incomplete: string | null;
  environment: Environment;
  verdicts: Verdict[];
  findings: Finding[];
  percentile_grid: number[];
  steps: Step[];
}
