"use strict";
const $ = (id) => document.getElementById(id);
const WINDOW = 10;
const PLACES = {
  "front-end": ["front end", "#9aa4b5"], "unmapped": ["never written", "#c3c9d4"], "zero": ["zeros", "#8bbf9f"],
  "journal-zero": ["zeros in the journal", "#5f9e7b"], "duplicate": ["duplicates", "#3fa7a3"], "journal": ["journal", "#8a6fd1"],
  "cache": ["DRAM cache", "#3f8ae0"], "local-flash": ["local flash", "#e0873f"], "remote-flash": ["remote flash", "#c95b8c"],
  "disk": ["disk", "#8c5a3c"],
};
const seen = [];    // the last statuses
let history = []; // what the charts show, from the array's start

const number = (x) => x >= 1e6 ? (x / 1e6).toFixed(2) + "M" : x >= 1e5 ? (x / 1e3).toFixed(0) + "k" : x >= 1e4 ? (x / 1e3).toFixed(1) + "k" : x >= 100 || x === 0 ? x.toFixed(0) : x.toFixed(1);
const bytes = (x) => { const u = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]; let i = 0; while (x >= 1024 && i < 5) { x /= 1024; i++; } return (x >= 100 ? x.toFixed(0) : x.toFixed(1).replace(".0", "")) + " " + u[i]; };
const time = (ns) => ns === null || !isFinite(ns) ? "–" : ns < 1e3 ? ns.toFixed(0) + " ns" : ns < 1e6 ? (ns / 1e3).toFixed(ns < 1e5 ? 1 : 0) + " µs" : ns < 1e9 ? (ns / 1e6).toFixed(ns < 1e8 ? 2 : 0) + " ms" : (ns / 1e9).toFixed(2) + " s";
const percent = (x) => (100 * x).toFixed(x > 0 && x < 0.1 ? 1 : 0) + " %";
const element = (tag, text, cls) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (cls) e.className = cls; return e; };
const key = (color, text) => { const e = element("span", text, "key"); e.style.setProperty("--c", color); return e; };
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The status so many seconds before the last one. */
const before = (seconds) => seen[Math.max(0, seen.length - 1 - seconds)];
const each = (now, then, of) => { const s = (now.now_ns - then.now_ns) / 1e9; return s > 0 ? (of(now) - of(then)) / s : 0; };
const mean = (now, then, of) => { const n = of(now).count - of(then).count; return n > 0 ? (of(now).array_ns - of(then).array_ns) / n : null; };

/** A round number at or above `x`, for a scale. */
function ceiling(x) {
  const p = 10 ** Math.floor(Math.log10(Math.max(x, 1e-9)));
  return p * [1, 2, 2.5, 5, 10].find((m) => m * p >= x);
}

function lines(svg, legend, series, show) {
  const [w, h, left] = [600, 150, 52];
  const values = series.flatMap((s) => s.values).filter((v) => v !== null);
  const top = ceiling(Math.max(1, ...values));
  const x = (i) => left + (w - left) * i / Math.max(1, history.length - 1);
  const y = (v) => h - (h - 10) * v / top + 5;
  let out = "";
  for (const share of [0, 0.5, 1]) {
    out += `<line x1="${left}" x2="${w}" y1="${y(top * share)}" y2="${y(top * share)}" stroke="${css("--line")}"/>`;
    out += `<text x="${left - 6}" y="${y(top * share) + 4}" text-anchor="end">${show(top * share)}</text>`;
  }
  for (const s of series) {
    let path = "", pen = false;
    s.values.forEach((v, i) => { if (v === null) { pen = false; } else { path += `${pen ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`; pen = true; } });
    out += `<path d="${path}" fill="none" stroke="${css(s.color)}" stroke-width="2" stroke-linejoin="round"/>`;
  }
  svg.innerHTML = out;
  legend.replaceChildren(...series.map((s) => {
    const last = s.values.at(-1);
    return key(css(s.color), `${s.name} ${last === null || last === undefined ? "–" : show(last)}`);
  }));
}

