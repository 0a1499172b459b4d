use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::{Quantity, Witnessed};

rule! {
    155 "clock-at-another-speed" Run(check) INVALID pitfalls [60] {
        summary: "The clock that timed the I/O ran faster or slower than the kernel's.",
        why: "A library that is loaded before the C library (libfaketime, LD_PRELOAD) may hand out another time than the kernel's. All \
            rates and response times are counted with it, and are off by as much as it is.",
        threshold: "Of the counted time more than 1 % and 10 ms apart from the kernel's own clock.",
        source: "CLOCK_MONOTONIC as the C library gives it, beside the same clock asked of the kernel, each interval. They are one clock, \
            so that they differ by what reading them takes.",
        example: "Under `faketime -f '+0 x2'` a disk of 10,000/s comes to 5,000/s, with twice its response time.",
        remedy: "Run it without the library that changes the time (see LD_PRELOAD), and repeat the run.",
    }
    fires: |o| gained(o, 300_000_000_000),
    clean: |o| gained(o, 9_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let clocks = |seen: &Witnessed| seen.clocks;
    others::ask(view, "the clocks", clocks, |_, seen, clocks| {
        // Whoever looks has the kernel's clock.
        let (gained_s, kernel_s) = (clocks.gained_ns as f64 / 1e9, seen.observed_s);
        if gained_s.abs() < LEAST_S.max(LEAST_SHARE * kernel_s) {
            return Vec::new();
        }
        let speed = (kernel_s + gained_s) / kernel_s;
        let message = format!(
            "The clock that timed the I/O ran {speed:.2} times as fast as the kernel's: every rate and every time is off by as much."
        );
        let limit = 1.0 + LEAST_SHARE.copysign(gained_s);
        vec![RuleFinding::new(message).judged("speed", Quantity::Number(speed), limit)]
    })
}

const LEAST_S: f64 = 0.01;
const LEAST_SHARE: f64 = 0.01;

#[cfg(test)]
fn gained(o: &mut crate::known::Observed, ns: i64) {
    o.witnessed().clocks.as_mut().expect("clocks").gained_ns = ns;
}

#[test]
fn the_speed_is_said() {
    let speed = |gained_s: f64| {
        let case = crate::known::changed(|o| {
            o.witnessed().observed_s = 10.0;
            gained(o, (gained_s * 1e9) as i64);
        });
        crate::known::found(check(&case.view())).first().map(|f| {
            f.message
                .split(" times")
                .next()
                .unwrap_or_default()
                .to_string()
        })
    };
    let said = |x: &str| Some(format!("The clock that timed the I/O ran {x}"));
    assert_eq!(speed(10.0), said("2.00"));
    assert_eq!(speed(-5.0), said("0.50"));
    assert_eq!(speed(0.05), None);
}
