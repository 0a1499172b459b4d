//! fio's text for people, as far as what it tells is known here.

use super::short::short;
use super::terse::number;
use serde_json::Value;
use std::fmt::Write;

/// Heading of a job, as it was asked for: fio writes those of all jobs before it begins.
#[derive(Debug, Clone)]
pub struct Heading {
    /// Name of the job.
    pub name: String,
    /// Group that it is reported with.
    pub group: u32,
    /// `rw=`, without what stands behind a colon.
    pub rw: String,
    /// Least and largest size of reads, writes and trims, bytes.
    pub sizes: [(u64, u64); 3],
    /// Name of the engine.
    pub engine: String,
    /// `iodepth=` as it was written.
    pub iodepth: u64,
    /// How many clones the job is.
    pub clones: u64,
}

/// The headings of all jobs, the version and the number of clones: what fio's text begins with.
pub fn headings(headings: &[Heading], version: &str) -> String {
    let mut out = String::new();
    for of in headings {
        let size = |bytes: u64| short(bytes as f64, 1024, "B");
        let sizes = of
            .sizes
            .map(|(least, most)| format!("{}-{}", size(least), size(most)));
        let [read, write, trim] = sizes;
        let _ = writeln!(
            out,
            "{}: (g={}): rw={}, bs=(R) {read}, (W) {write}, (T) {trim}, ioengine={}, iodepth={}",
            of.name, of.group, of.rw, of.engine, of.iodepth
        );
        if of.clones > 1 {
            out.push_str("...\n");
        }
    }
    let clones = headings
        .iter()
        .fold(0u64, |sum, of| sum.saturating_add(of.clones));
    let es = if clones == 1 { "" } else { "es" };
    let _ = writeln!(out, "plimsoll-{version}\nStarting {clones} process{es}\n");
    out
}

/// The text of a document as [`super::document`] makes it, and as fio does: each job, the groups, the disks. `clones` is how many
/// each job is, which a document does not say.
pub fn normal(document: &Value, clones: &[u64]) -> String {
    let empty = Vec::new();
    let jobs = document["jobs"].as_array().unwrap_or(&empty);
    let time = document["time"].as_str().unwrap_or_default();
    let mut out = String::new();
    let clones = clones.iter().copied().chain(std::iter::repeat(1));
    for (job, clones) in jobs.iter().zip(clones) {
        of_job(&mut out, job, clones, time);
    }
    let mut groups: Vec<u64> = jobs.iter().filter_map(|j| j["groupid"].as_u64()).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let own: Vec<&Value> = jobs.iter().filter(|j| j["groupid"] == group).collect();
        let _ = writeln!(out, "\nRun status group {group} (all jobs):");
        for (key, name) in DIRECTIONS.into_iter().chain([MIXED]) {
            of_group(&mut out, &own, key, name);
        }
    }
    let disks = document["disk_util"].as_array().unwrap_or(&empty);
    if !disks.is_empty() {
        let _ = writeln!(out, "\nDisk stats (read/write):");
    }
    for disk in disks {
        let pair = |a: &str, b: &str| format!("{}/{}", disk[a], disk[b]);
        let _ = writeln!(
            out,
            "  {}: ios={}, merge={}, ticks={}, in_queue={}, util={:.2}%",
            disk["name"].as_str().unwrap_or_default(),
            pair("read_ios", "write_ios"),
            pair("read_merges", "write_merges"),
            pair("read_ticks", "write_ticks"),
            disk["in_queue"],
            number(&disk["util"])
        );
    }
    idleness(&mut out, &document["cpu_idleness"]);
    out
}

/// Idle time of the CPUs, where that was asked for.
fn idleness(out: &mut String, told: &Value) {
    let Some(told) = told.as_object() else { return };
    let _ = writeln!(
        out,
        "\nCPU idleness:\n  system: {:.2}%",
        number(&told["system"])
    );
    let of_cpu = |(key, idle): (&String, &Value)| {
        let cpu: u32 = key.strip_prefix("cpu-")?.parse().ok()?;
        Some((cpu, format!("{:.2}%", number(idle))))
    };
    let mut each: Vec<(u32, String)> = told.iter().filter_map(of_cpu).collect();
    each.sort();
    let each: Vec<String> = each.into_iter().map(|(_, idle)| idle).collect();
    if !each.is_empty() {
        let _ = writeln!(out, "  percpu: {}", each.join(", "));
    }
}

/// All of them as one, where that is asked for.
const MIXED: (&str, &str) = ("mixed", "MIXED");
const DIRECTIONS: [(&str, &str); 3] = [("read", "READ"), ("write", "WRITE"), ("trim", "TRIM")];

