//! A fingerprint taken in virtual time, with noise put on what each probe reached.

use crate::drawn::Draw;
use crate::foreign::Shape;
use crate::foreign::model::{Came, Model};
use crate::foreign::stripe::{Disks, Stripe};
use plimsoll_engine::{Control, OpenTarget, Options};
use plimsoll_evidence::{Interval, MethodVerdict, Phase, Quantity, StepEvidence, Verdict};
use plimsoll_methods::{Judge, StepFacts, progress};
use plimsoll_plan::{
    AddressSpec, Bytes, ContentSpec, Depth, FingerprintSpec, Item, Load, Location, MethodSpec, Mix,
    Nanos, Pattern, Plan, Question, SizeSpec, Step, Stream, Target, TargetId,
};
use plimsoll_sim::Lab;
use std::sync::Arc;

/// Findings, and the number of probes that they took.
pub struct Print {
    pub verdict: MethodVerdict,
    pub probes: usize,
    pub seconds: f64,
    /// Steps that wrote.
    pub written: usize,
}

impl Print {
    pub fn bytes(&self, name: &str) -> Option<u64> {
        match self.quantity(name)? {
            Quantity::Bytes(n) | Quantity::Count(n) => Some(*n),
            other => panic!("{name}: {other:?}"),
        }
    }

    pub fn share(&self, name: &str) -> Option<f64> {
        match self.quantity(name)? {
            Quantity::Share(x) => Some(*x),
            other => panic!("{name}: {other:?}"),
        }
    }

    pub fn quantity(&self, name: &str) -> Option<&Quantity> {
        self.figure(name).quantity.as_ref()
    }

    pub fn figure(&self, name: &str) -> &plimsoll_evidence::Figure {
        let found = self.verdict.figures.iter().find(|f| f.name == name);
        found.unwrap_or_else(|| panic!("no figure {name}"))
    }
}

/// Takes the fingerprint of a persona, with noise of a standard deviation.
pub fn take(persona: &str, noise: f64, seed: u64, writes: bool) -> Print {
    take_from(persona, noise, seed, writes, 0)
}

/// The same of a target that begins so many bytes into the LUN, as a partition does.
pub fn take_from(persona: &str, noise: f64, seed: u64, writes: bool, offset: u64) -> Print {
    let file = tempfile::Builder::new()
        .suffix(".toml")
        .tempfile()
        .expect("a file");
    std::fs::write(file.path(), persona).expect("written");
    let text = format!("lab:{}", file.path().display());
    let mut plan = plan(&text, writes, seed);
    plan.targets[0].offset = Bytes(offset);
    let mut lab = Lab::open(&plan.targets, &[true], seed)
        .unwrap_or_else(|(_, e)| panic!("{e}\n{persona}"))
        .expect("a lab");
    let target = Arc::new(lab.target(TargetId(0), &plan.targets[0]));
    lab.fill(TargetId(0), &target, &ContentSpec::Unique, seed)
        .expect("filled");
    let Item::Method(method) = &mut plan.items[0] else {
        panic!("a method")
    };
    method.measured(|_| (Bytes(target.size), Bytes(target.logical_block.into())));
    go(&plan, noise, seed, |step, number| {
        run(&mut lab, &target, step, seed, number)
    })
}

/// The fingerprint of an array of another make, by all of its paths and by each.
pub fn take_foreign(shape: &Shape, seed: u64, writes: bool) -> Print {
    let mut model = Model::new(shape.clone(), seed);
    let known = (shape.size, shape.paths.len(), shape.noise);
    take_of(known, seed, writes, |step| model.run(step))
}

/// The fingerprint of a stripe over disks.
pub fn take_stripe(stripe: Stripe, seed: u64, writes: bool) -> Print {
    let mut disks = Disks::new(stripe, seed);
    take_of((stripe.size, 1, stripe.noise), seed, writes, |step| {
        disks.run(step)
    })
}

