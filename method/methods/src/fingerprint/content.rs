//! Whether zeros, duplicates and data that compresses are written or read differently from other data, and at what grain.

use super::levels::Rounds;
use super::ratio::{Ratio, rounds};
use super::script::{Order, Probe, ReadArea, Reading, Script, Stop};
use plimsoll_plan::{Bytes, ContentSpec, DedupePlacement, DedupeSpec};

/// Rounds of each comparison.
const ROUNDS: usize = 8;
/// Each kind of data has an area of its own; so many bytes are written to it before they are read.
const AREA: u64 = 16 << 20;
/// Transfers at which a grain is looked for.
const GRAINS: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

/// A kind of data that may be treated differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DataKind {
    Zeros,
    Duplicates,
    Compressible,
}

/// Comparison of a kind of data with data like no other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Treatment {
    /// Speed of its writes against the other's, as a ratio.
    pub written: Ratio,
    /// Speed of its reads against the other's, as a ratio.
    pub read: Ratio,
    /// The smallest transfer of those tried at which its writes differ.
    pub grain: Option<u64>,
}

impl Treatment {
    pub fn differs(&self) -> bool {
        self.written.clear || self.read.clear
    }
}

impl DataKind {
    pub const ALL: [DataKind; 3] = [
        DataKind::Zeros,
        DataKind::Duplicates,
        DataKind::Compressible,
    ];

    pub fn name(self) -> &'static str {
        match self {
            DataKind::Zeros => "zeros",
            DataKind::Duplicates => "duplicates",
            DataKind::Compressible => "compressible",
        }
    }

    /// For writes of so many bytes.
    fn content(self, block: u64) -> ContentSpec {
        let reducible = |compress, dedupe| ContentSpec::Reducible { compress, dedupe };
        match self {
            DataKind::Zeros => ContentSpec::Zeros,
            // Several values: one alone would all be kept in one place.
            DataKind::Duplicates => reducible(
                1.0,
                Some(DedupeSpec {
                    ratio: 100.0,
                    unit: Bytes(block),
                    sets: Some(256),
                    flip_flop: false,
                    placement: DedupePlacement::Scattered,
                }),
            ),
            DataKind::Compressible => reducible(8.0, None),
        }
    }
}

/// All kinds, in the order of [`DataKind::ALL`].
pub(crate) fn treatments(script: &mut Script<'_>) -> Result<Result<Vec<Treatment>, String>, Stop> {
    let areas = 1 + DataKind::ALL.len() as u64;
    if script.size < 2 * areas * AREA {
        return Ok(Err(format!("the target has only {}", Bytes(script.size))));
    }
    let contents: Vec<ContentSpec> = std::iter::once(ContentSpec::Unique)
        .chain(DataKind::ALL.map(|kind| kind.content(GRAINS[0])))
        .collect();
    let writes: Vec<Probe> = contents.iter().map(|c| write(script, c, 4096)).collect();
    let written = balanced(script, &writes)?;
    let read = read_back(script, &contents)?;
    let mut all = Vec::new();
    for (at, kind) in DataKind::ALL.iter().enumerate() {
        let written = written.ratio(at + 1, 0);
        all.push(Treatment {
            written,
            read: read.ratio(at + 1, 0),
            grain: grain(script, *kind, written)?,
        });
    }
    Ok(Ok(all))
}

/// The order of the writes in each four rounds (Williams, 1949): each comes once after each other. Zeros that take no room
/// in a write buffer leave some to whatever comes next, which must not always be the same.
const ORDERS: [[usize; 4]; 4] = [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]];

/// The rates of the writes, in orders that favour none; each round begins after the same.
fn balanced(script: &mut Script<'_>, writes: &[Probe]) -> Result<Rounds, Stop> {
    let mut all = Rounds::default();
    for round in 0..ROUNDS {
        script.measure(&writes[0])?;
        let mut row = vec![0.0; writes.len()];
        for at in ORDERS[round % ORDERS.len()] {
            row[at] = script.measure(&writes[at])?.log();
        }
        all.0.push(row);
    }
    Ok(all)
}

