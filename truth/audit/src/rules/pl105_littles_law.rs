use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{Quantity, Severity, StepEvidence};
use plimsoll_printable::human;

rule! {
    105 "littles-law" Run(check) INVALID pitfalls [33] {
        summary: "Rate, time and I/Os in flight do not belong together.",
        why: "In a closed loop N = X R holds for any system: what is in flight is the rate times the time of each. Where the \
            three numbers of a result break it, one of them is wrong: a clock, a count, or what was put where.",
        threshold: "The rate times the mean service time differs from the mean I/Os in flight by more than 5 % (suspect) or 20 % \
            (invalid), and by more than the I/Os that are out at both ends of the time can make: the slots times the longest \
            I/O over the counted time, and what the warm-up left behind, until it came back. In a closed loop of at least 5 s and 200 I/Os for each slot, and without errors.",
        source: "Little (1961). All rows of the published curves that were looked at hold it to 1 %; a DiskSPD row of 71.66 ms \
            at 87,694/s and a depth of 32 does not.",
        example: "87,694/s of 71.66 ms each are 6,284 in flight, and there were 32 slots.",
        remedy: "Do not use the numbers; repeat the run with a warm-up, and with another version of the tool if it stays.",
    }
    fires: |o| o.step().service_mean_ns.mean = 71_660_000.0,
    clean: |o| o.step().service_mean_ns.mean = 3_200_000.0,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    // An I/O of no time at all is out for less than the stamps around it take.
    let nothing = view.environment.targets.iter().all(|t| t.kind == "null");
    let whole = |s: &&StepEvidence| {
        !nothing
            && s.offered.is_none()
            && s.errors == 0
            && s.unfinished == 0
            && s.counted_s >= LEAST_S
            && s.ios > LEAST_IOS * s.slots
            && s.depth_mean > 0.0
            && s.stalls.is_empty()
    };
    let steps = some_of(view.measured().filter(whole))?;
    findings(steps.filter_map(|step| {
        let in_flight = step.rate.mean * step.service_mean_ns.mean / 1e9;
        let off = in_flight / step.depth_mean - 1.0;
        let beyond = ((in_flight - step.depth_mean).abs() - at_the_ends(step)) / step.depth_mean;
        (beyond > OFF).then(|| {
            let message = format!(
                "{}/s of {} each are {in_flight:.1} I/Os in flight, and {:.1} were counted.",
                human::rate(step.rate.mean),
                human::time(step.service_mean_ns.mean),
                step.depth_mean
            );
            let at_most = match beyond > FAR_OFF {
                true => Severity::Invalid,
                false => Severity::Suspect,
            };
            RuleFinding::new(message)
                .step(step.number)
                .at_most(at_most)
                .value("off", Quantity::Share(off))
                .judged("beyond_the_ends", Quantity::Share(beyond), OFF)
        })
    }))
}

/// I/Os in flight that the ends of the counted time may add or hide. What is out at an end was counted in flight and is not
/// among the completed, or the other way round: no slot can hide more of the time than its longest I/O lasts.
fn at_the_ends(step: &StepEvidence) -> f64 {
    let longest = step.response.max_ns().max(step.service.max_ns());
    step.slots as f64 * longest.unwrap_or(0) as f64 / 1e9 / step.counted_s + held_over(step)
}

/// I/Os in flight that the warm-up left behind: they came back within the counted time, their times are not counted, and each was out
/// from its beginning to then at most. A stall that crosses the edge holds all slots so.
fn held_over(step: &StepEvidence) -> f64 {
    let Some(series) = &step.series else {
        return 0.0;
    };
    let out_ns = series.bins.iter().zip(1u64..).map(|(bin, number)| {
        let untimed = bin.ios.saturating_sub(bin.timed);
        untimed as f64 * number.saturating_mul(series.bin_ns) as f64
    });
    out_ns.sum::<f64>() / 1e9 / step.counted_s
}

const OFF: f64 = 0.05;
const FAR_OFF: f64 = 0.20;
/// Of a shorter step there is too little to tell.
const LEAST_S: f64 = 5.0;
const LEAST_IOS: u64 = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::observed;

    /// Six seconds of 32 slots: 25.9 were counted in flight, and rate times time are 23.3.
    fn short(longest_ns: u64) -> RuleAnswer {
        let mut case = observed();
        let step = case.step();
        (step.counted_s, step.depth_mean) = (6.0, 25.9);
        step.rate.mean = 10_000.0;
        step.service_mean_ns.mean = 2_330_000.0;
        for times in [&mut step.service, &mut step.response] {
            *times = plimsoll_measure::Histogram::default();
            times.record(longest_ns);
        }
        check(&case.view())
    }

    #[test]
    fn what_is_out_at_the_ends_of_a_short_step_breaks_no_law() {
        assert_eq!(short(500_000_000), Ok(vec![]));
        assert!(crate::known::fires(short(3_000_000)));
    }

    #[test]
    fn what_the_warm_up_left_behind_is_excused_until_it_comes_back_and_no_longer() {
        use plimsoll_evidence::{SeriesBin, StepSeries};
        // 32 slots of which nothing came back for the first 2 s of 6: 32 times that are not counted, in the 20th bin.
        let held = |slots: u64, at: usize| {
            let mut case = observed();
            let step = case.step();
            (step.counted_s, step.depth_mean) = (6.0, 32.0);
            step.rate.mean = 10_000.0;
            step.service_mean_ns.mean = 2_133_333.0;
            for times in [&mut step.service, &mut step.response] {
                *times = plimsoll_measure::Histogram::default();
                times.record(3_000_000);
            }
            let mut bins = vec![SeriesBin::default(); 60];
            bins[at].ios = slots;
            step.series = Some(StepSeries {
                bin_ns: 100_000_000,
                bins,
                ..StepSeries::default()
            });
            check(&case.view())
        };
        assert_eq!(held(32, 19), Ok(vec![]));
        assert!(crate::known::fires(held(32, 1)));
        assert!(crate::known::fires(held(3, 19)));
    }

    #[test]
    fn a_long_io_excuses_no_more_than_it_lasted() {
        let mut case = observed();
        let step = case.step();
        step.service_mean_ns.mean = 71_660_000.0;
        step.service.record(10_000_000_000);
        assert!(crate::known::fires(check(&case.view())));
    }
}
