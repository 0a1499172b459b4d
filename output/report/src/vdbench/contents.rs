//! The list of runs at the top of most pages, and the places in them that it leads to.

use super::escape;
use super::run::RunDefinition;
use std::collections::VecDeque;
use std::fmt::Write;

/// Heading of the list; its lines are indented as far.
const HEADING: &str = "Link to Run Definitions:         ";

/// Runs that are listed: more would make every page long.
const LISTED: usize = 1_000;

/// A run that is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRun {
    /// Name of the run: `rd1_(10%)`.
    pub name: String,
    /// Loop values of the run, as Vdbench prints them: `threads=8 xfersize=4k`, or `None`.
    pub loops: String,
}

/// Gives each run its place.
#[derive(Debug)]
pub(super) struct Contents {
    /// Names of the runs that have not begun, and their places.
    to_come: VecDeque<(String, usize)>,
    /// The place of the next run that nobody planned, as a format is.
    next_unplanned: usize,
}

impl Contents {
    /// The places of runs, and the list of them.
    pub(super) fn new(planned: &[PlannedRun]) -> (Self, Vec<String>) {
        let places = planned.iter().zip(1..);
        let contents = Contents {
            to_come: places.map(|(run, at)| (run.name.clone(), at)).collect(),
            next_unplanned: planned.len() + 1,
        };
        (contents, list(planned))
    }

    /// The place of a run that begins. Those that were planned before it do not come any more: a curve may end early.
    pub(super) fn place_of(&mut self, run: &RunDefinition) -> usize {
        let next = self.to_come.iter().position(|(name, _)| *name == run.name);
        if let Some((_, place)) = next.and_then(|at| self.to_come.drain(..=at).next_back()) {
            return place;
        }
        self.next_unplanned += 1;
        self.next_unplanned - 1
    }
}

/// A line for each run; one of the same name as the one before shows its loop values only.
fn list(planned: &[PlannedRun]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut last = None;
    for (run, place) in planned.iter().take(LISTED).zip(1..) {
        let named = format!("{} For loops: ", run.name);
        let (mut line, mut text) = (String::new(), named.clone());
        match lines.is_empty() {
            true => line.push_str(HEADING),
            false => line.push_str(&" ".repeat(HEADING.len())),
        }
        if last == Some(&run.name) {
            line.push_str(&" ".repeat(named.chars().count()));
            text.clear();
        }
        text.push_str(&run.loops);
        // Writing to a String cannot fail.
        let _ = write!(line, "<A HREF=\"#_{place}\">{}</A>", escape::text(&text));
        lines.push(line);
        last = Some(&run.name);
    }
    if planned.len() > LISTED {
        lines.push(format!("and {} more", planned.len() - LISTED));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
        lines.push(String::new());
    }
    lines
}