/// Speed of reads of areas of each content. What was written last may still be in a cache, and some areas may lie on faster media: so each
/// content is written to each area in turn, and that once as the first, once as the last.
fn read_back(script: &mut Script<'_>, contents: &[ContentSpec]) -> Result<Rounds, Stop> {
    let count = contents.len();
    let reads: Vec<Probe> = (0..count as u64).map(area_read).collect();
    let mut all = Rounds::default();
    for turn in 0..count {
        for area in 0..count {
            let content = &contents[(area + turn) % count];
            script.measure(&fill(area as u64, content))?;
        }
        let faster = |r: &Reading| 1e9 / r.service_ns.max(1.0);
        let seen = rounds(script, &reads, ROUNDS / count, faster)?;
        let by_content = |row: &Vec<f64>| -> Vec<f64> {
            let area = |content: usize| (content + count - turn) % count;
            (0..count).map(|content| row[area(content)]).collect()
        };
        all.0.extend(seen.0.iter().map(by_content));
    }
    Ok(all)
}

fn grain(script: &mut Script<'_>, kind: DataKind, at_first: Ratio) -> Result<Option<u64>, Stop> {
    if at_first.clear {
        return Ok(Some(GRAINS[0]));
    }
    let compare = |script: &mut Script<'_>, size| {
        let probes = [
            write(script, &ContentSpec::Unique, size),
            write(script, &kind.content(size), size),
        ];
        Ok(rounds(script, &probes, ROUNDS, |r| r.rate)?.ratio(1, 0))
    };
    // What is no cheaper by the largest transfer has no grain that is seen.
    let largest = compare(script, GRAINS[4])?;
    if !largest.clear {
        return Ok(None);
    }
    let mut smaller = at_first;
    // Of the largest nobody knows whether a larger one would differ more.
    for size in &GRAINS[1..4] {
        let ratio = compare(script, *size)?;
        if ratio.clear {
            let sharp = is_none_of(&smaller, &ratio) && is_most_of(&ratio, &largest);
            return Ok(sharp.then_some(*size));
        }
        smaller = ratio;
    }
    Ok(None)
}

/// True where a smaller transfer surely has no part of what a larger one has: half of it would be seen.
fn is_none_of(smaller: &Ratio, larger: &Ratio) -> bool {
    let most = smaller.low.ln().abs().max(smaller.high.ln().abs());
    most < larger.ratio.ln().abs() / 2.0
}

/// True where a transfer has nearly all of what the largest has. What grows from size to size is no grain: something else hides
/// the difference of small writes.
fn is_most_of(ratio: &Ratio, largest: &Ratio) -> bool {
    let (one, all) = (ratio.ratio.ln(), largest.ratio.ln());
    one.signum() == all.signum() && one.abs() > 0.8 * all.abs()
}

/// Writes anywhere.
fn write(script: &Script<'_>, content: &ContentSpec, block: u64) -> Probe {
    let whole = ReadArea::new(0, script.size / block * block, Order::Random);
    Probe {
        block,
        elapsed_ms: 300,
        writes: Some(content.clone()),
        ..Probe::reads(
            format!("{} writes of {}", Bytes(block), name(content)),
            vec![whole],
            script.depth,
        )
    }
}

fn name(content: &ContentSpec) -> &'static str {
    match content {
        ContentSpec::Zeros => "zeros",
        ContentSpec::Reducible {
            dedupe: Some(_), ..
        } => "duplicates",
        ContentSpec::Reducible { .. } => "compressible data",
        _ => "unique data",
    }
}

fn area(number: u64, order: Order) -> ReadArea {
    ReadArea::new(number * AREA, (number + 1) * AREA, order)
}

fn fill(number: u64, content: &ContentSpec) -> Probe {
    Probe {
        block: 1 << 20,
        elapsed_ms: 500,
        writes: Some(content.clone()),
        ..Probe::reads(
            format!("an area of {}", name(content)),
            vec![area(number, Order::Sequential)],
            8,
        )
    }
}

fn area_read(number: u64) -> Probe {
    Probe {
        elapsed_ms: 200,
        warmup_ms: 50,
        ..Probe::reads(
            format!("area {number}"),
            vec![area(number, Order::Random)],
            4,
        )
    }
}