function shares(bar, legend, now, then) {
  const names = Object.keys(PLACES).filter((n) => n in now);
  const deltas = names.map((n) => [n, now[n] - then[n]]);
  const sum = deltas.reduce((a, d) => a + d[1], 0);
  const some = deltas.filter((d) => d[1] > 0);
  bar.replaceChildren(...some.map(([n, d]) => {
    const e = element("i"); e.style.setProperty("--c", PLACES[n][1]); e.style.flexGrow = d / sum; e.style.flexBasis = "0"; e.title = `${PLACES[n][0]} ${percent(d / sum)}`; return e;
  }));
  legend.replaceChildren(...(some.length ? some.sort((a, b) => b[1] - a[1]).map(([n, d]) => key(PLACES[n][1], `${PLACES[n][0]} ${percent(d / sum)}`)) : [element("span", "nothing", "quiet")]));
}

async function fault(body) {
  const answer = await fetch("api/faults", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) alert((await answer.json()).error);
  await turn();
}

let drawn = "";
function paths(now, then) {
  // Only drawn anew when a state changes: a button that is replaced while it is pressed does nothing.
  const states = JSON.stringify(now.paths.map((p) => [p.port, p.state, p.slow_ns, p.controller_out]));
  if (states !== drawn) {
    drawn = states;
    $("paths").replaceChildren(...now.paths.map((p, i) => {
      const e = element("div", undefined, "path");
      e.style.setProperty("--c", `var(${{ up: "--good", slow: "--warn", down: "--bad", silent: "--bad" }[p.state]})`);
      e.append(`Path ${i} to ${p.port} `, element("b", p.state === "slow" ? `slow, +${time(p.slow_ns)}` : p.state), element("div", "", "quiet"));
      const button = (text, body) => { const b = element("button", text); b.onclick = () => fault(body); e.append(b); };
      if (p.controller_out) {
        e.append(element("div", "its controller is out", "quiet"));
      } else if (p.state === "up") {
        button("pull", { fault: "path-down", path: i });
        button("pull silently", { fault: "path-down", path: i, silent: true });
      } else {
        button("bring back", { fault: "path-up", path: i });
      }
      return e;
    }));
  }
  [...$("paths").children].forEach((e, i) => {
    e.querySelector(".quiet").textContent = `${number(each(now, then, (s) => s.paths[i].requests))}/s, ${now.paths[i].failed} failed`;
  });
}

function cores(now, then) {
  $("cores-card").hidden = now.cores.length === 0;
  $("cores-card").className = now.journal ? "card twothirds" : "card";
  const use = now.cores.map((_, i) => each(now, then, (s) => s.cores[i].busy_ns) / 1e9);
  const sum = use.reduce((a, b) => a + b, 0), average = sum / use.length, most = Math.max(...use);
  $("cores-note").textContent = sum > 0.01 * use.length ? `hottest ${percent(most)}, mean ${percent(average)}, imbalance ${(most / average).toFixed(2)}` : "idle";
  $("cores").replaceChildren(...use.map((u, i) => {
    const e = element("div", undefined, u > 0.1 && u > 2 * average ? "core hot" : "core"), bar = element("div", undefined, "bar"), fill = element("i");
    fill.style.height = `${100 * Math.min(1, u)}%`; bar.append(fill);
    e.append(bar, element("div", percent(Math.min(1, u))), element("div", now.cores[i].works ? `core ${i}` : `core ${i}, out`, "quiet"));
    return e;
  }));
}

const row = (cells) => { const tr = element("tr"); tr.append(...cells.map((c) => { const td = element("td"); td.append(c); return td; })); return tr; };

/** LUNs that are exported alike, one after the other, as one entry. */
function runs(exports) {
  const all = [];
  for (const e of exports) {
    const last = all.at(-1), n = last ? last.count : 0;
    const alike = last && [...last.ports, last.igroup, last.status].join() === [...e.ports, e.igroup, e.status].join();
    if (alike && e.lun === last.lun + n && e.lun_id === last.lun_id + n) last.count++;
    else all.push({ ...e, count: 1 });
  }
  return all;
}

function masking(now) {
  const range = (prefix, first, count) => prefix + first + (count > 1 ? ` – ${prefix}${first + count - 1}` : "");
  const color = { HA: "--good", degraded: "--warn", down: "--bad" };
  // An array with many LUNs mostly exports them alike.
  const sorted = [...now.exports].sort((a, b) => a.lun - b.lun || a.id - b.id);
  const shown = sorted.length > 16 ? runs(sorted) : sorted.map((e) => ({ ...e, count: 1 }));
  $("exports").replaceChildren(...shown.slice(0, 100).map((e) => {
    const state = element("span", e.status, "state");
    state.style.setProperty("--c", `var(${color[e.status]})`);
    const name = e.count === 1 && e.name ? ` (${e.container ? `${e.container}/` : ""}${e.name})` : "";
    return row([range("lun", e.lun, e.count) + name, range("", e.lun_id, e.count), e.ports.join(", "), e.igroup, state]);
  }));
  const counts = Object.keys(color).map((s) => [now.exports.filter((e) => e.status === s).length, s]).filter((c) => c[0]);
  $("exports-note").textContent = counts.map((c) => c.join(" ")).join(", ") || "none";
  $("igroups").replaceChildren(...now.igroups.map((g) => row([g.name, g.initiators.join(", ") || "nobody"])));
}

