//! What a rule is: a number, a name, how bad it is for what is claimed, a page, and a check.

use crate::{Dialect, HostAnswer, HostView, PlanView, RuleAnswer, RuleFinding, RunView, remedy};
use plimsoll_evidence::{Finding, Severity};
use plimsoll_plan::{Claim, Item, Plan};
use std::fmt;

/// One rule. Everything that is said of it, on the terminal, in the record, on its page, derives from this.
#[derive(Debug)]
pub struct Rule {
    /// Number of the rule: it never changes, and none is used again.
    pub number: u16,
    /// Name of the rule, in words with hyphens. A finding of the judge or of a method goes by it.
    pub name: &'static str,
    /// Summary of the finding, in one line.
    pub summary: &'static str,
    /// Severity for each claim, at most.
    pub severity: Severities,
    /// The pitfalls of the catalogue that it finds.
    pub pitfalls: &'static [u8],
    /// The rest of its page.
    pub page: Page,
    /// Check, with the kind of thing that it looks at.
    pub check: Check,
}

/// The texts of a rule's page.
#[derive(Debug)]
pub struct Page {
    /// The physical reason why the number is not what it seems.
    pub why: &'static str,
    /// From where on it speaks.
    pub threshold: &'static str,
    /// Source of the threshold.
    pub source: &'static str,
    /// A worked example.
    pub example: &'static str,
    /// Remedy, in the imperative.
    pub remedy: &'static str,
}

/// Severity of a finding for each claim; `None`: nothing to say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Severities([Option<Severity>; Claim::ALL.len()]);

/// Nothing to say.
pub const NOTHING: Option<Severity> = None;
/// Worth knowing.
pub const NOTE: Option<Severity> = Some(Severity::Note);
/// The result is suspect.
pub const SUSPECT: Option<Severity> = Some(Severity::Suspect);
/// The result is invalid for the claim.
pub const INVALID: Option<Severity> = Some(Severity::Invalid);

impl Severities {
    /// Severity that is the same whatever is claimed.
    pub const fn all(severity: Option<Severity>) -> Self {
        Severities([severity; Claim::ALL.len()])
    }

    /// Severities for the claims in their order: cached, burst, sustained, device, host.
    pub const fn of(each: [Option<Severity>; Claim::ALL.len()]) -> Self {
        Severities(each)
    }

    /// Severity for one claim.
    pub fn for_claim(&self, claim: Claim) -> Option<Severity> {
        self.0[claim as usize]
    }
}

/// Check of a rule: the kind of thing that it looks at, and the function that does it. All are pure.
#[derive(Clone, Copy)]
pub enum Check {
    /// A plan, before anything runs.
    Plan(fn(&PlanView<'_>) -> RuleAnswer),
    /// A run: its plan, and what was observed.
    Run(fn(&RunView<'_>) -> RuleAnswer),
    /// Settings of a host, whatever is run on it.
    Host(fn(&HostView<'_>) -> HostAnswer),
    /// Nothing: somebody finds it under the rule's name while the measurement goes on.
    Made(Maker),
}

/// Maker of a finding that no rule looks for at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// The judge of every step.
    Judge,
    /// Whoever carries out a step on paths and in threads.
    Rig,
    /// A curve.
    Curve,
    /// A method, by the name of its command.
    Method(&'static str),
    /// Whoever reads what another tool left.
    Reader,
}

impl Maker {
    /// True where this maker has a part in a plan.
    pub fn takes_part(self, plan: Option<&Plan>) -> bool {
        let has = |is: fn(&Item) -> bool| plan.is_some_and(|p| p.items.iter().any(is));
        match self {
            Maker::Judge | Maker::Rig => true,
            Maker::Reader => false,
            Maker::Curve => has(|item| matches!(item, Item::Curve(_))),
            Maker::Method(name) => plan.is_some_and(|p| {
                let is =
                    |item: &Item| matches!(item, Item::Method(m) if m.question.method() == name);
                p.items.iter().any(is)
            }),
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Check::Plan(_) => "Plan",
            Check::Run(_) => "Run",
            Check::Host(_) => "Host",
            Check::Made(_) => "Made",
        })
    }
}

impl Rule {
    /// `PL012`.
    pub fn code(&self) -> String {
        format!("PL{:03}", self.number)
    }

    /// Remedy, in the words of the dialect in which the plan was written.
    pub fn remedy(&self, dialect: Dialect) -> &'static str {
        remedy::in_words_of(dialect, self.number).unwrap_or(self.page.remedy)
    }

    /// Finding made of what the rule saw, for a claim; `None` where the rule has nothing to say of that claim.
    pub fn finding(&self, seen: &RuleFinding, claim: Claim, dialect: Dialect) -> Option<Finding> {
        let severity = self.severity.for_claim(claim)?.min(seen.at_most);
        Some(Finding {
            rule: self.code(),
            severity,
            step: seen.step,
            values: seen.values.clone(),
            message: seen.message.clone(),
            remedy: seen.remedy.unwrap_or(self.remedy(dialect)).to_string(),
        })
    }
}
