//! Runs that are a method: `method = "soak"`, and the keys that only methods have.

use super::disturb::{DisturbKeys, Written};
use super::forms::{COUNT, Form, NUMBER, PLAIN, SIZE, TEXT, TIME};
use super::given::{Given, Wrong};
use super::keys::{Key, key};
use super::shape::word;
use super::words::{count, percent, positive, size};
use plimsoll_plan::{
    Bytes, DEFAULT_BLOCKS, DEFAULT_READS, DEFAULT_REPEATS, MethodSpec, Question, SaturateSpec,
    SoakSpec, Step, SweepOrder, SweepSpec,
};

/// The methods that have a key for it, and a command.
pub static METHOD_FORM: Form = Form {
    what: "a method: \"saturate\", \"soak\", \"sweep\" or \"disturb\"",
    words: &["saturate", "soak", "sweep", "disturb"],
    ..PLAIN
};

/// The orders of a sweep.
static ORDER: Form = Form {
    what: "\"random\", \"abba\" or \"written\"",
    words: &["random", "abba", "written"],
    ..PLAIN
};

/// What is ready to be swept over.
static OVER: Form = Form {
    what: "\"reduction\", \"workers\" or \"blocks\"",
    words: &["reduction", "workers", "blocks"],
    ..PLAIN
};

/// Keys of a `[[run]]` that is a method; which of them have it, each says at its beginning.
pub static METHOD: [Key; 13] = [
    key(
        "repeats",
        &COUNT,
        "Of a sweep: how often each cell of the matrix is measured; 3 if left out.",
    ),
    key(
        "order",
        &ORDER,
        "Of a sweep: each round in a drawn order, there and back again, or as written; drawn if left out.",
    ),
    key(
        "over",
        &OVER,
        "Of a sweep: a list that is ready: what an array that reduces data makes of other content, threads that submit, or \
         transfer sizes.",
    ),
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
    key(
        "at",
        &TIME,
        "Of a disturb: when it happens, from the beginning of each repeat; the warm-up counts.",
    ),
    key(
        "do",
        &TEXT,
        "Of a disturb: the command that does it; run only with --allow-commands.",
    ),
    key(
        "do_fault",
        &TEXT,
        "Of a disturb: the fault of the simulated array that it is, in its words: \"path-down path=0 silent=true\".",
    ),
    key(
        "undo_at",
        &TIME,
        "Of a disturb: when it is put back. Where the run ends before, it is put back then.",
    ),
    key(
        "undo",
        &TEXT,
        "Of a disturb: the command that puts it back.",
    ),
    key(
        "undo_fault",
        &TEXT,
        "Of a disturb: the fault that puts it back: \"path-up path=0\".",
    ),
    key("times", &COUNT, "Of a disturb: how often; 3 if left out."),
];

/// Which methods have a key of [`METHOD`].
pub fn methods_of(key: &str) -> &'static [&'static str] {
    match key {
        "overwrites" => &["soak"],
        "reads" | "blocks" => &["saturate"],
        "repeats" | "order" | "over" => &["sweep"],
        "at" | "do" | "do_fault" | "undo_at" | "undo" | "undo_fault" | "times" => &["disturb"],
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
    repeats: Option<u32>,
    order: SweepOrder,
    disturb: DisturbKeys,
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
            "repeats" => self.repeats = Some(count(word(first)?, 1)?),
            "order" => {
                self.order = match word(first)?.text.as_str() {
                    "abba" => SweepOrder::Abba,
                    "written" => SweepOrder::Written,
                    _ => SweepOrder::Random,
                }
            }
            other => {
                if self.disturb.set(other, first)? {
                    return Ok(());
                }
                return Err(Wrong::new(
                    &first.whole,
                    format!("`{other}` says nothing of a method"),
                ));
            }
        }
        Ok(())
    }

    /// What the method lacks of what it cannot do without, and what to add.
    pub fn missing(&self) -> Option<(&'static str, &'static str)> {
        match self.method? {
            "disturb" => self.disturb.missing(),
            _ => None,
        }
    }

    /// The method on a step that was resolved; `None` where there is none. `written`: what somebody asked for, and what is
    /// not what a plain run has.
    pub fn spec(&self, step: &Step, written: Written) -> Option<MethodSpec> {
        let (question, steps) = match self.method? {
            "saturate" => {
                let reads = self.reads.clone().unwrap_or(DEFAULT_READS.to_vec());
                let blocks = self.blocks.clone().unwrap_or(DEFAULT_BLOCKS.to_vec());
                let (spec, cells) = SaturateSpec::new(step, reads, blocks, written.depth);
                (Question::Saturate(spec), cells)
            }
            "soak" => {
                let spec = SoakSpec {
                    overwrites: self.overwrites,
                };
                (Question::Soak(spec), vec![step.clone()])
            }
            "disturb" => return Some(self.disturb.spec(step, written)),
            _ => return None,
        };
        Some(MethodSpec { steps, question })
    }

    /// The sweep over these steps; `None` where the run is none.
    pub fn sweep(&self, steps: Vec<Step>) -> Option<MethodSpec> {
        (self.method == Some("sweep")).then(|| MethodSpec {
            steps,
            question: Question::Sweep(SweepSpec {
                repeats: self.repeats.unwrap_or(DEFAULT_REPEATS),
                order: self.order,
            }),
        })
    }
}

/// The key that a ready list loops over, and its values in the language.
pub fn ready(over: &str) -> Option<(&'static str, &'static [&'static str])> {
    Some(match over {
        "reduction" => (
            "content",
            &[
                "unique",
                "compress=2",
                "compress=4",
                "dedupe=2",
                "dedupe=4",
                "dedupe=2,compress=2",
                "zeros",
            ],
        ),
        "workers" => ("workers", &["1", "2", "4", "8", "16"]),
        "blocks" => (
            "block",
            &[
                "4k", "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1m",
            ],
        ),
        _ => return None,
    })
}
