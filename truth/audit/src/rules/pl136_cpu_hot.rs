use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    136 "cpu-hot" Run(check) SUSPECT pitfalls [52, 19] {
        summary: "CPUs were slowed down because they were hot.",
        why: "A core that has become too hot runs at a part of its clock until it has cooled. What it issues, and what it \
            sees, comes later; a long run is slower than a short one, and a room in summer slower than in winter.",
        threshold: "The counters of thermal throttling of a core or its package went up.",
        source: "thermal_throttle of each CPU in sysfs.",
        example: "12 throttle events in ten minutes of 1.2 million I/Os a second.",
        remedy: "See to the cooling, lower the load of the CPUs, or say that the figure is that of a hot host.",
    }
    fires: |o| {
        o.witnessed()
            .frequency
            .as_mut()
            .expect("frequency")
            .throttled = Some(12)
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let times = |seen: &Witnessed| seen.frequency.as_ref()?.throttled;
    others::ask(
        view,
        "the frequency of the CPUs, and what holds it down",
        times,
        |_, _, times| {
            let hot = (times > 0).then(|| {
                let message = format!(
                    "{} times a core or its package was slowed down for heat.",
                    human::count(times)
                );
                RuleFinding::new(message).judged("times", Quantity::Count(times), 1.0)
            });
            hot.into_iter().collect()
        },
    )
}
