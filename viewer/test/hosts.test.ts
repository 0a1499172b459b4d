// What the page shows of hosts that carried a run out together.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Browser, type Page, chromium } from "playwright-core";
import { Reports, browserPath, skipReason } from "./reports.ts";
import { column, texts, visit } from "./visit.ts";

const reason = skipReason();
if (reason) console.log(`skipped: ${reason}`);

describe("the hosts of a run in Chromium", { skip: reason }, () => {
  const reports = new Reports();
  let url: string;
  let browser: Browser;

  before(async () => {
    url = reports.make("fleet");
    browser = await chromium.launch({ executablePath: browserPath!, args: ["--no-sandbox"] });
  });

  after(async () => {
    await browser?.close();
    reports.remove();
  });

  test("each host of each step has a line with the exact values, and a lost one none but why", async () => {
    const { page, data, errors } = await visit(browser, url);
    const parts = data.steps.flatMap((s) => s.hosts.parts);
    const lost = data.steps.flatMap((s) => s.hosts.lost);
    assert.equal(parts.length, 17);
    assert.deepEqual(lost.map((l) => l.name), ["db-06"]);
    assert.deepEqual(await column(page, "hosts-table", "host"), [...parts, ...lost].map((p) => p.name));
    assert.deepEqual(await column(page, "hosts-table", "rate"), [...parts.map((p) => String(p.rate.mean)), ""]);
    assert.deepEqual(await column(page, "hosts-table", "start_bound_ns"), [...parts.map((p) => String(p.start_bound_ns)), ""]);
    assert.equal((await column(page, "hosts-table", "state")).at(-1), `lost: ${lost[0]!.why}`);
    assert.equal((await texts(page, "hosts-table", "state")).at(-1), "lost");
    assert.deepEqual(await page.locator("#hosts .flag").allTextContents(), [`db-06 in rd1_(90%): lost: ${lost[0]!.why}`]);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("a saturated host has dashes for its times, and the others have theirs", async () => {
    const { page, data } = await visit(browser, url);
    const parts = data.steps.flatMap((s) => s.hosts.parts);
    const shown = await texts(page, "hosts-table", "response_mean_ns");
    const dashes = shown.slice(0, parts.length).map((text) => text === "–");
    assert.deepEqual(dashes, parts.map((p) => p.saturated_by !== null));
    assert.equal(dashes.filter(Boolean).length, 1);
    await page.close();
  });

  test("the section follows the step that is chosen", async () => {
    const { page, data } = await visit(browser, url);
    const last = data.steps.at(-1)!;
    await page.selectOption(".selector select", String(last.number));
    assert.equal(await page.locator("#hosts-table tbody tr").count(), last.hosts.parts.length + 1);
    assert.equal(await page.locator("#hosts-table-caption").textContent(), `What each did in ${last.name}`);
    await page.close();
  });

  test("a strip is as fast as its host, and empty from when the host was lost", async () => {
    const { page, data } = await visit(browser, url);
    const last = data.steps.at(-1)!;
    const { lines } = last.hosts.series!;
    assert.deepEqual(lines.map((l) => l.host), [1, 2, 3, 4, 5, 6]);
    assert.ok(lines[5]!.rate.slice(21).every((v) => v === null) && lines[5]!.rate[20] !== null);
    assert.ok(lines[0]!.rate.every((v) => v !== null));
    await page.selectOption(".selector select", String(last.number));
    // The middle of the strips of the first, the slow and the lost host, near the end of the step.
    const [first, slow, lost] = await Promise.all([0, 4, 5].map((i) => pixel(page, i)));
    const [early] = await Promise.all([pixel(page, 5, 0.3)]);
    assert.notEqual(first, slow);
    assert.notEqual(lost, early);
    assert.equal(early, await pixel(page, 0, 0.3));
    await page.close();
  });

  test("who was there, and where one host is named elsewhere, how many", async () => {
    const { page, data } = await visit(browser, url);
    const hosts = [data.environment.host, ...data.environment.more_hosts!];
    assert.deepEqual(await column(page, "host-facts", "hostname"), hosts.map((host) => host.hostname));
    assert.match((await page.locator("header .about").textContent()) ?? "", /6 hosts/);
    await page.close();
  });

  test("hosts that did not do alike are remarked on", async () => {
    const { page } = await visit(browser, url);
    assert.match((await page.locator("#notes").textContent()) ?? "", /the hosts did not do alike: db-05 did [\d,]+ I\/Os per second and db-01/);
    await page.close();
  });
});

/** The colour in the strip of a host in the upper chart, at a part of the width of its time. */
function pixel(page: Page, strip: number, part = 0.95): Promise<string> {
  return page.evaluate(
    ([strip, part]) => {
      const canvas = document.querySelector<HTMLCanvasElement>(".host-strips canvas")!;
      const scale = canvas.width / canvas.clientWidth;
      const [left, right, top, height] = [138, canvas.clientWidth - 12, 30, 17];
      const x = (left + (right - left) * part!) * scale;
      const y = (top + (strip! + 0.5) * height) * scale;
      return [...canvas.getContext("2d")!.getImageData(Math.round(x), Math.round(y), 1, 1).data].join();
    },
    [strip, part],
  );
}
