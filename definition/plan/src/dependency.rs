//! What the streams of a step have to do with each other's ends.

use serde::{Deserialize, Serialize};

/// Behind which streams one begins, and what its own end ends. It begins with its step and ends alone unless changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// It begins when all of these streams of its step have ended, by their indices; its window counts from there. They come
    /// before it in the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u32>,
    /// Streams of one number are a group.
    #[serde(default)]
    pub group: u32,
    /// What ends as soon as it has ended.
    #[serde(default)]
    pub ends: Ends,
}

/// What ends with a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// Nothing else.
    #[default]
    Itself,
    /// All streams of its group.
    Group,
    /// All streams of the step.
    Step,
}

impl Dependency {
    /// True where no other stream has to do with it.
    pub fn is_none(&self) -> bool {
        *self == Dependency::default()
    }

    /// Whether it waits for others.
    pub fn waits(&self) -> bool {
        !self.after.is_empty()
    }
}
