//! What the lab's arrays did in a step, as evidence.

use crate::enough;
use crate::lab::LabArrayFacts;
use crate::look::{FilerLook, Look, MediaLook};
use plimsoll_array::path::Path;
use plimsoll_array::{PathCondition, Served};
use plimsoll_evidence::{
    ArrayEvidence, ArrayInterval, ArrayPath, BackEndUse, Bucket, CoreUse, DriveUse, FilerUse,
    FrontEndUse, JournalUse, MediaUse, Phase, PortUse, Reduction, Requests,
};
use plimsoll_plan::{LabArray, Step, TargetId};

/// The arrays below one step's targets, looked at as it goes on.
pub struct ArrayWatch {
    arrays: Vec<Watched>,
}

struct Watched {
    /// Its place among the lab's arrays.
    at: usize,
    name: String,
    scale: f64,
    targets: Vec<String>,
    /// At the end of the warm-up.
    begun: Look,
    /// At the end of the last interval.
    last: Look,
    /// Whether that was counted.
    counted: bool,
    /// The longest mean time of an I/O in a counted interval, ns.
    longest_ns: Option<f64>,
    /// The array as it was asked for, and the I/Os that a closed loop keeps in flight on it, where those are many.
    kept: Option<(LabArray, u64)>,
}

impl ArrayWatch {
    /// Before a step: the arrays of its targets, and a look at each array of the lab. `name` names a target. A method that tries
    /// depths itself need not be told what fewer would do.
    pub fn new(
        step: &Step,
        tries_depths: bool,
        arrays: Vec<LabArrayFacts>,
        looks: Vec<Look>,
        name: impl Fn(TargetId) -> String,
    ) -> Self {
        let used = |target: &TargetId| step.depths.iter().any(|d| d.target == *target);
        let watched = |(at, (facts, look)): (usize, (LabArrayFacts, Look))| {
            let used: Vec<TargetId> = facts.targets.into_iter().filter(used).collect();
            // What is before a filer is not asked of the array.
            let is_asked = !tries_depths && look.filer.is_none();
            let kept = enough::kept(step, &used).filter(|_| is_asked);
            let kept = kept.map(|kept| (facts.asked, kept));
            let targets: Vec<String> = used.into_iter().map(&name).collect();
            (!targets.is_empty()).then(|| Watched {
                at,
                name: facts.name,
                scale: facts.scale,
                targets,
                begun: look.clone(),
                last: look,
                counted: false,
                longest_ns: None,
                kept,
            })
        };
        let all = arrays.into_iter().zip(looks).enumerate();
        ArrayWatch {
            arrays: all.filter_map(watched).collect(),
        }
    }

    /// An interval has ended, with looks at all arrays of the lab.
    pub fn interval(&mut self, looks: &[Look], phase: Phase) -> Vec<ArrayInterval> {
        let advance = |array: &mut Watched| {
            let look = &looks[array.at];
            let interval = over_time(&array.last, look);
            match phase {
                Phase::WarmUp => array.begun.clone_from(look),
                Phase::Counted => {
                    array.counted = true;
                    array.longest_ns = mean_ns(&array.last, look)
                        .into_iter()
                        .chain(array.longest_ns)
                        .reduce(f64::max);
                }
                Phase::Drain => return interval,
            }
            array.last.clone_from(look);
            interval
        };
        self.arrays.iter_mut().map(advance).collect()
    }

    /// What the arrays did in the counted time; nothing where none was counted.
    pub fn finish(self) -> Vec<ArrayEvidence> {
        let counted = self.arrays.into_iter().filter(|a| a.counted);
        counted.map(Watched::evidence).collect()
    }
}

