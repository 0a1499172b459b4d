// The data that is in the page.

import type { Report } from "./data.ts";
import { unpacked } from "./unpack.ts";

/** The format that this page knows. */
const FORMAT = 2;

/** Reads the data in this page, or says why there is none. */
export function load(): Report | string {
  const text = document.getElementById("plimsoll-data")?.textContent ?? "null";
  const data = JSON.parse(text) as { format: number } | null;
  if (data === null) {
    return "There is no run in this page. Make a report with: plimsoll report RECORD -o report.html";
  }
  if (data.format !== FORMAT) {
    return `This page shows reports of format ${FORMAT}; this one has format ${data.format}.`;
  }
  return unpacked(data);
}