fn of_job(out: &mut String, job: &Value, clones: u64, time: &str) {
    let _ = writeln!(
        out,
        "{}: (groupid={}, jobs={clones}): err={:2}: {time}",
        job["jobname"].as_str().unwrap_or_default(),
        job["groupid"],
        job["error"].as_u64().unwrap_or_default()
    );
    for (key, _) in DIRECTIONS.into_iter().chain([MIXED]) {
        if number(&job[key]["total_ios"]) > 0.0 {
            of_direction(out, key, &job[key]);
        }
    }
    for (key, unit) in [
        ("latency_ns", "nsec"),
        ("latency_us", "usec"),
        ("latency_ms", "msec"),
    ] {
        latencies(out, &job[key], unit);
    }
    let syncs = &job["sync"]["lat_ns"];
    if number(&syncs["N"]) > 0.0 {
        out.push_str("  fsync/fdatasync/sync_file_range:\n");
        times(out, "sync", syncs);
        percentiles(out, "sync", &syncs["percentile"]);
    }
    // Zeros stand for what is not known of one job.
    if ["usr_cpu", "sys_cpu", "ctx"]
        .iter()
        .any(|key| number(&job[*key]) > 0.0)
    {
        let _ = writeln!(
            out,
            "  cpu          : usr={:.2}%, sys={:.2}%, ctx={}, majf={}, minf={}",
            number(&job["usr_cpu"]),
            number(&job["sys_cpu"]),
            job["ctx"],
            job["majf"],
            job["minf"]
        );
    }
    let level = |l: &&str| format!("{l}={:.1}%", number(&job["iodepth_level"][*l]));
    let levels: Vec<String> = ["1", "2", "4", "8", "16", "32", ">=64"]
        .iter()
        .map(level)
        .collect();
    let _ = writeln!(out, "  IO depths    : {}", levels.join(", "));
    let each = |field: &str| {
        let of = |(key, _): (&str, &str)| job[key][field].as_u64().unwrap_or_default().to_string();
        DIRECTIONS.map(of).join(",")
    };
    let _ = writeln!(
        out,
        "     issued rwts: total={},{} short={},0 dropped={},0",
        each("total_ios"),
        job["sync"]["total_ios"].as_u64().unwrap_or_default(),
        each("short_ios"),
        each("drop_ios")
    );
    let _ = writeln!(
        out,
        "     latency   : target={}, window={}, percentile={:.2}%, depth={}",
        job["latency_target"],
        job["latency_window"],
        number(&job["latency_percentile"]),
        job["latency_depth"]
    );
    steady_state(out, &job["steadystate"]);
}

fn steady_state(out: &mut String, state: &Value) {
    let (Some(rule), Some(criterion)) = (state["ss"].as_str(), state["criterion"].as_str()) else {
        return;
    };
    let rule = rule.split(':').next().unwrap_or_default();
    let (of, what) = match rule.split_once('_') {
        Some((of, _)) => (of, "slope"),
        None => (rule, "mean dev"),
    };
    let (deviation, unit) = match criterion.strip_suffix('%') {
        Some(number) => (number, "%"),
        None => (criterion, ""),
    };
    let attained = state["attained"].as_u64() == Some(1);
    let mean = |key: &str| number(&state["data"][key]);
    let lat = match of {
        "lat" => format!(", lat={}nsec", short(mean("lat_mean"), 1000, "")),
        _ => String::new(),
    };
    let _ = writeln!(
        out,
        "  steadystate  : attained={}, bw={} ({}), iops={}{lat}, {of} {what}={:.3}{unit}",
        if attained { "yes" } else { "no" },
        short(mean("bw_mean"), 1024, "B/s"),
        short(mean("bw_mean"), 1000, "B/s"),
        short(mean("iops_mean"), 1000, ""),
        deviation.parse::<f64>().unwrap_or_default()
    );
}

fn of_direction(out: &mut String, name: &str, of: &Value) {
    let bytes = number(&of["bw_bytes"]);
    let _ = writeln!(
        out,
        "  {name}: IOPS={}, BW={} ({})({}/{}msec)",
        short(number(&of["iops"]), 1000, ""),
        short(bytes, 1024, "B/s"),
        short(bytes, 1000, "B/s"),
        short(number(&of["io_bytes"]), 1024, "B"),
        of["runtime"]
    );
    times(out, "slat", &of["slat_ns"]);
    times(out, "clat", &of["clat_ns"]);
    times(out, "lat", &of["lat_ns"]);
    percentiles(out, "clat", &of["clat_ns"]["percentile"]);
    percentiles(out, "lat", &of["lat_ns"]["percentile"]);
    for (what, key, spread) in [
        ("bw (  KiB/s)", "bw", "bw_dev"),
        ("iops        ", "iops", "iops_stddev"),
    ] {
        let field = |name: &str| number(&of[format!("{key}_{name}")]);
        if field("samples") == 0.0 {
            continue;
        }
        let share = match key {
            "bw" => format!(" per={:3.2}%,", number(&of["bw_agg"])),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "   {what}: min={:5}, max={:5},{share} avg={:5.02}, stdev={:5.02}, samples={}",
            field("min"),
            field("max"),
            field("mean"),
            number(&of[spread]),
            field("samples")
        );
    }
}

