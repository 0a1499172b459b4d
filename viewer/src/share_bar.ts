// Where chunks were found, or went: one bar of shares, with its words below.

import type { Share } from "./data.ts";
import { h } from "./dom.ts";
import { percent } from "./format.ts";

/** The style sheet's class of each place that the lab's arrays have. */
const PLACES: Record<string, string> = {
  "front end": "front",
  unmapped: "unmapped",
  zero: "zero",
  "journal zero": "zero",
  duplicate: "duplicate",
  journal: "journal",
  cache: "cache",
  "local flash": "flash",
  "remote flash": "remote",
  disk: "disk",
};

/** The figure; `null` where there were no chunks. */
export function shareBar(title: string, shares: Share[]): HTMLElement | null {
  const some = shares.filter((s) => s.share > 0).sort((a, b) => b.share - a.share);
  if (some.length === 0) return null;
  const place = (share: Share): string => `place ${PLACES[share.place] ?? "other"}`;
  const spoken = some.map((s) => `${s.place} ${percent(s.share)}`).join(", ");
  return h(
    "figure",
    { class: "shares" },
    h("figcaption", {}, h("h3", {}, title)),
    h(
      "div",
      { class: "share-bar", role: "img", "aria-label": `${title}: ${spoken}` },
      ...some.map((s) => h("i", { class: place(s), style: `width:${s.share * 100}%`, title: `${s.place} ${percent(s.share)}` })),
    ),
    h("ul", { class: "legend" }, ...some.map((s) => h("li", {}, h("i", { class: place(s) }), `${s.place} ${percent(s.share)}`))),
  );
}
