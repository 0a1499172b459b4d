//! Known defects of tools' versions, each asked of a result that may have met it.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::format::fio_defects::{
    COUNTS_LONG, COUNTS_WIDE, DECIMALS_RIGHT, DECIMALS_WRONG, FORGETS_RAMP, OVERFLOWN,
    SAMPLES_RIGHT, SAMPLES_WRONG, STAMPS_POLLED, STAMPS_SYNCS, UNSTAMPED, WITH_RAMP,
    stamps_behind_syncs,
};
use crate::model::{ForeignResult, Format, Latency, Run, Tool};
use crate::version::numbers;
use plimsoll_evidence::{Quantity, Severity};

/// Known defects.
pub const CHECK: Check = Check {
    rules: &[545],
    look,
};

/// A defect of a tool.
struct Defect {
    tool: Tool,
    /// The first version that has it, and the first that has it no more; `None` where none is known.
    versions: (Option<&'static [u32]>, Option<&'static [u32]>),
    /// True where a run met the defect, or may have.
    met: fn(&ForeignResult, &Run) -> bool,
    at_most: Severity,
    what: &'static str,
    source: &'static str,
}

const DEFECTS: &[Defect] = &[
    Defect {
        tool: Tool::Fio,
        versions: (None, Some(&[3, 42])),
        met: |_, run| {
            let blocks = |run: &Run| {
                let (smallest, _) = run.asked.block.filter(|(smallest, _)| smallest.0 > 0)?;
                Some(run.asked.target_size?.0 / smallest.0)
            };
            let many = blocks(run).is_some_and(|n| n > u64::from(u32::MAX));
            many && run.asked.random == Some(true) && !run.asked.wide_generator
        },
        at_most: Severity::Suspect,
        what: "its random numbers have 32 bits, fewer than this target has blocks: parts of it were never visited, although fio says that it \
            switched to tausworthe64",
        source: "fio's issue 2036",
    },
    Defect {
        tool: Tool::Fio,
        versions: (Some(&[3, 41]), Some(&[3, 42])),
        met: |_, run| run.asked.reads_back && run.asked.engine.as_deref() == Some("io_uring_cmd"),
        at_most: Severity::Suspect,
        what: "its verification fails on sound data where the engine is io_uring_cmd: neither its errors nor their absence say anything of the data",
        source: "fio's issue 2026",
    },
    Defect {
        tool: Tool::Fio,
        versions: (None, None),
        met: |_, run| {
            let rows = run.rows.iter();
            let mut sides = rows.flat_map(|row| [&row.all, &row.reads, &row.writes]);
            sides.any(|side| {
                let times = std::iter::once(&side.latency).chain(&side.completion);
                times
                    .flat_map(|of| &of.percentiles)
                    .any(|(_, at)| Latency::is_capped(*at))
            })
        },
        at_most: Severity::Suspect,
        what: "its buckets end at 17.1 s (16.7 s before 3.0), and all that took longer is counted as that: such percentiles are those or more",
        source: "fio's issue 1668",
    },
    Defect {
        tool: Tool::Fio,
        versions: (Some(&[3]), Some(COUNTS_LONG)),
        met: |_, run| {
            let longest = run.rows.iter().filter_map(|row| row.all.latency.max);
            longest.max().is_some_and(|max| max.0 >= 1_000_000_000)
        },
        at_most: Severity::Note,
        what: "it loses I/Os of a second and more from its shares by time: what these lack to 100 % took so long",
        source: "fio's commit c5daece6",
    },
    Defect {
        tool: Tool::Fio,
        versions: (None, Some(FORGETS_RAMP)),
        met: |_, run| has_shares(run, WITH_RAMP),
        at_most: Severity::Note,
        what: "it counts the depths of I/Os in the ramp (ramp_time) and then forgets the I/Os: its IO depths add up to more than 100 %",
        source: "fio's commit 8eb142dd",
    },
    Defect {
        tool: Tool::Fio,
        versions: (None, Some(COUNTS_WIDE)),
        met: |_, run| has_shares(run, OVERFLOWN),
        at_most: Severity::Note,
        what: "it counts what its shares are of in 32 bits, and these counts began anew at 4,294,967,296: shares by depth and by time lack that many \
            I/Os, and are not looked at",
        source: "fio's commit 6cc0e5aa",
    },
    Defect {
        tool: Tool::Fio,
        versions: (None, Some(STAMPS_POLLED)),
        met: |_, run| has_shares(run, UNSTAMPED),
        at_most: Severity::Note,
        what: "with sqthread_poll, and with some engines of others, nothing stamps when an I/O was submitted: its completion times (clat) with their percentiles, and its shares by \
            time, begin with fio itself, and are not looked at. Its total times (lat) are sound",
        source: "fio's commit c011bf12",
    },
    Defect {
        tool: Tool::Fio,
        versions: (None, Some(STAMPS_SYNCS)),
        met: |result, run| stamps_behind_syncs(run, result.version.as_deref()),
        at_most: Severity::Note,
        what: "with an engine that is not synchronous it stamps a sync when that is done: its times of syncs are those of nothing, and what the \
            syncs took is in no time that it tells",
        source: "fio's commit 4e7e7898",
    },
    Defect {
        tool: Tool::Fio,
        versions: (Some(DECIMALS_WRONG), Some(DECIMALS_RIGHT)),
        met: |result, _| result.format == Format::FioText,
        at_most: Severity::Note,
        what: "its text tells decimals of rates, bandwidths and amounts wrong (23.99 MiB/s as 23.2): they are not looked at, and rates are those \
            of its counts",
        source: "fio's commits d694a6a7 and 9e55f2c7",
    },
    Defect {
        tool: Tool::Fio,
        versions: (Some(SAMPLES_WRONG), Some(SAMPLES_RIGHT)),
        met: |_, run| {
            run.rows.iter().any(|row| row.is_sampled) && run.counted_s().is_some_and(|s| s >= 1.0)
        },
        at_most: Severity::Note,
        what: "its samples of rate and bandwidth (min, max, avg, stdev) are off, often low by a third and more, for they are told as if each had \
            taken the time that was asked: they are not looked at",
        source: "fio's commits a47591e4 and cdb8308d",
    },
    Defect {
        tool: Tool::Fio,
        versions: (None, None),
        met: |_, run| {
            let reads = run.rows.iter().map(|row| &row.reads);
            run.asked.times_begin_before
                && reads.into_iter().any(|side| side.latency.mean.is_some())
        },
        at_most: Severity::Suspect,
        what: "with disable_slat it takes no stamp before it reads back what it wrote: total times (lat) of these reads begin when their slot \
            was used last, and are far too long. Its completion times (clat) are sound",
        source: "do_verify in fio's backend.c",
    },
    Defect {
        tool: Tool::DiskSpd,
        versions: (Some(&[2, 3]), None),
        met: |_, _| true,
        at_most: Severity::Note,
        what: "it starts on the fast cores and parts buffers of reads and writes unless told otherwise, and earlier versions do not: it is not \
            to be compared with their results",
        source: "the notes of DiskSPD 2.3",
    },
];

