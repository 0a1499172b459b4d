//! What a rule found: an id, how bad it is, and values with their units. Its sentence is made in one place, [`sentence`], so that
//! the record, the terminal and every page say the same, and whoever wants to compute has the values.

use crate::sentence::sentence;
use crate::{Quantity, Value};
use serde::{Deserialize, Serialize};

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
        let both = format!("{} {}", self.message, self.remedy);
        both.trim_end().to_string()
    }
}
