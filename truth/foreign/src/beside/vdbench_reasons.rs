//! What explains a difference between our numbers and Vdbench's, in sentences.

use super::reasons::{Facts, fill, threads};
use plimsoll_plan::{
    Caching, ContentSpec, Limits, Load, Pattern, Plan, Purpose, Quota, Step, Stream,
};

/// From this share of busy CPUs on Vdbench itself warns of them.
const BUSY: f64 = 0.8;

/// Sentences on what may explain a difference, the most usual first. Those that are always true come first; the others only
/// where the plan has what they speak of.
pub fn vdbench_reasons(plan: &Plan, facts: &Facts) -> Vec<String> {
    let steps: Vec<&Step> = plan
        .steps()
        .filter(|s| s.purpose == Purpose::Measure)
        .collect();
    let streams: Vec<&Stream> = steps.iter().flat_map(|s| &s.streams).collect();
    let mut out = vec![
        "Latency: ours is the service time, from just before the submitting call to the completion. Vdbench's resp is from just before to \
         just after the system call of one I/O, in whole microseconds. It tells no percentiles: those of its histogram lie in a bucket."
            .to_string(),
        "Rate: Vdbench divides by the seconds that its intervals were to take, and gathers each interval's I/Os some milliseconds late; \
         ours is by the time that was measured. The shorter a run, the more that is."
            .to_string(),
    ];
    first_interval(plan, &steps, &mut out);
    rates(plan, &streams, &mut out);
    content(&streams, &mut out);
    fill(plan, &streams, "Vdbench", &mut out);
    let random = |s: &&Stream| {
        let pattern = &s.address.pattern;
        matches!(pattern, Pattern::Random { .. } | Pattern::PercentRandom(_))
    };
    if streams.iter().any(random) {
        out.push("Order: the addresses of both are random, and not the same ones.".to_string());
    }
    let buffered = |t: &plimsoll_plan::Target| {
        t.caching == Caching::Buffered && !t.location.paths().is_empty()
    };
    if plan.targets.iter().any(buffered) {
        out.push(
            "Page cache: what one run left there serves the next, whichever tool it is of. openflags=o_direct leaves it out of both."
                .to_string(),
        );
    }
    workers(facts, &mut out);
    ends(&steps, &mut out);
    out
}

fn first_interval(plan: &Plan, steps: &[&Step], out: &mut Vec<String>) {
    if steps.iter().all(|s| s.warmup.0 > 0) {
        out.push("Warm-up: neither counts it.".to_string());
        return;
    }
    out.push(match plan.dialect == "vdbench" {
        true => "First interval: neither counts that of a run without a warm-up. Vdbench's is slow, for its Java code is compiled in it."
            .to_string(),
        false => "First interval: where there is no warm-up Vdbench leaves the first interval out, and we count it, so that it has fewer \
                  I/Os in a run of the same length. A warm-up makes them alike."
            .to_string(),
    });
}

fn rates(plan: &Plan, streams: &[&Stream], out: &mut Vec<String>) {
    let of_load = plan.steps().any(|s| {
        matches!(
            s.load,
            Load::Rate { .. } | Load::PercentOfLast { .. } | Load::Schedule { .. }
        )
    });
    let curve = plan
        .items
        .iter()
        .any(|item| matches!(item, plimsoll_plan::Item::Curve(_)));
    if of_load || curve || streams.iter().any(|s| s.fixed_rate.is_some()) {
        out.push(
            "Schedule: in Vdbench an I/O that is due waits in a queue until one of the threads is free, and when the queue is full nothing \
             more comes due. Neither is in its resp; here the wait is in the response time, and not in the service time above."
                .to_string(),
        );
    }
    if curve {
        out.push(
            "Curve: each tool's points are parts of the maximum that it found itself, which Vdbench rounds up; compare the I/Os of a point \
             before its times."
                .to_string(),
        );
    }
}

