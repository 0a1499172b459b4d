// Numbers as people read them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { logTicks } from "../src/axis.ts";
import type { Axis, Quantity } from "../src/data.ts";
import { onAxis, quantity, shownInterval } from "../src/quantity.ts";
import { bytes, clock, count, nines, number, percent, shortRate, signed, spacedTimes, time, timeUnit } from "../src/format.ts";

test("numbers keep three digits and have commas", () => {
  const cases: [number | null, string][] = [
    [0, "0"],
    [1.234, "1.23"],
    [12.34, "12.3"],
    [123.4, "123"],
    [1234.5, "1,235"],
    [99.97, "100"],
    [0.4976, "0.498"],
    [0.9996, "1"],
    [0.01234, "0.0123"],
    [0.00142, "0.00142"],
    [0.00012, "0.00012"],
    [0.000012, "1.2e-5"],
    [null, "–"],
    [Number.NaN, "–"],
  ];
  for (const [value, text] of cases) assert.equal(number(value), text);
});

test("a change has one sign", () => {
  assert.deepEqual([80, 0, -13.6].map(signed), ["+80", "0", "-13.6"]);
});

test("times and sizes have the largest unit that fits", () => {
  assert.equal(time(999), "999 ns");
  assert.equal(time(1500), "1.5 us");
  assert.equal(time(2_000_000_000), "2 s");
  assert.equal(time(null), "–");
  assert.equal(bytes(8192), "8 KiB");
  assert.equal(bytes(0), "0 B");
});

test("a column of times has the unit of its median", () => {
  assert.equal(timeUnit([90_000, 150_000, 2_000_000]).name, "us");
  assert.equal(timeUnit([null, 3_000_000]).name, "ms");
  assert.equal(timeUnit([]).name, "us");
});

test("clocks read seconds first and then minutes", () => {
  assert.equal(clock(90), "90 s");
  assert.equal(clock(90, true), "1:30");
  assert.equal(clock(725), "12:05");
  assert.equal(clock(10_931), "3:02:11");
});

test("a quantity has its unit, and an interval the same one", () => {
  const cases: [Quantity | null, string][] = [
    [{ unit: "seconds", value: 3120 }, "52:00"],
    [{ unit: "seconds", value: 0.5 }, "500 ms"],
    [{ unit: "per_second", value: 12400 }, "12,400/s"],
    [{ unit: "bytes_per_second", value: 8192 }, "8 KiB/s"],
    [{ unit: "share", value: 0.698 }, "70%"],
    [{ unit: "count", value: 3 }, "3"],
    [{ unit: "text", value: "random" }, "random"],
    [null, "–"],
  ];
  for (const [of, text] of cases) assert.equal(quantity(of), text);
  assert.equal(shownInterval({ unit: "ns", value: 0 }, [1e6, 2e6]), "1 ms to 2 ms");
});

test("an axis of names has names, and one of bytes has binary numbers", () => {
  const names: Axis = { label: "phase", unit: "name", logarithmic: false, categories: ["fresh", "after"] };
  assert.deepEqual([0, 1, 2].map((at) => onAxis(names, at)), ["fresh", "after", "2"]);
  const sizes: Axis = { label: "block", unit: "bytes", logarithmic: true };
  assert.equal(onAxis(sizes, 65536), "64 KiB");
});

test("a part of a decade has ticks, too", () => {
  const inside = (min: number, max: number): number => logTicks(min, max).filter((t) => t >= min && t <= max).length;
  for (const [min, max] of [[400, 800], [3e5, 3.6e5], [1, 1000], [1e3, 1e9]] as const) {
    assert.ok(inside(min, max) >= 2 && inside(min, max) <= 12, `${min} to ${max}: ${inside(min, max)}`);
  }
});

test("axes are labelled in short", () => {
  assert.equal(shortRate(5000), "5,000");
  assert.deepEqual([0, 0.5, 1, 1.5].map(shortRate), ["0", "0.5", "1", "1.5"]);
  assert.equal(shortRate(25_000), "25k");
  assert.equal(shortRate(1_500_000), "1.5M");
  assert.deepEqual([1, 2, 10, 1000, 1e6].map(nines), ["min", "50%", "90%", "99.9%", "99.9999%"]);
  assert.equal(percent(0.0831), "8.3%");
});

test("numbers look as the terminal has them, but for zeros at the end, a space before units, and µ", () => {
  const path = resolve(import.meta.dirname, "../../../../base/printable/tests/numbers.json");
  const cases = JSON.parse(readFileSync(path, "utf8")) as Record<string, [number, string][]>;
  const page = (text: string): string => text.replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "").replace(/(\d)(ns|us|ms|s)$/, "$1 $2").replace("us", "us");
  const formats: Record<string, (value: number) => string> = { count, rate: number, number, percent, time_ns: time, bytes };
  for (const [kind, format] of Object.entries(formats)) {
    assert.ok(cases[kind]!.length > 0);
    for (const [value, text] of cases[kind]!) assert.equal(format(value), kind === "percent" ? text : page(text), `${kind} ${value}`);
  }
});

test("times in sentences are written as those in tables, and names are left alone", () => {
  assert.equal(spacedTimes("767us of 22.0s, 1,200ms and `for`"), "767 us of 22.0 s, 1,200 ms and `for`");
  assert.equal(spacedTimes("curve_(for=5s), 4KiB, step2s1"), "curve_(for=5s), 4KiB, step2s1");
});
