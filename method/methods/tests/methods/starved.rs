//! Curves whose generator gets next to no CPU: a queue, I/O by I/O, and a host that is away most of the time.

use crate::synthetic::queue::{Law, Sim, run};
use crate::synthetic::{Queue, curve, measured, step};
use plimsoll_evidence::{CurveVerdict, StepEvidence, Verdict};
use plimsoll_methods::{Adaptive, Curve, Next, StepFacts, judge};
use plimsoll_plan::{AdaptiveSpec, Arrival, CurveSpec, Load, Nanos, Slo, Statistic, Step};

/// Rate that the target carries, I/Os per second.
const CARRIES: f64 = 2000.0;

fn limit(ms: u64) -> Slo {
    Slo {
        statistic: Statistic::Mean,
        limit: Nanos(ms * 1_000_000),
    }
}

/// Absence of the host: so long at the beginning of each such time, s.
#[derive(Clone, Copy)]
struct Away {
    seconds: f64,
    each: f64,
    /// Service time of the target for an I/O meanwhile, s.
    service_s: f64,
}

const NEVER: Away = Away {
    seconds: 0.0,
    each: 1.0,
    service_s: 1.0 / CARRIES,
};
const NEARLY_ALWAYS: Away = Away {
    seconds: 0.095,
    each: 0.1,
    service_s: 0.1 / CARRIES,
};

/// A step on a server of exponential service times. The maximum was measured while the host was there.
fn carried_out(step: &Step, number: u32, away: Away) -> StepEvidence {
    let Load::Rate { rate, .. } = &step.load else {
        let full = Queue::new(CARRIES, step.total_depth() as f64 * 1e9 / CARRIES, 0.0);
        return measured(step, number, full);
    };
    let seconds = step.elapsed.as_secs_f64().ceil().max(1.0);
    let times = ((seconds + 2.0) / away.each) as usize;
    let sim = Sim {
        seed: u64::from(number),
        rate: rate.0,
        arrival: Law::Random,
        servers: 1,
        service_s: away.service_s,
        service: Law::Random,
        // Enough, whatever the host does.
        slots: 4096,
        warmup_s: 2,
        seconds: seconds as u64,
        interval_s: 1,
        freezes: Vec::new(),
        absences: (0..times)
            .filter(|_| away.seconds > 0.0)
            .map(|i| (i as f64 * away.each, i as f64 * away.each + away.seconds))
            .collect(),
    };
    judge(step, number, &run(&sim).intervals, &StepFacts::clean(1))
}

fn verdict(next: impl Fn(&[&StepEvidence]) -> Next, away: Away) -> CurveVerdict {
    let mut done: Vec<StepEvidence> = Vec::new();
    loop {
        assert!(done.len() < 100, "it does not end");
        let completed: Vec<&StepEvidence> = done.iter().collect();
        match next(&completed) {
            Next::Step(step) => done.push(carried_out(&step, done.len() as u32 + 1, away)),
            Next::Done(Some(Verdict::Curve(verdict))) => return verdict,
            other => panic!("{other:?}"),
        }
    }
}

fn fixed(slos: Vec<Slo>, away: Away) -> CurveVerdict {
    let spec = CurveSpec {
        slos,
        ..curve(&[10, 30, 50, 70, 90])
    };
    let curve = Curve::new(&spec);
    verdict(|completed| curve.next(completed), away)
}

fn adaptive(away: Away) -> CurveVerdict {
    let base = step(Load::Max);
    let budget = Some(Nanos::secs(60));
    let slos = vec![limit(20)];
    let (spec, base) = AdaptiveSpec::new(&base, Arrival::Exponential, slos, budget, true);
    let curve = Adaptive::new(&[base], &spec);
    verdict(
        |completed| plimsoll_methods::Method::next(&curve, completed),
        away,
    )
}

fn said(verdict: &CurveVerdict) -> String {
    let open = verdict
        .findings
        .iter()
        .find(|f| f.rule == "curve-undecided");
    open.map_or(String::new(), |f| f.message.clone())
}

#[test]
fn a_fixed_curve_of_a_starved_host_is_undecided() {
    let starved = fixed(vec![limit(20)], NEARLY_ALWAYS);
    assert!(!starved.decided, "{:#?}", starved.findings);
    assert!(said(&starved).contains("generator"), "{starved:#?}");
    // Nor has it a knee that is the target's.
    let unasked = fixed(Vec::new(), NEARLY_ALWAYS);
    assert!(!unasked.decided, "{:#?}", unasked.findings);
    assert!(said(&unasked).contains("generator"), "{unasked:#?}");
}

#[test]
fn an_adaptive_curve_of_a_starved_host_is_undecided() {
    let starved = adaptive(NEARLY_ALWAYS);
    assert!(!starved.decided, "{:#?}", starved.findings);
    assert!(said(&starved).contains("generator"), "{starved:#?}");
}

#[test]
fn a_host_that_is_there_or_away_now_and_then_leaves_a_curve_its_answer() {
    let there = fixed(vec![limit(3)], NEVER);
    assert!(there.decided, "{:#?}", there.findings);
    assert!(!said(&adaptive(NEVER)).contains("generator"));
    let now_and_then = Away {
        seconds: 0.02,
        ..NEVER
    };
    let mostly_there = fixed(vec![limit(3)], now_and_then);
    assert!(mostly_there.decided, "{:#?}", mostly_there.findings);
    assert!(!said(&adaptive(now_and_then)).contains("generator"));
}
