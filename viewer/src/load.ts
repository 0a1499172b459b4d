// The data that is in the page: JSON, by gzip, in base64.

import type { Report } from "./data.ts";

/** The format that this page knows. */
const FORMAT = 3;

/** Reads the data in this page, or says why there is none. */
export async function load(): Promise<Report | string> {
  const text = document.getElementById("plimsoll-data")?.textContent ?? "";
  if (text === "") return "There is no run in this page. Make a report with: plimsoll report RECORD -o report.html";
  let data: Report;
  try {
    const gzip = new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]).stream();
    data = await new Response(gzip.pipeThrough(new DecompressionStream("gzip"))).json();
  } catch (why) {
    return `The data in this page cannot be read: it is damaged, or this browser is too old (${why}). Make the report again with: plimsoll report RECORD -o report.html`;
  }
  return data.format === FORMAT ? data : `This page shows reports of format ${FORMAT}; this one has format ${data.format}.`;
}
