//! A lab with targets, and steps on them.

use plimsoll_engine::{Control, MergedInterval, OpenTarget, Options, Outcome};
use plimsoll_measure::{Op, OpStats};
use plimsoll_plan::*;
use plimsoll_sim::{Lab, Look};
use std::sync::Arc;

pub const MS: u64 = 1_000_000;
pub const KIB: u64 = 1 << 10;
pub const MIB: u64 = 1 << 20;

/// An array without queues: a read takes 100 us, a write 200 us, a read of nothing 10 us. It knows zeros and duplicates.
pub const PLAIN: &str = r#"
name = "plain"
about = "An array of fixed latencies"
scale = 1.0
[luns]
count = 4
gib = 0.0625
[ports]
count = 1
paths = 3
mib_s = 1e9
command_us = 0.0
[latency]
read_us = 100.0
write_us = 200.0
map_us = 10.0
[reduction]
zeros = true
dedupe = true
compression = false
granule = 4096
"#;

/// A file that holds a persona, as a target names it.
pub struct PersonaFile {
    file: tempfile::NamedTempFile,
}

impl PersonaFile {
    pub fn new(text: &str) -> Self {
        let file = tempfile::Builder::new()
            .suffix(".toml")
            .tempfile()
            .expect("a file");
        std::fs::write(file.path(), text).expect("written");
        PersonaFile { file }
    }

    /// The target with what follows the persona.
    pub fn lab(&self, rest: &str) -> String {
        format!("lab:{}{rest}", self.file.path().display())
    }
}

/// A lab, its targets, and steps on them.
pub struct Stage {
    pub targets: Vec<Arc<OpenTarget>>,
    pub lab: Lab,
    pub options: Options,
    pub control: Control,
}

/// What a step came to.
pub struct Done {
    pub intervals: Vec<MergedInterval>,
    /// A look at each array at each interval's end.
    pub looks: Vec<Vec<Look>>,
    pub outcome: Outcome,
}

impl Done {
    fn ops(&self, op: Op) -> impl Iterator<Item = &OpStats> {
        let streams = self.intervals.iter().flat_map(|i| &i.stats.streams);
        streams.map(move |s| &s.ops[op as usize])
    }

    pub fn ios(&self) -> u64 {
        self.intervals.iter().map(|i| i.stats.ios()).sum()
    }

    pub fn ios_of(&self, op: Op) -> u64 {
        self.ops(op).map(|o| o.ios).sum()
    }

    /// The mean service time of an operation, ns.
    pub fn service_ns(&self, op: Op) -> f64 {
        let sum: u64 = self.ops(op).map(|o| o.service.sum_ns()).sum();
        sum as f64 / self.ios_of(op) as f64
    }
}

/// A target with nothing said but where it is.
pub fn target(text: &str) -> Target {
    Target::new(text, Location::parse(text).expect("a location"))
}

impl Stage {
    pub fn new(texts: &[&str]) -> Self {
        Self::of(texts.iter().map(|t| target(t)).collect(), 42)
    }

    pub fn of(plan_targets: Vec<Target>, seed: u64) -> Self {
        let used = vec![true; plan_targets.len()];
        let lab = Lab::open(&plan_targets, &used, seed)
            .unwrap_or_else(|(_, e)| panic!("{e}"))
            .expect("targets of the lab");
        let ids = (0..plan_targets.len() as u32).map(TargetId);
        let targets = ids
            .map(|id| Arc::new(lab.target(id, &plan_targets[id.0 as usize])))
            .collect();
        Stage {
            targets,
            lab,
            options: Options {
                cpus: 4,
                ..Options::new(seed)
            },
            control: Control::default(),
        }
    }

    /// A step of this load on all targets: 4 KiB random reads for a second, four in flight on each.
    pub fn step(&self, load: Load) -> Step {
        let ids = || (0..self.targets.len() as u32).map(TargetId);
        Step {
            interval: Nanos(100 * MS),
            ..Step::new(
                "s",
                ids().map(stream).collect(),
                Depth::each(ids(), 4),
                load,
                Nanos::secs(1),
            )
        }
    }

    /// One pass of writes over all of each target, in I/Os of so many bytes.
    pub fn pass(&self, content: &ContentSpec, block: u64) -> Step {
        let mut step = self.step(Load::Max);
        step.elapsed = Nanos::secs(100_000);
        step.interval = Nanos::secs(1_000);
        for s in &mut step.streams {
            s.mix = mix(0.0, 100.0);
            s.size = SizeSpec::Fixed(Bytes(block));
            s.content = content.clone();
            s.address.pattern = Pattern::ONE_PASS;
        }
        step
    }

    pub fn fill(&mut self) {
        self.fill_with(&ContentSpec::Unique);
    }

    pub fn fill_with(&mut self, content: &ContentSpec) {
        for (index, target) in self.targets.iter().enumerate() {
            let filled = self.lab.fill(
                TargetId(index as u32),
                target,
                content,
                self.options.run_seed,
            );
            assert!(filled.expect("fills"), "the target is too large");
        }
    }

    pub fn run(&mut self, step: &Step) -> Done {
        let (mut intervals, mut looks) = (Vec::new(), Vec::new());
        let outcome = self
            .lab
            .run_step(
                step,
                &self.targets,
                &self.options,
                &self.control,
                &mut |merged, look| {
                    // What comes back after the end is in no test's counts.
                    if !merged.drain {
                        intervals.push(merged);
                        looks.push(look);
                    }
                },
            )
            .expect("a step that runs");
        Done {
            intervals,
            looks,
            outcome,
        }
    }

    /// Counters and state of the array under the first target.
    pub fn look<T>(&self, look: impl FnOnce(&plimsoll_array::Array) -> T) -> T {
        self.lab.with_array(TargetId(0), look).expect("an array")
    }
}

pub fn mix(read: f64, write: f64) -> Mix {
    Mix::from([read, write, 100.0 - read - write])
}

pub fn rate(per_second: f64) -> Load {
    Load::rate(Rate(per_second), Arrival::Exponential)
}

fn stream(target: TargetId) -> Stream {
    Stream::new(
        "w",
        target,
        mix(100.0, 0.0),
        SizeSpec::Fixed(Bytes(4 * KIB)),
        AddressSpec::whole(Pattern::RANDOM),
    )
}
