//! The hosts of each step that several carried out together, as CSV.

use super::ExportError;
use super::csv::{text, write_line};
use crate::Record;
use crate::numbers::us;
use crate::step_rows::step_end_word;
use plimsoll_evidence::{HostPart, LostHost, StepEvidence};
use std::io::Write;

const COLUMNS: [&str; 24] = [
    "step",
    "name",
    "host",
    "host_name",
    "workers",
    "offered_iops",
    "iops",
    "iops_half_width",
    "ios",
    "bytes",
    "errors",
    "response_mean_us",
    "response_mean_half_width_us",
    "response_p99_us",
    "response_max_us",
    "service_mean_us",
    "depth_mean",
    "saturated",
    "late_by_host",
    "start_late_us",
    "start_bound_us",
    "start_drift_ppm",
    "end_reason",
    "lost",
];

/// Writes them: a header, then a line for each host of each step, those that were set aside too. What is not known is empty; of a host whose part is missing that is
/// all but its name and the reason. Texts are as [`super::csv()`] has them.
///
/// # Errors
/// Where the record cannot be read, or the output not be written.
pub fn hosts(record: &Record, out: &mut dyn Write) -> Result<(), ExportError> {
    write_line(out, COLUMNS.map(String::from).into())?;
    for step in record.all_steps()? {
        for part in &step.hosts {
            write_line(out, of_part(&step, part))?;
        }
        for lost in &step.lost_hosts {
            write_line(out, of_lost(&step, lost))?;
        }
    }
    Ok(())
}

fn of_part(step: &StepEvidence, part: &HostPart) -> Vec<String> {
    let maybe = |n: Option<f64>| {
        let known = n.filter(|n| n.is_finite());
        known.map_or_else(String::new, |n| n.to_string())
    };
    let ns = |n: Option<u64>| maybe(n.map(|n| us(n as f64)));
    let mean = |ns: f64| maybe((part.ios > 0).then(|| us(ns)));
    let saturated = part.saturation.map(|s| u8::from(s.saturated).to_string());
    vec![
        step.number.to_string(),
        text(&step.name),
        part.host.to_string(),
        text(&part.name),
        part.workers.to_string(),
        maybe(part.offered),
        maybe(Some(part.rate.mean)),
        maybe(part.rate.half_width),
        part.ios.to_string(),
        part.bytes.to_string(),
        part.errors.to_string(),
        mean(part.response_mean_ns.mean),
        maybe(part.response_mean_ns.half_width.map(us)),
        ns(part.response_p99_ns),
        ns(part.response_max_ns),
        mean(part.service_mean_ns.mean),
        maybe(Some(part.depth_mean)),
        saturated.unwrap_or_default(),
        part.late_by_host.to_string(),
        ns(Some(part.start.late_ns)),
        ns(Some(part.start.bound_ns)),
        maybe(part.start.drift_ppm),
        step_end_word(step, part.end).into(),
        String::new(),
    ]
}

fn of_lost(step: &StepEvidence, lost: &LostHost) -> Vec<String> {
    let mut cells = vec![
        step.number.to_string(),
        text(&step.name),
        lost.host.to_string(),
        text(&lost.name),
    ];
    cells.resize(COLUMNS.len() - 1, String::new());
    cells.push(text(&lost.why));
    cells
}
