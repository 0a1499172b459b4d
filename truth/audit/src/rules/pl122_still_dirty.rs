use crate::accounts::{self, Account};
use crate::{RuleAnswer, RuleFinding, RunView, applies, others};
use plimsoll_evidence::witnessed::{CacheUse, DeviceUse};
use plimsoll_evidence::{OpSummary, Quantity, Severity, StepEvidence, StreamSummary, Witnessed};
use plimsoll_measure::Op;
use plimsoll_plan::{Caching, Plan};
use plimsoll_printable::human;

rule! {
    122 "still-dirty" Run(check) [NOTE, SUSPECT, INVALID, INVALID, NOTE] pitfalls [10] {
        summary: "The page cache of the host took the writes: the storage did not get them by the end.",
        why: "A buffered write is done when it is in memory. What has not been written down by the end was never asked of the \
            storage, and its time is in no result.",
        threshold: "At the end of the counted time, more than 5 % of the bytes that were written to a target lay dirty, or on their \
            way, in the page cache; or the disks below it wrote less than half of them. Suspect at most where they wrote more, or less than \
            64 MiB was written.",
        source: "cachestat(2) of the target; the 5 % are those of the catalogue. KDiskMark once showed such writes as the disk's.",
        example: "2 GiB written in a second, 1.9 GiB of them dirty at the end: the disk wrote 100 MB/s.",
        remedy: "Use caching = \"direct\", or durability = \"dsync\", or write for so long that the kernel has to keep up.",
    }
    fires: |o| buffered(o, 4_000_000_000),
    clean: |o| buffered(o, 2_000_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.recorded_plan()?;
    let buffered = |name: &str| {
        let mut targets = plan.targets.iter();
        targets.any(|t| t.name == name && t.is_buffered())
    };
    let writes = plan.steps().flat_map(|s| &s.streams).any(|s| {
        let target = plan.targets.get(s.target.0 as usize);
        s.mix.write > 0.0 && target.is_some_and(|t| t.opening(s).caching == Caching::Buffered)
    });
    applies(writes)?;
    let reported = |seen: &Witnessed| {
        let caches = seen.caches.iter().filter(|c| buffered(&c.target));
        let reported: Vec<CacheUse> = caches
            .filter(|c| c.dirty_bytes.is_some())
            .cloned()
            .collect();
        (!reported.is_empty()).then_some(reported)
    };
    others::ask(
        view,
        "how much of the targets lay dirty in the page cache (cachestat, Linux 6.5)",
        reported,
        |step, seen, caches| {
            let of_target = |cache: &CacheUse| {
                let is_here = |name: &str| cache.target == name;
                let written = written(plan, step, &is_here);
                let disks = disks(view, seen, &is_here);
                left_in_memory(step, written, in_memory(cache), disks.as_deref())
            };
            caches.iter().filter_map(of_target).collect()
        },
    )
}

/// Bytes that a step wrote to some targets.
fn written(plan: &Plan, step: &StepEvidence, is_here: &impl Fn(&str) -> bool) -> u64 {
    let here = |s: &&StreamSummary| {
        let target = plan.targets.get(s.target as usize);
        s.host == 0 && target.is_some_and(|t| is_here(&t.name))
    };
    let of_streams = step.streams.iter().filter(here).flat_map(|s| &s.ops);
    let ops: Vec<&OpSummary> = match step.streams.is_empty() {
        true => step.ops.iter().collect(),
        false => of_streams.collect(),
    };
    let writes = ops.into_iter().filter(|o| o.op == Op::Write);
    writes.fold(0, |sum, o| sum.saturating_add(o.bytes))
}

fn in_memory(cache: &CacheUse) -> u64 {
    let dirty = cache.dirty_bytes.unwrap_or(0);
    dirty.saturating_add(cache.writeback_bytes.unwrap_or(0))
}

/// The disks below the targets, each once; `None` where one of them was not seen, or a target has none.
fn disks<'a>(
    view: &RunView<'_>,
    seen: &'a Witnessed,
    is_here: &impl Fn(&str) -> bool,
) -> Option<Vec<&'a DeviceUse>> {
    let mut found: Vec<&DeviceUse> = Vec::new();
    for target in view.environment.targets.iter().filter(|t| is_here(&t.name)) {
        let names = accounts::bottom(target);
        if names.is_empty() {
            return None;
        }
        for name in names {
            let device = seen.device(name)?;
            if !found.iter().any(|d| d.name == device.name) {
                found.push(device);
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

fn left_in_memory(
    step: &StepEvidence,
    written: u64,
    left: u64,
    disks: Option<&[&DeviceUse]>,
) -> Option<RuleFinding> {
    let share = others::share(left as f64, written as f64);
    // What was written over and over went down once, or not at all: what is not dirty need not have been written either.
    let down = disks.map(|disks| disks.iter().map(|d| d.written_bytes).sum::<u64>());
    let reached = down.map_or(1.0 - share, |down| {
        others::share(down as f64, written as f64)
    });
    if share <= LEFT && reached >= REACHED {
        return None;
    }
    let each_s = |bytes: u64| human::bytes((bytes as f64 / step.counted_s) as u64);
    let wrote = match disks.zip(down) {
        Some((disks, down)) => format!(", and {} wrote {}/s", Account::names(disks), each_s(down)),
        None => String::new(),
    };
    let message = format!(
        "The page cache took {}/s of writes{wrote}: {}, {} of what was written, lay in memory at the end{}.",
        each_s(written),
        human::bytes(left),
        human::percent(share.min(1.0)),
        match reached < REACHED && share < 1.0 - REACHED {
            true => ", and most was written over before it was written down",
            false => "",
        }
    );
    let found = RuleFinding::new(message)
        .value("in_memory", Quantity::Bytes(left))
        .at_most(match reached < REACHED && written >= MUCH {
            true => Severity::Invalid,
            false => Severity::Suspect,
        });
    Some(match share > LEFT {
        true => found.judged("share", Quantity::Share(share), LEFT),
        false => found.judged("reached", Quantity::Share(reached), REACHED),
    })
}

/// Bytes of writes that a result can be of.
const MUCH: u64 = 67_108_864;
/// Of what was written the disks saw less than this.
const REACHED: f64 = 0.5;
const LEFT: f64 = 0.05;

#[cfg(test)]
fn buffered(o: &mut crate::known::Observed, dirty: u64) {
    crate::known::writing(&mut o.plan);
    o.plan.targets[0].caching = Caching::Buffered;
    o.step().ops[0].op = Op::Write;
    let written = o.step().ops[0].bytes;
    o.device().written_bytes = written;
    o.witnessed().caches[0].dirty_bytes = Some(dirty);
}

#[test]
fn what_the_disks_wrote_is_their_own_count_and_not_reckoned_from_what_is_dirty() {
    let message = |seen: bool| {
        let case = crate::known::changed(|o| {
            buffered(o, 4_000_000_000);
            o.device().written_bytes = 600 << 20;
            if !seen {
                o.witnessed().devices.clear();
            }
        });
        crate::known::found(check(&case.view()))[0].message.clone()
    };
    assert!(
        message(true).contains(", and sdx wrote 1.00 MiB/s: 3.73 GiB, 8.1% of what was written, lay in memory at the end, and most"),
        "{}",
        message(true)
    );
    assert!(
        message(false).ends_with(
            "/s of writes: 3.73 GiB, 8.1% of what was written, lay in memory at the end."
        ),
        "{}",
        message(false)
    );
}

#[test]
fn what_is_written_over_in_memory_and_never_reaches_the_disk_is_found_though_little_is_dirty() {
    let with = |written: u64| {
        let case = crate::known::changed(|o| {
            buffered(o, 64 << 20);
            o.device().written_bytes = written;
        });
        check(&case.view())
    };
    // 49.152 GB were written. Half of them is the edge of invalid, as of reads that the page cache answered.
    let found = |written| crate::known::found(with(written))[0].clone();
    let few = found(64 << 20);
    assert!(
        few.message.contains("most was written over") && few.message.contains("and sdx wrote"),
        "{few:?}"
    );
    assert_eq!(few.at_most, Severity::Invalid);
    assert_eq!(found(24_500_000_000).at_most, Severity::Invalid);
    assert_eq!(with(48_000_000_000), Ok(vec![]));
}

#[test]
fn what_lies_dirty_of_a_target_is_held_against_its_own_writes() {
    // 49 GB in all, of which one part in twenty went through the page cache; 2 GB of those are dirty.
    let case = crate::known::changed(|o| {
        buffered(o, 2_000_000_000);
        crate::known::on_two_disks(o, 0.05);
        o.plan.targets[1].caching = Caching::Direct;
    });
    let seen = crate::known::found(check(&case.view()));
    assert_eq!(seen.len(), 1);
    let message = &seen[0].message;
    holds!(message, "81% of what was written", "and sdx wrote");
}
