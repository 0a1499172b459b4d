//! The tests of SNIA's Solid State Storage Performance Test Specification, enterprise, 2.0: a matrix of loads in rounds,
//! until five rounds in a row are steady.

use super::Outlined;
use super::precondition::{PASSES, pass};
use crate::{
    AddressSpec, Bytes, Limits, LoopValue, Mix, Nanos, Pattern, RangeSpec, SizeSpec, Step, Stream,
    loop_suffix,
};
use serde::{Deserialize, Serialize};

/// Test of the Performance Test Specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PtsSpec {
    /// Which.
    pub test: PtsTest,
    /// The specification's times are divided by this; 1 is the specification's.
    pub scale: f64,
    /// Whoever runs it says that the targets were purged just before.
    pub purged: bool,
    /// The block sizes are not the specification's.
    pub blocks_changed: bool,
    /// How many of the method's first steps fill: 1 or none.
    pub fills: u32,
    /// Only a part of the targets is used.
    pub ranged: bool,
}

/// The tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PtsTest {
    /// Random I/O: seven mixes of reads and writes by eight block sizes.
    Iops,
    /// Sequential I/O: reads and writes of 128 KiB and 1 MiB.
    Throughput,
    /// One I/O at a time: three mixes by three block sizes.
    Latency,
    /// Random writes of 4 KiB until all was written four times.
    Wsat,
}

/// Rounds until a test ends without having been steady.
pub const PTS_ROUNDS: u32 = 25;
/// Minutes of the write saturation test: a day.
pub const WSAT_ROUNDS: u32 = 1440;
/// Minutes between two looks whether the write saturation is steady.
pub const WSAT_SPACING: u32 = 30;
/// Overwrites of all after which the write saturation ends.
pub const WSAT_OVERWRITES: f64 = 4.0;
/// A round's step is a minute long.
const MINUTE: Nanos = Nanos::secs(60);
/// The latency test's histogram is of twenty.
const HISTOGRAM_MINUTES: f64 = 20.0;
/// No step is scaled to less than this: it is a sample of the engine's.
const SHORTEST: Nanos = Nanos(100_000_000);

const READS: [u32; 7] = [100, 95, 65, 50, 35, 5, 0];
const BLOCKS: [u64; 8] = [
    1 << 20,
    128 << 10,
    64 << 10,
    32 << 10,
    16 << 10,
    8 << 10,
    4 << 10,
    512,
];
const TP_READS: [u32; 2] = [100, 0];
const TP_BLOCKS: [u64; 2] = [1 << 20, 128 << 10];
const LAT_READS: [u32; 3] = [100, 65, 0];
const LAT_BLOCKS: [u64; 3] = [8 << 10, 4 << 10, 512];

/// One load of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Percent of reads; the rest are writes.
    pub read: u32,
    /// The size of an I/O.
    pub block: Bytes,
}

impl Cell {
    /// The load of a round's step.
    pub fn of(step: &Step) -> Self {
        let stream = step.streams.first();
        Cell {
            read: stream.map_or(0, |s| s.mix.read.round() as u32),
            block: stream.map_or(Bytes(0), |s| s.size.max()),
        }
    }
}

impl PtsTest {
    /// All of them, in the order of the specification.
    pub const ALL: [PtsTest; 4] = [
        PtsTest::Iops,
        PtsTest::Throughput,
        PtsTest::Latency,
        PtsTest::Wsat,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            PtsTest::Iops => "iops",
            PtsTest::Throughput => "throughput",
            PtsTest::Latency => "latency",
            PtsTest::Wsat => "wsat",
        }
    }

    /// Rounds at most.
    pub fn rounds(self) -> u32 {
        match self {
            PtsTest::Wsat => WSAT_ROUNDS,
            _ => PTS_ROUNDS,
        }
    }

    /// The loads of a round, in order; of these block sizes where some are given.
    pub fn cells(self, blocks: &[Bytes]) -> Vec<Cell> {
        let (reads, own): (&[u32], &[u64]) = match self {
            PtsTest::Iops => (&READS, &BLOCKS),
            PtsTest::Throughput => (&TP_READS, &TP_BLOCKS),
            PtsTest::Latency => (&LAT_READS, &LAT_BLOCKS),
            PtsTest::Wsat => (&[0], &[4096]),
        };
        let sizes: Vec<Bytes> = match blocks {
            [] => own.iter().map(|b| Bytes(*b)).collect(),
            given => given.to_vec(),
        };
        let of = |read: &u32| {
            let read = *read;
            sizes.iter().map(move |block| Cell {
                read,
                block: *block,
            })
        };
        reads.iter().flat_map(of).collect()
    }

    /// The loads that have to be steady.
    pub fn tracked(self, cells: &[Cell]) -> Vec<Cell> {
        let wanted: &[(u32, u64)] = match self {
            PtsTest::Iops => &[(0, 4 << 10), (65, 64 << 10), (100, 1 << 20)],
            PtsTest::Throughput => &[(0, 1 << 20), (0, 128 << 10)],
            PtsTest::Latency | PtsTest::Wsat => &[(0, 4 << 10)],
        };
        let found: Vec<Cell> = cells
            .iter()
            .filter(|c| wanted.contains(&(c.read, c.block.0)))
            .copied()
            .collect();
        match found.is_empty() {
            // With other sizes: the writes of the smallest.
            true => cells.last().copied().into_iter().collect(),
            false => found,
        }
    }
}

