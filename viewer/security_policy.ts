// What a browser may run and load of the built page: this script and this style, and nothing else.
//
// The data of a report is in an element that no browser runs; it needs no entry. Charts set the style of elements by
// script, which a policy for style elements allows; ECharts writes its tooltips with style attributes. A meta element
// cannot forbid frames (`frame-ancestors` works in a header only); the page has nothing to click that a frame could abuse.

import { createHash } from "node:crypto";
import type { Plugin } from "vite";

const PLACE = '<meta charset="utf-8" />';
const RUN = /<script(?![^>]*type="application\/gzip")[^>]*>([\s\S]*?)<\/script>/g;
const STYLE = /<style[^>]*>([\s\S]*?)<\/style>/g;

/** The built page with its policy, which holds the hashes of what is in it. */
export function withPolicy(page: string): string {
  const scripts = hashes(page, RUN);
  const styles = hashes(page, STYLE);
  if (scripts.length !== 1 || styles.length !== 1 || !page.includes(PLACE)) {
    throw new Error(`a page of one script and one style was expected, not of ${scripts.length} and ${styles.length}`);
  }
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    `style-src-elem ${styles.join(" ")}`,
    "style-src-attr 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}" />`;
  return page.replace(PLACE, () => `${PLACE}\n    ${meta}`);
}

function hashes(page: string, element: RegExp): string[] {
  return [...page.matchAll(element)].map(([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
}

/** Puts the policy into the page once everything else is in it. */
export function securityPolicy(): Plugin {
  return {
    name: "security-policy",
    apply: "build",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === "asset" && file.fileName.endsWith(".html")) file.source = withPolicy(String(file.source));
        }
      },
    },
  };
}
