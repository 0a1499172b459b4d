//! A measurement as a trick changes it, and as a plan.

use crate::marks;
use plimsoll_permit::target::{FoundPath, assess, look_up};
use plimsoll_plan::{
    AddressSpec, Bytes, Caching, Depth, Item, Load, Location, Mix, Nanos, Pattern, Plan, Purpose,
    RangeSpec, SizeSpec, Step, Stream, Target, TargetId,
};
use std::path::PathBuf;

/// The operation that a trick measures, and so the honest number that stands beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measures {
    Reads,
    Writes,
}

impl Measures {
    /// The operation in a word.
    pub fn word(self) -> &'static str {
        match self {
            Measures::Reads => "reads",
            Measures::Writes => "writes",
        }
    }
}

/// Kinds of targets, as far as tricks care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A simulated LUN.
    Lab,
    /// A file, there or to be made.
    File,
    /// A block device.
    Device,
    /// Anything else: an export, several files, nothing at all.
    Other,
}

impl Subject {
    /// By where it is. A device is known by its kind of file.
    pub fn of(location: &Location) -> Subject {
        use std::os::unix::fs::FileTypeExt;
        match location {
            Location::Lab(_) => Subject::Lab,
            Location::Path(path) => match std::fs::metadata(path) {
                Ok(found) if found.file_type().is_block_device() => Subject::Device,
                _ => Subject::File,
            },
            Location::Null(_) | Location::Concat(_) | Location::Nbd(_) | Location::Tree(_) => {
                Subject::Other
            }
        }
    }
}

/// The measurement that is honest, and that the tricks begin from.
#[derive(Debug, Clone)]
pub struct HeroOptions {
    /// The target.
    pub location: Location,
    /// Size to use of the target; a file that is missing is made so long.
    pub size: Option<Bytes>,
    /// Bytes of each I/O.
    pub block: Bytes,
    /// I/Os in flight.
    pub depth: u32,
    /// Counted time of the honest runs; a trick counts 5 s at the most.
    pub elapsed: Nanos,
    /// Warm-up of the honest runs.
    pub warmup: Nanos,
    /// True where tricks may write: [`may_write`].
    pub may_write: bool,
}

/// Leave for tricks to write, as any run has it: on a simulated LUN, on what holds nobody else's data, and where `--destroy` names
/// something, which the run then judges.
pub fn may_write(location: &Location, destroy: &[String]) -> bool {
    let is_free = |path: &PathBuf| match look_up(path) {
        Ok(FoundPath::There(held)) => assess(held, &[], &marks::is_ours).is_ok(),
        Ok(FoundPath::Missing(new)) => new.is_ok(),
        Err(_) => false,
    };
    !destroy.is_empty()
        || match location {
            Location::Lab(_) => true,
            Location::Path(path) => is_free(path),
            Location::Concat(paths) => paths.iter().all(is_free),
            Location::Null(_) | Location::Nbd(_) | Location::Tree(_) => false,
        }
}

/// Longest time that a trick is played: nobody who wants a wonderful number waits for it to come down.
const SHORT: Nanos = Nanos::secs(5);

const MIB: u64 = 1 << 20;

/// One run in the making.
pub(super) struct Play {
    subject: Subject,
    target: Target,
    /// Steps that write or trim before.
    pub before: Vec<Step>,
    /// The step that is measured.
    pub step: Step,
    /// Number of repeats.
    pub repeats: u32,
    pub plan_caching: Caching,
    /// True where data that was taken away is written again at the end.
    pub refill_after: bool,
}

impl Play {
    /// The honest run.
    pub fn honest(options: &HeroOptions, measures: Measures) -> Play {
        let target = Target {
            size: options.size,
            ..Target::new("target", options.location.clone())
        };
        let mix = match measures {
            Measures::Reads => Mix::READS,
            Measures::Writes => Mix::WRITES,
        };
        let stream = Stream::new(
            "random",
            TargetId(0),
            mix,
            SizeSpec::Fixed(options.block),
            AddressSpec::whole(Pattern::RANDOM),
        );
        let step = Step {
            interval: options.elapsed.min(Nanos::secs(1)),
            warmup: options.warmup,
            ..Step::new(
                "measured",
                vec![stream],
                Depth::each([TargetId(0)], options.depth),
                Load::Max,
                options.elapsed,
            )
        };
        Play {
            subject: Subject::of(&options.location),
            target,
            before: Vec::new(),
            step,
            repeats: 1,
            plan_caching: Caching::Direct,
            refill_after: false,
        }
    }

    /// The same, as long as a trick is played: a second is warm-up enough where none is a trick.
    pub fn short(options: &HeroOptions, measures: Measures) -> Play {
        let mut play = Play::honest(options, measures);
        play.step.elapsed = play.step.elapsed.min(SHORT);
        play.step.warmup = play.step.warmup.min(Nanos::secs(1));
        play
    }

    /// True where a page cache is in the way.
    pub fn has_page_cache(&self) -> bool {
        matches!(self.subject, Subject::File | Subject::Device)
    }

    /// The workload that is measured.
    pub fn stream(&mut self) -> &mut Stream {
        &mut self.step.streams[0]
    }

    /// Only this much of the target, from its start, or all of it where it is smaller. Of an array whose caches are scaled, as much
    /// less, but a MiB.
    pub fn use_area(&mut self, bytes: Bytes) {
        let scale = self.target.location.cache_scale();
        let bytes = Bytes(((bytes.0 as f64 / scale) as u64).next_multiple_of(MIB));
        let known = self.target.size.or(self.target.location.stated_size());
        let there = self.target.location.single_path();
        let there = there
            .and_then(|path| std::fs::metadata(path).ok())
            .map(|m| m.len());
        // A device's length is not in its metadata.
        let there = there.filter(|length| *length > 0).map(Bytes);
        let size = known.or(there).unwrap_or(bytes);
        self.stream().address.range = area(bytes.min(size));
    }

    /// One pass over the area before anything is measured.
    pub fn prepare(&mut self, mix: Mix) {
        let range = self.step.streams[0].address.range;
        self.before
            .push(pass("prepare", range, mix, Purpose::Measure));
    }

    /// Plan of the play.
    pub fn plan(self) -> Plan {
        let mut steps = self.before;
        for number in 1..=self.repeats {
            let name = match self.repeats {
                1 => "measured".to_string(),
                _ => format!("measured-{number}"),
            };
            steps.push(Step {
                run: name.clone(),
                name,
                ..self.step.clone()
            });
        }
        if self.refill_after {
            let range = self.step.streams[0].address.range;
            steps.push(pass("refill", range, Mix::WRITES, Purpose::Fill));
        }
        Plan {
            dialect: "command line".into(),
            ..Plan::new(
                vec![Target {
                    caching: self.plan_caching,
                    ..self.target
                }],
                steps.into_iter().map(Item::Step).collect(),
            )
        }
    }
}

/// One pass in order over a range, in large I/Os.
fn pass(name: &str, range: RangeSpec, mix: Mix, purpose: Purpose) -> Step {
    let address = AddressSpec {
        range,
        ..AddressSpec::whole(Pattern::ONE_PASS)
    };
    let size = SizeSpec::Fixed(Bytes(256 << 10));
    let stream = Stream::new("pass", TargetId(0), mix, size, address);
    Step {
        purpose,
        ..Step::new(
            name,
            vec![stream],
            Depth::each([TargetId(0)], 8),
            Load::Max,
            Nanos::secs(3600),
        )
    }
}

/// The range of an area at the target's start.
pub(super) fn area(bytes: Bytes) -> RangeSpec {
    RangeSpec::Bytes(Bytes(0), bytes)
}
