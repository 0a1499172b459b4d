// How busy each core was, and with what: a bar for each, by controller.

import type { ArrayView, Core } from "./data.ts";
import { plain, whole } from "./cells.ts";
import { h } from "./dom.ts";
import { percent } from "./format.ts";
import { legend } from "./legend.ts";
import { type Cell, type Column, table } from "./table.ts";

/** Past so many, bars have no numbers on them. */
const LABELLED = 24;

/** The figure. */
export function coreBars(array: ArrayView): HTMLElement {
  const cores = array.cores.map((core, number) => ({ core, number }));
  const controllers = [...new Set(array.cores.map((c) => c.controller))];
  const known = ownersAreKnown(array);
  return h(
    "figure",
    {},
    h(
      "figcaption",
      {},
      h("h3", {}, "Cores"),
      legend([
        ...(known ? [{ name: "work that only the owner of an address can do", colour: "mean", shape: "block" as const }] : []),
        { name: known ? "other work" : "busy", colour: "heat-1", shape: "block" as const },
      ]),
    ),
    h(
      "div",
      { class: "cores", role: "img", "aria-label": spoken(array) },
      h("div", { class: "core-axis", "aria-hidden": "true" }, h("span", {}, "100%"), h("span", {}, "50%"), h("span", {}, "0%")),
      ...controllers.map((controller) =>
        h(
          "div",
          { class: "controller" },
          h(
            "div",
            { class: "core-bars" },
            ...cores.filter((c) => c.core.controller === controller).map((c) => bar(c.core, c.number, cores.length <= LABELLED)),
          ),
          controller !== null && h("div", { class: "controller-name" }, `controller ${controller}`),
        ),
      ),
    ),
  );
}

function bar(core: Core, number: number, labelled: boolean): HTMLElement {
  const owner = core.owner_bound ?? 0;
  const part = (name: string, share: number): HTMLElement => h("i", { class: name, style: `height:${Math.min(Math.max(share, 0), 1) * 100}%` });
  const title = `core ${number}: ${percent(core.utilisation)} busy${core.owner_bound === null ? "" : `, ${percent(owner)} with what is bound to it`}`;
  return h(
    "div",
    { class: "core", title },
    h("div", { class: "core-bar" }, part("other", core.utilisation - owner), part("owner", owner)),
    labelled && h("span", {}, String(number)),
  );
}

/** Some arrays let any core do any work. */
function ownersAreKnown(array: ArrayView): boolean {
  return array.cores.some((c) => (c.owner_bound ?? 0) > 0);
}

function spoken(array: ArrayView): string {
  const busy = array.cores.map((c, number) => `core ${number} ${percent(c.utilisation)}`);
  return `How busy each core was: ${busy.join(", ")}. The numbers are in the table of cores.`;
}

interface Row {
  number: number;
  core: Core;
  /** Its part of all owner-bound work. */
  part: number | null;
}

/** The same in numbers. */
export function coresTable(array: ArrayView, number: number): HTMLElement {
  const all = array.cores.reduce((sum, c) => sum + (c.owner_bound ?? 0), 0);
  const rows = array.cores.map((core, at): Row => ({
    number: at,
    core,
    part: core.owner_bound === null || all === 0 ? null : core.owner_bound / all,
  }));
  const share = (value: number | null): Cell => ({ text: percent(value), value });
  const owners: Column<Row>[] = [
    { title: "owner-bound", key: "owner_bound", cell: (r) => share(r.core.owner_bound) },
    { title: "of all owner-bound", key: "owner_part", cell: (r) => share(r.part) },
  ];
  return table<Row>(
    [
      {
        title: "",
        columns: [
          { title: "Core", key: "core", cell: (r) => whole(r.number) },
          { title: "controller", key: "controller", cell: (r) => plain(r.core.controller) },
          { title: "busy", key: "utilisation", cell: (r) => share(r.core.utilisation) },
          ...(ownersAreKnown(array) ? owners : []),
        ],
      },
    ],
    rows,
    { id: `cores-${number}`, caption: "Cores in numbers" },
  );
}
