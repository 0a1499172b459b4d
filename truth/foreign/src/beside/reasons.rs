//! What explains a difference between our numbers and fio's, in sentences.

use plimsoll_plan::{
    Arrival, Caching, ContentSpec, Load, Pattern, Plan, Quota, Step, Stream, fill_content,
};

/// Facts of the other tool's run beside the plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Options of what it got, fio's only: `refill_buffers`, `randrepeat`.
    pub options: Vec<(String, String)>,
    /// Our backend, as `io_uring`.
    pub backend: String,
    /// Threads that submitted, step by step.
    pub workers: Vec<u32>,
    /// The largest share of the host's CPUs that was busy in a run of the other tool, where it tells that.
    pub busy_cpus: Option<f64>,
}

impl Facts {
    fn says(&self, name: &str, value: &str) -> bool {
        self.options.iter().any(|(n, v)| n == name && v == value)
    }

    /// True where a switch is on.
    fn is_on(&self, name: &str) -> bool {
        let off = ["0", "false", "none"];
        self.options
            .iter()
            .any(|(n, v)| n == name && !off.contains(&v.as_str()))
    }
}

/// Sentences on what may explain a difference, the most usual first. Those that are always true come first; the others only
/// where the plan has what they speak of.
pub fn reasons(plan: &Plan, facts: &Facts) -> Vec<String> {
    let steps: Vec<&Step> = plan.steps().collect();
    let streams: Vec<&Stream> = steps.iter().flat_map(|s| &s.streams).collect();
    let mut out = vec![
        "Latency: ours is the service time, from just before the submitting call to the completion. fio's mean is lat, which begins \
         when it has made the I/O, so that it is a little longer; its percentiles are clat, which begins after the submitting call, \
         so that they are shorter by that call."
            .to_string(),
    ];
    rates(&steps, &streams, &mut out);
    content(plan, &streams, facts, &mut out);
    addresses(&streams, facts, &mut out);
    if plan
        .targets
        .iter()
        .any(|t| t.caching == Caching::Buffered && !t.location.paths().is_empty())
    {
        let drops = !facts.says("invalidate", "0");
        out.push(match drops {
            true => "Page cache: fio drops what it holds of a file before each run (invalidate=1), and we do not; and what one run left there \
                     serves the next. direct=1 leaves it out of both."
                .to_string(),
            false => "Page cache: what one run left there serves the next, whichever tool it is of. Direct I/O leaves it out of both.".to_string(),
        });
    }
    workers(&streams, facts, &mut out);
    warmup(&steps, &mut out);
    out
}

fn rates(steps: &[&Step], streams: &[&Stream], out: &mut Vec<String>) {
    let loads = steps.iter().any(|s| matches!(s.load, Load::Rate { .. }));
    if !loads && streams.iter().all(|s| s.fixed_rate.is_none()) {
        return;
    }
    out.push(
        "Rate: fio waits until its queue is empty before it sleeps, so that a job with a depth above 1 goes on with less than that; here I/Os \
         start on their schedule. What a stall held back is missing in fio's latencies (coordinated omission); here it is in the response \
         time, and not in the service time above."
            .to_string(),
    );
    let gaps = |s: &&Stream| s.arrival == Some(Arrival::Exponential);
    let of_load = steps.iter().any(|s| {
        matches!(
            s.load,
            Load::Rate {
                arrival: Arrival::Exponential,
                ..
            }
        )
    });
    if of_load || streams.iter().any(gaps) {
        out.push(
            "Poisson: fio draws its gaps in whole microseconds, cut off, so that short gaps are shorter than asked and high rates are passed; here \
             they are nanoseconds."
                .to_string(),
        );
    }
}

fn content(plan: &Plan, streams: &[&Stream], facts: &Facts, out: &mut Vec<String>) {
    let unique = streams
        .iter()
        .any(|s| s.mix.write > 0.0 && s.content == ContentSpec::Unique);
    if unique && !facts.is_on("refill_buffers") {
        out.push(
            "Content: fio writes a few buffers over and over with a few bytes changed (scramble_buffers), which an array that reduces data \
             stores for less; here no 4 KiB block is like another. refill_buffers makes fio's alike."
                .to_string(),
        );
    }
    fill(plan, streams, "fio", out);
}

/// Adds a sentence on the content that both read, where nothing is written and a file is made. `peer` is the other tool's name.
pub(super) fn fill(plan: &Plan, streams: &[&Stream], peer: &str, out: &mut Vec<String>) {
    let writes = streams.iter().any(|s| s.mix.write > 0.0);
    if !writes && plan.targets.iter().any(|t| t.size.is_some()) {
        let filled = plan.targets.iter().zip(0u32..);
        let usual = filled
            .map(|(_, at)| fill_content(plan.steps(), plimsoll_plan::TargetId(at)))
            .all(|content| content == ContentSpec::Unique);
        out.push(format!(
            "Fill: what both read is what the first run filled the file with{}; a file that {peer} lays out by itself holds its own content.",
            if usual { ", blocks that differ from each other" } else { "" }
        ));
    }
}

