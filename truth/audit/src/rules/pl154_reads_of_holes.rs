use crate::{RuleAnswer, RuleFinding, RunView, applies, findings};
use plimsoll_evidence::{PathUse, Quantity, Severity, StepEvidence, StreamSummary};
use plimsoll_measure::Op;
use plimsoll_plan::{Distribution, Pattern};
use plimsoll_printable::human;

rule! {
    154 "reads-of-holes" Run(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [4, 1, 2] {
        summary: "Reads went to where nothing is stored.",
        why: "What was never written, or was trimmed, is an entry in a map: of a sparse image, of a thin pool, of a flash translation layer. \
            A read of it is a look into the map, and an NBD server does not even send the zeros. No medium is asked.",
        threshold: "More than 2 % of the bytes read: by the NBD server's own answers (it sends a hole in place of data), or by arithmetic where \
            one workload reads and trims at random. What it trims stays empty until it is written again, so of its area the share of trims among \
            trims and writes is empty in the end. Suspect at most up to half, and by arithmetic always.",
        source: "NBD protocol, NBD_REPLY_TYPE_OFFSET_HOLE. Measured: 50 % reads beside 50 % trims end with 99.7 % holes; a server that \
            answers each read with a hole gives 357 MiB/s.",
        example: "A sparse image behind qemu-nbd: 2.00 GiB of 2.00 GiB that were read were holes.",
        remedy: "Fill the target before it is read (`--fill` for a blank one, or a run with purpose = \"fill\"), and trim in a run of its own, or \
            with as many writes.",
    }
    fires: |o| holes(o, 1 << 31, 1 << 31),
    clean: |o| holes(o, 1 << 31, 1 << 25),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reads = |s: &&StepEvidence| s.ops.iter().any(|o| o.op == Op::Read && o.bytes > 0);
    let steps: Vec<&StepEvidence> = view.results().filter(reads).collect();
    let is_told = |s: &&StepEvidence| !s.paths.is_empty() || moved(&s.ops, Op::Trim) > 0.0;
    applies(view.is_real() && steps.iter().any(is_told))?;
    findings(steps.into_iter().flat_map(|step| {
        let reported = unsent(step);
        let trimmed = match reported.is_empty() {
            true => trimmed(view, step),
            false => Vec::new(),
        };
        reported.into_iter().chain(trimmed)
    }))
}

fn moved(ops: &[plimsoll_evidence::OpSummary], op: Op) -> f64 {
    ops.iter()
        .filter(|o| o.op == op)
        .map(|o| o.bytes as f64)
        .sum()
}

/// Targets whose servers sent holes.
fn unsent(step: &StepEvidence) -> Vec<RuleFinding> {
    let of = |target: &plimsoll_evidence::TargetPaths| {
        let sum =
            |of: fn(&PathUse) -> u64| target.paths.iter().map(of).fold(0, u64::saturating_add);
        let (read, holes) = (sum(|p| p.read_bytes), sum(|p| p.hole_bytes));
        let share = holes as f64 / read.max(1) as f64;
        (share > SOME).then(|| {
            let message = format!(
                "Of {} that were read from {} the server sent no data for {} ({}): nothing is stored there.",
                human::bytes(read),
                target.target,
                human::bytes(holes),
                human::percent(share.min(1.0))
            );
            let found = seen(message, step, share).value("hole_bytes", Quantity::Bytes(holes));
            match share > HALF {
                true => found,
                false => found.at_most(Severity::Suspect),
            }
        })
    };
    step.paths.iter().filter_map(of).collect()
}

fn seen(message: String, step: &StepEvidence, share: f64) -> RuleFinding {
    RuleFinding::new(message)
        .step(step.number)
        .judged("of_holes", Quantity::Share(share), SOME)
}

/// Workloads that read what they trim. Of files the kernel's own account tells it, and PL121 says it.
fn trimmed(view: &RunView<'_>, step: &StepEvidence) -> Vec<RuleFinding> {
    let of = |own: &StreamSummary| {
        let place = view.environment.targets.get(own.target as usize)?;
        let is_filled_by_others = step.streams.iter().any(|other| {
            other.target == own.target
                && other.workload != own.workload
                && moved(&other.ops, Op::Write) > 0.0
        });
        if is_filled_by_others {
            return None;
        }
        let share = empty(own, step, area(view, own)?).filter(|share| *share > SOME)?;
        let message = format!(
            "{} reads at random what it trims: of {}, {} of what it read was empty, for {} were trimmed and {} written.",
            own.workload,
            place.name,
            human::percent(share),
            human::bytes(moved(&own.ops, Op::Trim) as u64),
            human::bytes(moved(&own.ops, Op::Write) as u64),
        );
        (place.kind != "file").then(|| seen(message, step, share).at_most(Severity::Suspect))
    };
    let all = step.streams.iter().filter(|s| s.host == 0);
    all.filter_map(of).collect()
}

/// Share of a stream's reads that found nothing, where it began on an area that was full, and all of its I/Os fall there at random: trims
/// take from what holds data, writes give to what does not.
fn empty(own: &StreamSummary, step: &StepEvidence, area: f64) -> Option<f64> {
    let [reads, trims, writes] = [Op::Read, Op::Trim, Op::Write].map(|op| moved(&own.ops, op));
    let counted = own.counted_s.unwrap_or(step.counted_s);
    if reads <= 0.0 || trims <= 0.0 || counted <= 0.0 || area <= 0.0 {
        return None;
    }
    let rate = (trims + writes) / counted / area;
    let left = |t: f64| (-rate * t).exp();
    let (from, to) = (step.warmup_s, step.warmup_s + counted);
    let mean = 1.0 - (left(from) - left(to)) / (rate * counted);
    Some(trims / (trims + writes) * mean)
}

/// The bytes that a workload draws its addresses from; `None` where it does not draw each, or no plan tells.
fn area(view: &RunView<'_>, own: &StreamSummary) -> Option<f64> {
    let plan = view.plan_view()?;
    let mut streams = plan.streams();
    let at =
        streams.find(|s| s.stream.workload == own.workload && s.stream.target.0 == own.target)?;
    let is_drawn = matches!(
        at.stream.address.pattern,
        Pattern::Random {
            coverage: false,
            distribution: Distribution::Uniform,
            ..
        }
    );
    let (from, to) = plan.range(&at).filter(|_| is_drawn)?;
    Some((to - from) as f64)
}

const SOME: f64 = 0.02;
const HALF: f64 = 0.5;

#[cfg(test)]
fn holes(o: &mut crate::known::Observed, read_bytes: u64, hole_bytes: u64) {
    use plimsoll_evidence::{PathState, TargetPaths};
    o.step().paths = vec![TargetPaths {
        target: "lun".into(),
        paths: vec![PathUse {
            uri: "nbd://array/lun".into(),
            state: PathState::Up,
            ios: read_bytes / 4096,
            errors: 0,
            reissued: 0,
            read_bytes,
            hole_bytes,
            service_mean_ns: None,
        }],
        events: Vec::new(),
        unconfirmed_writes: 0,
    }];
}

#[cfg(test)]
#[test]
fn a_mix_of_reads_and_trims_reads_as_much_of_nothing_as_a_simulated_map_says() {
    use crate::known::{changed, found};
    use plimsoll_evidence::OpSummary;
    let of = |ops: &[OpSummary], op: Op, ios: u64| OpSummary {
        op,
        ios,
        bytes: ios * 4096,
        ..ops[0].clone()
    };
    // So many blocks, and so many I/Os of each kind by turns: what finds nothing is counted.
    for (blocks, each, writes) in [
        (10_000_u64, 50_000_u64, false),
        (10_000, 5_000, false),
        (10_000, 30_000, true),
    ] {
        let mut full = vec![true; blocks as usize];
        let mut nothing = 0;
        for n in 0..each {
            // SplitMix64.
            let at = |k: u64| {
                let mut z = (4 * n + k).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                ((z ^ (z >> 31)) % blocks) as usize
            };
            nothing += u64::from(!full[at(0)]);
            full[at(1)] = false;
            if writes {
                full[at(2)] = true;
            }
        }
        let truth = nothing as f64 / each as f64;
        let case = changed(|o| {
            o.environment.targets[0].kind = "block device".into();
            o.environment.targets[0].size_bytes = blocks * 4096;
            o.plan.targets[0].size = Some(plimsoll_plan::Bytes(blocks * 4096));
            let step = o.step();
            step.warmup_s = 0.0;
            let mut ops = vec![of(&step.ops, Op::Read, each), of(&step.ops, Op::Trim, each)];
            if writes {
                ops.push(of(&step.ops, Op::Write, each));
            }
            step.ops = ops.clone();
            step.streams = vec![StreamSummary {
                workload: "oltp".into(),
                ops,
                ..StreamSummary::default()
            }];
        });
        let found = found(check(&case.view()));
        assert_eq!(found.len(), 1, "{truth}");
        let said = found[0].values.iter().find(|v| v.name == "of_holes");
        let said = said.and_then(|v| v.quantity.number()).expect("a share");
        assert!((said - truth).abs() < 0.02, "{said} where {truth} is true");
    }
}
