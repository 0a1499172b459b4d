//! Figures of fio that are none: `nan`, a text, less than nothing. They are left out, and that is said.

use super::fio_asked::{COMMAND, HEADER};
use crate::json::{Node, NodeKind};
use crate::model::{InputPlace, Remark};
use crate::text::LONGEST_NS;

/// Keys whose values are figures, and none of them below zero.
const FIGURES: &[&str] = &[
    "io_bytes",
    "io_kbytes",
    "bw_bytes",
    "bw",
    "iops",
    "runtime",
    "total_ios",
    "short_ios",
    "drop_ios",
    "N",
    "min",
    "max",
    "mean",
    "stddev",
    "bw_min",
    "bw_max",
    "bw_mean",
    "bw_samples",
    "iops_min",
    "iops_max",
    "iops_mean",
    "iops_stddev",
    "iops_samples",
    "usr_cpu",
    "sys_cpu",
];

/// Objects whose every value is a figure.
const OBJECTS: &[&str] = &[
    "percentile",
    "iodepth_level",
    "latency_ns",
    "latency_us",
    "latency_ms",
];

/// Keys of times among them, ns.
const TIMES: &[&str] = &["min", "max", "mean", "stddev"];
const YEAR_NS: f64 = 365.25 * 86_400e9;

/// Of a job at most so many are named.
const MOST: usize = 10;

/// Fields of a job that were no figures.
pub fn unreadable(job: &Node) -> Vec<Remark> {
    let mut found = Vec::new();
    walk(job, "", false, &mut found);
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    if let (Some(last), true) = (found.last_mut(), more > 0) {
        last.text += &format!("; and {more} more like it");
    }
    found
}

fn walk(of: &Node, path: &str, all: bool, found: &mut Vec<Remark>) {
    for (key, node) in of.fields() {
        if ["job options", HEADER, COMMAND].contains(&key.as_str()) {
            continue;
        }
        let path = match path.is_empty() {
            true => key.clone(),
            false => format!("{path}.{key}"),
        };
        if matches!(node.kind, NodeKind::Object(_)) {
            walk(node, &path, OBJECTS.contains(&key.as_str()), found);
        } else if all || FIGURES.contains(&key.as_str()) {
            let why = match (&node.kind, node.number()) {
                (_, Some(number)) if number < 0.0 => format!("`{number}` is less than nothing"),
                (_, Some(ns)) if TIMES.contains(&key.as_str()) && ns >= LONGEST_NS => {
                    format!("{:.0} years are beyond all sense", ns / YEAR_NS)
                }
                (_, Some(_)) => continue,
                // One of each second, as of a steady state.
                (NodeKind::Array(all), _) if all.iter().all(|of| of.number().is_some()) => continue,
                (NodeKind::Text(text), _) => {
                    let shown: String = text.chars().take(40).collect();
                    format!("`{shown}` is no figure")
                }
                _ => "what is there is no figure".into(),
            };
            found.push(Remark {
                at: InputPlace {
                    source: 0,
                    line: node.line,
                },
                text: format!("`{path}`: {why}, and left out"),
            });
        }
    }
}
