// Reports to test with: made by the example of plimsoll-report, in this checkout.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The example's cases. */
export type Case = "curve" | "single" | "many" | "empty" | "long" | "array" | "arrays" | "paths" | "parts" | "fleet" | "method" | "hostile";

const CHECKOUT = resolve(import.meta.dirname, "../../../..");

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser to test with: `CHROMIUM`, or where systems have it. */
export const browserPath = process.env["CHROMIUM"] ?? BROWSERS.find((path) => existsSync(path));

/** Why the browser tests cannot run here; `false` where they can. */
export function skipReason(): string | false {
  if (!browserPath) return "no Chromium: run viewer/scripts/install-chromium.sh, or set CHROMIUM";
  if (spawnSync("cargo", ["--version"]).error) return "no cargo: the reports to test with are made by it";
  if (!existsSync(join(CHECKOUT, "viewer/dist/index.html"))) return "no viewer/dist: run npm run build first";
  return false;
}

/** Makes reports in a folder of its own. */
export class Reports {
  readonly #folder = mkdtempSync(join(tmpdir(), "plimsoll-viewer-"));

  /** Writes the report of a case; its `file:` URL. */
  make(name: Case): string {
    const path = join(this.#folder, `${name}.html`);
    const example = ["run", "-q", "-p", "plimsoll-report", "--example", "demo_report", "--", path, name];
    execFileSync("cargo", example, { cwd: CHECKOUT, stdio: ["ignore", "ignore", "inherit"] });
    return pathToFileURL(path).href;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
