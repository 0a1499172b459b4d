// The shelf's page of a run that goes on: its charts grow without the page being loaded again.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Browser, type Page, chromium } from "playwright-core";
import { browserPath, skipReason } from "./reports.ts";

const PLIMSOLL = process.env["PLIMSOLL"] ?? resolve(import.meta.dirname, "../../../../target/debug/plimsoll");
const HOSTILE = `"><script>document.title="owned"</script><img src=x onerror=alert(1)>`;

const missing = existsSync(PLIMSOLL) ? false : "no target/debug/plimsoll: run cargo build first, or set PLIMSOLL";
const reason = skipReason() || missing;
if (reason) console.log(`skipped: ${reason}`);

/** What a program prints first that looks like this. */
function printed(child: ChildProcess, wanted: RegExp): Promise<string> {
  return new Promise((found, failed) => {
    let text = "";
    child.stdout!.on("data", (part) => {
      text += String(part);
      const match = wanted.exec(text);
      if (match) found(match[1]!);
    });
    child.on("exit", () => failed(new Error(`it ended: ${text}`)));
  });
}

describe("a run that goes on, in Chromium", { skip: reason }, () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-shelf-"));
  const children: ChildProcess[] = [];
  const errors: string[] = [];
  let browser: Browser;
  let page: Page;
  let shelf: string;

  before(async () => {
    const start = (...words: string[]): ChildProcess => {
      const env = { ...process.env, XDG_CACHE_HOME: join(folder, ".cache") };
      const child = spawn(PLIMSOLL, words, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
      children.push(child);
      return child;
    };
    start("run", "null:1GiB", "-q", "--rate", "500", "--for", "10m", "--read", "100", "--tag", HOSTILE, "--record", "now.plim");
    shelf = await printed(start("serve", ".", "--listen", "127.0.0.1:0", "--control"), /page\s+(http:\S+)\n/);
    browser = await chromium.launch({ executablePath: browserPath!, args: ["--no-sandbox"] });
    page = await browser.newPage();
    page.on("console", (message) => errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(String(error)));
  });

  after(async () => {
    await browser?.close();
    children.forEach((child) => child.kill("SIGKILL"));
    rmSync(folder, { recursive: true });
  });

  test("the list leads to it, and what others wrote does nothing", async () => {
    // Until the run has made its record.
    await page.goto(shelf);
    while ((await page.locator("a.now").count()) === 0) await page.reload();
    assert.equal(await page.title(), "Records – Plimsoll");
    assert.equal(await page.locator(".tag").textContent(), HOSTILE);
    assert.equal(await page.locator("script, img").count(), 0);
    await page.click("a.now");
    await page.waitForURL(/\/live\//);
  });

  test("its charts grow, and at its end the answer stands there", async () => {
    const length = (): Promise<number> =>
      page.evaluate(() => document.querySelector("path.mean")?.getAttribute("d")?.split("L").length ?? 0);
    await page.waitForFunction(() => (document.querySelector("path.mean")?.getAttribute("d") ?? "").includes("L"));
    const before = await length();
    await page.evaluate(() => document.body.setAttribute("data-same", "yes"));
    await page.waitForFunction((n) => (document.querySelector("path.mean")?.getAttribute("d") ?? "").split("L").length > n + 1, before);
    assert.equal(await page.getAttribute("body", "data-same"), "yes");
    await page.getByRole("button", { name: "Stop this run" }).click();
    await page.getByText("with all charts and figures").waitFor();
    assert.equal(await page.getByRole("button", { name: "Stop this run" }).count(), 0);
    assert.match((await page.locator("h1").textContent()) ?? "", /null:1GiB (did|was interrupted)/);
    assert.deepEqual(errors, []);
  });
});
