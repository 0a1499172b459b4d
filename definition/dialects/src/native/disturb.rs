//! The keys of a run that is a disturbance.

use super::given::{Given, Wrong};
use super::words::{count, unit, word};
use plimsoll_plan::{
    Action, Arrival, Command, DisturbSpec, Load, MethodSpec, Nanos, Question, Step, TimedAction,
};

/// What of a run was written, where a method has other defaults than a plain run.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    /// How long it is counted.
    pub time: bool,
    /// How many I/Os are in flight.
    pub depth: bool,
    /// The gaps between intended starts, written or not.
    pub arrival: Arrival,
    /// Operations on a tree, in the place of reads and writes.
    pub operations: bool,
}

/// What was written of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DisturbKeys {
    at: Option<Nanos>,
    action: Option<Action>,
    undo_at: Option<Nanos>,
    undo: Option<Action>,
    times: Option<u32>,
}

impl DisturbKeys {
    /// Reads one of the keys; false where it is none of them.
    pub fn set(&mut self, key: &str, given: &Given) -> Result<bool, Wrong> {
        match key {
            "at" => self.at = Some(unit(word(given)?)?),
            "undo_at" => self.undo_at = Some(unit(word(given)?)?),
            "times" => self.times = Some(count(word(given)?, 1)?),
            "do" => once(&mut self.action, command(given), given)?,
            "do_fault" => once(&mut self.action, fault(given), given)?,
            "undo" => once(&mut self.undo, command(given), given)?,
            "undo_fault" => once(&mut self.undo, fault(given), given)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What it lacks to be a disturbance, and what to add.
    pub fn missing(&self) -> Option<(&'static str, &'static str)> {
        let add_undo = "give it a time and a command or a fault (undo_at with undo or undo_fault), or leave all of them out";
        match (&self.at, &self.action, &self.undo_at, &self.undo) {
            (None, _, _, _) => Some((
                "a disturbance has a time, and this has none",
                "add a time: at = \"30s\", or --at 30s; the warm-up counts",
            )),
            (_, None, _, _) => Some((
                "a disturbance does something, and this does nothing",
                "add a command (do, --do) or a fault of the simulated array (do_fault, --do-fault)",
            )),
            (_, _, Some(_), None) => Some(("at undo_at nothing is done", add_undo)),
            (_, _, None, Some(_)) => Some(("what is undone has no time", add_undo)),
            _ => None,
        }
    }

    /// The method on a step that was resolved. Where its time was not written, it goes on for a while after the last action.
    pub fn spec(&self, step: &Step, written: Written) -> MethodSpec {
        let mut step = step.clone();
        let first = self.at.zip(self.action.clone());
        let second = self.undo_at.zip(self.undo.clone());
        let timed_action = |(at, action), puts_back| TimedAction {
            at,
            action,
            puts_back,
        };
        step.actions = first
            .map(|a| timed_action(a, false))
            .into_iter()
            .chain(second.map(|a| timed_action(a, true)))
            .collect();
        step.interval = step.interval.min(DisturbSpec::INTERVAL);
        if !written.time {
            let over = step.actions.iter().map(over_ns).max().unwrap_or(0);
            let end = over.saturating_add(DisturbSpec::AFTER.0);
            step.elapsed = Nanos(end.saturating_sub(step.warmup.0));
        }
        let own = step.streams.iter().all(|s| s.fixed_rate.is_some());
        let maximum = match &step.load {
            Load::Max | Load::MaxShared if !own => Some(step.load.clone()),
            Load::PercentOfLast { .. } => Some(Load::Max),
            _ => None,
        };
        if let (Some(_), Load::Max | Load::MaxShared) = (&maximum, &step.load) {
            step.load = Load::percent(DisturbSpec::PERCENT, written.arrival);
        }
        if !written.depth {
            plimsoll_plan::depth::free_slots(&mut step);
        }
        MethodSpec {
            steps: vec![step],
            question: Question::Disturb(DisturbSpec {
                times: self.times.unwrap_or(DisturbSpec::TIMES),
                maximum,
            }),
        }
    }
}

/// When an action is over: of a fault that ends by itself, then.
fn over_ns(timed: &TimedAction) -> u64 {
    let lasts = match &timed.action {
        Action::Fault(words) => words
            .split_whitespace()
            .find_map(|word| word.strip_prefix("for=")?.parse::<Nanos>().ok()),
        Action::Command(_) => None,
    };
    timed.at.0.saturating_add(lasts.unwrap_or_default().0)
}

fn command(given: &Given) -> Action {
    Action::Command(Command {
        line: given.whole.text.clone(),
        output: "console".to_string(),
    })
}

fn fault(given: &Given) -> Action {
    Action::Fault(given.whole.text.clone())
}

/// A command or a fault, not both.
fn once(place: &mut Option<Action>, action: Action, given: &Given) -> Result<(), Wrong> {
    match place.replace(action) {
        None => Ok(()),
        Some(_) => Err(Wrong::new(
            &given.whole,
            "it is a command or a fault, and here are both",
        )
        .remedy("leave one of them out")),
    }
}