impl Watched {
    fn evidence(self) -> ArrayEvidence {
        let (a, b) = (&self.begun, &self.last);
        let length_ns = length(a, b);
        let counters = b.counters.since(&a.counters);
        let ios = (counters.reads.count + counters.writes.count) as f64;
        let bytes = (counters.reads.bytes + counters.writes.bytes) as f64;
        let enough = self
            .kept
            .as_ref()
            .filter(|_| ios > 0.0)
            .and_then(|(asked, kept)| {
                let reads = counters.reads.count as f64 / ios;
                enough::enough(asked, *kept, ios * 1e9 / length_ns, reads, bytes / ios)
            });
        let requests = |r: plimsoll_array::counters::Requests| Requests {
            count: r.count,
            bytes: r.bytes,
            mean_ns: (r.count > 0).then(|| r.mean_ns()),
        };
        ArrayEvidence {
            name: self.name,
            scale: Some(self.scale),
            targets: self.targets,
            observed_s: length_ns / 1e9,
            front_end: Some(FrontEndUse {
                reads: requests(counters.reads),
                writes: requests(counters.writes),
                failed: counters.failed,
            }),
            back_end: Some(BackEndUse {
                reads: counters.media_reads,
                writes: counters.media_writes,
            }),
            read_source: buckets(&counters.read_source),
            write_destination: buckets(&counters.write_destination),
            cores: cores(a, b),
            ports: a
                .ports_busy_ns
                .iter()
                .zip(&b.ports_busy_ns)
                .map(|(a, b)| PortUse {
                    utilisation: share(b.saturating_sub(*a), length_ns),
                })
                .collect(),
            paths: a.paths.iter().zip(&b.paths).map(path).collect(),
            media: [
                media("flash dies", a.dies.as_ref(), b.dies.as_ref(), length_ns),
                media("disks", a.disks.as_ref(), b.disks.as_ref(), length_ns),
            ]
            .into_iter()
            .flatten()
            .collect(),
            journal: a.journal.zip(b.journal).map(|(a, b)| JournalUse {
                fill_bytes: b.fill_bytes,
                capacity_bytes: b.capacity_bytes,
                waited_ns: b.waited_ns - a.waited_ns,
            }),
            write_amplification: write_amplification(a, b),
            filer: a.filer.zip(b.filer).map(|(a, b)| filer(a, b, length_ns)),
            longest_ns: self.longest_ns.filter(|_| b.filer.is_none()),
            enough,
            reduction: (counters.new_bytes > 0).then_some(Reduction {
                new_bytes: counters.new_bytes,
                stored_bytes: counters.stored_bytes,
                distinct_bytes: b.distinct_bytes,
            }),
        }
    }
}

fn over_time(a: &Look, b: &Look) -> ArrayInterval {
    let length_ns = length(a, b);
    let counters = b.counters.since(&a.counters);
    let cores = cores(a, b);
    let uses = || cores.iter().map(|c| c.utilisation);
    let rate = |count: u64| (length_ns > 0.0).then(|| count as f64 * 1e9 / length_ns);
    ArrayInterval {
        core_max: uses().reduce(f64::max),
        core_mean: (!cores.is_empty()).then(|| uses().sum::<f64>() / cores.len() as f64),
        front_end_iops: rate(counters.reads.count + counters.writes.count),
        back_end_iops: rate(counters.media_reads + counters.media_writes),
        journal_fill: b
            .journal
            .filter(|j| j.capacity_bytes > 0)
            .map(|j| j.fill_bytes as f64 / j.capacity_bytes as f64),
        write_amplification: write_amplification(a, b),
    }
}

/// Mean time of a read or write, ns; `None` where none came back.
fn mean_ns(a: &Look, b: &Look) -> Option<f64> {
    let done = b.counters.since(&a.counters);
    let (reads, writes) = (done.reads, done.writes);
    let sum_ns = reads.array_ns as f64 + writes.array_ns as f64;
    let count = reads.count + writes.count;
    (count > 0).then(|| sum_ns / count as f64)
}

fn length(a: &Look, b: &Look) -> f64 {
    (b.at_ns - a.at_ns) as f64
}

fn share(busy_ns: u64, length_ns: f64) -> f64 {
    match length_ns > 0.0 {
        true => busy_ns as f64 / length_ns,
        false => 0.0,
    }
}

