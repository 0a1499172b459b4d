//! What a rule found: an id, how bad it is, and values with their units. Its sentence is made in one place, [`sentence`], so that
//! the record, the terminal and every page say the same, and whoever wants to compute has the values.

use crate::sentence::sentence;
use crate::{StepEvidence, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// What a rule says of evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule: `host-stood-still`, or a number: `PL012`.
    pub rule: String,
    /// How bad.
    pub severity: Severity,
    /// The step's number, where it's about one.
    pub step: Option<u32>,
    /// What was seen, with units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
    /// What was seen, and why it matters.
    pub message: String,
    /// What to do; empty where the message says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The result is suspect.
    Suspect,
    /// The result is invalid for its claim.
    Invalid,
}

/// A value that a rule saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// What it is, in the rule's words.
    pub name: String,
    /// How much, and of what.
    pub quantity: Quantity,
    /// From where on the rule speaks, in the same unit; `None` of what only goes with the value that it judges by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Quantity>,
}

impl Value {
    /// A value that no threshold is for.
    pub fn new(name: &str, quantity: Quantity) -> Self {
        Value {
            name: name.to_string(),
            quantity,
            threshold: None,
        }
    }

    /// Whether it has a form in a document: a number without an end has none.
    pub fn is_finite(&self) -> bool {
        let all = [Some(&self.quantity), self.threshold.as_ref()];
        let mut numbers = all.into_iter().flatten().filter_map(Quantity::number);
        numbers.all(f64::is_finite)
    }
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "unit", content = "value", rename_all = "snake_case")]
pub enum Quantity {
    /// A time, s.
    Seconds(f64),
    /// A time, ns.
    Ns(f64),
    /// A part of a whole; of a change it may be negative or more than 1.
    Share(f64),
    /// So many each second.
    PerSecond(f64),
    /// So many.
    Count(u64),
    /// Bytes.
    Bytes(u64),
    /// Bytes each second.
    BytesPerSecond(f64),
    /// A plain number: a ratio, a factor, a mean depth.
    Number(f64),
    /// A word.
    Text(String),
}

impl Quantity {
    /// The number, whatever its unit; `None` of a word.
    pub fn number(&self) -> Option<f64> {
        match self {
            Quantity::Seconds(n)
            | Quantity::Ns(n)
            | Quantity::Share(n)
            | Quantity::PerSecond(n)
            | Quantity::BytesPerSecond(n)
            | Quantity::Number(n) => Some(*n),
            Quantity::Count(n) | Quantity::Bytes(n) => Some(*n as f64),
            Quantity::Text(_) => None,
        }
    }

    /// Another number of the same unit; of a word the word.
    #[must_use]
    pub fn alike(&self, number: f64) -> Quantity {
        match self {
            Quantity::Seconds(_) => Quantity::Seconds(number),
            Quantity::Ns(_) => Quantity::Ns(number),
            Quantity::Share(_) => Quantity::Share(number),
            Quantity::PerSecond(_) => Quantity::PerSecond(number),
            Quantity::Count(_) => Quantity::Count(number as u64),
            Quantity::Bytes(_) => Quantity::Bytes(number as u64),
            Quantity::BytesPerSecond(_) => Quantity::BytesPerSecond(number),
            Quantity::Number(_) => Quantity::Number(number),
            Quantity::Text(word) => Quantity::Text(word.clone()),
        }
    }
}

/// What is found in a run: what its steps say, then its verdicts, then those of `others` that none of these has said.
pub fn gathered(steps: &[StepEvidence], verdicts: &[Verdict], others: &[Finding]) -> Vec<Finding> {
    let of_steps = steps.iter().flat_map(|s| &s.findings);
    let own = of_steps.chain(verdicts.iter().flat_map(Verdict::findings));
    let all: Vec<Finding> = own.cloned().collect();
    // In a set, for there may be millions of them.
    let with_remedy = |f: &Finding| (f.rule.clone(), f.step, f.message.clone());
    let known: HashSet<_> = all.iter().map(with_remedy).collect();
    let new = others
        .iter()
        .filter(|f| !known.contains(&with_remedy(f)))
        .cloned();
    all.into_iter().chain(new).collect()
}

impl Finding {
    /// What a rule found in a step. Its message is made of the values.
    pub fn of_step<'a>(
        step: u32,
        rule: &str,
        severity: Severity,
        values: impl IntoIterator<Item = (&'a str, Quantity)>,
    ) -> Self {
        Finding {
            step: Some(step),
            ..Finding::of_method(rule, severity, values)
        }
    }

    /// What a method found of its own answer. Its message is made of the values where the rule has a sentence.
    pub fn of_method<'a>(
        rule: &str,
        severity: Severity,
        values: impl IntoIterator<Item = (&'a str, Quantity)>,
    ) -> Self {
        let values: Vec<Value> = values
            .into_iter()
            .map(|(name, quantity)| Value::new(name, quantity))
            .collect();
        Finding {
            rule: rule.to_string(),
            severity,
            step: None,
            message: sentence(rule, &values).unwrap_or_else(|| rule.to_string()),
            values,
            remedy: String::new(),
        }
    }

    /// The message, and what to do.
    pub fn with_remedy(&self) -> String {
        let with_remedy = format!("{} {}", self.message, self.remedy);
        with_remedy.trim_end().to_string()
    }
}