/** Where most of it was, with the shares. */
function places(now, then) {
  const deltas = Object.keys(now).map((n) => [n, now[n] - then[n]]).filter((d) => d[1] > 0);
  const sum = deltas.reduce((a, d) => a + d[1], 0);
  return deltas.sort((a, b) => b[1] - a[1]).slice(0, 3).map(([n, d]) => `${PLACES[n][0]} ${percent(d / sum)}`).join(", ") || "–";
}

function commonest(now, then) {
  const old = new Map(then);
  const delta = now.map(([size, n]) => [size, n - (old.get(size) ?? 0)]).filter((d) => d[1] > 0);
  if (!delta.length) return "–";
  const [size, n] = delta.reduce((a, b) => b[1] > a[1] ? b : a);
  return `≤ ${bytes(size)} (${percent(n / delta.reduce((a, d) => a + d[1], 0))})`;
}

function luns(now, then, long) {
  const written = (l) => {
    const span = element("span", `${bytes(l.mapped_bytes)} (${percent(l.mapped_bytes / l.bytes)})`), bar = element("span", undefined, "fill"), fill = element("i");
    fill.style.width = `${100 * l.mapped_bytes / l.bytes}%`; bar.append(fill); span.append(bar);
    return span;
  };
  // An array may have many LUNs; those that nobody has touched are all the same.
  const touched = (l) => l.mapped_bytes + l.reads.count + l.writes.count + l.snapshots > 0;
  const shown = now.luns.map((l, i) => [l, i]).filter(([l, i]) => i === 0 || touched(l));
  const others = now.luns.length - shown.length;
  $("luns-note").textContent = others ? `${others} more of ${bytes(now.luns[0].bytes)} each that nobody has touched` : "";
  $("luns").replaceChildren(...shown.map(([l, i]) => row([
    l.export, bytes(l.bytes), written(l), bytes(l.zero_bytes),
    number(each(now, then, (s) => s.luns[i].reads.count)), number(each(now, then, (s) => s.luns[i].writes.count)),
    commonest(l.read_sizes, long.luns[i].read_sizes), commonest(l.write_sizes, long.luns[i].write_sizes),
    places(l.read_source, long.luns[i].read_source), places(l.write_destination, long.luns[i].write_destination),
    bytes(l.working_set.union), l.snapshots ? `${l.snapshots} (${bytes(l.snapshot_bytes)})` : "0",
  ])));
  const c = now.connections;
  $("connections-note").textContent = `${c.open.length} open, ${c.accepted} came, ${c.refused} too many, ${c.dropped} dropped${c.last_drop ? ` (last: ${c.last_drop})` : ""}`;
  $("connections").replaceChildren(...c.open.slice(0, 50).map((o) => row([o.peer, `${o.path} to ${now.paths[o.path].port}`, o.lun === null ? "choosing" : now.luns[o.lun].export])));
}

/** Rates and times between the moments that the array kept. */
function course(moments) {
  return moments.slice(1).map((now, i) => {
    const then = moments[i], seconds = (now.at_ns - then.at_ns) / 1e9;
    const rate = (of) => seconds > 0 ? (now[of] - then[of]) / seconds : 0;
    const time = (of) => now[of] > then[of] ? (now[`${of}_ns`] - then[`${of}_ns`]) / (now[of] - then[of]) : null;
    return { reads: rate("reads"), writes: rate("writes"), back: rate("back"), readTime: time("reads"), writeTime: time("writes"), seconds };
  });
}