fn cores(a: &Look, b: &Look) -> Vec<CoreUse> {
    let length_ns = length(a, b);
    let each = a.cores.iter().zip(&b.cores).map(|(a, b)| {
        let utilisation = share(b.busy_ns.saturating_sub(a.busy_ns), length_ns);
        // Of what was done it is not known whose it was, only of what was taken; they differ by the queue.
        let taken = (b.taken_ns - a.taken_ns) as f64;
        let of_taken = |ns: u64| Some(utilisation * share(ns, taken).min(1.0));
        CoreUse {
            controller: Some(b.controller),
            utilisation,
            owner_bound: of_taken(b.owner_ns - a.owner_ns),
            content_bound: of_taken(b.placed_ns - a.placed_ns),
        }
    });
    each.collect()
}

fn buckets(chunks: &[u64; Served::COUNT]) -> Vec<Bucket> {
    let all = Served::ALL.iter().zip(chunks);
    all.filter(|(_, chunks)| **chunks > 0)
        .map(|(served, chunks)| Bucket {
            place: served.name().into(),
            chunks: *chunks,
        })
        .collect()
}

fn path((a, b): (&Path, &Path)) -> ArrayPath {
    ArrayPath {
        port: Some(b.port),
        state: match b.state {
            PathCondition::Up => "up",
            PathCondition::Slow(_) => "slow",
            PathCondition::Down => "down",
            PathCondition::Silent => "silent",
        }
        .into(),
        requests: b.requests - a.requests,
        failed: b.failed - a.failed,
    }
}

fn media(
    kind: &str,
    a: Option<&MediaLook>,
    b: Option<&MediaLook>,
    length_ns: f64,
) -> Option<MediaUse> {
    let (a, b) = a.zip(b)?;
    let pairs = a.busy_ns.iter().zip(&b.busy_ns);
    let each: Vec<f64> = pairs
        .map(|(a, b)| share(b.saturating_sub(*a), length_ns))
        .collect();
    Some(MediaUse {
        kind: kind.into(),
        count: each.len() as u64,
        utilisation: each.iter().sum::<f64>() / each.len().max(1) as f64,
        busiest: each.iter().copied().reduce(f64::max),
        drives: drives(&each, &b.drives),
    })
}

/// How busy the drives were that dies are in, each by the mean of its dies.
fn drives(dies: &[f64], of: &[usize]) -> Option<DriveUse> {
    let mut sums = vec![(0.0, 0_u32); of.iter().max()? + 1];
    for (busy, drive) in dies.iter().zip(of) {
        sums[*drive].0 += busy;
        sums[*drive].1 += 1;
    }
    let each = sums.iter().filter(|(_, dies)| *dies > 0);
    let each = each.map(|(sum, dies)| sum / f64::from(*dies));
    Some(DriveUse {
        count: each.clone().count() as u64,
        busiest: each.fold(0.0, f64::max),
    })
}

fn filer(a: FilerLook, b: FilerLook, length_ns: f64) -> FilerUse {
    let (before, now) = (a.counters, b.counters);
    let threads_ns = now.threads_held_ns - before.threads_held_ns;
    FilerUse {
        calls: now.calls - before.calls,
        asked: now.asked - before.asked,
        by_client: now.by_client - before.by_client,
        changes: now.changes - before.changes,
        threads: b.threads,
        utilisation: share(threads_ns, length_ns * b.threads as f64),
        threads_waited_ns: now.threads_waited_ns - before.threads_waited_ns,
        directories_waited_ns: now.directories_waited_ns - before.directories_waited_ns,
        log_waited_ns: now.log_waited_ns - before.log_waited_ns,
        flushes: now.flushes - before.flushes,
        flushing_ns: now.flushing_ns - before.flushing_ns,
    }
}

