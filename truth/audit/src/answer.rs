//! What a rule's check answers: what it found, or why it has no answer.

use crate::format::FilePlace;
use plimsoll_diagnostic::Span;
use plimsoll_evidence::{Quantity, Severity, Value};
use std::iter::Peekable;

/// Answer of a rule's check: what it found, which may be nothing, or why it has no answer.
pub type RuleAnswer = Result<Vec<RuleFinding>, NoAnswer>;

/// Reason why a rule has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// There is nothing of the kind in it: no writes, no arrays, no curve.
    NotApplicable,
    /// Answer that cannot be given, because this is missing. It is never taken for clean.
    NotObservable(&'static str),
}

/// Answer of a rule that looked: what it found, each once.
pub(crate) fn findings(seen: impl IntoIterator<Item = RuleFinding>) -> RuleAnswer {
    let mut found: Vec<RuleFinding> = Vec::new();
    for one in seen {
        let is_same = |s: &RuleFinding| s.message == one.message && s.step == one.step;
        if !found.iter().any(is_same) {
            found.push(one);
        }
    }
    Ok(found)
}

/// Ends a rule's check as not applicable where the condition is false.
pub(crate) fn applies(condition: bool) -> Result<(), NoAnswer> {
    condition.then_some(()).ok_or(NoAnswer::NotApplicable)
}

/// Ends a rule's check as not observable where the condition is false: `missing` was not seen.
pub(crate) fn observable(condition: bool, missing: &'static str) -> Result<(), NoAnswer> {
    let answer = NoAnswer::NotObservable(missing);
    condition.then_some(()).ok_or(answer)
}

/// Items that a rule looks at; it does not apply where there are none.
pub(crate) fn some_of<I: Iterator>(items: I) -> Result<Peekable<I>, NoAnswer> {
    let mut items = items.peekable();
    applies(items.peek().is_some())?;
    Ok(items)
}

/// Answer of a rule that cannot call anything clean where `missing` hides it.
pub(crate) fn clean_unless(answer: RuleAnswer, hidden: bool, missing: &'static str) -> RuleAnswer {
    let found = answer?;
    observable(!found.is_empty() || !hidden, missing)?;
    Ok(found)
}

/// Finding of a rule's check, before it has the rule's number and page.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFinding {
    /// The step's number in the record, where it is about one.
    pub step: Option<u32>,
    /// Place in the plan's text that is to blame; of a plan only.
    pub span: Option<Span>,
    /// Places in another tool's result where the finding stands, the worst first.
    pub places: Vec<FilePlace>,
    /// Severity at most, whatever the claim.
    pub at_most: Severity,
    /// Values that were seen, with units.
    pub values: Vec<Value>,
    /// Message: what was seen and what follows from it, in one or two sentences.
    pub message: String,
    /// Remedy, where the rule's own does not fit.
    pub remedy: Option<&'static str>,
}

impl RuleFinding {
    /// A thing that was seen.
    pub fn new(message: impl Into<String>) -> Self {
        RuleFinding {
            step: None,
            span: None,
            places: Vec::new(),
            at_most: Severity::Invalid,
            values: Vec::new(),
            message: message.into(),
            remedy: None,
        }
    }

    /// Finding with a remedy of its own.
    #[must_use]
    pub fn remedy(mut self, remedy: Option<&'static str>) -> Self {
        self.remedy = remedy;
        self
    }

    /// Finding about a step.
    #[must_use]
    pub fn step(mut self, step: u32) -> Self {
        self.step = Some(step);
        self
    }

    /// Finding about what was written there.
    #[must_use]
    pub fn at(mut self, span: Option<Span>) -> Self {
        self.span = span;
        self
    }

    /// Finding that is no worse than this.
    #[must_use]
    pub fn at_most(mut self, severity: Severity) -> Self {
        self.at_most = severity;
        self
    }

    /// A value that was seen.
    #[must_use]
    pub fn value(mut self, name: &str, quantity: Quantity) -> Self {
        self.push(Value::new(name, quantity));
        self
    }

    /// The value by which it was judged, and from where on the rule speaks, in the same unit.
    #[must_use]
    pub fn judged(mut self, name: &str, quantity: Quantity, threshold: f64) -> Self {
        self.push(Value {
            threshold: Some(quantity.alike(threshold)),
            ..Value::new(name, quantity)
        });
        self
    }

    /// Adds a value that was seen and is a word.
    #[must_use]
    pub fn text(self, name: &str, word: &str) -> Self {
        self.value(name, Quantity::Text(word.to_string()))
    }

    /// A share of nothing is no number, and says nothing.
    fn push(&mut self, value: Value) {
        if value.is_finite() {
            self.values.push(value);
        }
    }
}
