use crate::{RuleAnswer, RuleFinding, RunView, applies, arrays, clean_unless, findings};
use plimsoll_evidence::{ArrayEvidence, OpSummary, Quantity, StepEvidence};
use plimsoll_measure::Op;
use plimsoll_plan::Target;
use plimsoll_printable::human;

rule! {
    210 "others-on-the-array" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTHING] pitfalls [50] {
        summary: "Somebody else used the array.",
        why: "An array's cores, ports, cache and media are everybody's. What other hosts ask of it, on other volumes too, takes \
            its part of them, and the result is what was left.",
        threshold: "The array counted more bytes from hosts than Plimsoll moved on its targets, or more requests where those of \
            Plimsoll are at most 64 KiB and so are not split on their way, or more trims and the like (requests over its paths that are neither \
            reads nor writes): by more than 5 % after the mean number of I/Os in flight at both ends \
            and twice the rate's 95 % confidence interval (20 % where that is not available) are taken off. Where all that is more than a \
            quarter of what Plimsoll did, or its I/Os were split or merged on their way, so that small ones of others would not show, \
            it is not observable. Not judged where \
            targets go through the page cache, or layers make more of the I/Os (RAID, loop devices, copies, snapshots, journals of durable \
            writes to files), where files are copied, whose reads and writes are not counted apart, and where several hosts ran together. An array that counts each volume alone does not show it, and one that \
            does not count the requests of its paths does not show the trims of others.",
        source: "The array's own front-end counters against the step's own I/Os, over the same time.",
        example: "A second client on another LUN: the array counted 40,000 requests, of which 20,000 were Plimsoll's, and the rate \
            was half of what it is alone.",
        remedy: "Find who it is (the array's list of hosts and volumes), stop it, and measure again.",
    }
    fires: |o| counted(o, 12_000_000, 2 * 49_152_000_000),
    clean: |o| counted(o, 6_000_100, 49_153_000_000),
}

/// What others add, as a share of the own.
const SOME: f64 = 0.05;
/// Each end of the rate's 95 % confidence interval is about two standard errors away.
const INTERVALS: f64 = 2.0;
/// In the place of that, where there is none: the share of the rate that chance may be.
const UNSURE: f64 = 0.2;
/// Others who ask for this part of what Plimsoll does have to show: where they may not, nothing is known of them.
const WORTH: f64 = 0.25;
/// What is no larger is not split on its way, bytes.
const WHOLE: f64 = 65_536.0;

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real() && view.environment.hosts().count() == 1 && is_plain(view))?;
    let lacks = "what came to the array from hosts: it does not tell";
    let reported = arrays::telling_ever(view, lacks, |a| a.front_end.is_some())?;
    let mut found = Vec::new();
    let mut unclear = None;
    for (step, array) in reported {
        match others(view, step, array) {
            Others::RuleFinding(seen) => found.push(*seen),
            Others::Unclear(why) => unclear = unclear.or(Some(why)),
            Others::None => {}
        }
    }
    clean_unless(
        findings(found),
        unclear.is_some(),
        unclear.unwrap_or_default(),
    )
}

