// A list of names and values.

import { h } from "./dom.ts";

export function facts(list: [string, string | Node | null][]): HTMLElement {
  const known = list.filter((f): f is [string, string | Node] => f[1] !== null && f[1] !== "");
  return h("dl", { class: "facts" }, ...known.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}
