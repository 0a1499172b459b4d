//! The paths to targets: a line for each, where there are several or one of them had trouble.

use super::style::{Paint, Style};
use super::table::{Column, Table};
use crate::human;
use plimsoll_evidence::{PathState, PathUse, StepEvidence, TargetPaths};

/// The table; empty where there is nothing to say.
pub(super) fn paths(steps: &[&StepEvidence], style: &Style) -> String {
    let targets: Vec<(&StepEvidence, &TargetPaths)> = steps
        .iter()
        .flat_map(|s| s.paths.iter().map(move |t| (*s, t)))
        .filter(|(_, target)| target.is_notable())
        .collect();
    let Some((_, first)) = targets.first() else {
        return String::new();
    };
    let one = targets.iter().all(|(_, t)| t.target == first.target);
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::text("target").droppable(2),
        Column::text("path"),
        Column::text("state"),
        Column::number("I/Os"),
        Column::number("service").droppable(1),
        Column::number("errors"),
        Column::number("sent again"),
        Column::number("holes").droppable(1),
        Column::number("failed"),
        Column::number("came back"),
    ]);
    for (step, target) in &targets {
        let name = if one { "" } else { &target.target };
        for (at, path) in target.paths.iter().enumerate() {
            table.row(cells(step, name, target, at), paint(target, at, path));
        }
    }
    format!("\npaths:\n{}", table.render(style))
}

fn cells(step: &StepEvidence, name: &str, target: &TargetPaths, at: usize) -> Vec<String> {
    let path = &target.paths[at];
    let state = match path.state {
        PathState::Up => "up",
        PathState::Down => "down",
    };
    let mean = path.service_mean_ns.map(human::time);
    vec![
        step.name.clone(),
        name.to_owned(),
        path.uri.clone(),
        state.into(),
        human::count(path.ios),
        mean.unwrap_or_else(|| "—".into()),
        human::count(path.errors),
        human::count(path.reissued),
        human::bytes(path.hole_bytes),
        human::count(target.times_down(at) as u64),
        human::count(target.times_back(at) as u64),
    ]
}

fn paint(target: &TargetPaths, at: usize, path: &PathUse) -> Option<Paint> {
    if path.state == PathState::Down {
        Some(Paint::Bad)
    } else if target.times_down(at) > 0 || path.errors > 0 || path.hole_bytes > 0 {
        Some(Paint::Warn)
    } else {
        None
    }
}
