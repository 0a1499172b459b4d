// The report in a real browser.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Browser, chromium } from "playwright-core";
import { type Case, Reports, browserPath, skipReason } from "./reports.ts";
import type { Axis, CurveVerdict, MethodVerdict, Report } from "../src/data.ts";
import { spacedTimes } from "../src/format.ts";
import { coloursOfCharts, column, lightness, texts, visit } from "./visit.ts";

const CASES: Case[] = ["curve", "single", "many", "empty", "long", "array", "arrays", "paths", "parts", "fleet", "method", "hostile"];

/** The first verdict, which is a curve's. */
function curveOf(data: Report): CurveVerdict {
  const [first] = data.verdicts;
  assert.ok(first?.kind === "curve");
  return first;
}

/** How many of a method's charts have something that can be drawn. */
function drawable(verdict: MethodVerdict): number {
  const placed = (axis: Axis | undefined, value: number | undefined): boolean => value !== undefined && (!axis?.logarithmic || value > 0);
  const drawn = (verdict.charts ?? []).filter((chart) =>
    chart.series.some((s) =>
      s.points.some((p) => (chart.kind === "heat" ? placed(chart.z, p.z) : placed(chart.x, p.x) && placed(chart.y, p.y))),
    ),
  );
  return drawn.length;
}

const reason = skipReason();
if (reason) console.log(`skipped: ${reason}`);

