// What to know before trusting the numbers.

import type { Report } from "./data.ts";
import { h, prose, section } from "./dom.ts";
import { count, counted } from "./format.ts";
import { type Note, together } from "./notes_together.ts";
import { several } from "./words.ts";

/** Findings, errors and notes, the worst first; `null` where there are none. What makes the result false is open, all else folded. */
export function notes(report: Report): HTMLElement | null {
  const list = together(collect(report));
  if (list.length === 0) return null;
  const folded = list.filter((n) => n.kind !== "invalid");
  const shown = list.filter((n) => n.kind === "invalid");
  return section(
    "notes",
    list.some((n) => n.kind !== "note") ? "Before you trust it" : "Notes",
    shown.length > 0 && h("ul", { class: "notes" }, ...shown.map(item)),
    // Not inside the details, so that paper has them though they are folded on the screen.
    folded.length > 0 && h("details", { class: "more" }, h("summary", {}, heading(folded))),
    folded.length > 0 && h("ul", { class: "notes folded" }, ...folded.map(item)),
  );
}

/** How many there are of each kind. */
function heading(folded: Note[]): string {
  const [suspect, noted] = [folded.filter((n) => n.kind === "suspect").length, folded.filter((n) => n.kind === "note").length];
  const parts = [suspect > 0 ? `${counted(suspect, "doubt")} that ${suspect === 1 ? "matters" : "matter"}` : "", noted > 0 ? counted(noted, "note") : ""];
  return parts.filter((t) => t !== "").join(", ");
}

function collect(report: Report): Note[] {
  const list: Note[] = report.findings.map((f) => ({
    kind: f.severity,
    about: [f.about, f.rule].filter((t) => t !== "").join(" · "),
    text: f.message,
    ...(f.step !== null && f.rule !== "" ? { rule: f.rule } : {}),
  }));
  for (const step of report.steps) {
    if (step.errors > 0) {
      const first = step.error_samples[0];
      const where = first?.length === 0 ? `by ${first.op}` : `at byte ${count(first?.offset ?? 0)}`;
      const what = step.fsync_errors > 0 ? `${several()} and fsyncs` : several();
      const text = `${count(step.errors)} ${what} failed${first ? `, the first with ${first.what} ${where} of ${first.target}` : ""}.`;
      list.push({ kind: "suspect", about: step.name, text });
    }
  }
  list.push(...report.environment.notes.map((text): Note => ({ kind: "note", about: "", text })));
  for (const step of report.steps) list.push(...step.notes.map((text): Note => ({ kind: "note", about: step.name, text })));
  const order = ["invalid", "suspect", "note"];
  return list.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function item(note: Note): HTMLElement {
  return h(
    "li",
    { class: note.kind },
    h("span", { class: "kind" }, note.kind),
    h("span", {}, note.about !== "" && h("b", {}, note.about), ...prose(note.text)),
  );
}
