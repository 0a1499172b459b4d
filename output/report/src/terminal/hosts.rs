//! The hosts of a step that several carried out, each with a line.

use super::amounts::{mean_time, plural, time_or_dash};
use super::style::{Paint, Style};
use super::table::{Column, Table};
use crate::human;
use plimsoll_evidence::{HostPart, LostHost, StepEvidence, balance};
use plimsoll_printable::Printable;

/// More hosts of a step than this are not listed one by one.
const LISTED: usize = 16;

/// The table; empty where one host did all.
pub(super) fn hosts(steps: &[&StepEvidence], style: &Style) -> String {
    let several: Vec<&StepEvidence> = steps
        .iter()
        .copied()
        .filter(|s| !s.hosts.is_empty() || !s.lost_hosts.is_empty())
        .collect();
    if several.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::text("host"),
        Column::number("offered").droppable(4),
        Column::number("achieved"),
        Column::number("response"),
        Column::number("p99"),
        Column::number("max").droppable(3),
        Column::number("depth").droppable(2),
        Column::number("errors").droppable(5),
        Column::number("start ±").droppable(1),
        Column::text("note"),
    ]);
    let mut more = String::new();
    for step in several {
        for host in balance::standing_out(&step.hosts, LISTED) {
            let paint = host.is_saturated().then_some(Paint::Bad);
            table.row(cells(step, host), paint);
        }
        for lost in step.lost_hosts.iter().take(LISTED) {
            table.row(lost_cells(step, lost), Some(Paint::Bad));
        }
        more += &not_listed(step);
    }
    format!("\nhosts:\n{}{more}", table.render(style))
}

fn not_listed(step: &StepEvidence) -> String {
    let beyond = |count: usize| count.saturating_sub(LISTED) as u64;
    let rest = beyond(step.hosts.len()) + beyond(step.lost_hosts.len());
    match rest {
        0 => String::new(),
        _ => format!(
            "{}: {} are not listed; the listed ones stand out the most, and `plimsoll export --csv --rows hosts` has them all\n",
            Printable(&step.name),
            plural(rest, "more host")
        ),
    }
}

fn cells(step: &StepEvidence, host: &HostPart) -> Vec<String> {
    let time = time_or_dash;
    // Of a saturated part no time is one.
    let held = host.is_saturated();
    let shown = |text: String| if held { "—".to_string() } else { text };
    let mut note = Vec::new();
    if held {
        note.push("saturated".to_string());
    }
    if host.late_by_host > 0 {
        note.push(format!("{} late by the host", host.late_by_host));
    }
    if host.start.late_ns > 0 {
        note.push(format!(
            "began {} late",
            human::time(host.start.late_ns as f64)
        ));
    }
    vec![
        Printable(&step.name).to_string(),
        Printable(&host.name).to_string(),
        host.offered.map_or_else(|| "max".to_string(), human::rate),
        human::rate(host.rate.mean),
        shown(mean_time(&host.response_mean_ns)),
        shown(time(host.response_p99_ns)),
        time(host.response_max_ns),
        format!("{:.1}", host.depth_mean),
        host.errors.to_string(),
        human::time(host.start.bound_ns as f64),
        note.join(", "),
    ]
}

/// Of a host whose part is missing nothing is known but why.
fn lost_cells(step: &StepEvidence, lost: &LostHost) -> Vec<String> {
    let mut cells = vec![
        Printable(&step.name).to_string(),
        Printable(&lost.name).to_string(),
    ];
    cells.extend(std::iter::repeat_n("—".to_string(), 8));
    cells.push(format!("lost: {}", Printable(&lost.why)));
    cells
}
