//! The saturation campaign: for each mix and size, the least concurrency that carries (nearly) the most, and points below it.

use super::Outlined;
use crate::depth::{DepthSearch, set};
use crate::{Bytes, Load, LoopValue, Mix, Nanos, SizeSpec, Step};
use serde::{Deserialize, Serialize};

/// Percent of reads of the profiles that are measured where nobody says which: writes, a mix, reads.
pub const DEFAULT_READS: [f64; 3] = [0.0, 70.0, 100.0];
/// The transfer sizes that are measured where nobody says which.
pub const DEFAULT_BLOCKS: [Bytes; 6] = [
    Bytes(4 << 10),
    Bytes(8 << 10),
    Bytes(16 << 10),
    Bytes(32 << 10),
    Bytes(64 << 10),
    Bytes(1 << 20),
];
/// So many times the number of workers is doubled at most, from the usual one.
pub const MORE_WORKERS: u32 = 3;
/// A depth is looked at twice where one look does not decide.
const TWICE: u32 = 2;
/// The last of them once more, where no greater depth may be tried.
const AT_LAST: u32 = 3;
/// A depth is closed in on between two powers of two, until the one is 85 % of the other: that many depths. Where the one that
/// was found was luck, once more; it is looked at two times more to know that.
const CLOSING_IN: u32 = 3;
const CONFIRMED: u32 = 2;
/// The depths of half and a quarter of the most are tried twice at most.
const PARTS: u32 = 4;

/// Profiles and sizes, and how long the steps of the search are. The method's steps are the cells, profile by profile, in
/// the order of `reads` and `blocks`; each has the greatest depth that may be tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SaturateSpec {
    /// Percent of reads of each profile; none where the workloads say their operations, which is one profile.
    pub reads: Vec<f64>,
    /// Transfer sizes; none where the workloads say theirs.
    pub blocks: Vec<Bytes>,
    /// Warm-up of each step of the search.
    pub warmup: Nanos,
    /// Counted time of each step of the search.
    pub elapsed: Nanos,
}

impl SaturateSpec {
    /// The campaign and its cells. `base` says all but mix, size and depth; it has the greatest depth that may be tried where
    /// somebody gave one.
    pub fn new(
        base: &Step,
        reads: Vec<f64>,
        blocks: Vec<Bytes>,
        depth_given: bool,
    ) -> (Self, Vec<Step>) {
        let mut cells = Vec::new();
        for read in each(&reads) {
            for block in each(&blocks) {
                cells.push(cell(base, read, block, depth_given));
            }
        }
        let search = DepthSearch::of(base);
        let spec = SaturateSpec {
            reads,
            blocks,
            warmup: search.warmup,
            elapsed: search.elapsed,
        };
        (spec, cells)
    }

    /// Number of profiles.
    pub fn profiles(&self) -> usize {
        self.reads.len().max(1)
    }

    /// Number of cells of a profile.
    pub fn sizes(&self) -> usize {
        self.blocks.len().max(1)
    }

    /// A short step of a cell at one depth of each target, with so many workers.
    pub fn probe(&self, cell: &Step, depth: u32, workers: Option<u32>) -> Step {
        let mut step = self.point(cell, "probe", depth, workers);
        step.warmup = self.warmup;
        step.elapsed = self.elapsed;
        step.interval = cell.interval.min(self.elapsed);
        step
    }

    /// A step of a cell that is in the result.
    pub fn point(&self, cell: &Step, point: &str, depth: u32, workers: Option<u32>) -> Step {
        let mut step = cell.clone();
        set(&mut step.depths, depth);
        step.workers.count = workers.or(cell.workers.count);
        step.load = Load::Max;
        let mut say = |key: &str, value: String| {
            step.loops.push(LoopValue::new(key, value));
        };
        say("point", point.into());
        say("depth", depth.to_string());
        if let Some(workers) = workers {
            say("workers", workers.to_string());
        }
        step.name = format!("{}{}", step.run, crate::loop_suffix(&step.loops));
        step
    }

    /// The depths of a cell's first look: 1, 2, 4 and so on up to the greatest.
    pub fn depths(&self, cell: &Step) -> DepthSearch {
        let most = cell.depths.iter().map(|d| d.slots).max().unwrap_or(1);
        DepthSearch {
            first: 1,
            most,
            warmup: self.warmup,
            elapsed: self.elapsed,
        }
    }

    pub(super) fn outline(&self, cells: &[Step]) -> Vec<Outlined> {
        let of_cell = |cell: &Step| {
            let search = self.depths(cell);
            let depths = search.depths().count() as u32;
            // Either more workers carry more, and all depths are tried anew with them; or fewer are tried, by doubling.
            let fewer = cell.depths.iter().map(|d| d.slots).sum::<u32>().max(1);
            let workers = match cell.workers.count {
                Some(_) => 0,
                None => MORE_WORKERS + (TWICE * depths + AT_LAST).max(fewer.ilog2()),
            };
            let looks = TWICE * (depths + 2 * CLOSING_IN) + AT_LAST + CONFIRMED + workers + PARTS;
            let points = |name: &str, at_most: u32| Outlined {
                name: format!("{} {name}", cell.name),
                load: "max, at a depth that it finds".into(),
                step: cell.clone(),
                at_most,
                may_be_fewer: at_most > 1,
            };
            [
                Outlined {
                    step: self.probe(cell, search.most, None),
                    load: "max, at rising depths".into(),
                    ..points("search", looks)
                },
                points("full, half, quarter and synchronous", 4),
            ]
        };
        cells.iter().flat_map(of_cell).collect()
    }
}

/// What is given, one by one; nothing, once, where nothing is.
fn each<T: Copy>(given: &[T]) -> Vec<Option<T>> {
    match given {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    }
}

/// The step of a profile and a size.
fn cell(base: &Step, read: Option<f64>, block: Option<Bytes>, depth_given: bool) -> Step {
    let mut step = base.clone();
    for stream in &mut step.streams {
        stream.mix = read.map_or(stream.mix, Mix::of_reads);
        if let Some(block) = block {
            stream.size = SizeSpec::Fixed(block);
        }
    }
    let looped = [
        ("read", read.map(|read| format!("{read}%"))),
        ("block", block.map(|block| block.to_string())),
    ];
    for (key, value) in looped {
        step.loops
            .extend(value.map(|value| LoopValue::new(key, value)));
    }
    step.name = format!("{}{}", step.run, crate::loop_suffix(&step.loops));
    step.load = Load::Max;
    if !depth_given {
        let most = DepthSearch::of(&step).most;
        set(&mut step.depths, most);
    }
    step
}
