// The plan, folded: as it was written, and as it was carried out.

import type { Measured } from "./data.ts";
import { h } from "./dom.ts";

/** Each where there is one; of a run of flags alone there is nothing written. */
export function plans({ written, plan }: Measured): HTMLElement[] {
  const folded: HTMLElement[] = [];
  if (written.length > 0) {
    const texts = written.flatMap(({ name, text, cut }) => [
      h("h3", {}, name),
      h("pre", {}, text),
      cut && h("p", { class: "cut" }, "Not all of it is kept here."),
    ]);
    folded.push(h("details", { class: "plan written" }, h("summary", {}, "the plan as written"), ...texts));
  }
  if (plan !== null) folded.push(h("details", { class: "plan resolved" }, h("summary", {}, "the plan as carried out"), h("pre", {}, plan)));
  return folded;
}
