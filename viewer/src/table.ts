// A table of numbers, which can be saved as CSV with its exact values.

import { h } from "./dom.ts";

/** One cell: what is shown, and the exact value behind it. */
export interface Cell {
  text: string | Node;
  value: string | number | null;
  /** Greyed: a number that is not what its column says. */
  void?: boolean;
}

export interface Column<Row> {
  title: string;
  /** The column's name in CSV, with its unit: `response_p99_ns`. */
  key: string;
  /** Words are set left, numbers right. */
  words?: boolean;
  cell: (row: Row) => Cell;
}

/** A group of columns under one heading. */
export interface Group<Row> {
  title: string;
  columns: Column<Row>[];
}

/** Names of more letters than this are broken into lines. */
const LONG = 28;

interface Options<Row> {
  id: string;
  caption: string;
  /** Marks rows: `saturated`, `maximum`. */
  rowClass?: (row: Row) => string;
}

/** The table, in a frame that scrolls where the page is narrow. */
export function table<Row>(groups: Group<Row>[], rows: Row[], options: Options<Row>): HTMLElement {
  const columns = groups.flatMap((g) => g.columns);
  const starts = new Set<Column<Row>>(groups.slice(1).flatMap((g) => g.columns.slice(0, 1)));
  const classes = (c: Column<Row>): string => [c.words ? "words" : "", starts.has(c) ? "start" : ""].join(" ").trim();
  const head = h("thead", {});
  if (groups.some((g) => g.title !== "")) {
    head.append(
      h("tr", { class: "groups" }, ...groups.map((g) => h("th", { colspan: g.columns.length, scope: "colgroup" }, g.title))),
    );
  }
  head.append(h("tr", {}, ...columns.map((c) => h("th", { scope: "col", class: classes(c) }, c.title))));
  const body = h(
    "tbody",
    {},
    ...rows.map((row) =>
      h("tr", { class: options.rowClass?.(row) ?? "" }, ...columns.map((column, i) => cellElement(column, row, i, classes(column)))),
    ),
  );
  const save = h("button", { type: "button", class: "save", click: () => saveCsv(options.id, columns, rows) }, "CSV");
  save.title = "Save these numbers with all digits";
  return h(
    "div",
    { class: "table" },
    h("div", { class: "table-head" }, h("h3", { id: `${options.id}-caption` }, options.caption), save),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": `${options.id}-caption` },
      h("table", { id: options.id, "aria-labelledby": `${options.id}-caption` }, head, body),
    ),
  );
}

function cellElement<Row>(column: Column<Row>, row: Row, index: number, classes: string): HTMLElement {
  const cell = column.cell(row);
  const attributes = {
    class: cell.void ? `${classes} void` : classes,
    "data-key": column.key,
    "data-value": cell.value === null ? "" : String(cell.value),
  };
  if ((index === 0 || column.words) && String(cell.value).length > LONG) attributes.class += " long";
  const content = column.words && typeof cell.text === "string" ? breakable(cell.text) : cell.text;
  return index === 0 ? h("th", { scope: "row", ...attributes }, content) : h("td", attributes, content);
}

/** A text that may be broken behind its signs, so that no row ends inside a word. */
export function breakable(text: string): HTMLElement {
  const parts = text.split(/(?<=[_,(/=:])(?=[^_,(/=:])/);
  return h("span", {}, ...parts.flatMap((part, i) => (i === 0 ? [part] : [document.createElement("wbr"), part])));
}

/** The rows as CSV (RFC 4180). */
export function csv<Row>(columns: Column<Row>[], rows: Row[]): string {
  const quote = (value: string | number | null): string => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map((c) => quote(c.cell(row).value)).join(","));
  return [columns.map((c) => quote(c.key)).join(","), ...lines, ""].join("\r\n");
}

function saveCsv<Row>(id: string, columns: Column<Row>[], rows: Row[]): void {
  const url = URL.createObjectURL(new Blob([csv(columns, rows)], { type: "text/csv" }));
  h("a", { href: url, download: `${id}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
