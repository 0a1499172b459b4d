//! A run that is made to look wonderful by every trick of the trade, beside an honest one, and the audit that has to name each of
//! the tricks. It is the audit's test of itself, on whatever target it is run.

mod honest;
mod play;
mod trick;

pub use honest::Base;
pub use play::{HeroOptions, Subject, may_write};

use crate::{RigError, RunOptions, RunResult};
use honest::{Honest, honest};
use play::{Measures, Play};
use plimsoll_audit::Audit;
use plimsoll_engine::Control;
use plimsoll_evidence::{Estimate, Severity};
use serde::Serialize;
use trick::{TOGETHER, TRICKS, Trick};

/// Result of all of it.
#[derive(Debug, Clone, Serialize)]
pub struct Hero {
    /// The target, as it was given.
    pub target: String,
    /// True where the target is a model of an array.
    pub simulated: bool,
    /// The honest rate of reads, I/Os per second.
    pub honest_reads: Estimate,
    /// The honest rate of writes; `None` where nothing was written.
    pub honest_writes: Option<Estimate>,
    /// Certainty of these rates: reads, and writes where something was written.
    pub honest: Vec<Base>,
    /// The tricks, in the order in which they were played.
    pub tricks: Vec<Played>,
}

/// A factor below this is no gain: two runs of the same differ by as much.
pub const GAIN: f64 = 1.05;

/// One trick.
#[derive(Debug, Clone, Serialize)]
pub struct Played {
    /// Name of the trick.
    pub trick: &'static str,
    /// Sentence on what the trick does.
    pub what: &'static str,
    /// Kind of rate that the trick raises: `reads` or `writes`.
    pub measures: &'static str,
    /// Reason why the trick was not played; `None` where it was.
    pub not_played: Option<String>,
    /// The rate that it gave, I/Os per second.
    pub rate: Option<f64>,
    /// Ratio of its rate to the honest one.
    pub factor: Option<f64>,
    /// The rules that named it.
    pub named_by: Vec<Named>,
    /// Rules of which one should have.
    pub wanted: Vec<String>,
    /// Tricks that were played in the same run and that no rule named.
    pub missed_beside: Vec<&'static str>,
}

/// A rule that named a trick.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Named {
    /// Number of the rule.
    pub rule: String,
    /// Name of the rule.
    pub name: &'static str,
    /// Severity of the rule's finding.
    pub severity: Severity,
    /// True where the rule says the same of the honest run: then it is no proof that it saw the trick.
    pub honest_too: bool,
}

impl Named {
    /// `PL125 foreign-io`.
    pub fn title(&self) -> String {
        format!("{} {}", self.rule, self.name)
    }
}

impl Played {
    /// True where the trick was played and the audit did not name it.
    pub fn missed(&self) -> bool {
        self.not_played.is_none() && (self.named_by.is_empty() || !self.missed_beside.is_empty())
    }
}

