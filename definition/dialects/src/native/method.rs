//! Runs that are a method: `method = "soak"`, and the keys that only methods have.

use super::forms::{Form, NUMBER, PLAIN, SIZE};
use super::given::{Given, Wrong};
use super::keys::{Key, key};
use super::shape::word;
use super::words::{percent, positive, size};
use plimsoll_plan::{
    Bytes, DEFAULT_BLOCKS, DEFAULT_READS, MethodSpec, Question, SaturateSpec, SoakSpec, Step,
};

/// The methods that have a key for it, and a command.
pub static METHOD_FORM: Form = Form {
    what: "a method: \"saturate\" or \"soak\"",
    words: &["saturate", "soak"],
    ..PLAIN
};

/// Keys of a `[[run]]` that is a method; which of them have it, each says at its beginning.
pub static METHOD: [Key; 3] = [
    key(
        "overwrites",
        &NUMBER,
        "Of a soak: how many times all of the targets is written; `for` ends it where that comes first.",
    ),
    key(
        "reads",
        &NUMBER,
        "Of a saturation campaign: percent of reads of each mix that is measured, in the place of the workloads' `read`; \
         0, 70 and 100 if left out.",
    )
    .many(),
    key(
        "blocks",
        &SIZE,
        "Of a saturation campaign: the transfer sizes, in the place of the workloads' `block`; 4k, 8k, 16k, 32k, 64k and 1m \
         if left out.",
    )
    .many(),
];

/// Which methods have a key of [`METHOD`].
pub fn methods_of(key: &str) -> &'static [&'static str] {
    match key {
        "overwrites" => &["soak"],
        "reads" | "blocks" => &["saturate"],
        _ => &[],
    }
}

/// What was written for methods.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MethodKeys {
    /// Which method; `None`: a plain run, or a curve.
    pub method: Option<&'static str>,
    overwrites: Option<f64>,
    reads: Option<Vec<f64>>,
    blocks: Option<Vec<Bytes>>,
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
            "reads" => {
                self.reads = Some(
                    given
                        .iter()
                        .map(|g| percent(word(g)?))
                        .collect::<Result<_, _>>()?,
                )
            }
            "blocks" => {
                self.blocks = Some(
                    given
                        .iter()
                        .map(|g| size(word(g)?))
                        .collect::<Result<_, _>>()?,
                )
            }
            other => {
                return Err(Wrong::new(
                    &first.whole,
                    format!("`{other}` says nothing of a method"),
                ));
            }
        }
        Ok(())
    }

    /// The method on a step that was resolved; `None` where there is none. `depth_given`: the step's depth is what somebody
    /// asked for.
    pub fn spec(&self, step: &Step, depth_given: bool) -> Option<MethodSpec> {
        let (question, steps) = match self.method? {
            "saturate" => {
                let reads = self.reads.clone().unwrap_or(DEFAULT_READS.to_vec());
                let blocks = self.blocks.clone().unwrap_or(DEFAULT_BLOCKS.to_vec());
                let (spec, cells) = SaturateSpec::new(step, reads, blocks, depth_given);
                (Question::Saturate(spec), cells)
            }
            "soak" => {
                let spec = SoakSpec {
                    overwrites: self.overwrites,
                };
                (Question::Soak(spec), vec![step.clone()])
            }
            _ => return None,
        };
        Some(MethodSpec { steps, question })
    }
}