fn addresses(streams: &[&Stream], facts: &Facts, out: &mut Vec<String>) {
    let random = streams.iter().any(|s| {
        matches!(
            s.address.pattern,
            Pattern::Random { .. } | Pattern::PercentRandom(_) | Pattern::PartRandom { .. }
        )
    });
    let covers = streams
        .iter()
        .any(|s| matches!(s.address.pattern, Pattern::Random { coverage: true, .. }));
    if covers {
        out.push(
            "Random map: fio looks for a free block in a bit map, which takes it longer towards the end of a pass; here the order is a \
             permutation, which takes the same time everywhere."
                .to_string(),
        );
    }
    if random {
        let repeats = !facts.says("randrepeat", "0");
        out.push(match repeats {
            true => "Order: fio's addresses are the same in each run (randrepeat=1), so that its second run finds in caches what its first one read; \
                     ours are drawn anew each time, unless the definition has a seed."
                .to_string(),
            false => "Order: the addresses of both are random, and not the same ones.".to_string(),
        });
    }
}

fn workers(streams: &[&Stream], facts: &Facts, out: &mut Vec<String>) {
    let jobs = streams.len();
    let Some(ours) = threads(facts) else {
        return;
    };
    out.push(format!(
        "Who submits: fio starts a process for each job and clone (at least {jobs} here, less what stonewall parts), ours were {ours} \
         by {}. The submitting CPU picks the hardware queue, and a CPU that is full limits either.",
        facts.backend
    ));
}

/// Words for the number of our threads that submitted: `1 thread`, `2 threads`, `1 to 4 threads`.
pub(super) fn threads(facts: &Facts) -> Option<String> {
    let (least, most) = (facts.workers.iter().min()?, facts.workers.iter().max()?);
    let plural = if *most == 1 { "" } else { "s" };
    Some(match least == most {
        true => format!("{most} thread{plural}"),
        false => format!("{least} to {most} thread{plural}"),
    })
}

fn warmup(steps: &[&Step], out: &mut Vec<String>) {
    if steps.iter().any(|s| s.warmup.0 > 0) {
        out.push("Warm-up: neither counts it. What fio moves in it counts towards a size that ends a job.".to_string());
    }
    let counted = |s: &&&Step| s.streams.iter().any(|x| x.quota != Quota::default());
    if steps.iter().any(|s| counted(&s)) {
        out.push(
            "Ends: a job that ends with its size takes as long as it takes: the counts of both are the same, and the times the result.".to_string(),
        );
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use plimsoll_plan::*;

    /// A second of 70 % random reads, without a schedule.
    pub fn plan() -> Plan {
        let target = Target::new("disk", Location::Path("/tmp/x".into()));
        let stream = Stream::new(
            "w",
            TargetId(0),
            Mix::of_reads(70.0),
            SizeSpec::Fixed(Bytes(4096)),
            AddressSpec::whole(Pattern::RANDOM),
        );
        let depths = Depth::each([TargetId(0)], 8);
        let step = Step::new("run1", vec![stream], depths, Load::Max, Nanos::secs(1));
        Plan {
            dialect: "native".to_string(),
            title: None,
            tag: None,
            note: None,
            claim: None,
            targets: vec![target],
            hosts: Default::default(),
            items: vec![Item::Step(step)],
            max_errors: 50,
            seed: None,
            start_commands: Vec::new(),
            end_commands: Vec::new(),
        }
    }

    fn said(change: impl FnOnce(&mut Plan), facts: &Facts) -> String {
        let mut plan = plan();
        change(&mut plan);
        reasons(&plan, facts).join("\n")
    }

    /// Step of the plan.
    pub fn step(plan: &mut Plan) -> &mut Step {
        match &mut plan.items[0] {
            Item::Step(step) => step,
            _ => panic!("a step"),
        }
    }

    #[test]
    fn a_sentence_is_there_where_its_cause_is_and_only_there() {
        let plain = Facts {
            workers: vec![2],
            backend: "libaio".to_string(),
            ..Facts::default()
        };
        let written = ["refill_buffers", "1", "randrepeat", "0", "invalidate", "0"];
        let written = written
            .chunks(2)
            .map(|o| (o[0].to_string(), o[1].to_string()));
        let converted = Facts {
            options: written.collect(),
            ..plain.clone()
        };
        let base = said(|_| {}, &plain);
        for always in ["Latency:", "Content:", "Order:", "Who submits:"] {
            assert!(base.contains(always), "{always} in {base}");
        }
        for never in [
            "Rate:",
            "Poisson:",
            "Page cache:",
            "Random map:",
            "Warm-up:",
            "Ends:",
        ] {
            assert!(!base.contains(never), "{never} in {base}");
        }
        // A file written from the plan says refill_buffers, and asks for no repeats.
        let ours = said(|_| {}, &converted);
        assert!(
            !ours.contains("Content:") && !ours.contains("randrepeat"),
            "{ours}"
        );
        let rate = |arrival| {
            said(
                |plan| {
                    step(plan).load = Load::Rate {
                        rate: Rate(100.0),
                        arrival,
                    };
                },
                &plain,
            )
        };
        assert!(rate(Arrival::Even).contains("coordinated omission"));
        assert!(!rate(Arrival::Even).contains("Poisson:"));
        assert!(rate(Arrival::Exponential).contains("Poisson:"));
        let buffered = |facts: &Facts| said(|p| p.targets[0].caching = Caching::Buffered, facts);
        assert!(buffered(&plain).contains("invalidate=1"));
        assert!(!buffered(&converted).contains("invalidate=1"));
        let covering = said(
            |p| {
                step(p).streams[0].address.pattern = Pattern::Random {
                    distribution: Distribution::Uniform,
                    coverage: true,
                };
            },
            &plain,
        );
        assert!(covering.contains("Random map:"));
        assert!(said(|p| step(p).warmup = Nanos(1), &plain).contains("Warm-up:"));
    }
}
