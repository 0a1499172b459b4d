//! The paths to targets: a line for each, where there are several or one of them had trouble.

use super::style::{Paint, Style};
use super::table::{Column, Table};
use crate::human;
use plimsoll_evidence::{PathState, PathUse, StepEvidence, TargetPaths};

/// The table; empty where there is nothing to say.
pub(super) fn paths(steps: &[&StepEvidence], style: &Style) -> String {
    let notable = |s: &&StepEvidence| s.paths.iter().any(TargetPaths::is_notable);
    if !steps.iter().any(notable) {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::text("target").droppable(2),
        Column::text("path"),
        Column::text("state"),
        Column::number("I/Os"),
        Column::number("service").droppable(1),
        Column::number("errors"),
        Column::number("sent again"),
        Column::number("failed"),
        Column::number("came back"),
    ]);
    for step in steps {
        for target in step.paths.iter().filter(|t| t.is_notable()) {
            for (at, path) in target.paths.iter().enumerate() {
                table.row(cells(step, target, at, path), paint(target, at, path));
            }
        }
    }
    style.characters(format!("\npaths:\n{}", table.render(style)))
}

fn cells(step: &StepEvidence, target: &TargetPaths, at: usize, path: &PathUse) -> Vec<String> {
    let state = match path.state {
        PathState::Up => "up",
        PathState::Down => "down",
    };
    let mean = path.service_mean_ns.map(human::time);
    vec![
        step.name.clone(),
        target.target.clone(),
        path.uri.clone(),
        state.into(),
        human::count(path.ios),
        mean.unwrap_or_else(|| "—".into()),
        human::count(path.errors),
        human::count(path.reissued),
        human::count(target.times_down(at) as u64),
        human::count(target.times_back(at) as u64),
    ]
}

fn paint(target: &TargetPaths, at: usize, path: &PathUse) -> Option<Paint> {
    if path.state == PathState::Down {
        Some(Paint::Bad)
    } else if target.times_down(at) > 0 || path.errors > 0 {
        Some(Paint::Warn)
    } else {
        None
    }
}
