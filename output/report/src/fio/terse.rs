//! fio's terse lines, of versions 3 to 5: one for each job, its fields parted by semicolons.

use super::FioJob;
use serde_json::Value;
use std::fmt::Write;

/// Fields for percentiles, whether so many are asked for or not.
const PERCENTILES: usize = 20;

/// Version of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TerseVersion {
    /// Reads and writes.
    #[default]
    Three,
    /// Trims too.
    Four,
    /// The samples of rates too.
    Five,
}

impl TerseVersion {
    /// Version that `--terse-version` names.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "3" => Some(TerseVersion::Three),
            "4" => Some(TerseVersion::Four),
            "5" => Some(TerseVersion::Five),
            _ => None,
        }
    }

    fn number(self) -> u8 {
        match self {
            TerseVersion::Three => 3,
            TerseVersion::Four => 4,
            TerseVersion::Five => 5,
        }
    }

    fn directions(self) -> &'static [&'static str] {
        match self {
            TerseVersion::Three => &["read", "write"],
            TerseVersion::Four | TerseVersion::Five => &["read", "write", "trim"],
        }
    }
}

/// The lines of a document as [`super::document`] makes it, and as fio does.
pub fn terse(document: &Value, lines: TerseVersion) -> String {
    let empty = Vec::new();
    let jobs = document["jobs"].as_array().unwrap_or(&empty);
    let mut out = String::new();
    for job in jobs {
        let version = document["fio version"].as_str().unwrap_or_default();
        let name = job["jobname"].as_str().unwrap_or_default();
        let _ = write!(
            out,
            "{};{version};{};{};{}",
            lines.number(),
            name.replace(';', ","),
            job["groupid"],
            job["error"]
        );
        for direction in lines.directions() {
            of_direction(&mut out, &job[direction]);
            if lines == TerseVersion::Five {
                of_samples(&mut out, &job[direction]);
            }
        }
        of_host(&mut out, job);
        for disk in document["disk_util"].as_array().unwrap_or(&empty) {
            of_disk(&mut out, disk);
        }
        out.push('\n');
    }
    out
}

fn of_direction(out: &mut String, of: &Value) {
    for key in ["io_kbytes", "bw"] {
        let _ = write!(out, ";{}", of[key]);
    }
    let _ = write!(out, ";{};{}", number(&of["iops"]) as u64, of["runtime"]);
    block(out, &of["slat_ns"]);
    block(out, &of["clat_ns"]);
    percentiles(out, &of["clat_ns"]["percentile"]);
    block(out, &of["lat_ns"]);
    let _ = write!(
        out,
        ";{};{};{:.6}%;{:.6};{:.6}",
        of["bw_min"],
        of["bw_max"],
        number(&of["bw_agg"]),
        number(&of["bw_mean"]),
        number(&of["bw_dev"])
    );
}

fn of_samples(out: &mut String, of: &Value) {
    let _ = write!(
        out,
        ";{};{};{};{:.6};{:.6};{}",
        of["bw_samples"],
        of["iops_min"],
        of["iops_max"],
        number(&of["iops_mean"]),
        number(&of["iops_stddev"]),
        of["iops_samples"]
    );
}

/// In us.
fn block(out: &mut String, of: &Value) {
    let _ = write!(
        out,
        ";{};{};{:.6};{:.6}",
        (number(&of["min"]) / 1e3) as u64,
        (number(&of["max"]) / 1e3) as u64,
        number(&of["mean"]) / 1e3,
        number(&of["stddev"]) / 1e3
    );
}

/// In us. Where there was no I/O fio writes those that it would have told.
fn percentiles(out: &mut String, of: &Value) {
    let reported: Vec<(String, u64)> = match of.as_object() {
        Some(of) => {
            let mut reported: Vec<(&String, f64)> =
                of.iter().map(|(k, v)| (k, number(v))).collect();
            let percent = |key: &str| key.parse::<f64>().unwrap_or_default();
            reported.sort_by(|a, b| percent(a.0).total_cmp(&percent(b.0)));
            reported
                .into_iter()
                .map(|(key, ns)| (key.clone(), (ns / 1e3) as u64))
                .collect()
        }
        None => FioJob::PERCENTILES
            .iter()
            .map(|p| (format!("{p:.6}"), 0))
            .collect(),
    };
    for n in 0..PERCENTILES {
        let _ = match reported.get(n) {
            Some((key, us)) => write!(out, ";{key}%={us}"),
            None => write!(out, ";0%=0"),
        };
    }
}

fn of_host(out: &mut String, job: &Value) {
    let _ = write!(
        out,
        ";{:.6}%;{:.6}%;{};{};{}",
        number(&job["usr_cpu"]),
        number(&job["sys_cpu"]),
        job["ctx"],
        job["majf"],
        job["minf"]
    );
    for level in ["1", "2", "4", "8", "16", "32", ">=64"] {
        let _ = write!(out, ";{:.1}%", number(&job["iodepth_level"][level]));
    }
    // What took less than 1 us is in the first field of those that took less than 1 ms.
    let below_us: f64 = job["latency_ns"]
        .as_object()
        .map_or(0.0, |of| of.values().map(number).sum());
    for bound in [
        "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000",
    ] {
        let more = if bound == "2" { below_us } else { 0.0 };
        let _ = write!(out, ";{:.2}%", number(&job["latency_us"][bound]) + more);
    }
    for bound in [
        "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000",
    ] {
        let _ = write!(out, ";{:.2}%", number(&job["latency_ms"][bound]));
    }
}

fn of_disk(out: &mut String, disk: &Value) {
    let _ = write!(out, ";{}", disk["name"].as_str().unwrap_or_default());
    for key in [
        "read_ios",
        "write_ios",
        "read_merges",
        "write_merges",
        "read_ticks",
        "write_ticks",
        "in_queue",
    ] {
        let _ = write!(out, ";{}", disk[key]);
    }
    let _ = write!(out, ";{:.2}%", number(&disk["util"]));
}

pub(super) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}