fn content(streams: &[&Stream], out: &mut Vec<String>) {
    let unique = |s: &&Stream| s.mix.write > 0.0 && s.content == ContentSpec::Unique;
    if streams.iter().any(unique) {
        out.push(
            "Content: Vdbench writes one pattern of 1 MiB, or of its largest transfer, over and over, with the address of each block at its front, which an \
             array that compresses over more than a block, or finds duplicates in parts of one, stores for less; here no 4 KiB block is \
             like another in any part."
                .to_string(),
        );
    }
}

fn workers(facts: &Facts, out: &mut Vec<String>) {
    if let Some(ours) = threads(facts) {
        out.push(format!(
            "Who submits: in Vdbench each of an sd's threads= is a Java thread with one I/O out, all workloads of the sd share them, and \
             all of them take their I/Os from one queue; ours were {ours} by {}, with as many I/Os out in all. The submitting CPU picks \
             the hardware queue, and a CPU that is full limits either.",
            facts.backend
        ));
    }
    if let Some(busy) = facts.busy_cpus {
        let full = match busy >= BUSY {
            true => ", which is so much that they, and not the target, may have been its limit",
            false => "",
        };
        out.push(format!(
            "CPU: while Vdbench ran, the host's CPUs were up to {:.0} % busy{full}. A Java thread for each I/O costs more than a ring.",
            busy * 100.0
        ));
    }
}

fn ends(steps: &[&Step], out: &mut Vec<String>) {
    let limited = |s: &&Step| {
        s.limits != Limits::default() || s.streams.iter().any(|x| x.quota != Quota::default())
    };
    let once = |s: &&Step| {
        s.streams
            .iter()
            .any(|x| matches!(x.address.pattern, Pattern::Sequential { once: true, .. }))
    };
    if steps.iter().any(limited) || steps.iter().any(once) {
        out.push(
            "Ends: Vdbench looks at its limits when an interval ends, and has no numbers of a run that ended within its first two; we end \
             with the I/O that reaches the limit."
                .to_string(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::*;

    fn said(dialect: &str, change: impl FnOnce(&mut Plan), facts: &Facts) -> String {
        let mut plan = crate::beside::reasons::tests::plan();
        plan.dialect = dialect.to_string();
        change(&mut plan);
        vdbench_reasons(&plan, facts).join("\n")
    }

    fn step(plan: &mut Plan) -> &mut Step {
        crate::beside::reasons::tests::step(plan)
    }

    #[test]
    fn a_sentence_is_there_where_its_cause_is_and_only_there() {
        let facts = Facts {
            workers: vec![2],
            backend: "libaio".to_string(),
            busy_cpus: Some(0.25),
            ..Facts::default()
        };
        let plain = |change: fn(&mut Plan)| said("vdbench", change, &facts);
        let base = plain(|_| {});
        for always in [
            "Latency:",
            "Rate:",
            "First interval: neither",
            "Content:",
            "Order:",
            "Who submits:",
            "CPU:",
        ] {
            assert!(base.contains(always), "{always} in {base}");
        }
        for never in [
            "Schedule:",
            "Curve:",
            "Page cache:",
            "Warm-up:",
            "Ends:",
            "Fill:",
            "may have been its limit",
        ] {
            assert!(!base.contains(never), "{never} in {base}");
        }
        assert!(said("native", |_| {}, &facts).contains("we count it"));
        assert!(plain(|p| step(p).warmup = Nanos(1)).contains("Warm-up:"));
        let rate = plain(|p| {
            step(p).load = Load::Rate {
                rate: Rate(100.0),
                arrival: Arrival::Exponential,
            };
        });
        assert!(
            rate.contains("Schedule:") && !rate.contains("Curve:"),
            "{rate}"
        );
        assert!(plain(|p| p.targets[0].caching = Caching::Buffered).contains("Page cache:"));
        assert!(plain(|p| step(p).limits.bytes = Some(Bytes(1 << 30))).contains("Ends:"));
        let reads = plain(|p| step(p).streams[0].mix = Mix::of_reads(100.0));
        assert!(!reads.contains("Content:"), "{reads}");
        let full = Facts {
            busy_cpus: Some(0.93),
            ..facts.clone()
        };
        assert!(said("vdbench", |_| {}, &full).contains("93 % busy, which"));
    }
}
