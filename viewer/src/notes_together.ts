// Notes that say the same of many steps, put together: a list of a thousand hides what else is in it.

import { counted } from "./format.ts";

export interface Note {
  kind: "invalid" | "suspect" | "note";
  about: string;
  text: string;
  /** The rule of a finding about a step. */
  rule?: string;
}

/** The notes of one rule and severity about several steps as one with their count, in the place of the first. */
export function together(list: Note[]): Note[] {
  const groups = new Map<string, Note[]>();
  for (const note of list) {
    const key = note.rule === undefined ? `${groups.size}` : `${note.kind} ${note.rule}`;
    const group = groups.get(key);
    if (group) group.push(note);
    else groups.set(key, [note]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length < 2) return group;
    return [{ ...first, about: `${first.about}, and of ${counted(group.length - 1, "other step")}` }];
  });
}
