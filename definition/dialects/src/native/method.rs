//! Runs that are a method: `method = "soak"`, and the keys that only methods have.

use super::disturb::{DisturbKeys, Written};
use super::forms::{COUNT, Form, METHOD_FORM, NUMBER, SIZE, TEXT, TIME, YES_OR_NO, form};
use super::given::{Given, Wrong};
use super::keys::{Key, keys};
use super::words::{count, percent, positive, size, time, word};
use plimsoll_plan::{
    AdaptiveSpec, Bytes, DEFAULT_BLOCKS, DEFAULT_READS, DEFAULT_REPEATS, FingerprintSpec,
    MethodSpec, Nanos, OVERWRITES_TIME, Precondition, PtsSpec, PtsTest, Question, SOAK_PART,
    SOAK_TIME, SaturateSpec, Slo, SoakSpec, Step, SweepOrder, SweepSpec,
};

/// The orders of a sweep.
static ORDER: Form =
    form("\"random\", \"abba\" or \"written\"").words(&["random", "abba", "written"]);

/// What is ready to be swept over.
static OVER: Form =
    form("\"reduction\", \"workers\" or \"blocks\"").words(&["reduction", "workers", "blocks"]);

static PRECONDITION: Form =
    form("\"none\", \"wipc\", \"wdpc\" or \"both\"").words(&["none", "wipc", "wdpc", "both"]);

static TESTS: Form =
    form("a test, as \"iops\"").words(&["all", "iops", "throughput", "latency", "wsat"]);

/// Whether a fingerprint may write.
static WRITES: Form = form("\"none\" or \"allowed\"").words(&["none", "allowed"]);

/// Keys of a `[[run]]` that is a method; which of them have it, each says at its beginning.
pub static METHOD: [Key; 20] = keys! {
    "budget": TIME, "Of an adaptive curve: how long all of its I/O may take; 3m if left out.";
    "repeats": COUNT, "Of a sweep: how often each cell of the matrix is measured; 3 if left out.";
    "order": ORDER, "Of a sweep: each round in a drawn order, there and back again, or as written; drawn if left out.";
    "over": OVER, "Of a sweep: a list that is ready: what an array that reduces data makes of duplicates, compressible blocks and zeros (a \
        matrix of all three), threads that submit, or transfer sizes.";
    "overwrites": NUMBER, "Of a soak: how many times all of the targets is written; `for` ends it where that comes first.";
    "reads": NUMBER.many(), "Of a saturation campaign: percent of reads of each mix that is measured, in the place of the workloads' `read`; 0, \
        70 and 100 if left out.";
    "blocks": SIZE.many(), "Of a saturation campaign: the transfer sizes, in the place of the workloads' `block`; 4k, 8k, 16k, 32k, 64k and 1m \
        if left out. Of pts: block sizes other than the specification's, as for a device that has none of 512 bytes.";
    "at": TIME, "Of a disturb: when it happens, from the beginning of each repeat; the warm-up counts.";
    "do": TEXT, "Of a disturb: the command that does it; run only with --allow-commands.";
    "do_fault": TEXT, "Of a disturb: the fault of the simulated array that it is, in its words: \"path-down path=0 silent=true\".";
    "undo_at": TIME, "Of a disturb: when it is put back. Where the run ends before, it is put back then.";
    "undo": TEXT, "Of a disturb: the command that puts it back.";
    "undo_fault": TEXT, "Of a disturb: the fault that puts it back: \"path-up path=0\".";
    "times": COUNT, "Of a disturb: how often; 3 if left out.";
    "precondition": PRECONDITION.or("none"), "Of a soak: what is done first. `wipc` writes all of the targets twice, in order, `wdpc` runs the \
        soak's load until it is steady, `both` does the one, then the other.";
    "part": TIME.or("30m"), "Of a soak: it is made of parts of at most this length, without a pause between them, so that one that was killed \
        goes on where its last part began.";
    "tests": TESTS.many().or("all"), "Of pts: which of the specification's tests.";
    "scale": NUMBER.or("1"), "Of pts: the specification's times are divided by this; of more than 1 the result is no PTS result.";
    "purged": YES_OR_NO.or("no"), "Of pts: whoever runs it says that the targets were purged (secure erase, format, sanitize) just before.";
    "writes": WRITES, "Of a fingerprint: \"allowed\" lets it write probes too, which destroys what the target holds; else it only reads.";
};

