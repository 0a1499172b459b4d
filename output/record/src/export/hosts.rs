//! The hosts of each step that several carried out together.

use super::ExportError;
use super::table::{Cell, Column, Kind, Sink};
use crate::Record;
use crate::numbers::us;
use crate::step_rows::step_end_word;
use plimsoll_evidence::{HostPart, LostHost, StepEvidence};

const COLUMNS: [(&str, Kind); 24] = [
    ("step", Kind::Whole),
    ("name", Kind::Text),
    ("host", Kind::Whole),
    ("host_name", Kind::Text),
    ("workers", Kind::Whole),
    ("offered_iops", Kind::Real),
    ("iops", Kind::Real),
    ("iops_half_width", Kind::Real),
    ("ios", Kind::Whole),
    ("bytes", Kind::Whole),
    ("errors", Kind::Whole),
    ("response_mean_us", Kind::Real),
    ("response_mean_half_width_us", Kind::Real),
    ("response_p99_us", Kind::Real),
    ("response_max_us", Kind::Real),
    ("service_mean_us", Kind::Real),
    ("depth_mean", Kind::Real),
    ("saturated", Kind::Whole),
    ("late_by_host", Kind::Whole),
    ("start_late_us", Kind::Real),
    ("start_bound_us", Kind::Real),
    ("start_drift_ppm", Kind::Real),
    ("end_reason", Kind::Text),
    ("lost", Kind::Text),
];

/// Writes a row for each host of each step, those that were set aside too. Of a host whose part is missing all is unknown but its name and
/// the reason.
pub(super) fn write(record: &Record, sink: &mut dyn Sink) -> Result<(), ExportError> {
    sink.begin(&Column::all(&COLUMNS))?;
    for step in record.all_steps()? {
        for part in &step.hosts {
            sink.row(of_part(&step, part))?;
        }
        for lost in &step.lost_hosts {
            sink.row(of_lost(&step, lost))?;
        }
    }
    Ok(())
}

fn of_part(step: &StepEvidence, part: &HostPart) -> Vec<Cell> {
    let maybe = |n: Option<f64>| Cell::number(n.filter(|n| n.is_finite()));
    let ns = |n: Option<u64>| maybe(n.map(|n| us(n as f64)));
    let mean = |ns: f64| maybe((part.ios > 0).then(|| us(ns)));
    let saturated = part.saturation.map(|s| Cell::Whole(s.saturated.into()));
    vec![
        Cell::Whole(step.number.into()),
        Cell::text(&step.name),
        Cell::Whole(part.host.into()),
        Cell::text(&part.name),
        Cell::count(part.workers as u64),
        maybe(part.offered),
        maybe(Some(part.rate.mean)),
        maybe(part.rate.half_width),
        Cell::count(part.ios),
        Cell::count(part.bytes),
        Cell::count(part.errors),
        mean(part.response_mean_ns.mean),
        maybe(part.response_mean_ns.half_width.map(us)),
        ns(part.response_p99_ns),
        ns(part.response_max_ns),
        mean(part.service_mean_ns.mean),
        maybe(Some(part.depth_mean)),
        saturated.unwrap_or(Cell::Unknown),
        Cell::count(part.late_by_host),
        ns(Some(part.start.late_ns)),
        ns(Some(part.start.bound_ns)),
        maybe(part.start.drift_ppm),
        Cell::text(step_end_word(step, part.end)),
        Cell::Unknown,
    ]
}

fn of_lost(step: &StepEvidence, lost: &LostHost) -> Vec<Cell> {
    let mut cells = vec![
        Cell::Whole(step.number.into()),
        Cell::text(&step.name),
        Cell::Whole(lost.host.into()),
        Cell::text(&lost.name),
    ];
    cells.resize(COLUMNS.len() - 1, Cell::Unknown);
    cells.push(Cell::text(&lost.why));
    cells
}
