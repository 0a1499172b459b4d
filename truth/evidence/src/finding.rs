//! What a rule found: an id, how bad it is, and values with their units. Its sentence is made in one place, [`sentence`], so that
//! the record, the terminal and every page say the same, and whoever wants to compute has the values.

use crate::sentence::sentence;
use crate::{Quantity, Value};
use serde::{Deserialize, Serialize};

/// Statement of a rule about evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule: `host-stood-still`, or a number: `PL012`.
    pub rule: String,
    /// Severity of the finding.
    pub severity: Severity,
    /// The step's number, where it's about one.
    pub step: Option<u32>,
    /// Values that were seen, with units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
    /// Text: what was seen, and why it matters.
    pub message: String,
    /// Advice on what to do; empty where the message gives it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

/// Severity of a finding.
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
    /// Finding of a rule about a step. Its message is made of the values.
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

    /// Finding of a method about its own answer. Its message is made of the values where the rule has a sentence.
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
