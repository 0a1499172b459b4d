import "./page.css";
import "./parts.css";
import "./print.css";
import { arraySection } from "./array_section.ts";
import { curveSection } from "./curve_section.ts";
import type { Report } from "./data.ts";
import { detail } from "./detail.ts";
import { h, section } from "./dom.ts";
import { environment, method } from "./environment.ts";
import { header, measured, title } from "./header.ts";
import { hostsSection } from "./hosts_section.ts";
import { load } from "./load.ts";
import { methodSection } from "./method_section.ts";
import { notes } from "./notes.ts";
import { opsTable } from "./ops_table.ts";
import { pathsSection } from "./paths_section.ts";
import { Selection } from "./selection.ts";
import { stepsTable } from "./steps_table.ts";
import { startTheme } from "./theme.ts";
import { countsOf } from "./words.ts";

function show(report: Report, page: HTMLElement): void {
  countsOf(report);
  document.title = title(report);
  const selection = new Selection();
  const pick = (step: number): void => {
    selection.select(step);
    document.getElementById("detail")?.scrollIntoView({ block: "start" });
  };
  // The answer, its chart, then what it is of and what casts doubt on it.
  page.append(header(report));
  report.verdicts.forEach((v, i) => {
    page.append(v.kind === "curve" ? curveSection(v, i + 1, report.verdicts.length, pick) : methodSection(v, i + 1));
  });
  const [facts, doubts] = [measured(report.measured), notes(report)];
  if (facts) page.append(facts);
  if (doubts) page.append(doubts);
  if (report.steps.length > 0) {
    page.append(section("steps", "The numbers", stepsTable(report.steps, pick), opsTable(report.steps, pick)), detail(report, selection));
    const [hosts, array, paths] = [hostsSection(report, selection), arraySection(report, selection), pathsSection(report, selection)];
    if (hosts) page.append(hosts);
    if (array) page.append(array);
    if (paths) page.append(paths);
  }
  page.append(environment(report), method(report));
}

startTheme();
const page = document.getElementById("report")!;
const report = await load();
page.replaceChildren();
if (typeof report === "string") page.append(h("p", { class: "nothing" }, report));
else show(report, page);