/// Methods that have a key of [`METHOD`].
pub fn methods_of(key: &str) -> &'static [&'static str] {
    match key {
        "budget" => &["adaptive"],
        "overwrites" | "precondition" | "part" => &["soak"],
        "writes" => &["fingerprint"],
        "reads" => &["saturate"],
        "blocks" => &["saturate", "pts"],
        "tests" | "scale" | "purged" => &["pts"],
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
    budget: Option<Nanos>,
    overwrites: Option<f64>,
    reads: Option<Vec<f64>>,
    blocks: Option<Vec<Bytes>>,
    repeats: Option<u32>,
    order: SweepOrder,
    disturb: DisturbKeys,
    precondition: Precondition,
    part: Option<Nanos>,
    tests: Vec<PtsTest>,
    scale: Option<f64>,
    purged: bool,
    writes: bool,
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
            "writes" => self.writes = word(first)?.text == "allowed",
            "budget" => self.budget = Some(time(word(first)?)?),
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
            "precondition" => {
                self.precondition = match word(first)?.text.as_str() {
                    "wipc" => Precondition::Wipc,
                    "wdpc" => Precondition::Wdpc,
                    "both" => Precondition::Both,
                    _ => Precondition::None,
                }
            }
            "part" => self.part = Some(time(word(first)?)?),
            "tests" => self.tests = tests(given)?,
            "scale" => self.scale = Some(positive(word(first)?)?),
            "purged" => self.purged = word(first)?.text == "yes",
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

    /// The key of its reads, where it is given: of no use to a workload that has operations of its own.
    pub fn idle_reads(&self) -> Option<&'static str> {
        self.reads.as_ref().map(|_| "reads")
    }

    /// How long the run is where nobody says it; `None`: as every run.
    pub fn usual_time(&self) -> Option<Nanos> {
        match (self.method?, self.overwrites) {
            ("soak", None) => Some(SOAK_TIME),
            ("soak", Some(_)) => Some(OVERWRITES_TIME),
            _ => None,
        }
    }

    /// The method on a step that was resolved, in order where it is several; none where there is none. `written`: what somebody asked for, and what is
    /// not what a plain run has.
    pub fn specs(&self, step: &Step, written: Written) -> Vec<MethodSpec> {
        let (question, steps) = match self.method {
            Some("fingerprint") => {
                let (spec, shapes) = FingerprintSpec::new(step, self.writes);
                (Question::Fingerprint(spec), shapes)
            }
            Some("saturate") => {
                // On a tree the workloads say their operations, and the sizes of those that move bytes.
                let reads = self.reads.clone();
                let reads = reads.unwrap_or_else(|| match written.operations {
                    true => Vec::new(),
                    false => DEFAULT_READS.to_vec(),
                });
                let blocks = self.blocks.clone();
                let blocks = blocks.unwrap_or_else(|| match written.operations {
                    true => Vec::new(),
                    false => DEFAULT_BLOCKS.to_vec(),
                });
                let (spec, cells) = SaturateSpec::new(step, reads, blocks, written.depth);
                (Question::Saturate(spec), cells)
            }
            Some("soak") => {
                let soak = SoakSpec {
                    overwrites: self.overwrites,
                    precondition: self.precondition,
                    part: self.part.unwrap_or(SOAK_PART),
                };
                let steps = soak.steps(step);
                (Question::Soak(soak), steps)
            }
            Some("disturb") => return vec![self.disturb.spec(step, written)],
            Some("pts") => return self.pts(step),
            _ => return Vec::new(),
        };
        vec![MethodSpec { steps, question }]
    }

    fn pts(&self, step: &Step) -> Vec<MethodSpec> {
        let tests = match self.tests.is_empty() {
            true => &PtsTest::ALL[..],
            false => &self.tests,
        };
        let blocks = self.blocks.clone().unwrap_or_default();
        let scale = self.scale.unwrap_or(1.0);
        let of = |test: &PtsTest| {
            let steps = PtsSpec::steps(*test, &blocks, scale, step);
            let cells = test.cells(&blocks).len();
            let pts = PtsSpec {
                test: *test,
                scale,
                // One purge is one test's.
                purged: self.purged && tests.len() == 1,
                blocks_changed: !blocks.is_empty(),
                fills: (steps.len() - cells) as u32,
                ranged: plimsoll_plan::method::pts::is_ranged(step),
            };
            MethodSpec {
                steps,
                question: Question::Pts(pts),
            }
        };
        tests.iter().map(of).collect()
    }

    /// The adaptive curve on a step that was resolved, with what was written of it and the limits of its run; `None` where it is none.
    pub fn adaptive(&self, step: &Step, written: Written, slos: &[Slo]) -> Option<MethodSpec> {
        (self.method == Some("adaptive")).then(|| {
            let slos = slos.to_vec();
            let (spec, base) =
                AdaptiveSpec::new(step, written.arrival, slos, self.budget, written.depth);
            let spec = match written.time {
                true => spec.asked_for(step.elapsed),
                false => spec,
            };
            MethodSpec {
                steps: vec![base],
                question: Question::Adaptive(spec),
            }
        })
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

fn tests(given: &[Given]) -> Result<Vec<PtsTest>, Wrong> {
    let mut wanted = Vec::new();
    for one in given {
        let part = word(one)?;
        let is = |test: &&PtsTest| part.text == "all" || test.name() == part.text;
        for test in PtsTest::ALL.iter().filter(is) {
            if !wanted.contains(test) {
                wanted.push(*test);
            }
        }
    }
    Ok(wanted)
}

/// The key that a ready list of one parameter loops over, and its values in the language.
pub fn ready(over: &str) -> Option<(&'static str, &'static [&'static str])> {
    Some(match over {
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