fn write_amplification(a: &Look, b: &Look) -> Option<f64> {
    let (a, b) = a.pages.zip(b.pages)?;
    let (host, moved) = (b.host - a.host, b.moved - a.moved);
    (host > 0).then(|| (host + moved) as f64 / host as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::{CoreLook, JournalLook, PagesLook};
    use plimsoll_array::Counters;

    const S: u64 = 1_000_000_000;

    fn look(at_ns: u64) -> Look {
        Look {
            at_ns,
            counters: Counters::default(),
            cores: vec![core(0, 0, 0); 2],
            ports_busy_ns: vec![0],
            paths: vec![Path::default()],
            dies: None,
            disks: None,
            journal: None,
            pages: None,
            filer: None,
            distinct_bytes: None,
        }
    }

    fn core(busy_ns: u64, taken_ns: u64, owner_ns: u64) -> CoreLook {
        CoreLook {
            controller: 0,
            busy_ns,
            taken_ns,
            owner_ns,
            placed_ns: 0,
        }
    }

    fn watch() -> ArrayWatch {
        ArrayWatch {
            arrays: vec![Watched {
                at: 0,
                name: "lab:x".into(),
                scale: 16.0,
                targets: vec!["lun".into()],
                begun: look(0),
                last: look(0),
                counted: false,
                longest_ns: None,
                kept: None,
            }],
        }
    }

    #[test]
    fn the_warm_up_is_left_out_of_a_steps_evidence_and_not_of_its_course() {
        let mut watch = watch();
        let mut warm = look(S);
        warm.cores[0] = core(S, S, S);
        warm.counters.reads.count = 1_000;
        let mut end = look(3 * S);
        // A queue of half a second is left; three quarters of the work taken are the owner's.
        end.cores[0] = core(2 * S, 5 * S / 2, S + 9 * S / 8);
        end.counters.reads.count = 1_500;
        end.counters.read_source[Served::Cache as usize] = 500;

        let during = watch.interval(&[warm], Phase::WarmUp);
        assert_eq!(during[0].core_max, Some(1.0));
        assert_eq!(during[0].core_mean, Some(0.5));
        assert_eq!(during[0].front_end_iops, Some(1_000.0));
        let mut drained = end.clone();
        drained.at_ns = 5 * S;
        let after = watch.interval(&[end], Phase::Counted);
        assert_eq!(after[0].front_end_iops, Some(250.0));

        // What the array does after the end is in the interval's course, and in no step's.
        let drain = watch.interval(&[drained], Phase::Drain);
        assert_eq!(drain[0].front_end_iops, Some(0.0));

        let array = watch.finish().remove(0);
        assert_eq!(array.observed_s, 2.0);
        assert_eq!(array.front_end.map(|f| f.reads.count), Some(500));
        assert_eq!(array.cores[0].utilisation, 0.5);
        assert_eq!(array.cores[0].owner_bound, Some(0.375));
        assert_eq!(array.read_source[0].place, "cache");
        assert_eq!((array.journal, array.write_amplification), (None, None));
    }

    #[test]
    fn what_only_grows_is_a_difference_and_what_is_a_state_is_the_last() {
        let mut watch = watch();
        let journal = |fill_bytes, waited_ns| JournalLook {
            fill_bytes,
            capacity_bytes: 100,
            waited_ns,
        };
        let filled = |at_ns, fill, waited, host, moved| Look {
            journal: Some(journal(fill, waited)),
            pages: Some(PagesLook { host, moved }),
            ..look(at_ns)
        };
        watch.interval(&[filled(S, 90, 7, 1_000, 0)], Phase::WarmUp);
        let course = watch.interval(&[filled(2 * S, 50, 9, 2_000, 500)], Phase::Counted);
        assert_eq!(course[0].journal_fill, Some(0.5));
        let array = watch.finish().remove(0);
        assert_eq!(
            array.journal.map(|j| (j.fill_bytes, j.waited_ns)),
            Some((50, 2))
        );
        assert_eq!(array.write_amplification, Some(1.5));
    }

    #[test]
    fn a_step_of_which_nothing_counts_has_no_evidence() {
        let mut watch = watch();
        watch.interval(&[look(S)], Phase::WarmUp);
        assert_eq!(watch.finish(), []);
    }
}
