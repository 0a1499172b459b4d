// Host, targets and settings, and how it was measured.

import { words } from "./cells.ts";
import type { BlockLayer, Host, Report, Target } from "./data.ts";
import { h, section } from "./dom.ts";
import { facts } from "./facts.ts";
import { bytes, count } from "./format.ts";
import { type Column, table } from "./table.ts";

/** What it was measured on. */
export function environment({ environment: { host, more_hosts = [], targets } }: Report): HTMLElement {
  return section("environment", "Measured on", more_hosts.length > 0 ? hostsTable([host, ...more_hosts]) : hostFacts(host), ...targets.map(targetBlock));
}

function hostFacts(host: Host): HTMLElement {
  return facts([
    ["Host", [host.hostname, host.virtualization].filter(Boolean).join(", ")],
    ["System", system(host)],
    ["CPU", host.cpus_online > 0 ? cpu(host) : null],
    ["Memory", host.memory_bytes > 0 ? bytes(host.memory_bytes) : null],
    ["CPU governor", host.governor],
    ["Clocksource", host.clocksource],
  ]);
}

/** Of several hosts a line each, without what nobody knows of any. */
function hostsTable(hosts: Host[]): HTMLElement {
  const of = (title: string, key: string, text: (host: Host) => string | null): Column<Host> => ({ title, key, words: true, cell: (host) => words(text(host) ?? "") });
  const columns = [
    of("host", "hostname", (host) => host.hostname),
    of("system", "system", system),
    of("CPU", "cpu", (host) => (host.cpus_online > 0 ? cpu(host) : null)),
    of("memory", "memory", (host) => (host.memory_bytes > 0 ? bytes(host.memory_bytes) : null)),
    of("governor", "governor", (host) => host.governor),
    of("clocksource", "clocksource", (host) => host.clocksource),
    of("machine", "virtualization", (host) => host.virtualization),
  ];
  const known = columns.filter((c) => hosts.some((host) => c.cell(host).value !== ""));
  return table([{ title: "", columns: known }], hosts, { id: "host-facts", caption: `${count(hosts.length)} hosts` });
}

function system(host: Host): string {
  return [host.distribution, host.kernel].filter(Boolean).join(", ");
}

function cpu(host: Host): string {
  const available = `${count(host.cpus_available)} of ${count(host.cpus_online)} CPUs`;
  const nodes = host.numa_nodes > 1 ? `${host.numa_nodes} NUMA nodes` : null;
  return [host.cpu_model, available, nodes].filter(Boolean).join(", ");
}

function targetBlock(target: Target): HTMLElement {
  const kind = [target.kind, target.filesystem ? `on ${target.filesystem}` : null].filter(Boolean).join(" ");
  return h(
    "div",
    { class: "target" },
    h("h3", {}, target.name, h("code", {}, target.location)),
    facts([
      ["Kind", kind],
      ["Size used", `${bytes(target.size_bytes)} (${count(target.size_bytes)} bytes)`],
      ["Logical block", target.logical_block_bytes > 1 ? bytes(target.logical_block_bytes) : null],
      ["Backend", target.backend],
    ]),
    ...target.stack.map(layerBlock),
  );
}

function layerBlock(layer: BlockLayer): HTMLElement {
  return h(
    "details",
    { class: "layer", open: true },
    h("summary", {}, h("code", {}, layer.name), ` ${layer.kind}, ${bytes(layer.size_bytes)}`),
    facts([
      ["Model", layer.model],
      ["WWN", layer.wwn],
      ["Serial", layer.serial],
      ["Firmware", layer.firmware],
      ["By id", layer.by_id.join(", ")],
      ["Made of", layer.slaves.join(", ")],
      ["Scheduler", layer.scheduler],
      ...layer.queue.map(([name, value]): [string, string] => [name, value]),
    ]),
  );
}

/** How it was measured, and what the words mean. */
export function method({ environment: e }: Report): HTMLElement {
  return section(
    "method",
    "How it was measured",
    h("pre", { class: "command" }, e.command.map(quoted).join(" ")),
    facts([
      ["Plimsoll", e.tool_version],
      ["Seed", e.seed_text],
      ["Backend", [e.backend, e.backend_reason].filter(Boolean).join(": ")],
      [
        "Batches",
        e.submit_batch ? `at most ${e.submit_batch} submitted at once, at least ${e.reap_batch} waited for` : null,
      ],
      ["Clock", e.clock],
      ["Started", e.started],
    ]),
    h(
      "p",
      { class: "words" },
      h("b", {}, "Response time"),
      " is completion less intended start; where an I/O had to wait for a free slot, the wait is in it. ",
      h("b", {}, "Service time"),
      " is completion less the stamp just before the submitting call. ± is half of the 95 % confidence interval, from batch means. ",
      "Percentiles with fewer than 10 I/Os beyond them are left out. A point is ",
      h("b", {}, "saturated"),
      " where its load is more than the storage carries: more than 1 % of the I/Os found no free slot when they were due, or the rate fell more than 0.5 % short of what was due, and that through most of the step. Its times are those of a queue that the load made, not of the storage: the tables have dashes for them, and no curve has them; a closed loop cannot be saturated. A backlog that came and went is a ",
      h("b", {}, "stall"),
      ": what waited in it is in the response times. ",
      h("b", {}, "Host late"),
      " is when this host, not the storage, kept I/Os back.",
    ),
  );
}

/** As a shell would need it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
