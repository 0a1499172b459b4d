// Words for values that the data holds as codes.

import type { Capacity, CurveVerdict, MethodVerdict, Report, Statistic, Step, Verdict } from "./data.ts";
import { count, counted, time } from "./format.ts";

/** What a response limit is of: mean, p99. */
export function statisticName(statistic: Statistic): string {
  if (statistic === "mean") return "mean";
  return `p${Number((statistic.quantile * 100).toFixed(6))}`;
}

/** Limits that are stated of every curve: more than anybody asks for. */
const COMMON_LIMITS = 5;

/** The limits that were asked for; none where the common ones stand for them. */
export function askedLimits({ capacities }: CurveVerdict): Capacity[] {
  return capacities.length < COMMON_LIMITS ? capacities : [];
}

/** The maximum's name, which has the loop values that the run's lacks. */
export function curveName(verdict: CurveVerdict): string {
  return verdict.points.find((p) => p.percent === null)?.name ?? verdict.run;
}

/** What a method's verdict is of: `soak`, `soak of night`. */
export function methodName(verdict: MethodVerdict): string {
  // A run that nobody named is called by its method.
  return verdict.run === verdict.method ? verdict.method : `${verdict.method} of ${verdict.run}`;
}

/** Heading of a method's section, which says what is in it. */
const TITLES: Record<string, string> = {
  saturate: "What it carries at each depth",
  sweep: "What each setting carries",
  soak: "How it held up over time",
  disturb: "What the disturbance did",
  fingerprint: "What the load alone tells of the target",
  pts: "The tests of the specification",
};

/** `How it held up over time`, or `… (night)` of a run with a name. */
export function methodTitle(verdict: MethodVerdict): string {
  // One of several tests says which it is by what it draws.
  const test = verdict.method === "pts" && verdict.charts?.[0] ? `: ${verdict.charts[0].y.label}` : "";
  const title = (TITLES[verdict.method] ?? verdict.method) + test;
  return verdict.run === verdict.method ? title : `${title} (${verdict.run})`;
}

/** What a verdict is of. */
export function verdictName(verdict: Verdict): string {
  return verdict.kind === "curve" ? curveName(verdict) : methodName(verdict);
}

const ENDS: Record<string, string> = {
  elapsed: "time was up",
  limit: "limit reached",
  interrupted: "interrupted",
  errors: "too many errors",
  hung: "never came back",
};

let isOnTrees = false;

/** Takes over what the report counts. */
export function countsOf(report: Report): void {
  isOnTrees = report.counted === "operations";
}

/** Whether it is of trees, which have no addresses. */
export function onTrees(): boolean {
  return isOnTrees;
}

/** What is counted, one of it. */
export function one(): string {
  return isOnTrees ? "operation" : "I/O";
}

/** What is counted, several of it. */
export function several(): string {
  return `${one()}s`;
}

/** Heading of a rate. */
export function perSecond(): string {
  return isOnTrees ? "operations/s" : "I/Os per second";
}

/** Why a step ended. */
export function endWords(end: string): string {
  return ENDS[end] ?? end;
}

/** What to make of a step: empty where all is well. */
export function stateWords(step: Step): string {
  const words: string[] = [];
  if (step.fill) words.push("fill");
  if (step.saturated_by !== null) words.push(`saturated: ${step.saturated_by}`);
  words.push(...stallWords(step));
  if (step.late_by_host.count > 0) words.push("host late");
  if (step.unfinished > 0) words.push(`${count(step.unfinished)} unfinished`);
  if (step.end !== "elapsed" && step.end !== "limit") words.push(endWords(step.end));
  return words.join(", ");
}

/** `stall of 1.2 s`, `3 stalls`. */
function stallWords(step: Step): string[] {
  const { count: all, longest } = step.stalls;
  if (all === 0 || !longest[0]) return [];
  return [all > 1 ? counted(all, "stall") : `stall of ${time(longest[0].length_ns)}`];
}
