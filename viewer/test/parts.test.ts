// Parts of the page that need no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withGaps } from "../src/gaps.ts";
import { placeLabels } from "../src/marks.ts";
import { type Note, together } from "../src/notes_together.ts";

test("no label lies on another or outside of the plot, nor on another's line where there is room", () => {
  // Deterministic, and crowded: 2 to 9 lines on 300 px.
  let seed = 7;
  const next = (most: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % most;
  };
  for (let round = 0; round < 300; round++) {
    const lines = Array.from({ length: 2 + next(8) }, () => ({ at: 40 + next(round % 2 ? 300 : 200), width: 20 + next(round % 2 ? 120 : 75) }));
    const placed = placeLabels(lines, 40, 340);
    for (const [i, a] of placed.entries()) {
      assert.ok(a.from >= 40 && a.to <= 341, `${a.from} to ${a.to}`);
      for (const [j, b] of placed.entries()) {
        if (i === j) continue;
        if (a.row === b.row) assert.ok(a.to <= b.from || b.to <= a.from, JSON.stringify({ lines, placed }));
        // The line of what is higher passes the rows below it; at the right edge it may pass a label.
        const room = lines.every((l) => l.at + 3 + l.width <= 340);
        if (room && b.row > a.row) assert.ok(lines[j]!.at < a.from || lines[j]!.at > a.to, JSON.stringify({ lines, placed }));
      }
    }
  }
});

test("points that are too far apart are not joined", () => {
  const points = [0, 1, 2, 12, 13].map((x) => ({ x, y: 1 }));
  assert.deepEqual(
    withGaps(points, 1.5).map((p) => p?.x ?? null),
    [0, 1, 2, null, 12, 13],
  );
  assert.equal(withGaps(points, undefined).length, 5);
});

test("what one rule says of several steps is one note with a count", () => {
  const of = (rule: string, n: number): Note[] =>
    Array.from({ length: n }, (_, i) => ({ kind: "note", about: `step ${i} · ${rule}`, text: `${rule} ${i}.`, rule }));
  const plain: Note = { kind: "note", about: "", text: "by itself" };
  const list = together([...of("PL101", 300), plain, ...of("PL209", 3), plain]);
  assert.equal(list.length, 4);
  assert.equal(list[0]!.about, "step 0 · PL101, and of 299 other steps");
  assert.equal(list[0]!.text, "PL101 0.");
  assert.equal(list[2]!.about, "step 0 · PL209, and of 2 other steps");
});