function show() {
  const now = seen.at(-1), then = before(1), long = before(WINDOW);
  const front = (s) => s.front_end, back = (s) => s.back_end;
  const point = {
    reads: each(now, then, (s) => front(s).reads.count), writes: each(now, then, (s) => front(s).writes.count),
    back: each(now, then, (s) => back(s).reads + back(s).writes),
    readTime: mean(now, then, (s) => front(s).reads), writeTime: mean(now, then, (s) => front(s).writes),
  };
  $("persona").textContent = now.persona;
  $("about").textContent = now.about;
  const lag = now.timing ? `emulation lag p50 ${time(now.lag.p50_ns)}, p99 ${time(now.lag.p99_ns)}` : "timing off: replies leave at once, the array's time runs ahead";
  $("facts").textContent = `scale 1:${now.scale} · up ${time(now.now_ns)} · ${lag}`;
  document.title = `${now.persona} – Plimsoll lab`;
  $("iops").textContent = number(point.reads + point.writes);
  $("iops-split").textContent = `${number(point.reads)} read, ${number(point.writes)} write`;
  const rate = (of) => each(now, then, (s) => front(s)[of].bytes);
  $("rate").textContent = bytes(rate("reads") + rate("writes")) + "/s";
  $("rate-split").textContent = `${bytes(rate("reads"))} read, ${bytes(rate("writes"))} write`;
  const both = (s) => ({ count: front(s).reads.count + front(s).writes.count, array_ns: front(s).reads.array_ns + front(s).writes.array_ns });
  $("time").textContent = time(mean(now, then, both));
  $("time-split").textContent = `${time(point.readTime)} read, ${time(point.writeTime)} write`;
  $("back").textContent = number(point.back);
  $("back-split").textContent = `${number(each(now, then, (s) => back(s).reads))} read, ${number(each(now, then, (s) => back(s).writes))} write`;
  const amplification = back(now).write_amplification;
  $("wa").textContent = amplification === null ? "–" : amplification.toFixed(2);
  const reduction = !now.space.compresses ? "compression off" : now.space.stored_bytes ? `compression ${(now.space.new_bytes / now.space.stored_bytes).toFixed(2)} : 1` : "nothing to compress yet";
  $("reduction").textContent = amplification === null ? `not modelled; ${reduction}` : reduction;
  const set = (of) => now.luns.reduce((a, l) => a + l.working_set[of], 0);
  $("wss").textContent = bytes(set("union"));
  $("wss-split").textContent = `${bytes(set("read"))} read, ${bytes(set("write"))} written`;
  const step = history.length ? `, a point for each ${Math.round(history[0].seconds)} s` : "";
  for (const id of ["span-iops", "span-time"]) $(id).textContent = `from the start${step}`;
  lines($("chart-iops"), $("legend-iops"), [
    { name: "reads", color: "--read", values: history.map((p) => p.reads) },
    { name: "writes", color: "--write", values: history.map((p) => p.writes) },
    { name: "back end", color: "--back", values: history.map((p) => p.back) },
  ], number);
  lines($("chart-time"), $("legend-time"), [
    { name: "reads", color: "--read", values: history.map((p) => p.readTime) },
    { name: "writes", color: "--write", values: history.map((p) => p.writeTime) },
  ], time);
  cores(now, then);
  $("journal-card").hidden = !now.journal;
  if (now.journal) {
    const { fill, capacity } = now.journal;
    $("journal").style.width = `${100 * (capacity ? Math.min(1, fill / capacity) : 1)}%`;
    $("journal-text").textContent = capacity ? `${percent(fill / capacity)} full` : "no room";
    $("journal-capacity").textContent = bytes(capacity);
    $("journal-note").textContent = `${bytes(now.journal.fill)} in it; writes waited ${time(each(now, then, (s) => s.journal.waited_ns))} per second for room`;
  }
  shares($("reads"), $("reads-legend"), now.read_source, long.read_source);
  shares($("writes"), $("writes-legend"), now.write_destination, long.write_destination);
  paths(now, then);
  masking(now);
  $("events").replaceChildren(...(now.events.length ? now.events.slice(-50).reverse().map((e) => element("li", `${(e.at_ns / 1e9).toFixed(1)} s  ${e.what}`)) : [element("li", "nothing has gone wrong", "quiet")]));
  luns(now, then, long);
}

async function turn() {
  try {
    const [status, moments] = await Promise.all(["status", "history"].map(async (part) => (await fetch(`api/${part}`)).json()));
    if (seen.length && status.now_ns < seen.at(-1).now_ns) seen.length = 0;
    history = course(moments);
    seen.push(status);
    if (seen.length > WINDOW + 2) seen.shift();
    $("trouble").hidden = true;
    show();
  } catch (error) {
    $("trouble").textContent = `The array does not answer: ${error.message}`;
    $("trouble").hidden = false;
  }
}
turn();
setInterval(turn, 1000);
