// Light, dark, and print: one state, one palette, told to all charts.

export type Theme = "light" | "dark";

export interface Palette {
  paper: string;
  ink: string;
  muted: string;
  line: string;
  shade: string;
  mean: string;
  p50: string;
  p99: string;
  service: string;
  mark: string;
  heat: string[];
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const print = window.matchMedia("print");
const listeners: (() => void)[] = [];
let chosen: Theme | null = null;
let printing = false;

/** What is shown now. Paper is white: print is always light. */
export function theme(): Theme {
  if (printing) return "light";
  return chosen ?? (dark.matches ? "dark" : "light");
}

/** True while the page is laid out for paper. */
export function onPaper(): boolean {
  return printing;
}

/** Calls back after each change of theme, and when printing begins or ends. */
export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

/** From light to dark, or back. */
export function toggleTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  apply();
}

/** Sets the theme on the page and follows the system and the printer. */
export function startTheme(): void {
  dark.addEventListener("change", apply);
  print.addEventListener("change", (event) => setPrinting(event.matches));
  window.addEventListener("beforeprint", () => setPrinting(true));
  window.addEventListener("afterprint", () => setPrinting(false));
  printing = print.matches;
  apply();
}

/** The colours of the current theme, from the style sheet. */
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: colour("paper"),
    ink: colour("ink"),
    muted: colour("muted"),
    line: colour("line"),
    shade: colour("shade"),
    mean: colour("mean"),
    p50: colour("p50"),
    p99: colour("p99"),
    service: colour("service"),
    mark: colour("mark"),
    heat: [0, 1, 2, 3, 4, 5].map((n) => colour(`heat-${n}`)),
  };
}

function setPrinting(value: boolean): void {
  if (printing === value) return;
  printing = value;
  apply();
}

function apply(): void {
  document.documentElement.dataset["theme"] = theme();
  for (const listener of listeners) listener();
}
