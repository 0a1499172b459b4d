//! The numbered rules: what makes a storage result false, found in its plan before it runs and in its evidence after.
//!
//! A rule is one file of [`rules`], all of it data but for its check, which is pure. [`lint`] asks those that look at a plan,
//! [`judge`] all of them. A check that lacks what it would look at says so: absent evidence is never taken for health.

/// That a text holds all of these.
#[cfg(test)]
macro_rules! holds {
    ($text:expr, $($part:expr),+ $(,)?) => {
        $(assert!($text.contains($part), "`{}` is missing: {}", $part, $text);)+
    };
}

mod accounts;
mod answer;
mod arrays;
mod blame;
pub mod catalogue;
mod causes;
mod checkup;
mod course;
pub mod coverage;
pub mod format;
mod heat;
mod host;
mod host_change;
mod host_facts;
mod host_text;
mod io_limits;
mod judge;
pub mod limit;
mod multipath;
mod others;
pub mod page;
mod plan_view;
mod queue;
mod remedy;
mod repair;
mod rule;
pub mod rules;
mod run_view;
mod sizing;
mod touched;

#[cfg(test)]
mod known;

pub use answer::{NoAnswer, RuleAnswer, RuleFinding};
pub use causes::{Causes, Rank};
pub use checkup::{Checkup, Diagnosis, Unseen, examine};
pub use course::{Part, StepCourse};
pub use host::{HostAnswer, HostView, Symptom};
pub use host_change::{HostChange, changes};
pub use host_text::{Line, lines};
pub use judge::{Audit, Audited, StepLimit, judge, lint};
pub use limit::{LimitView, limit};
pub use plan_view::{PlanView, StepAt, StreamAt};
pub use remedy::Dialect;
pub use rule::{Check, INVALID, Maker, NOTE, NOTHING, Page, Rule, SUSPECT, Severities};
pub use rules::{RULES, find};
pub use run_view::RunView;

pub(crate) use answer::NoAnswer::{NotApplicable, NotObservable};
pub(crate) use answer::{applies, clean_unless, findings, observable, some_of};
