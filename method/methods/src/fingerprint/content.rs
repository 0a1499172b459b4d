//! Whether zeros, duplicates and data that compresses are written or read differently from other data, and at what grain.

use super::ratio::{Ratio, rounds};
use super::script::{Order, Place, Probe, Reading, Script, Stop};
use plimsoll_plan::{Bytes, ContentSpec, DedupePlacement, DedupeSpec};

/// Rounds of each comparison.
const ROUNDS: usize = 8;
/// Each kind of data has an area of its own; so many bytes are written to it before they are read.
const AREA: u64 = 16 << 20;
/// Transfers at which a grain is looked for.
const GRAINS: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

/// A kind of data that may be treated differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Zeros,
    Duplicates,
    Compressible,
}

/// How a kind of data compares with data like no other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Treatment {
    /// Its writes: times as fast.
    pub written: Ratio,
    /// Its reads: the same.
    pub read: Ratio,
    /// The smallest transfer of those tried at which its writes differ.
    pub grain: Option<u64>,
}

impl Treatment {
    pub fn differs(&self) -> bool {
        self.written.clear || self.read.clear
    }
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Zeros, Kind::Duplicates, Kind::Compressible];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Zeros => "zeros",
            Kind::Duplicates => "duplicates",
            Kind::Compressible => "compressible",
        }
    }

    /// For writes of so many bytes.
    fn content(self, block: u64) -> ContentSpec {
        let reducible = |compress, dedupe| ContentSpec::Reducible { compress, dedupe };
        match self {
            Kind::Zeros => ContentSpec::Zeros,
            // Several values: one alone would all be kept in one place.
            Kind::Duplicates => reducible(
                1.0,
                Some(DedupeSpec {
                    ratio: 100.0,
                    unit: Bytes(block),
                    sets: Some(256),
                    flip_flop: false,
                    placement: DedupePlacement::Scattered,
                }),
            ),
            Kind::Compressible => reducible(8.0, None),
        }
    }
}

/// All kinds, in the order of [`Kind::ALL`].
pub(crate) fn treatments(script: &mut Script<'_>) -> Result<Result<Vec<Treatment>, String>, Stop> {
    let areas = 1 + Kind::ALL.len() as u64;
    if script.size < 2 * areas * AREA {
        return Ok(Err(format!("the target has only {}", Bytes(script.size))));
    }
    let contents: Vec<ContentSpec> = std::iter::once(ContentSpec::Unique)
        .chain(Kind::ALL.map(|kind| kind.content(GRAINS[0])))
        .collect();
    let writes: Vec<Probe> = contents.iter().map(|c| write(script, c, 4096)).collect();
    let written = rounds(script, &writes, ROUNDS, |r| r.rate)?;
    for (at, content) in contents.iter().enumerate() {
        let probe = fill(at as u64, content);
        script.measure(&probe)?;
    }
    let reads: Vec<Probe> = (0..areas).map(read_back).collect();
    let read = rounds(script, &reads, ROUNDS, |r: &Reading| {
        1e9 / r.service_ns.max(1.0)
    })?;
    let mut all = Vec::new();
    for (at, kind) in Kind::ALL.iter().enumerate() {
        let written = written.ratio(at + 1, 0);
        all.push(Treatment {
            written,
            read: read.ratio(at + 1, 0),
            grain: grain(script, *kind, written)?,
        });
    }
    Ok(Ok(all))
}

fn grain(script: &mut Script<'_>, kind: Kind, at_first: Ratio) -> Result<Option<u64>, Stop> {
    if at_first.clear {
        return Ok(Some(GRAINS[0]));
    }
    // What is no cheaper by the largest transfer has no grain that is seen.
    for size in [GRAINS[4], GRAINS[1], GRAINS[2], GRAINS[3]] {
        let probes = [
            write(script, &ContentSpec::Unique, size),
            write(script, &kind.content(size), size),
        ];
        let clear = rounds(script, &probes, ROUNDS, |r| r.rate)?
            .ratio(1, 0)
            .clear;
        match (clear, size == GRAINS[4]) {
            (false, true) => return Ok(None),
            (true, false) => return Ok(Some(size)),
            _ => {}
        }
    }
    Ok(Some(GRAINS[4]))
}

/// Writes anywhere.
fn write(script: &Script<'_>, content: &ContentSpec, block: u64) -> Probe {
    let whole = Place {
        from: 0,
        to: script.size / block * block,
        order: Order::Random,
    };
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

fn area(number: u64, order: Order) -> Place {
    Place {
        from: number * AREA,
        to: (number + 1) * AREA,
        order,
    }
}

fn fill(number: u64, content: &ContentSpec) -> Probe {
    Probe {
        block: 1 << 20,
        elapsed_ms: 900,
        writes: Some(content.clone()),
        ..Probe::reads(
            format!("an area of {}", name(content)),
            vec![area(number, Order::Sequential)],
            8,
        )
    }
}

fn read_back(number: u64) -> Probe {
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