fn look(result: &ForeignResult) -> CheckAnswer {
    let doubts = DEFECTS
        .iter()
        .filter(|defect| defect.is_in(result))
        .map(|defect| {
            let hits = result
                .runs
                .iter()
                .filter(|run| (defect.met)(result, run))
                .map(|run| {
                    let version = result
                        .version
                        .clone()
                        .unwrap_or_else(|| "of an unknown version".into());
                    let values = [
                        ("tool", Quantity::Text(result.tool.name().into())),
                        ("version", Quantity::Text(version)),
                        ("what", Quantity::Text(defect.what.into())),
                        ("source", Quantity::Text(defect.source.into())),
                    ];
                    Hit::new(run, run.at, 1.0, values)
                });
            doubt(545, "known-defect", defect.at_most, hits.collect())
        });
    answer(result.runs.len(), "a run", doubts.collect::<Vec<_>>())
}

/// True where a run has shares of this kind.
fn has_shares(run: &Run, kind: &str) -> bool {
    let mut shares = run.rows.iter().flat_map(|row| &row.shares);
    shares.any(|(of, _)| *of == kind)
}

impl Defect {
    /// True where a result is of the tool in a version that has the defect. A result without a version may be of any, unless the defect is
    /// of some only.
    fn is_in(&self, result: &ForeignResult) -> bool {
        let (from, before) = self.versions;
        let of_version = match result.version.as_deref().map(numbers) {
            Some(version) => {
                from.is_none_or(|from| version.as_slice() >= from)
                    && before.is_none_or(|before| version.as_slice() < before)
            }
            None => from.is_none(),
        };
        self.tool == result.tool && of_version
    }
}
