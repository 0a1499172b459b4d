//! The probes of a fingerprint: short steps, made and measured one after the other within a budget of time.

use crate::completed_steps::{CompletedSteps, Pause};
use plimsoll_evidence::StepEvidence;
use plimsoll_plan::{
    AddressSpec, Bytes, ContentSpec, Distribution, FINGERPRINT_BLOCK, FINGERPRINT_DEPTH,
    FINGERPRINT_LARGE, FINGERPRINT_MIDDLE, FingerprintSpec, Load, Mix, Nanos, Pattern, RangeSpec,
    SizeSpec, Step, TargetId,
};

/// Reason why no further probe is measured.
pub(crate) enum Stop {
    /// The next step has to be measured first, or the last one was cut off.
    CompletedSteps(Pause),
    /// The time is used up.
    Spent,
}

/// A part of the target, and in which order it is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReadArea {
    /// First byte of the area.
    pub from: u64,
    /// End of the area.
    pub to: u64,
    pub order: Order,
}

impl ReadArea {
    /// From one byte to the end.
    pub const fn new(from: u64, to: u64, order: Order) -> Self {
        ReadArea { from, to, order }
    }
}

/// The order of the addresses in a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Order {
    Random,
    /// Each block once, in any order, before any comes again.
    Shuffled,
    /// A block at each multiple of so many bytes, one after the other, round and round.
    Every(u64),
    Sequential,
}

/// A short step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Probe {
    pub name: String,
    /// Each gets the same share.
    pub places: Vec<ReadArea>,
    pub block: u64,
    pub depth: u32,
    pub warmup_ms: u64,
    pub elapsed_ms: u64,
    /// Content of the writes; `None`: the probe reads.
    pub writes: Option<ContentSpec>,
    /// The target, by one of its paths; `None`: by all.
    pub path: Option<TargetId>,
}

impl Probe {
    /// Small reads at a depth.
    pub fn reads(name: String, places: Vec<ReadArea>, depth: u32) -> Self {
        Probe {
            name,
            places,
            block: FINGERPRINT_BLOCK.0,
            depth,
            warmup_ms: 100,
            elapsed_ms: 400,
            writes: None,
            path: None,
        }
    }

    fn length(&self) -> u64 {
        (self.warmup_ms + self.elapsed_ms) * 1_000_000
    }

    fn step(&self, template: &Step) -> Step {
        let mut step = template.clone();
        step.name = format!("{}_({})", step.run, self.name);
        let whole = step.streams.swap_remove(0);
        let stream = |place: &ReadArea| {
            let mut stream = whole.clone();
            stream.size = SizeSpec::Fixed(Bytes(self.block));
            stream.address = AddressSpec {
                range: RangeSpec::Bytes(Bytes(place.from), Bytes(place.to)),
                pattern: place.order.pattern(self.block),
                hits: None,
            };
            if let Some(content) = &self.writes {
                stream.content = content.clone();
                stream.mix = Mix::WRITES;
            }
            stream
        };
        step.streams = self.places.iter().map(stream).collect();
        if let Some(path) = self.path {
            step.streams.iter_mut().for_each(|s| s.target = path);
            step.depths.iter_mut().for_each(|d| d.target = path);
        }
        let most = match self.block {
            b if b <= FINGERPRINT_BLOCK.0 => FINGERPRINT_DEPTH,
            b if b <= FINGERPRINT_MIDDLE.0.0 => FINGERPRINT_MIDDLE.1,
            _ => FINGERPRINT_LARGE.1,
        };
        step.depths
            .iter_mut()
            .for_each(|d| d.slots = self.depth.clamp(1, most));
        step.load = Load::MaxShared;
        step.warmup = Nanos(self.warmup_ms * 1_000_000);
        step.elapsed = Nanos(self.elapsed_ms * 1_000_000);
        step.interval = step.elapsed;
        step
    }
}

impl Order {
    fn pattern(self, block: u64) -> Pattern {
        match self {
            Order::Random | Order::Shuffled => Pattern::Random {
                distribution: Distribution::Uniform,
                coverage: self == Order::Shuffled,
            },
            Order::Every(stride) => {
                let gap = Bytes(stride.saturating_sub(block));
                Pattern::Stride { min: gap, max: gap }
            }
            Order::Sequential => Pattern::IN_ORDER,
        }
    }
}

/// Result of a probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reading {
    /// I/Os per second.
    pub rate: f64,
    /// Mean service time, ns.
    pub service_ns: f64,
}

impl Reading {
    fn of(step: &StepEvidence) -> Self {
        Reading {
            // A probe in which nothing came back is a very slow one.
            rate: step.rate.mean.max(0.1),
            service_ns: step.service_mean_ns.mean,
        }
    }

    /// The logarithm of the rate: what multiplies a rate is a distance there.
    pub fn log(&self) -> f64 {
        self.rate.ln()
    }
}

/// The paths that are not down, with their numbers.
fn up(spec: &FingerprintSpec) -> Vec<(usize, TargetId)> {
    let all = spec.paths.iter().copied().enumerate();
    let is_down = |number: usize| spec.down.iter().any(|d| d.path as usize == number);
    all.filter(|(number, _)| !is_down(*number)).collect()
}

/// The probes so far, and what is left of the time.
pub(crate) struct Script<'a> {
    completed_steps: CompletedSteps<'a>,
    template: &'a Step,
    budget_ns: u64,
    spent_ns: u64,
    /// Number of probes that were measured.
    pub probes: u32,
    /// The target by each of its paths that is up, with their numbers.
    pub paths: Vec<(usize, TargetId)>,
    /// Bytes of the target.
    pub size: u64,
    /// Unit of transfers and addresses, bytes.
    pub sector: u64,
    /// In flight where a probe is to be limited by the target.
    pub depth: u32,
}

impl<'a> Script<'a> {
    pub fn new(
        template: &'a Step,
        spec: &'a FingerprintSpec,
        size: u64,
        completed: &'a [&'a StepEvidence],
    ) -> Self {
        Script {
            completed_steps: CompletedSteps::new(completed),
            template,
            budget_ns: spec.budget.0,
            spent_ns: 0,
            probes: 0,
            paths: up(spec),
            size,
            sector: spec.sector.0.max(1),
            depth: FINGERPRINT_DEPTH,
        }
    }

    /// Measures a probe.
    pub fn measure(&mut self, probe: &Probe) -> Result<Reading, Stop> {
        let after = self.spent_ns + probe.length();
        if after > self.budget_ns {
            return Err(Stop::Spent);
        }
        let template = self.template;
        let done = self.completed_steps.measure(|| probe.step(template));
        let reading = Reading::of(done.map_err(Stop::CompletedSteps)?);
        self.spent_ns = after;
        self.probes += 1;
        Ok(reading)
    }

    /// Time that all probes may take together, s.
    pub fn budget_s(&self) -> f64 {
        self.budget_ns as f64 / 1e9
    }

    /// Time that all probes took so far, s.
    pub fn spent_s(&self) -> f64 {
        self.spent_ns as f64 / 1e9
    }
}
