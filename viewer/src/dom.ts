// Building elements.

import { spacedTimes } from "./format.ts";

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | ((event: Event) => void)>;

/** An element with attributes (functions are listeners) and children; text is always text, never markup. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

/** A sentence in which words between backticks are code, as commands are; its times are written as all others on the page. */
export function prose(text: string): (Node | string)[] {
  return text
    .split("`")
    .map((part, at, all) => (at % 2 === 1 && at + 1 < all.length ? h("code", {}, part) : spacedTimes(at % 2 === 1 ? `\`${part}` : part)));
}

/** A section with its heading. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...children);
}