impl Hero {
    /// The trick with the greatest factor, each beside what is honest of its kind, and that factor. `None`: none gave a gain.
    pub fn wonderful(&self) -> Option<(&Played, f64)> {
        let played = self.tricks.iter();
        played
            .filter_map(|p| Some((p, p.factor.filter(|f| *f >= GAIN)?)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Certainty of the honest rate that a trick is set beside.
    pub fn base_of(&self, played: &Played) -> Option<&Base> {
        self.honest.iter().find(|b| b.measures == played.measures)
    }

    /// True where the audit missed anything that was played.
    pub fn missed(&self) -> bool {
        self.tricks.iter().any(Played::missed)
    }
}

/// Plays everything that can be played on the target. `watch` is told what comes next.
///
/// # Errors
/// Where the honest run cannot be made. A trick that cannot be played is said with its reason.
pub fn hero(
    options: &HeroOptions,
    run: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(&str),
) -> Result<Hero, RigError> {
    let reads = honest(options, Measures::Reads, run, control, watch)?;
    let writes = match options.may_write {
        false => None,
        true => Some(honest(options, Measures::Writes, run, control, watch)?),
    };
    let mut tricks = Vec::new();
    for trick in TRICKS {
        if control.stopped() {
            break;
        }
        let beside = match trick.measures {
            Measures::Reads => Some(&reads),
            Measures::Writes => writes.as_ref(),
        };
        watch(trick.name);
        tricks.push(one(trick, options, beside, run, control));
    }
    Ok(Hero {
        target: options.location.text(),
        simulated: Subject::of(&options.location) == Subject::Lab,
        honest_reads: reads.rate,
        honest_writes: writes.as_ref().map(|w| w.rate),
        honest: [Some(reads), writes]
            .into_iter()
            .flatten()
            .map(|h| h.base)
            .collect(),
        tricks,
    })
}

fn measured(play: Play, run: &RunOptions, control: &Control) -> Result<RunResult, RigError> {
    crate::run(&play.plan(), run, control, &mut |_| {})
}

/// Findings of the rules on a run, of those that have a number.
fn named(audit: &Audit) -> impl Iterator<Item = Named> {
    audit.findings.iter().filter_map(|found| {
        let rule = found.rule?;
        Some(Named {
            rule: rule.code(),
            name: rule.name,
            severity: found.finding.severity,
            honest_too: false,
        })
    })
}

fn one(
    trick: &'static Trick,
    options: &HeroOptions,
    honest: Option<&Honest>,
    run: &RunOptions,
    control: &Control,
) -> Played {
    let mut played = Played {
        trick: trick.name,
        what: trick.what,
        measures: trick.measures.word(),
        not_played: None,
        rate: None,
        factor: None,
        named_by: Vec::new(),
        wanted: codes(trick.named_by),
        missed_beside: Vec::new(),
    };
    let subject = Subject::of(&options.location);
    let refused = (trick.not_here)(&subject).or_else(|| {
        let writes = trick.writes && !options.may_write;
        writes.then_some("it writes to the target; --destroy NAME allows that")
    });
    if let Some(why) = refused {
        played.not_played = Some(why.into());
        return played;
    }
    let mut play = Play::short(options, trick.measures);
    (trick.play)(&mut play);
    match measured(play, run, control) {
        Err(error) => played.not_played = Some(error.to_string()),
        Ok(result) => judge(&mut played, trick, &result, honest),
    }
    played
}

fn judge(played: &mut Played, trick: &Trick, result: &RunResult, honest: Option<&Honest>) {
    let steps = result.steps.iter();
    let best = steps
        .filter(|s| s.name.starts_with("measured") && s.ios > 0)
        .map(|s| s.rate.mean)
        .max_by(f64::total_cmp);
    let Some(best) = best else {
        played.not_played = Some(format!("it measured nothing: {:?}", result.status));
        return;
    };
    played.rate = Some(best);
    played.factor = honest
        .filter(|h| h.rate.mean > 0.0)
        .map(|h| best / h.rate.mean);
    let all: Vec<Named> = named(&result.audit).collect();
    let mut of_this: Vec<Named> = Vec::new();
    for found in &all {
        let known = of_this.iter().any(|n| n.name == found.name);
        if trick.named_by.contains(&found.name) && !known {
            of_this.push(Named {
                honest_too: honest.is_some_and(|h| h.rules.contains(found.name)),
                ..found.clone()
            });
        }
    }
    played.named_by = of_this;
    if trick.name == "all of it together" {
        let unseen = |rules: &[&str]| !all.iter().any(|n| rules.contains(&n.name));
        let missed = TOGETHER.iter().filter(|(_, rules)| unseen(rules));
        played.missed_beside = missed.map(|(name, _)| *name).collect();
    }
}

fn codes(names: &[&str]) -> Vec<String> {
    let rule = |name: &&str| plimsoll_audit::find(name).map(|r| format!("{} {}", r.code(), r.name));
    names.iter().filter_map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trick_wants_rules_that_there_are() {
        for trick in TRICKS {
            assert_eq!(
                codes(trick.named_by).len(),
                trick.named_by.len(),
                "{}",
                trick.name
            );
        }
        for (name, rules) in TOGETHER {
            assert!(TRICKS.iter().any(|t| t.name == *name), "{name}");
            assert_eq!(codes(rules).len(), rules.len(), "{name}");
        }
    }
}