/// The unit in which fio shows times of these bounds, and how many ns it has.
fn unit(min_ns: f64, max_ns: f64) -> (&'static str, f64) {
    if min_ns > 2_000_000.0 && max_ns > 99_999_999.0 {
        ("msec", 1e6)
    } else if min_ns > 2_000.0 && max_ns > 99_999.0 {
        ("usec", 1e3)
    } else {
        ("nsec", 1.0)
    }
}

fn times(out: &mut String, name: &str, of: &Value) {
    if number(&of["N"]) == 0.0 {
        return;
    }
    let (min, max) = (number(&of["min"]), number(&of["max"]));
    let (unit, ns) = unit(min, max);
    let _ = writeln!(
        out,
        "    {name:>4} ({unit}): min={}, max={}, avg={:5.02}, stdev={:5.02}",
        short_time(min / ns),
        short_time(max / ns),
        number(&of["mean"]) / ns,
        number(&of["stddev"]) / ns
    );
}

/// Six digits, or thousands in as many characters.
fn short_time(value: f64) -> String {
    match value {
        v if v < 1e6 => format!("{}", v as u64),
        v if v < 1e7 => format!("{:.1}k", v / 1e3),
        v => format!("{:.0}k", v / 1e3),
    }
}

fn percentiles(out: &mut String, name: &str, of: &Value) {
    let Some(of) = of.as_object() else { return };
    let mut reported: Vec<(f64, f64)> = of
        .iter()
        .map(|(key, ns)| (key.parse().unwrap_or_default(), number(ns)))
        .collect();
    reported.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (reported.first(), reported.last()) else {
        return;
    };
    let (unit, ns) = unit(first.1, last.1);
    let digits = ((last.1 / ns).ceil() as u64).to_string().len().max(5);
    let _ = writeln!(out, "{:>8} percentiles ({unit}):", name);
    let cells: Vec<String> = reported
        .iter()
        .map(|(percent, value)| format!("{percent:5.2}th=[{:digits$}]", (value / ns).ceil() as u64))
        .collect();
    // What fits into 80 columns.
    let lines = cells
        .chunks(73 / (12 + digits).min(73))
        .map(|line| line.join(", "));
    let _ = writeln!(
        out,
        "     | {}",
        lines.collect::<Vec<_>>().join(",\n     | ")
    );
}

/// Five in a line; what is empty is not shown.
fn latencies(out: &mut String, of: &Value, unit: &str) {
    let Some(of) = of.as_object() else { return };
    let bound = |key: &str| match key.strip_prefix(">=") {
        Some(_) => u64::MAX,
        None => key.parse().unwrap_or_default(),
    };
    let mut shown: Vec<(u64, String)> = of
        .iter()
        .filter(|(_, share)| number(share) > 0.0)
        // fio shows no less than a hundredth.
        .map(|(key, share)| {
            (
                bound(key),
                format!("{key}={:3.2}%", number(share).max(0.01)),
            )
        })
        .collect();
    shown.sort();
    for line in shown.chunks(5) {
        let cells: Vec<&str> = line.iter().map(|(_, cell)| cell.as_str()).collect();
        let _ = writeln!(out, "  lat ({unit})   : {}", cells.join(", "));
    }
}

fn of_group(out: &mut String, jobs: &[&Value], key: &str, name: &str) {
    let busy: Vec<&Value> = jobs
        .iter()
        .map(|j| &j[key])
        .filter(|d| number(&d["total_ios"]) > 0.0)
        .collect();
    if busy.is_empty() {
        return;
    }
    let each = |field: &str| busy.iter().map(|d| number(&d[field])).collect::<Vec<_>>();
    let least = |of: &[f64]| of.iter().copied().fold(f64::MAX, f64::min);
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let (rates, bytes, runtimes) = (each("bw_bytes"), each("io_bytes"), each("runtime"));
    let io: f64 = bytes.iter().sum();
    let all = io * 1e3 / most(&runtimes).max(1.0);
    let both = |value: f64, unit: &str| (short(value, 1024, unit), short(value, 1000, unit));
    let (low, high, sum) = (
        both(least(&rates), "B/s"),
        both(most(&rates), "B/s"),
        both(all, "B/s"),
    );
    let io = both(io, "B");
    let _ = writeln!(
        out,
        "{name:>7}: bw={} ({}), {}-{} ({}-{}), io={} ({}), run={}-{}msec",
        sum.0,
        sum.1,
        low.0,
        high.0,
        low.1,
        high.1,
        io.0,
        io.1,
        least(&runtimes),
        most(&runtimes)
    );
}
