//! Values that rules saw: numbers with their units.

use serde::{Deserialize, Serialize};

/// A value that a rule saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// Name of the value, in the rule's words.
    pub name: String,
    /// Quantity: the number with its unit.
    pub quantity: Quantity,
    /// Threshold from which on the rule speaks, in the same unit; `None` where the value only goes with the one that the rule judges by.
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

    /// True where every number of it is finite, and so has a form in a document.
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
    /// Number each second.
    PerSecond(f64),
    /// Number of things.
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

    /// Quantity of the same unit with another number; a word stays as it is.
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