describe("the report in Chromium", { skip: reason }, () => {
  const reports = new Reports();
  const urls = new Map<Case, string>();
  let browser: Browser;

  before(async () => {
    for (const name of CASES) urls.set(name, reports.make(name));
    browser = await chromium.launch({ executablePath: browserPath!, args: ["--no-sandbox"] });
  });

  after(async () => {
    await browser?.close();
    reports.remove();
  });

  for (const name of CASES) {
    test(`${name}: no request leaves the page, nothing fails, and every chart is drawn`, async () => {
      const { page, data, requests, errors } = await visit(browser, urls.get(name)!);
      assert.deepEqual(requests, []);
      assert.deepEqual(errors, []);
      const colours = await coloursOfCharts(page);
      const arrays = new Set(data.steps.flatMap((s) => s.arrays.map((a) => a.name)));
      const charts = data.verdicts.reduce((sum, v) => sum + (v.kind === "curve" ? 1 : drawable(v)), 0);
      const strips = data.steps.some((s) => s.hosts.series !== null) ? 1 : 0;
      assert.equal(colours.length, 3 + charts + arrays.size + strips);
      for (const count of colours) assert.ok(count >= 5, `a chart of ${count} colours is empty`);
      assert.equal(await page.locator("h1").textContent(), spacedTimes(data.sentence));
      await page.close();
    });

    test(`${name}: the page is no wider than a narrow screen`, async () => {
      const { page } = await visit(browser, urls.get(name)!, { width: 390 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${width} px wide`);
      await page.close();
    });
  }

  for (const name of CASES.filter((c) => c !== "empty")) {
    test(`${name}: no table is cut in a window of 1200 px`, async () => {
      const { page } = await visit(browser, urls.get(name)!, { width: 1200 });
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll(".scroll")].filter((s) => s.scrollWidth > s.clientWidth).map((s) => s.querySelector("table")!.id),
      );
      assert.deepEqual(cut, []);
      await page.close();
    });
  }

  test("doubts are folded on the screen and whole on paper", async () => {
    const { page } = await visit(browser, urls.get("long")!);
    const folded = page.locator("#notes .folded");
    assert.equal(await folded.isVisible(), false);
    await page.locator("#notes summary").click();
    assert.equal(await folded.isVisible(), true);
    await page.locator("#notes summary").click();
    assert.equal(await folded.isVisible(), false);
    await page.emulateMedia({ media: "print" });
    assert.equal(await folded.isVisible(), true);
    assert.equal(await page.locator("#notes summary").isVisible(), false);
    await page.close();
  });

  test("a table that fits on a page of paper is not cut, and a longer one leaves no row alone", async () => {
    const inside = async (name: Case) => {
      const { page } = await visit(browser, urls.get(name)!);
      await page.emulateMedia({ media: "print" });
      const style = await page.evaluate(() => {
        const table = document.getElementById("steps-table")!;
        const row = table.querySelector("tbody tr")!;
        return [getComputedStyle(table.closest(".table")!).breakInside, getComputedStyle(row).breakAfter];
      });
      await page.close();
      return style;
    };
    assert.deepEqual(await inside("curve"), ["avoid", "avoid"]);
    assert.deepEqual(await inside("many"), ["auto", "avoid"]);
  });

  test("the answer comes first, its chart next, and then what was measured", async () => {
    const { page, data } = await visit(browser, urls.get("curve")!);
    assert.ok(data.measured.facts.length > 0);
    const shown = await page.locator("#measured > div").evaluateAll((all) => all.map((d) => [...d.children].map((c) => c.textContent)));
    assert.deepEqual(shown, data.measured.facts);
    assert.equal(await page.locator("header .run-title").textContent(), data.measured.title);
    assert.equal(await page.locator(".measured .resolved pre").textContent(), data.measured.plan);
    assert.ok(data.measured.written.length > 1);
    assert.deepEqual(await page.locator(".measured .written h3").allTextContents(), data.measured.written.map((w) => w.name));
    assert.deepEqual(await page.locator(".measured .written pre").allTextContents(), data.measured.written.map((w) => w.text));
    const top = (selector: string): Promise<number> => page.locator(selector).first().evaluate((e) => e.getBoundingClientRect().top);
    const order = [await top("header h1"), await top("header .trust"), await top("#curve-1"), await top("#measured")];
    assert.deepEqual(order, [...order].sort((x, y) => x - y));
    // The chart begins above the fold of a small window.
    assert.ok(order[2]! < 450, `${order[2]} px down`);
    await page.close();
  });

  test("a column has one unit, which is in its heading", async () => {
    for (const name of ["curve", "many", "paths"] as Case[]) {
      const { page } = await visit(browser, urls.get(name)!);
      for (const key of ["bytes_per_s", "cpu_ns_per_io", "counted_s"]) {
        for (const text of await texts(page, "steps-table", key)) assert.match(text, /^([\d.,]+|–)$/, key);
      }
      await page.locator(".step-link").first().click();
      for (const text of await texts(page, "step-latencies", "p50_ns")) assert.match(text, /^([\d.,e-]+|–)$/);
      const headings = await page.locator("#steps-table thead tr:last-child th").allTextContents();
      assert.ok(headings.some((t) => /^[KMGT]?i?B\/s$/.test(t)), headings.join());
      await page.close();
    }
  });

  test("names are broken at their signs, not inside words", async () => {
    const { page } = await visit(browser, urls.get("many")!, { width: 1200 });
    const broken = await page.evaluate(() => {
      const found: string[] = [];
      for (const cell of document.querySelectorAll(".scroll th, .scroll td.words")) {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          for (const word of walker.currentNode.textContent!.matchAll(/[A-Za-z0-9]+/g)) {
            const range = document.createRange();
            range.setStart(walker.currentNode, word.index);
            range.setEnd(walker.currentNode, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) found.push(word[0]);
          }
        }
      }
      return found;
    });
    assert.deepEqual(broken, []);
    await page.close();
  });

  test("limits above the scale are named, and a ring is never outside it", async () => {
    const { page, data } = await visit(browser, urls.get("curve")!);
    const curve = curveOf(data);
    const open = curve.capacities.filter((c) => c.at_least || c.rate === null).map((c) => c.limit_ns);
    const longest = Math.max(...curve.points.filter((p) => !p.saturated).map((p) => p.response_p99_ns ?? 0));
    const above = open.filter((ns) => ns > longest * 2).length;
    const said = (await page.locator("#curve-1 .above").allTextContents()).join();
    assert.equal(said.split("≤").length - 1, above);
    await page.close();
  });

  test("the tables hold the data's exact numbers", async () => {
    const { page, data } = await visit(browser, urls.get("curve")!);
    const steps = data.steps;
    assert.deepEqual(await column(page, "steps-table", "ios"), steps.map((s) => String(s.ios)));
    assert.deepEqual(await column(page, "steps-table", "rate"), steps.map((s) => String(s.rate.mean)));
    const latencies = steps.map((s) => (s.saturation?.saturated ? "" : String(s.response.p99_ns)));
    assert.deepEqual(await column(page, "steps-table", "response_p99_ns"), latencies);
    const curve = curveOf(data);
    assert.deepEqual(await column(page, "points-1", "achieved"), curve.points.map((p) => String(p.achieved.mean)));
    assert.deepEqual(
      await column(page, "capacities-1", "rate"),
      curve.capacities.map((c) => (c.rate ? String(c.rate.mean) : "")),
    );
    assert.deepEqual(await texts(page, "steps-table", "ios"), steps.map((s) => s.ios.toLocaleString("en-US")));
    await page.close();
  });

  test("a saturated point says what shows it, and has dashes for its times", async () => {
    const { page } = await visit(browser, urls.get("curve")!);
    const row = page.locator("#points-1 tr.saturated");
    assert.equal(await row.count(), 1);
    assert.match((await row.textContent()) ?? "", /saturated: backlog \+[\d.]+\/s/);
    for (const key of ["response_mean_ns", "response_p50_ns", "response_p99_ns", "response_p999_ns", "service_mean_ns"]) {
      assert.equal(await row.locator(`[data-key="${key}"]`).textContent(), "–", key);
    }
    const step = page.locator("#steps-table tr.saturated");
    assert.equal(await step.locator('[data-key="response_p99_ns"]').textContent(), "–");
    await step.locator(".step-link").click();
    assert.match((await page.locator("#step-latencies-caption").textContent()) ?? "", /no latencies, for it is saturated \(backlog \+/);
    await page.close();
  });

  test("a table saves as CSV with all digits", async () => {
    const { page, data } = await visit(browser, urls.get("curve")!);
    const download = page.waitForEvent("download");
    await page.locator(".table:has(#steps-table) .save").click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
    const [head, first] = Buffer.concat(chunks).toString().split("\r\n");
    assert.match(head!, /^name,load,ios,errors,rate,bytes_per_s,response_mean_ns/);
    assert.ok(first!.startsWith(`${data.steps[0]!.name},max,${data.steps[0]!.ios},0,${data.steps[0]!.rate.mean},`));
    await page.close();
  });

  test("choosing a step shows its own numbers, and its charts change", async () => {
    const { page, data, errors } = await visit(browser, urls.get("curve")!);
    const step = data.steps[3]!;
    const before = await page.locator("#detail canvas").first().screenshot();
    await page.locator("#steps-table .step-link", { hasText: step.name }).click();
    assert.equal(await page.locator(".selector select").inputValue(), String(step.number));
    const [response] = await column(page, "step-latencies", "p99_ns");
    assert.equal(response, String(step.response.p99_ns));
    assert.notDeepEqual(await page.locator("#detail canvas").first().screenshot(), before);
    await page.locator(".selector button").first().click();
    assert.equal(await page.locator(".selector select").inputValue(), String(data.steps[2]!.number));
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("the page is dark where the system is, and the button turns it over", async () => {
    const { page } = await visit(browser, urls.get("curve")!, { dark: true });
    assert.ok((await lightness(page)) < 60);
    const dark = await page.locator(".chart canvas").first().screenshot();
    await page.locator(".theme").click();
    assert.ok((await lightness(page)) > 200);
    assert.notDeepEqual(await page.locator(".chart canvas").first().screenshot(), dark);
    await page.close();
  });

  test("paper is white and has no controls, and the charts keep inside it", async () => {
    const { page } = await visit(browser, urls.get("curve")!, { dark: true, width: 720 });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.waitForFunction(() => document.documentElement.dataset["theme"] === "light");
    assert.equal(await lightness(page), 255);
    assert.equal(await page.locator(".selector").isVisible(), false);
    assert.equal(await page.locator(".theme").isVisible(), false);
    for (const box of await page.locator(".chart canvas").all()) {
      const size = (await box.boundingBox())!;
      assert.ok(size.width > 300 && size.width <= 720 && size.height > 150, `${size.width} x ${size.height}`);
    }
    for (const count of await coloursOfCharts(page)) assert.ok(count >= 5);
    const pdf = await page.pdf({ format: "A4" });
    assert.ok(pdf.length > 50_000);
    await page.close();
  });

  test("simulated and unfinished runs say so, and errors are told with their place", async () => {
    const { page, data } = await visit(browser, urls.get("single")!);
    assert.match((await page.locator(".flag.simulated").textContent()) ?? "", /^Simulated\./);
    assert.ok(((await page.locator(".flag.incomplete").textContent()) ?? "").endsWith(data.incomplete!));
    assert.match((await page.locator("#notes .suspect").textContent()) ?? "", /2 I\/Os failed, the first with EIO/);
    assert.equal(await page.locator("#step-errors tbody tr").count(), 2);
    await page.close();
  });

  test("a hot core stands out, with its part of the owners' work in numbers", async () => {
    const { page, data } = await visit(browser, urls.get("array")!);
    const heights = await page.locator("#array .core .owner").evaluateAll((bars) => bars.map((b) => b.getBoundingClientRect().height));
    assert.equal(heights.length, 8);
    assert.ok(heights[3]! > 10 * heights[0]!, `${heights}`);
    assert.match((await page.locator("#array .cores").getAttribute("aria-label")) ?? "", /core 3 100%/);
    const array = data.steps[0]!.arrays[0]!;
    assert.deepEqual(await column(page, "cores-1", "utilisation"), array.cores.map((c) => String(c.utilisation)));
    assert.equal((await texts(page, "cores-1", "owner_part"))[3], "78%");
    assert.deepEqual(await column(page, "arrays-1", "core_max"), data.steps.map((s) => String(s.arrays[0]!.core_max)));
    await page.close();
  });

  test("choosing a step shows its own array", async () => {
    const { page, data, errors } = await visit(browser, urls.get("array")!);
    assert.match((await page.locator(".array-step").textContent()) ?? "", /^The array in contiguous, the step with the busiest core$/);
    assert.equal(await page.locator("#array .shares").count(), 1);
    await page.locator("#arrays-1 .step-link", { hasText: "soak" }).click();
    assert.equal(await page.locator(".array-step").textContent(), "The array in soak");
    assert.equal(await page.locator(".selector select").inputValue(), String(data.steps[2]!.number));
    const widths = await page.locator("#array .shares:last-child .share-bar i").evaluateAll((parts) => parts.map((p) => p.getBoundingClientRect().width));
    assert.ok(widths[0]! > widths[1]! && widths[1]! > widths[2]!, `${widths}`);
    assert.match((await page.locator(".array-panel .facts").textContent()) ?? "", /writes waited 3.2 s in sum for room/);
    assert.match((await page.locator(".array-panel .facts").textContent()) ?? "", /3 of 4 up; path 2 down, 17 failed/);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("choosing a step leaves out what is over time of an array that it was not on", async () => {
    const { page, errors } = await visit(browser, urls.get("arrays")!);
    const shown = (): Promise<boolean[]> => page.locator(".array-time").evaluateAll((f) => f.map((e) => e.clientHeight > 0));
    const choose = (step: string): Promise<unknown> => page.locator(".selector select").selectOption({ label: step });
    assert.deepEqual(await shown(), [true, true]);
    await choose("soak");
    assert.deepEqual(await shown(), [false, true]);
    assert.deepEqual(await page.locator(".array-step").allTextContents(), ["The array in soak"]);
    await choose("scattered");
    assert.deepEqual(await shown(), [true, false]);
    await page.emulateMedia({ media: "print" });
    await page.waitForFunction(() => document.documentElement.dataset["theme"] === "light");
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("workloads and targets have lines that sum to their step, and a saturated one has no latency", async () => {
    const { page, data, errors } = await visit(browser, urls.get("parts")!);
    assert.equal(await page.locator("#step-workloads").count(), 0);
    const choose = (step: string): Promise<unknown> => page.locator(".selector select").selectOption({ label: step });
    await choose("mixed_(105%)");
    const step = data.steps[2]!;
    for (const [what, parts] of [["workloads", step.workloads], ["targets", step.targets]] as const) {
      const [reads, writes] = [await column(page, `step-${what}`, "reads"), await column(page, `step-${what}`, "writes")];
      const shown = [...reads, ...writes].reduce((sum, n) => sum + Number(n), 0);
      assert.equal(shown, step.ios);
      const rates = (await column(page, `step-${what}`, "rate")).reduce((sum, n) => sum + Number(n), 0);
      assert.ok(Math.abs(rates / step.rate.mean - 1) < 1e-6, `${rates}`);
      assert.deepEqual(await column(page, `step-${what}`, what.slice(0, -1)), parts.map((p) => p.name));
    }
    assert.deepEqual(await texts(page, "step-workloads", "with"), ["sd1, sd2", "sd1", "sd2"]);
    const means = await texts(page, "step-workloads", "response_mean_ns");
    assert.deepEqual(means.map((text) => text === "–"), [false, false, true]);
    assert.match((await texts(page, "step-workloads", "state"))[2] ?? "", /^backlog \+/);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("reads and writes have lines of their own beside all steps", async () => {
    const { page, data } = await visit(browser, urls.get("parts")!);
    assert.deepEqual(await column(page, "ops-table", "ios"), data.steps.flatMap((s) => s.ops.map((o) => String(o.ios))));
    assert.deepEqual(await column(page, "ops-table", "op"), ["read", "write", "read", "write", "read", "write"]);
    assert.equal((await texts(page, "ops-table", "response_max_ns"))[5], "–");
    await page.close();
  });

  test("a step with stalls keeps its latency, says when they were, and has them marked", async () => {
    const { page, data, errors } = await visit(browser, urls.get("parts")!);
    const state = await texts(page, "steps-table", "state");
    assert.deepEqual(state[1], "2 stalls, host late, 3 unfinished");
    assert.equal((await column(page, "steps-table", "response_p99_ns"))[1], String(data.steps[1]!.response.p99_ns));
    await page.locator(".selector select").selectOption({ label: "mixed_(60%)" });
    const facts = (await page.locator(".step-facts .facts").textContent()) ?? "";
    assert.match(facts, /Stalls1\.4 s at 14 s, 9,870 I\/Os waited; 300 ms at 31\.3 s, 2,104 I\/Os waited/);
    assert.match(facts, /Host late120 ms at 22 s, 861 I\/Os went out late/);
    assert.match(facts, /Back after the end17 I\/Os, the last after 250 ms/);
    assert.match(facts, /Never back3 I\/Os/);
    const keys = await page.locator("#detail .legend li").allTextContents();
    assert.ok(keys.includes("stall") && keys.includes("host late"), keys.join());
    const canvas = page.locator("#detail .chart canvas").first();
    await canvas.scrollIntoViewIfNeeded();
    const box = (await canvas.boundingBox())!;
    // The stall of 1.4 s at 14 s, of 43 s.
    await page.mouse.move(box.x + 64 + ((box.width - 108) * 14.5) / 43, box.y + 60);
    await page.waitForFunction(() => /stall/.test(document.querySelector("#detail .chart")!.textContent ?? ""));
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("a run on storage has no section of arrays, and one path without trouble none of paths", async () => {
    const { page } = await visit(browser, urls.get("curve")!);
    assert.equal(await page.locator("#array, #paths").count(), 0);
    await page.close();
  });

  test("each path has its line, those that are down in red, and what happened to them when", async () => {
    const { page, data } = await visit(browser, urls.get("paths")!);
    const target = data.steps[0]!.paths[0]!;
    assert.deepEqual(await column(page, "paths-table", "uri"), target.paths.map((p) => p.uri));
    assert.deepEqual(await column(page, "paths-table", "times_down"), ["0", "2", "0"]);
    assert.deepEqual(await column(page, "paths-table", "times_back"), ["0", "1", "0"]);
    assert.equal((await texts(page, "paths-table", "service_mean_ns"))[2], "–");
    assert.equal(await page.locator("#paths-table tr.down").count(), 2);
    assert.deepEqual(await column(page, "path-events", "at_s"), ["8.12", "13.25", "29.4"]);
    assert.deepEqual(await texts(page, "path-events", "why"), ["no answer in 500 ms", "", "the server hung up"]);
    await page.close();
  });

  test("a method's verdict is shown whole: its answer, figures, tables and charts", async () => {
    const { page, data, errors } = await visit(browser, urls.get("method")!);
    const verdict = data.verdicts[0]!;
    assert.ok(verdict.kind === "method");
    assert.equal(await page.locator("#method-1 h2").textContent(), "How it held up over time (night)");
    assert.equal(await page.locator("h1").textContent(), spacedTimes(verdict.sentence));
    assert.equal(await page.locator("#method-1 .undecided").count(), 0);
    // The most important figures are the first thing that is seen, with their units.
    const tiles = await page.locator("header .figures > div").evaluateAll((all) => all.map((d) => [...d.children].map((c) => c.textContent)));
    assert.deepEqual(tiles[0], ["sustained rate", "12,400/s", "12,100/s to 12,700/s"]);
    assert.deepEqual(tiles[2]?.slice(0, 2), ["written until then", "464 GiB"]);
    const values = verdict.figures.map((f) => (f.quantity === null ? "" : String(f.quantity.value)));
    assert.deepEqual(await column(page, "figures-1", "value"), values);
    const shown = ["12,400/s", "52:00", "464 GiB", "70%", "2.58 ms", "48.4 MiB/s", "0.0302", "3", "random", "–"];
    assert.deepEqual(await texts(page, "figures-1", "value"), shown);
    assert.deepEqual((await texts(page, "figures-1", "low")).slice(0, 3), ["12,100/s", "51:00", ""]);
    assert.equal((await column(page, "figures-1", "figure"))[1], "cliff_at_seconds");
    // A column has one unit, which is in its heading, and dashes for what is not known.
    const headings = await page.locator("#table-1-1 thead th").allTextContents();
    assert.deepEqual(headings, ["phase", "rate, per s", "response, ms"]);
    assert.deepEqual(await texts(page, "table-1-1", "rate_per_second"), ["41,000 ± 210", "22,300 ± 4,000", "12,400 ± 300"]);
    assert.deepEqual(await texts(page, "table-1-1", "response_mean_ns"), ["0.78", "–", "2.58"]);
    assert.deepEqual(await column(page, "table-1-2", "dimension"), ["mix", "content"]);
    assert.deepEqual(await page.locator("#chart-1-1 .legend li").allTextContents(), ["writes", "another", "95 % interval"]);
    assert.match((await page.locator("#chart-1-3 .heat-legend").textContent()) ?? "", /^rate from 1,7\d\d\/s ?to 7\d,\d+\/s$/);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("a chart's numbers are below it, with all digits, and beside the pointer", async () => {
    const { page, data, errors } = await visit(browser, urls.get("method")!);
    const verdict = data.verdicts[0]!;
    assert.ok(verdict.kind === "method");
    const [lines, bars, heat] = verdict.charts!;
    const points = (chart: typeof lines) => chart!.series.flatMap((s) => s.points);
    assert.equal(await page.locator("#chart-1-1-points").isVisible(), false);
    await page.locator("#chart-1-1 summary").focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#chart-1-1-points").isVisible(), true);
    assert.deepEqual(await column(page, "chart-1-1-points", "y_per_second"), points(lines).map((p) => String(p.y)));
    assert.deepEqual(await column(page, "chart-1-1-points", "low_per_second"), points(lines).map((p) => String(p.interval?.[0] ?? "")));
    assert.deepEqual(await column(page, "chart-1-2-points", "x"), ["fresh", "cliff", "after", "fresh", "cliff", "after"]);
    assert.deepEqual(await column(page, "chart-1-3-points", "z_per_second"), points(heat).map((p) => String(p.z ?? "")));
    for (const [id, part, says] of [
      ["chart-1-1", [0.3, 0.3], /time \d+:\d\dwrites4\d,\d+\/s.*another6,000\/s/],
      ["chart-1-2", [0.8, 0.75], /afterp99|aftermean/],
      ["chart-1-3", [0.3, 0.3], /block16 KiBdepth64|block4 KiBdepth64/],
    ] as const) {
      const canvas = page.locator(`#${id} canvas`).first();
      await canvas.scrollIntoViewIfNeeded();
      const box = (await canvas.boundingBox())!;
      await page.mouse.move(box.x + box.width * part[0], box.y + box.height * part[1]);
      const tip = page.locator(`#${id} .chart .tip`);
      await tip.waitFor();
      assert.match((await tip.textContent()) ?? "", says, id);
    }
    assert.ok(bars);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("a verdict without an answer says so, and a chart of nothing is no chart", async () => {
    const { page, data } = await visit(browser, urls.get("method")!);
    assert.equal(await page.locator("#method-2 h2").textContent(), "What it carries at each depth");
    assert.match((await page.locator("#method-2 .undecided").textContent()) ?? "", /^Not decided\./);
    const undrawn = await page.locator("#method-2 figure:has(.undrawn) h3").allTextContents();
    assert.deepEqual(undrawn, ["Nothing", "Off the scale"]);
    assert.equal(await page.locator("#figures-2 [data-key=remark]").textContent(), "it was cut short");
    assert.equal(await page.locator("header .also").textContent(), spacedTimes(`saturate: ${data.verdicts[1]!.sentence}`));
    // More points than anybody reads are in the export.
    assert.equal(await page.locator("#chart-2-3-points").count(), 0);
    await page.close();
  });

  test("what the intervals are of is said, and the legend names them and what lies beyond the axis", async () => {
    const { page, errors } = await visit(browser, urls.get("method")!);
    const burst = page.locator("#method-2 figure", { has: page.locator("h3", { hasText: "A burst" }) });
    assert.deepEqual(await burst.locator(".legend li").allTextContents(), [
      "mean of 3 repeats",
      "repeat 1",
      "95 % interval",
      "beyond the axis, up to 11,400/s",
    ]);
    assert.equal(await burst.locator(".intervals").textContent(), "95 % interval of the mean over the repeats.");
    const cells = page.locator("#method-2 figure.heat", { has: page.locator("h3", { hasText: "I/Os per second" }) });
    assert.deepEqual(await cells.locator(".legend li").allTextContents(), ["cannot be told from the most"]);
    await cells.locator("summary").click();
    assert.equal(await cells.locator("tbody tr").count(), 8);
    assert.equal(await cells.locator("tbody tr").nth(5).locator("[data-key=low_per_second]").textContent(), "39,980/s");
    // Some have one and some have none: that is said where the method says nothing.
    assert.match((await page.locator("#method-1 .intervals").first().textContent()) ?? "", /^95 % intervals; a point without one/);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("the answer of a curve is above its chart", async () => {
    const { page, data } = await visit(browser, urls.get("curve")!);
    assert.equal(await page.locator("h1").textContent(), spacedTimes(curveOf(data).sentence));
    assert.ok(((await page.locator("header .trust").last().textContent()) ?? "").includes(data.trust));
    const order = await page.evaluate(() => {
      const [answer, chart] = [document.querySelector("h1")!, document.querySelector("#curve-1 .chart")!];
      return answer.compareDocumentPosition(chart) & Node.DOCUMENT_POSITION_FOLLOWING;
    });
    assert.ok(order);
    await page.close();
  });

  test("what was found is said once, the worst first, with what it is of", async () => {
    const { page } = await visit(browser, urls.get("method")!);
    const items = page.locator("#notes li");
    const found = (await items.allTextContents()).filter((t) => t.includes("night"));
    assert.equal(found.length, 2);
    assert.match(found[0]!, /^suspectnight · never-steadyNever got steady/);
    assert.match(found[1]!, /^notenight · read-onlyReads were not tested\.$/);
    await page.close();
  });

  test("what was done while a step ran is marked at its instant, and told", async () => {
    const { page, errors } = await visit(browser, urls.get("method")!);
    assert.ok((await page.locator("#detail .legend li").allTextContents()).includes("what was done"));
    const facts = (await page.locator(".step-facts .facts").textContent()) ?? "";
    assert.match(facts, /Donefail controller 1 at 10 s/);
    assert.match(facts, /systemctl restart multipathd at 20.4 s, for 850 ms: failed, exit status: 1 \(no such service\)/);
    assert.match(facts, /Not donerepair controller 1, planned for 90 s: the step had ended/);
    const canvas = page.locator("#detail .chart canvas").first();
    await canvas.scrollIntoViewIfNeeded();
    const box = (await canvas.boundingBox())!;
    // 10 s of 43 s.
    await page.mouse.move(box.x + 64 + ((box.width - 108) * 10.5) / 43, box.y + 60);
    await page.waitForFunction(() => /donefail controller 1/.test(document.querySelector("#detail .chart")!.textContent ?? ""));
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("text that looks like markup stays text", async () => {
    const { page, data } = await visit(browser, urls.get("long")!);
    assert.ok(data.environment.command.includes("</script><script>alert(1)</script>"));
    assert.match((await page.locator(".command").textContent()) ?? "", /'<\/script><script>alert\(1\)<\/script>'$/);
    assert.equal(await page.locator("#notes b", { hasText: "its own I/O" }).count(), 0);
    await page.close();
  });

  test("markup in every name stays text, on the page and beside the pointer", async () => {
    const { page, data, errors } = await visit(browser, urls.get("hostile")!);
    const [name, ran] = [data.environment.targets[0]!.name, () => (globalThis as { ran?: number }).ran];
    assert.match(name, /<\/script><script>/);
    assert.ok(((await page.locator("#report").textContent()) ?? "").includes(name));
    for (const chart of await page.locator(".chart canvas").all()) {
      await chart.scrollIntoViewIfNeeded();
      const box = (await chart.boundingBox())!;
      for (const [x, y] of [[0.3, 0.3], [0.5, 0.5], [0.7, 0.8]] as const) {
        await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
        await page.waitForTimeout(50);
      }
    }
    assert.equal(await page.locator("#report img, #report script, #report [onerror], #report b[style]").count(), 0);
    assert.equal(await page.evaluate(ran), undefined);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("a script that is not the page's own cannot run, nor can the page be sent elsewhere", async () => {
    const { page, errors } = await visit(browser, urls.get("single")!);
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = 1";
      const image = document.createElement("div");
      image.innerHTML = '<img src="data:," onerror="globalThis.ran = 1">';
      const base = document.createElement("base");
      base.href = "http://127.0.0.1:9/";
      document.body.append(script, image, base);
    });
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => (globalThis as { ran?: number }).ran), undefined);
    assert.ok((await page.evaluate(() => document.baseURI)).startsWith("file:"));
    for (const directive of ["script-src-elem", "script-src-attr", "base-uri"]) {
      assert.ok(errors.some((e) => e.startsWith(`policy: ${directive}`)), `${directive}: ${errors.join("\n")}`);
    }
    const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
    assert.match(policy ?? "", /default-src 'none'/);
    assert.doesNotMatch(policy ?? "", /script-src[^;]*unsafe/);
    await page.close();
  });

  test("every control and chart has a name for those who cannot see it", async () => {
    const { page } = await visit(browser, urls.get("curve")!);
    const nameless = await page.evaluate(() => {
      const named = (e: Element): boolean => Boolean(e.getAttribute("aria-label") || e.textContent?.trim());
      return [...document.querySelectorAll("button, select, [role=img]")].filter((e) => !named(e)).length;
    });
    assert.equal(nameless, 0);
    assert.equal(await page.locator("section:not([aria-labelledby])").count(), 0);
    await page.close();
  });
});
