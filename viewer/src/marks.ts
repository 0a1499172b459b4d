// Places on the x axis with something to say: a line and its label, in rows so that no label lies on another.

import type { Axis } from "./data.ts";
import type { Palette } from "./theme.ts";
import { isPlaced } from "./value_axis.ts";

export interface Mark {
  x: number;
  label: string;
}

/** Where a label lies: its row from the plot upwards, and its ends, px. */
export interface Placed {
  row: number;
  from: number;
  to: number;
}

const FONT = 11;
/** A row of labels, a letter and what is left free between two labels, px. */
const [ROW, LETTER, ROOM] = [14, 6.1, 8];
/** The longest label, in letters: what is longer ends in dots. */
const LONGEST = 28;
/** Beside the plot: the labels of the y axis, about, px. */
const BESIDE = 80;

/** The labels of lines at these places, so that none lies on another nor, where there is room, on another's line. */
export function placeLabels(lines: { at: number; width: number }[], left: number, right: number): Placed[] {
  const placed: (Placed & { at: number })[] = [];
  const all = lines.map((line, index) => ({ ...line, index })).sort((a, b) => b.at - a.at);
  const found: Placed[] = [];
  for (const { at, width, index } of all) {
    const from = Math.max(left, Math.min(at + 3, right - width));
    const to = from + width;
    const covers = (x: number, p: { from: number; to: number }): boolean => x >= p.from - 2 && x <= p.to + 2;
    const free = (row: number): boolean => placed.every((p) => p.row !== row || to + ROOM <= p.from || from >= p.to + ROOM);
    const clear = (row: number): boolean =>
      placed.every((p) => p.row === row || (p.row > row ? !covers(p.at, { from, to }) : !covers(at, p)));
    const rows = lines.map((_, row) => row).filter(free);
    // At the right edge, where labels lie to the left of their lines, some line may have to pass a label.
    const row = rows.find(clear) ?? rows[0] ?? 0;
    placed.push({ at, row, from, to });
    found[index] = { row, from, to };
  }
  return found;
}

function shown(label: string): string {
  return label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label;
}

function layout(marks: Mark[], at: (x: number) => number, left: number, right: number): Placed[] {
  const lines = marks.map((m) => ({ at: at(m.x), width: shown(m.label).length * LETTER }));
  return placeLabels(lines, left, right);
}

/** How high the labels are in a chart of this width, px. */
export function marksHeight(marks: Mark[], axis: Axis, x: number[], width: number): number {
  if (marks.length === 0) return 0;
  const on = (value: number): number => (axis.logarithmic ? Math.log(value) : value);
  const all = x.filter((v) => isPlaced(axis, v)).map(on);
  const low = all.reduce((a, b) => Math.min(a, b));
  const high = all.reduce((a, b) => Math.max(a, b));
  const room = Math.max(1, width - BESIDE);
  const at = (value: number): number => ((on(value) - low) / (high - low || 1)) * room;
  const rows = layout(marks, at, 0, room).map((p) => p.row);
  return ROW * (1 + rows.reduce((a, b) => Math.max(a, b), 0));
}

/** The lines and labels, above the plot; `y` is any value that is drawn, so that they change no axis. */
export function markSeries(marks: Mark[], y: number, palette: Palette) {
  return {
    type: "custom" as const,
    silent: true,
    clip: false,
    z: 4,
    tooltip: { show: false },
    // One item draws all, so that it knows where each is.
    data: marks.length > 0 ? [[marks[0]!.x, y]] : [],
    renderItem: (params: { coordSys: unknown }, api: { coord: (at: number[]) => number[] }) => {
      const plot = params.coordSys as { x: number; y: number; width: number; height: number };
      const at = (x: number): number => api.coord([x, y])[0]!;
      const places = layout(marks, at, plot.x, plot.x + plot.width);
      const children = marks.flatMap((mark, i) => {
        const [x, { row, from }] = [Math.round(at(mark.x)) + 0.5, places[i]!];
        const top = plot.y - row * ROW - 3;
        return [
          {
            type: "line" as const,
            shape: { x1: x, y1: top, x2: x, y2: plot.y + plot.height },
            style: { stroke: palette.mark, lineWidth: 1, lineDash: [4, 3] },
          },
          {
            type: "text" as const,
            style: { x: from, y: top - 9, text: shown(mark.label), fill: palette.mark, fontSize: FONT, textVerticalAlign: "top" as const },
          },
        ];
      });
      return { type: "group" as const, children };
    },
  };
}