/// The fingerprint of what has so many bytes, paths and noise, and carries out steps like this.
fn take_of(
    (size, paths, noise): (u64, usize, f64),
    seed: u64,
    writes: bool,
    mut run: impl FnMut(&Step) -> Came,
) -> Print {
    let mut plan = plan(&format!("null:{size}"), writes, seed);
    let whole = plan.targets[0].clone();
    let Item::Method(method) = &mut plan.items[0] else {
        panic!("a method")
    };
    method.measured(|_| (Bytes(size), Bytes(512)));
    if paths > 1 {
        method.take_paths((1..=paths as u32).map(TargetId).collect());
        plan.targets.extend(std::iter::repeat_n(whole, paths));
    }
    go(&plan, noise, seed, |step, number| {
        let came = run(step);
        let mut evidence = Judge::new(step, number).finish(&StepFacts::clean(1));
        evidence.rate.mean = came.rate;
        evidence.service_mean_ns.mean = came.service_ns;
        evidence.response_mean_ns.mean = came.service_ns;
        evidence
    })
}

/// Carries out the fingerprint of a plan, with noise on what each probe reached.
fn go(
    plan: &Plan,
    noise: f64,
    seed: u64,
    mut carry_out: impl FnMut(&Step, u32) -> StepEvidence,
) -> Print {
    let mut draw = Draw::new(seed ^ 0xA5A5);
    let mut done: Vec<StepEvidence> = Vec::new();
    let (mut seconds, mut written) = (0.0, 0);
    loop {
        let so_far = progress(plan, &done);
        let Some(step) = so_far.next else {
            let Some(Verdict::Method(verdict)) = so_far.verdicts.into_iter().next() else {
                panic!("no verdict");
            };
            return Print {
                verdict,
                probes: done.len(),
                seconds,
                written,
            };
        };
        let mut evidence = carry_out(&step, done.len() as u32 + 1);
        let factor = (noise * draw.normal()).exp();
        evidence.rate.mean *= factor;
        evidence.service_mean_ns.mean /= factor;
        evidence.response_mean_ns.mean /= factor;
        written += usize::from(step.writes());
        seconds += (step.warmup.0 + step.elapsed.0) as f64 / 1e9;
        done.push(evidence);
    }
}

fn run(
    lab: &mut Lab,
    target: &Arc<OpenTarget>,
    step: &Step,
    seed: u64,
    number: u32,
) -> StepEvidence {
    let options = Options {
        run_seed: seed,
        ..Options::new(seed ^ u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    };
    let mut judge = Judge::new(step, number);
    let outcome = lab.run_step(
        step,
        std::slice::from_ref(target),
        &options,
        &Control::default(),
        &mut |merged, _| {
            let phase = match (merged.drain, merged.start_ns < step.warmup.0) {
                (true, _) => Phase::Drain,
                (_, true) => Phase::WarmUp,
                _ => Phase::Counted,
            };
            judge.add(&Interval::new(
                number,
                merged.number,
                merged.start_ns..merged.start_ns + merged.length_ns,
                phase,
                merged.stats,
            ));
        },
    );
    let outcome = outcome.unwrap_or_else(|e| panic!("{}: {e}", step.name));
    assert_eq!(outcome.errors, 0, "{}", step.name);
    judge.finish(&StepFacts::clean(1))
}

fn plan(text: &str, writes: bool, seed: u64) -> Plan {
    let target = Target::new("array", Location::parse(text).expect("a location"));
    let (spec, steps) = FingerprintSpec::new(&base(), writes);
    Plan {
        seed: Some(seed),
        ..Plan::new(
            vec![target],
            vec![Item::Method(MethodSpec {
                steps,
                question: Question::Fingerprint(spec),
            })],
        )
    }
}

/// A step on the target; the fingerprint takes no more of it.
fn base() -> Step {
    let stream = Stream::new(
        "fingerprint",
        TargetId(0),
        Mix::READS,
        SizeSpec::Fixed(Bytes(4096)),
        AddressSpec::whole(Pattern::RANDOM),
    );
    Step::new(
        "fingerprint",
        vec![stream],
        Depth::each([TargetId(0)], 32),
        Load::Max,
        Nanos::secs(1),
    )
}
