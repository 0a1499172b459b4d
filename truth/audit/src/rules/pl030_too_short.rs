use crate::{PlanView, RuleAnswer, RuleFinding, StepAt, applies, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    30 "too-short" Plan(check) [NOTHING, NOTE, SUSPECT, NOTE, NOTHING] pitfalls [46, 11, 14] {
        summary: "The measurement is too short for what is claimed.",
        why: "What storage gives for seconds it may not give for minutes: write caches fill, SLC windows end, garbage \
            collection begins, cloud volumes spend their credits. A short run measures the beginning.",
        threshold: "For `sustained`, less than 60 s of counted time; for `burst` and `device` less than 5 s. Where start and stop leave no workload the whole of it, the longest \
            counts; where a limit ends the step before, the time to it: of a run as it was, of a plan at its rate, else at 100 I/Os each second.",
        source: "IO500 asks for 300 s of writing, the author of DiskSPD for more than 60 s; SNIA PTS for rounds until five are \
            steady. The numbers here are our proposal for what is short in any case.",
        example: "A consumer SSD writes 2 GB/s for 20 s and 300 MB/s from then on; a run of 10 s says 2 GB/s.",
        remedy: "Measure longer (`for`), a minute at the least for what is sustained; `plimsoll soak` finds out how long it lasts.",
    }
    fires: |p| crate::known::step_of(p).elapsed = plimsoll_plan::Nanos::secs(10),
    clean: |p| crate::known::step_of(p).elapsed = plimsoll_plan::Nanos::secs(60),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let plain = |at: &StepAt<'_>| at.question().is_none();
    let steps = some_of(view.steps().filter(plain))?;
    applies(view.streams().next().is_some())?;
    let needed = view.claim.least().unwrap_or_default().as_secs_f64();
    let limited = |at: &StepAt<'_>| at.step.limits.overwrites.is_some();
    findings(steps.filter(|at| !limited(at)).filter_map(|at| {
        // A limit, or the end of its data, may have ended it long before its time.
        let planned = counted_s(&at);
        let counted = view.counted_s(&at).map_or(planned, |s| s.min(planned));
        (counted < needed).then(|| {
            let message = format!(
                "Run {} counts {}, and {} is the least for the claim `{}`.",
                at.step.run,
                match counted < 1.0 {
                    true => human::time(counted * 1e9),
                    false => human::duration(counted),
                },
                human::duration(needed),
                view.claim
            );
            let more = "Give it more names.";
            let remedy = at.is_in_rounds().then_some(more);
            RuleFinding::new(message)
                .remedy(remedy)
                .at(at.near("for"))
                .judged("counted", Quantity::Seconds(counted), needed)
        })
    }))
}

/// The time that counts: of the workload that works the longest, and up to the limit that ends it, as far as that can be told.
fn counted_s(at: &StepAt<'_>) -> f64 {
    let step = at.step;
    let working = step
        .streams
        .iter()
        .map(|s| s.window.counted_share(step.warmup, step.elapsed))
        .reduce(f64::max);
    let counted = step.elapsed.as_secs_f64() * working.unwrap_or(1.0);
    let largest = step.streams.iter().map(|s| s.largest().0).max();
    let limits = &step.limits;
    let bytes = [limits.bytes, limits.read_bytes, limits.written_bytes];
    let of_bytes = bytes
        .iter()
        .flatten()
        .map(|b| b.0 as f64 / largest.unwrap_or(1).max(1) as f64);
    let ios = limits.ios.map(|n| n as f64).into_iter().chain(of_bytes);
    let Some(ios) = ios.reduce(f64::min) else {
        return counted;
    };
    let all = ios / at.rate().unwrap_or(SLOW);
    counted.min((all - step.warmup.as_secs_f64()).max(0.0))
}

/// I/Os each second of the slowest that is measured, a disk: a limit that it reaches too soon any target does.
const SLOW: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{plan, step_of, stream_of};
    use plimsoll_plan::{Bytes, Nanos, Plan};

    fn fires(change: fn(&mut Plan)) -> bool {
        let mut plan = plan();
        change(&mut plan);
        crate::known::fires(check(&PlanView::new(&plan, None)))
    }

    #[test]
    fn a_workload_that_stops_at_once_counts_as_long_as_it_works() {
        assert!(fires(|p| stream_of(p).window.until = Some(Nanos::secs(62))));
        assert!(!fires(
            |p| stream_of(p).window.until = Some(Nanos::secs(200))
        ));
    }

    #[test]
    fn a_limit_that_is_reached_at_once_makes_a_step_short() {
        assert!(fires(|p| step_of(p).limits.ios = Some(100)));
        assert!(fires(|p| step_of(p).limits.bytes = Some(Bytes(1 << 20))));
        assert!(!fires(|p| step_of(p).limits.bytes = Some(Bytes(1 << 40))));
    }

    #[test]
    fn a_run_is_as_long_as_it_was() {
        let mut observed = crate::known::observed();
        step_of(&mut observed.plan).elapsed = Nanos::secs(60);
        observed.steps[0].name = step_of(&mut observed.plan).name.clone();
        for (counted_s, short) in [(60.0, false), (0.5, true)] {
            observed.steps[0].counted_s = counted_s;
            let answer = observed.view().plan_view().as_ref().map(check);
            assert_eq!(crate::known::fires(answer.expect("a plan")), short);
        }
    }
}
