//! Curves of an array in virtual time, as the program runs them.

use plimsoll_evidence::{Capacity, CurveVerdict, StepEvidence, Verdict};
use plimsoll_plan::*;
use plimsoll_rig::{Control, RunOptions};
use std::path::Path;

/// Outcome of a curve.
pub struct Came {
    pub verdict: CurveVerdict,
    pub steps: Vec<StepEvidence>,
    /// All I/O, s.
    pub spent_s: f64,
}

impl Came {
    pub fn capacity(&self) -> &Capacity {
        &self.verdict.capacities[0]
    }
}

/// 1 ms of mean response.
pub fn limit() -> Slo {
    Slo {
        statistic: Statistic::Mean,
        limit: Nanos(1_000_000),
    }
}

/// An adaptive curve with nothing given but the limit.
pub fn adaptive(persona: &Path, slos: Vec<Slo>, seed: u64) -> Came {
    let (spec, base) = AdaptiveSpec::new(&base(), Arrival::Exponential, slos, None, false);
    let item = Item::Method(MethodSpec {
        steps: vec![base],
        question: Question::Adaptive(spec),
    });
    run(persona, item, seed)
}

/// A fixed curve of the default percentages that costs as much as an adaptive one did.
pub fn fixed(persona: &Path, like: &Came, seed: u64) -> Came {
    let (spec, mut step) =
        AdaptiveSpec::new(&base(), Arrival::Exponential, vec![limit()], None, false);
    let searched: f64 = like
        .steps
        .iter()
        .filter(|s| s.name.contains("depth="))
        .map(|s| s.warmup_s + s.counted_s)
        .sum();
    let percents = vec![10, 50, 70, 80, 90, 100];
    let each = (like.spent_s - searched) / (percents.len() + 1) as f64 - spec.warmup.as_secs_f64();
    step.elapsed = Nanos((each * 10.0).round() as u64 * 100_000_000);
    let item = Item::Curve(CurveSpec {
        base: step,
        percents,
        arrival: Arrival::Exponential,
        stop_service: None,
        slos: vec![limit()],
        search: spec.search,
    });
    run(persona, item, seed)
}

/// 8 KiB, 70 % reads, all else as the language has it where nothing is said.
fn base() -> Step {
    let stream = Stream::new(
        "curve",
        TargetId(0),
        Mix::of_reads(70.0),
        SizeSpec::Fixed(Bytes(8 << 10)),
        AddressSpec::whole(Pattern::RANDOM),
    );
    Step {
        warmup: Nanos::secs(5),
        ..Step::new(
            "curve",
            vec![stream],
            Depth::each([TargetId(0)], 32),
            Load::Max,
            Nanos::secs(30),
        )
    }
}

fn run(persona: &Path, item: Item, seed: u64) -> Came {
    let text = format!("lab:{}", persona.display());
    let plan = Plan {
        dialect: "command line".into(),
        max_errors: 1,
        seed: Some(seed),
        ..Plan::new(
            vec![Target::new(
                text.clone(),
                Location::parse(&text).expect("a target"),
            )],
            vec![item],
        )
    };
    let result = plimsoll_rig::run(
        &plan,
        &RunOptions::default(),
        &Control::default(),
        &mut |_| {},
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let Some(Verdict::Curve(verdict)) = result.verdicts.into_iter().next() else {
        panic!("a curve has a verdict");
    };
    let spent_s = result.steps.iter().map(|s| s.warmup_s + s.counted_s).sum();
    Came {
        verdict,
        steps: result.steps,
        spent_s,
    }
}
