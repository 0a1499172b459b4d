// A page opened in the browser, with everything noted that must not happen.

import { gunzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import type { Report } from "../src/data.ts";

export interface Visit {
  page: Page;
  /** The data that is in the page. */
  data: Report;
  /** URLs that the page asked for, other than itself. */
  requests: string[];
  /** Errors on the console, and uncaught ones. */
  errors: string[];
}

interface Look {
  dark?: boolean;
  width?: number;
}

/** Opens a report and waits until its charts are drawn. */
export async function visit(browser: Browser, url: string, look: Look = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1280, height: 900 },
    colorScheme: look.dark ? "dark" : "light",
  });
  const page = await context.newPage();
  const requests: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) requests.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.sample}`));
  });
  await page.goto(url);
  await page.waitForFunction(() => !document.body.textContent?.includes("Opening the report") && [...document.querySelectorAll(".chart")].every((c) => c.querySelector("canvas")));
  const text = await page.locator("#plimsoll-data").textContent();
  return { page, data: JSON.parse(String(gunzipSync(Buffer.from(text ?? "", "base64")))), requests, errors };
}

/** How many colours each chart's canvas has, at least up to 50: an empty one has one. */
export function coloursOfCharts(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLCanvasElement>(".chart canvas")].map((canvas) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set<string>();
      for (let i = 0; i < data.length && seen.size < 50; i += 4) seen.add(data.slice(i, i + 4).join());
      return seen.size;
    }),
  );
}

/** The exact values of a table's column. */
export function column(page: Page, table: string, key: string): Promise<string[]> {
  return page
    .locator(`#${table} tbody [data-key="${key}"]`)
    .evaluateAll((cells) => cells.map((cell) => (cell as HTMLElement).dataset["value"] ?? ""));
}

/** The texts of a table's column. */
export function texts(page: Page, table: string, key: string): Promise<string[]> {
  return page.locator(`#${table} tbody [data-key="${key}"]`).allTextContents();
}

/** How light the page's background is, 0..255. */
export function lightness(page: Page): Promise<number> {
  return page.evaluate(() => {
    const colour = getComputedStyle(document.documentElement).backgroundColor;
    const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map(Number);
    return (r + g + b) / 3;
  });
}