impl PtsSpec {
    /// The steps of a test on the targets of `step`, with its depth and content.
    pub fn steps(test: PtsTest, blocks: &[Bytes], scale: f64, step: &Step) -> Vec<Step> {
        let cells = test.cells(blocks);
        let cells: Vec<Step> = cells.iter().map(|c| cell(test, *c, scale, step)).collect();
        let filling = match test {
            PtsTest::Wsat => None,
            _ => pass(&cells),
        };
        filling.into_iter().chain(cells).collect()
    }

    /// The steps of a round.
    pub fn round<'s>(&self, steps: &'s [Step]) -> &'s [Step] {
        &steps[(self.fills as usize).min(steps.len())..]
    }

    /// A step of a round, from 1.
    pub fn step(cell: &Step, round: u32) -> Step {
        Step {
            name: format!(
                "{}_round{round}{}",
                cell.run_part(),
                loop_suffix(&cell.loops)
            ),
            ..cell.clone()
        }
    }

    /// Places of those of a round's steps that have to be steady.
    pub fn tracked(&self, round: &[Step]) -> Vec<usize> {
        let cells: Vec<Cell> = round.iter().map(Cell::of).collect();
        let tracked = self.test.tracked(&cells);
        let is = |at: &usize| tracked.contains(&cells[*at]);
        (0..cells.len()).filter(is).collect()
    }

    /// The latency test's last: twenty minutes of its tracked load. `None` of a round without steps.
    pub fn histogram(&self, round: &[Step]) -> Option<Step> {
        let tracked = self.tracked(round).first().copied();
        let cell = tracked.map_or(round.last(), |at| round.get(at))?;
        Some(Step {
            name: format!("{}_histogram", cell.run_part()),
            elapsed: scaled(MINUTE.0 as f64 * HISTOGRAM_MINUTES, self.scale),
            ..cell.clone()
        })
    }

    /// Whether all was as the specification has it.
    pub fn compliant(&self) -> bool {
        self.purged && self.scale == 1.0 && !self.blocks_changed && !self.ranged
    }

    pub(super) fn outline(&self, steps: &[Step]) -> Vec<Outlined> {
        let mut lines: Vec<Outlined> = steps[..steps.len() - self.round(steps).len()]
            .iter()
            .map(|filling| Outlined {
                at_most: PASSES,
                ..Outlined::once(filling, "all of it, in order")
            })
            .collect();
        for cell in self.round(steps) {
            lines.push(Outlined {
                at_most: self.test.rounds(),
                may_be_fewer: true,
                ..Outlined::once(cell, "max")
            });
        }
        let histogram = self.histogram(self.round(steps));
        if let (PtsTest::Latency, Some(histogram)) = (self.test, histogram) {
            lines.push(Outlined {
                may_be_fewer: true,
                ..Outlined::once(&histogram, "max")
            });
        }
        lines
    }
}

impl Step {
    /// The step's name without its loop values.
    fn run_part(&self) -> &str {
        let suffix = loop_suffix(&self.loops);
        self.name.strip_suffix(&suffix).unwrap_or(&self.name)
    }
}

fn scaled(ns: f64, scale: f64) -> Nanos {
    let length = Nanos((ns / scale.max(1.0)) as u64).max(SHORTEST);
    // Whole samples.
    Nanos(length.0.div_ceil(SHORTEST.0) * SHORTEST.0)
}

fn cell(test: PtsTest, cell: Cell, scale: f64, base: &Step) -> Step {
    let mut seen = Vec::new();
    let mut streams = Vec::new();
    for stream in &base.streams {
        if !seen.contains(&stream.target) {
            seen.push(stream.target);
            streams.push(stream_of(test, cell, stream));
        }
    }
    let value = |key: &str, value: String| LoopValue::new(key, value);
    let loops = vec![
        value("read", cell.read.to_string()),
        value("block", cell.block.to_string()),
    ];
    let name = format!("{}_{}", base.name, test.name());
    let elapsed = scaled(MINUTE.0 as f64, scale);
    let mut step = Step {
        name: format!("{name}{}", loop_suffix(&loops)),
        loops,
        streams,
        warmup: Nanos(0),
        elapsed,
        interval: base.interval.min(elapsed),
        pause: Nanos(0),
        limits: Limits::default(),
        start_commands: Vec::new(),
        end_commands: Vec::new(),
        ..base.clone()
    };
    if test == PtsTest::Latency {
        crate::depth::set(&mut step.depths, 1);
    }
    step
}

fn stream_of(test: PtsTest, cell: Cell, stream: &Stream) -> Stream {
    let pattern = match test {
        PtsTest::Throughput => Pattern::IN_ORDER,
        _ => Pattern::RANDOM,
    };
    Stream {
        share: 1.0,
        fixed_rate: None,
        priority: None,
        mix: Mix::from([f64::from(cell.read), f64::from(100 - cell.read), 0.0]),
        size: SizeSpec::Fixed(cell.block),
        address: AddressSpec {
            range: stream.address.range,
            pattern,
            hits: None,
        },
        ..stream.clone()
    }
}

/// Whether a run looks at only a part of its targets.
pub fn is_ranged(step: &Step) -> bool {
    let part = |s: &Stream| s.address.range != RangeSpec::Whole;
    step.streams.iter().any(part)
}
