// One array in one step, in words and numbers.

import type { ArrayRequests, ArrayView } from "./data.ts";
import { facts } from "./facts.ts";
import { bytes, count, number, percent, time } from "./format.ts";

/** The list. */
export function arrayFacts(array: ArrayView): HTMLElement {
  return facts([
    ["Reads", requests(array.front_end?.reads)],
    ["Writes", requests(array.front_end?.writes)],
    ["Refused or lost", array.front_end?.failed ? count(array.front_end.failed) : null],
    ["Flash and disks", backEnd(array)],
    ["Busiest port", array.port_max === null ? null : `${percent(array.port_max)} of the time`],
    ...array.media.map((m): [string, string] => [capital(m.kind), `${count(m.count)}, ${percent(m.utilisation)} of the time busy${busiest(m)}`]),
    ["Journal", journal(array)],
    ["Write amplification", array.write_amplification === null ? null : number(array.write_amplification)],
    ["New data", reduction(array)],
    ...filer(array),
    ["Paths", paths(array)],
  ]);
}

function busiest(media: ArrayView["media"][number]): string {
  const one = media.busiest ? `, the busiest ${percent(media.busiest)}` : "";
  return media.drives ? `${one}; the busiest of ${count(media.drives.count)} drives ${percent(media.drives.busiest)}` : one;
}

function filer(array: ArrayView): [string, string | null][] {
  const f = array.filer;
  if (!f) return [];
  const waited = (s: number, of: number, what: string): string | null => (s > 0 && of > 0 ? `${time((s * 1e9) / of)} for ${what}` : null);
  const waits = [
    waited(f.waited_for_threads_s, f.calls, "a thread"),
    waited(f.waited_for_directories_s, f.changes, "a directory's lock"),
    waited(f.waited_for_log_s, f.changes, "the log"),
  ].filter((w) => w !== null);
  return [
    ["Calls to the filer", `${count(f.calls)}; its ${count(f.threads)} threads ${percent(f.utilisation)} of the time busy`],
    ["Stats by the client", f.asked > 0 ? `${percent(f.by_client / f.asked)} of ${count(f.asked)}` : null],
    ["Waited on average", waits.length > 0 ? waits.join(", ") : null],
    ["Flushes of the log", f.flushes > 0 ? `${count(f.flushes)}, ${time((f.flushing_s * 1e9) / f.flushes)} each` : null],
  ];
}

function requests(of: ArrayRequests | undefined): string | null {
  if (!of || of.ios === 0) return null;
  const mean = of.mean_us === null ? "" : `, ${time(of.mean_us * 1e3)} in the array`;
  return `${count(of.ios)} (${bytes(of.bytes)})${mean}`;
}

function backEnd(array: ArrayView): string | null {
  if (!array.back_end) return null;
  const { reads, writes } = array.back_end;
  const ratio = array.back_end_per_io === null ? "" : `: ${number(array.back_end_per_io)} for each request`;
  return `${count(reads)} reads, ${count(writes)} writes${ratio}`;
}

function journal(array: ArrayView): string | null {
  if (!array.journal) return null;
  const { fill_bytes, capacity_bytes, waited_s } = array.journal;
  const waited = waited_s > 0 ? `; writes waited ${time(waited_s * 1e9)} in sum for room` : "";
  return `${bytes(fill_bytes)} of ${bytes(capacity_bytes)} at the end${waited}`;
}

function reduction(array: ArrayView): string | null {
  if (!array.reduction) return null;
  const { new_bytes, stored_bytes, distinct_bytes } = array.reduction;
  const held = distinct_bytes === null ? "" : `; ${bytes(distinct_bytes)} different data in all`;
  return `${bytes(new_bytes)}, takes ${bytes(stored_bytes)}${held}`;
}

function paths(array: ArrayView): string | null {
  if (array.paths.length === 0) return null;
  const up = array.paths.filter((p) => p.state === "up").length;
  const others = array.paths
    .map((path, at) => ({ path, at }))
    .filter(({ path }) => path.state !== "up" || path.failed > 0)
    .map(({ path, at }) => `; path ${at} ${path.state}, ${count(path.failed)} failed`);
  return `${up} of ${array.paths.length} up${others.join("")}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
