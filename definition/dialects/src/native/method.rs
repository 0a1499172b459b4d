//! Runs that are a method: `method = "soak"`, and the keys that only methods have.

use super::forms::{Form, NUMBER, PLAIN};
use super::given::{Given, Wrong};
use super::keys::{Key, key};
use super::shape::word;
use super::words::positive;
use plimsoll_plan::{MethodSpec, Question, SoakSpec, Step};

/// The methods that have a key for it, and a command.
pub static METHOD_FORM: Form = Form {
    what: "a method, as \"soak\"",
    words: &["soak"],
    ..PLAIN
};

/// Keys of a `[[run]]` that is a method; which of them have it, each says at its beginning.
pub static METHOD: [Key; 1] = [key(
    "overwrites",
    &NUMBER,
    "Of a soak: how many times all of the targets is written; `for` ends it where that comes first.",
)];

/// Which methods have a key of [`METHOD`].
pub fn methods_of(key: &str) -> &'static [&'static str] {
    match key {
        "overwrites" => &["soak"],
        _ => &[],
    }
}

/// What was written for methods.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MethodKeys {
    /// Which method; `None`: a plain run, or a curve.
    pub method: Option<&'static str>,
    overwrites: Option<f64>,
}

impl MethodKeys {
    /// Reads one of the keys, or the method itself.
    pub fn set(&mut self, key: &Key, given: &[Given]) -> Result<(), Wrong> {
        let Some(first) = given.first() else {
            return Ok(());
        };
        match key.name {
            "method" => {
                let wanted = word(first)?.text.as_str();
                self.method = METHOD_FORM.words.iter().copied().find(|w| *w == wanted);
            }
            "overwrites" => self.overwrites = Some(positive(word(first)?)?),
            other => {
                return Err(Wrong::new(
                    &first.whole,
                    format!("`{other}` says nothing of a method"),
                ));
            }
        }
        Ok(())
    }

    /// The method on a step that was resolved; `None` where there is none.
    pub fn spec(&self, step: &Step) -> Option<MethodSpec> {
        let question = match self.method? {
            "soak" => Question::Soak(SoakSpec {
                overwrites: self.overwrites,
            }),
            _ => return None,
        };
        Some(MethodSpec {
            steps: vec![step.clone()],
            question,
        })
    }
}
