//! Known defects of tools' versions, each asked of a result that may have met it.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{ForeignResult, Run, Tool};
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
    /// Whether a run met it, or may have.
    met: fn(&Run) -> bool,
    at_most: Severity,
    what: &'static str,
    source: &'static str,
}

const DEFECTS: &[Defect] = &[
    Defect {
        tool: Tool::Fio,
        versions: (None, Some(&[3, 42])),
        met: |run| {
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
        met: |run| run.asked.reads_back && run.asked.engine.as_deref() == Some("io_uring_cmd"),
        at_most: Severity::Suspect,
        what: "its verification fails on sound data where the engine is io_uring_cmd: neither its errors nor their absence say anything of the data",
        source: "fio's issue 2026",
    },
    Defect {
        tool: Tool::Fio,
        versions: (None, None),
        met: |run| {
            let rows = run.rows.iter();
            let mut sides = rows.flat_map(|row| [&row.all, &row.reads, &row.writes]);
            sides.any(|side| {
                let times = std::iter::once(&side.latency).chain(&side.completion);
                times
                    .flat_map(|of| &of.percentiles)
                    .any(|(_, at)| LAST_BUCKET_NS.contains(&at.0))
            })
        },
        at_most: Severity::Suspect,
        what: "its buckets end at 17.1 s, and all that took longer is counted as that: percentiles of 17.1 s are those or more",
        source: "fio's issue 1668",
    },
    Defect {
        tool: Tool::DiskSpd,
        versions: (Some(&[2, 3]), None),
        met: |_| true,
        at_most: Severity::Note,
        what: "it starts on the fast cores and parts buffers of reads and writes unless told otherwise, and earlier versions do not: it is not \
            to be compared with their results",
        source: "the notes of DiskSPD 2.3",
    },
];

/// The last bucket of fio's histogram, ns.
const LAST_BUCKET_NS: std::ops::RangeInclusive<u64> = 17_000_000_000..=17_200_000_000;

fn look(result: &ForeignResult) -> CheckAnswer {
    let doubts = DEFECTS
        .iter()
        .filter(|defect| defect.is_in(result))
        .map(|defect| {
            let hits = result
                .runs
                .iter()
                .filter(|run| (defect.met)(run))
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

impl Defect {
    /// Whether a result is of the tool in a version that has it. What has no version may be of any, unless the defect is of some only.
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

/// `3.33-dirty` as 3, 33.
fn numbers(version: &str) -> Vec<u32> {
    let parts = version.split(['.', '-']);
    parts.map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_number_by_number() {
        assert_eq!(numbers("3.33-5-g1a2b"), [3, 33, 5]);
        assert!(numbers("3.9") < numbers("3.41"));
        assert!(numbers("3.42") >= vec![3, 42]);
        assert!(numbers("2.21") < vec![3, 42]);
    }
}