/// What is known of others.
enum Others {
    RuleFinding(Box<RuleFinding>),
    /// They may have been there, for this reason.
    Unclear(&'static str),
    None,
}

/// Whether each I/O comes to the array as one, of the same bytes.
fn is_plain(view: &RunView<'_>) -> bool {
    let buffered = view.plan.is_some_and(|plan| {
        let mut targets = plan.targets.iter();
        targets.any(Target::is_buffered)
    });
    let mut layers = view.environment.targets.iter().flat_map(|t| &t.stack);
    !buffered && !journaled(view) && !copies(view) && !layers.any(crate::accounts::multiplies)
}

/// Whether a file system writes its journal beside the step's writes: each that is to be durable may commit it.
fn journaled(view: &RunView<'_>) -> bool {
    let planned = view.plan.iter().flat_map(|p| &p.targets);
    let mut both = view.environment.targets.iter().zip(planned);
    let writes = |s: &StepEvidence| s.ops.iter().any(|o| o.op == Op::Write && o.ios > 0);
    view.measured().any(writes) && both.any(|(t, p)| t.filesystem.is_some() && p.is_durable())
}

/// Whether files are copied, each by so many reads and writes.
fn copies(view: &RunView<'_>) -> bool {
    let copies = |s: &StepEvidence| s.ops.iter().any(|o| o.op == Op::Copy);
    view.measured().any(copies)
}

/// Requests and the bytes of those that move some.
#[derive(Clone, Copy, Default)]
struct RequestTotals {
    ios: f64,
    bytes: f64,
    /// Those that are neither reads nor writes.
    rest: f64,
}

impl RequestTotals {
    fn times(self, part: f64) -> RequestTotals {
        RequestTotals {
            ios: self.ios * part,
            bytes: self.bytes * part,
            rest: self.rest * part,
        }
    }
}

/// What hosts asked of an array. Of trims and the like its paths alone tell.
fn asked(array: &ArrayEvidence) -> Option<RequestTotals> {
    let front = array.front_end?;
    let ios = front.reads.count as f64 + front.writes.count as f64;
    let paths: f64 = array.paths.iter().map(|p| p.requests as f64).sum();
    Some(RequestTotals {
        ios,
        bytes: front.reads.bytes as f64 + front.writes.bytes as f64,
        rest: (paths - ios - front.failed as f64).max(0.0),
    })
}

fn others(view: &RunView<'_>, step: &StepEvidence, array: &ArrayEvidence) -> Others {
    let Some(all) = asked(array) else {
        return Others::None;
    };
    let ours = ours(view, step, array).times(array.observed_s / step.counted_s);
    let done = ours.ios + ours.rest;
    if done == 0.0 {
        return Others::None;
    }
    let size = ours.bytes / ours.ios.max(1.0);
    let half = step.rate.half_width.map(|half| half / step.rate.mean);
    let chance = half.map_or(UNSURE, |half| INTERVALS * half);
    let out = 2.0 * step.depth_mean + (step.errors + step.unfinished) as f64;
    let most = |ours: f64, each: f64| ours * (1.0 + SOME + chance) + out * each;
    let beyond = |all: f64, ours: f64, each: f64| all - most(ours, each);
    let more_bytes = beyond(all.bytes, ours.bytes, size) > 0.0;
    let more_ios = beyond(all.ios, ours.ios, 1.0) > 0.0;
    let more_rest = beyond(all.rest, ours.rest, 1.0) > SOME * done && !flushes(view);
    let merged = all.ios < ours.ios * (1.0 - SOME - chance) - out;
    match () {
        () if more_bytes || (more_ios && size <= WHOLE) => {
            let most = [most(ours.ios, 1.0), most(ours.bytes, size)];
            Others::RuleFinding(seen(step, array, ours, all, most))
        }
        () if more_rest => {
            Others::RuleFinding(seen_rest(step, array, ours, all, most(ours.rest, 1.0)))
        }
        () if SOME + chance + out / done > WORTH => Others::Unclear(
            "what others asked of the array: Plimsoll did too little, or too unevenly, for a quarter as much of others to show; measure longer",
        ),
        () if more_ios || merged => Others::Unclear(
            "small requests of others: the array counted another number of requests than Plimsoll issued, as they are split or merged on \
             their way",
        ),
        () => Others::None,
    }
}

/// Whether targets are flushed, of which a step's operations do not tell.
fn flushes(view: &RunView<'_>) -> bool {
    let durable = |plan: &plimsoll_plan::Plan| {
        let mut targets = plan.targets.iter();
        targets.any(Target::is_durable)
    };
    view.plan.is_none_or(durable)
}

fn seen(
    step: &StepEvidence,
    array: &ArrayEvidence,
    ours: RequestTotals,
    all: RequestTotals,
    [most, most_bytes]: [f64; 2],
) -> Box<RuleFinding> {
    let message = format!(
        "{} counted {} requests of {} from hosts while Plimsoll had {} of {} done there: somebody else used it.",
        array.name,
        human::count(all.ios as u64),
        human::bytes(all.bytes as u64),
        human::count(ours.ios as u64),
        human::bytes(ours.bytes as u64)
    );
    let seen = RuleFinding::new(message).step(step.number);
    Box::new(
        seen.judged("array", Quantity::Number(all.ios), most)
            .judged("array_bytes", Quantity::Bytes(all.bytes as u64), most_bytes)
            .value("own", Quantity::Number(ours.ios))
            .value("own_bytes", Quantity::Bytes(ours.bytes as u64)),
    )
}

fn seen_rest(
    step: &StepEvidence,
    array: &ArrayEvidence,
    ours: RequestTotals,
    all: RequestTotals,
    most: f64,
) -> Box<RuleFinding> {
    let message = format!(
        "{} counted {} requests that were neither reads nor writes while Plimsoll had {} trims done there: somebody else used it.",
        array.name,
        human::count(all.rest as u64),
        human::count(ours.rest as u64)
    );
    let seen = RuleFinding::new(message).step(step.number);
    Box::new(
        seen.judged("array", Quantity::Number(all.rest), most)
            .value("own", Quantity::Number(ours.rest)),
    )
}

/// The I/Os of the step that may have come to this array: all but those on targets of another one. The same array
/// may tell of itself in several places, and of a target that has none nobody knows where it lies.
fn ours(view: &RunView<'_>, step: &StepEvidence, array: &ArrayEvidence) -> RequestTotals {
    let elsewhere = |target: u32| {
        let target = view.environment.targets.get(target as usize);
        let others = step.arrays.iter().filter(|a| a.name != array.name);
        let mut names = others.flat_map(|a| &a.targets);
        target.is_some_and(|t| names.any(|name| *name == t.name))
    };
    let sum = |ops: &mut dyn Iterator<Item = &OpSummary>| {
        ops.fold(RequestTotals::default(), |sum, o| {
            match o.op.moves_bytes() {
                false => RequestTotals {
                    rest: sum.rest + o.ios as f64,
                    ..sum
                },
                true => RequestTotals {
                    ios: sum.ios + o.ios as f64,
                    bytes: sum.bytes + o.bytes as f64,
                    ..sum
                },
            }
        })
    };
    if step.streams.is_empty() {
        return sum(&mut step.ops.iter());
    }
    let here = step.streams.iter().filter(|s| !elsewhere(s.target));
    sum(&mut here.flat_map(|s| s.ops.iter()))
}

/// An array beside the sound run's 6,000,000 reads of 8 KiB, that counted so many of so many bytes.
#[cfg(test)]
fn counted(o: &mut crate::known::Observed, count: u64, bytes: u64) {
    arrays::with(o, |a| {
        let mut front = plimsoll_evidence::FrontEndUse::default();
        (front.reads.count, front.reads.bytes) = (count, bytes);
        (a.front_end, a.targets) = (Some(front), vec!["disk".into()]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{Observed, changed, found};
    use plimsoll_plan::{Caching, Durability};

    fn of(change: impl FnOnce(&mut Observed)) -> Vec<RuleFinding> {
        found(check(&changed(change).view()))
    }

    const BYTES: u64 = 49_152_000_000;

    #[test]
    fn both_counts_are_named_and_the_edge_lies_at_five_percent_and_what_chance_may_do() {
        let more = |percent: u64| {
            of(|o| counted(o, 60_000 * (100 + percent), BYTES / 100 * (100 + percent)))
        };
        // The half width is half a percent: 6 % in all.
        assert_eq!(more(5), []);
        assert_eq!(more(7).len(), 1);
        let message = &more(100)[0].message;
        holds!(message, "12,000,000 requests", "Plimsoll had 6,000,000 of");
        let unsure = of(|o| {
            counted(o, 7_200_000, BYTES / 100 * 120);
            o.step().rate.half_width = None;
        });
        assert_eq!(unsure, []);
    }

    #[test]
    fn what_is_split_or_merged_on_its_way_is_nobody_elses() {
        let large = |count: u64, bytes: u64| {
            of(|o| {
                o.step().ops[0].bytes = 6_000_000 << 20;
                counted(o, count, bytes);
            })
        };
        assert_eq!(large(12_000_000, 6_000_000 << 20), []);
        assert_eq!(large(12_000_000, 7_000_000 << 20).len(), 1);
        assert_eq!(of(|o| counted(o, 750_000, BYTES)), []);
    }

    #[test]
    fn own_ios_on_another_target_and_of_other_hosts_are_not_others() {
        // Small ones of somebody else beside large own ones would not show in bytes alone.
        assert_eq!(of(|o| counted(o, 12_000_000, BYTES + 1)).len(), 1);
        let together = of(|o| {
            counted(o, 12_000_000, 2 * BYTES);
            let host = o.environment.host.clone();
            o.environment.more_hosts.push(host);
        });
        assert_eq!(together, []);
        let buffered = of(|o| {
            counted(o, 12_000_000, 2 * BYTES);
            o.plan.targets[0].caching = Caching::Buffered;
        });
        assert_eq!(buffered, []);
    }

    #[test]
    fn the_journal_of_durable_writes_to_files_is_nobody_elses() {
        let with = |op: Op, durability: Durability, filesystem: Option<&str>| {
            of(|o| {
                counted(o, 12_000_000, 2 * BYTES);
                o.step().ops[0].op = op;
                o.plan.targets[0].durability = durability;
                o.environment.targets[0].filesystem = filesystem.map(Into::into);
            })
        };
        let ext4 = Some("ext4");
        assert_eq!(with(Op::Write, Durability::Dsync, ext4), []);
        assert_eq!(with(Op::Copy, Durability::None, None), []);
        // Reads, writes that wait for nothing, and a device without files have no journal.
        assert_eq!(with(Op::Read, Durability::Dsync, ext4).len(), 1);
        assert_eq!(with(Op::Write, Durability::None, ext4).len(), 1);
        assert_eq!(with(Op::Write, Durability::Dsync, None).len(), 1);
    }

    fn answer(change: impl FnOnce(&mut Observed)) -> RuleAnswer {
        check(&changed(change).view())
    }

    fn unclear(answer: &RuleAnswer, word: &str) -> bool {
        matches!(answer, Err(crate::NotObservable(why)) if why.contains(word))
    }

    #[test]
    fn where_a_quarter_of_others_would_not_show_nothing_is_known_of_them() {
        // A tenth as many own ones, of which as many again may be in flight at the ends.
        let deep = |depth: f64| {
            answer(|o| {
                counted(o, 7_000_000, BYTES / 6 * 7);
                o.step().depth_mean = depth;
            })
        };
        assert!(crate::known::fires(deep(8.0)));
        assert!(unclear(&deep(1e6), "a quarter as much"), "{:?}", deep(1e6));
        let unsure = answer(|o| {
            counted(o, 6_000_000, BYTES);
            o.step().rate.half_width = None;
        });
        assert!(unclear(&unsure, "measure longer"), "{unsure:?}");
        // Slots that are there and not used tell nothing.
        let slots = answer(|o| {
            counted(o, 6_600_000, BYTES / 10 * 11);
            o.step().slots = 1_000_000;
        });
        assert!(crate::known::fires(slots.clone()), "{slots:?}");
    }

    #[test]
    fn small_ios_of_others_beside_what_is_split_or_merged_may_be_there() {
        let split = answer(|o| {
            o.step().ops[0].bytes = 6_000_000 << 20;
            counted(o, 12_000_000, 6_000_000 << 20);
        });
        assert!(unclear(&split, "small requests"), "{split:?}");
        let merged = answer(|o| counted(o, 750_000, BYTES));
        assert!(unclear(&merged, "small requests"), "{merged:?}");
        let whole = answer(|o| {
            o.step().ops[0].bytes = 6_000_000 << 20;
            counted(o, 6_000_000, 6_000_000 << 20);
        });
        assert_eq!(whole, Ok(vec![]));
    }

    #[test]
    fn trims_of_others_show_where_paths_are_counted() {
        let with = |paths: [u64; 2], durability| {
            answer(|o| {
                counted(o, 6_000_000, BYTES);
                o.plan.targets[0].durability = durability;
                let path = |requests| plimsoll_evidence::ArrayPath {
                    port: None,
                    state: "active".into(),
                    requests,
                    failed: 0,
                };
                o.step().arrays[0].paths = paths.map(path).into();
            })
        };
        let none = Durability::None;
        assert_eq!(with([3_000_000, 3_000_100], none), Ok(vec![]));
        let Ok(seen) = with([3_000_000, 4_000_000], none) else {
            panic!("1,000,000 trims of somebody else");
        };
        let message = &seen[0].message;
        holds!(message, "1,000,000 requests that were neither");
        // Own flushes are in no operation.
        let durable = with([3_000_000, 4_000_000], Durability::FsyncEvery(8));
        assert_eq!(durable, Ok(vec![]));
    }

    #[test]
    fn half_of_the_time_is_held_against_half_of_the_own() {
        let half = of(|o| {
            counted(o, 4_000_000, BYTES / 3 * 2);
            o.step().arrays[0].observed_s = 300.0;
        });
        assert_eq!(half.len(), 1);
    }
}
