//! One target's content.

mod part_zero;

use crate::compression::{BLOCK_END, Cells};
use crate::dedupe::{Class, Dedupe};
use crate::fingerprint::combine;
use crate::identity::{Identity, identify_bytes};
use crate::noise::Noise;
use crate::plan::{ContentPlan, DedupePlan};
use crate::repeat::Repeat;
use crate::rewrites::Rewrites;
use crate::verify::{Journal, Places, VerifyPlan};
use part_zero::PartZero;
use std::sync::Arc;

/// Turns (address, generation) into the bytes to write there.
///
/// A byte depends on the content plan, the seed, its own address on the target and the generation, and on nothing
/// else. What was written can be made again later, in pieces of any size, on any machine. Where duplicates alternate, it
/// depends on the writes that were counted too: see [`Filler::with_rewrites`].
#[derive(Debug, Clone)]
pub struct Filler(FillerKind);

#[derive(Debug, Clone)]
enum FillerKind {
    Unique { noise: Noise, seed: u64 },
    Zeros,
    Repeat(Repeat),
    Reducible(Box<Reducible>),
    PartZero(Box<PartZero>),
    Stamped(Box<Stamped>),
}

/// Content that says what it is.
#[derive(Debug, Clone)]
struct Stamped {
    under: Filler,
    plan: Arc<VerifyPlan>,
    places: Arc<Places>,
    journal: Option<Arc<Journal>>,
}

#[derive(Debug, Clone)]
struct Reducible {
    unique: Source,
    /// Duplicates draw from a key of their own, so that none equals a unique block.
    duplicates: Source,
    cells: Option<Cells>,
    /// The bytes of a cell that are not random; `None`: the last random one again and again.
    pattern: Option<Repeat>,
    dedupe: Option<Dedupe>,
    /// What alternating duplicates alternate by.
    rewrites: Option<Arc<Rewrites>>,
}

/// Where bytes come from.
#[derive(Debug, Clone)]
struct Source {
    noise: Noise,
    /// Its part in a fingerprint: all that decides the bytes besides address and generation.
    name: u64,
}

impl Source {
    fn new(seed: u64, cells: Option<Cells>) -> Self {
        Source {
            noise: Noise::new(seed),
            name: combine(&[seed, cells.map_or(0, Cells::name)]),
        }
    }
}

/// A part of a range that lies in one deduplication unit.
struct Piece {
    /// How long it is.
    len: usize,
    class: Class,
    /// Where its bytes come from: the target's own address, or one inside the duplicates.
    source: u64,
    generation: u64,
}

impl Filler {
    /// The content of one target. Fillers of different targets need different seeds, or the targets hold the same.
    pub fn new(plan: ContentPlan, seed: u64) -> Self {
        Filler(match plan {
            ContentPlan::Unique => FillerKind::Unique {
                noise: Noise::new(seed),
                seed,
            },
            ContentPlan::Zeros => FillerKind::Zeros,
            ContentPlan::Repeat(bytes) => FillerKind::Repeat(Repeat::new(bytes)),
            ContentPlan::Reducible { compress, dedupe } => {
                FillerKind::Reducible(Box::new(Reducible::new(compress, dedupe, None, seed)))
            }
            ContentPlan::ReduciblePattern {
                pattern,
                compress,
                dedupe,
            } => {
                let pattern = Some(Repeat::new(pattern));
                FillerKind::Reducible(Box::new(Reducible::new(compress, dedupe, pattern, seed)))
            }
            ContentPlan::PartZero {
                share,
                unit,
                seed: zeros,
                rest,
            } => {
                let under = Filler::new(*rest, seed);
                FillerKind::PartZero(Box::new(PartZero::new(under, share, unit, zeros)))
            }
        })
    }

    /// With a memory of the blocks that were written, in units of deduplication. With `flip_flop` a duplicate whose block
    /// was written an odd number of times has its second value; without this memory it always has the first. Those who
    /// write one target share one.
    pub fn with_rewrites(mut self, rewrites: Arc<Rewrites>) -> Self {
        match &mut self.0 {
            FillerKind::Reducible(r) if r.dedupe.is_some_and(|d| d.flip_flop) => {
                r.rewrites = Some(rewrites);
            }
            FillerKind::PartZero(part) => {
                part.under = part.under.clone().with_rewrites(rewrites);
            }
            _ => {}
        }
        self
    }

    /// With marks that say of each block what it is, where its file has it; `journal` hears of each write that goes out.
    pub fn stamped(
        self,
        plan: Arc<VerifyPlan>,
        places: Arc<Places>,
        journal: Option<Arc<Journal>>,
    ) -> Self {
        Filler(FillerKind::Stamped(Box::new(Stamped {
            under: self,
            plan,
            places,
            journal,
        })))
    }

    /// Counts a write of `len` bytes at `offset`, before its bytes are made. Nothing where content doesn't depend on it.
    #[inline]
    pub fn count_write(&self, offset: u64, len: u64) {
        match &self.0 {
            FillerKind::Reducible(r) => {
                if let (Some(rewrites), Some(dedupe)) = (&r.rewrites, &r.dedupe) {
                    let end = offset + len;
                    rewrites.count(offset / dedupe.unit..end.div_ceil(dedupe.unit));
                }
            }
            FillerKind::PartZero(part) => part.under.count_write(offset, len),
            _ => {}
        }
    }

    /// Fills `buf` with what is written at `offset` (bytes on the target) the `generation`-th time.
    ///
    /// Fresh data for every write needs a generation that grows with every write.
    #[inline]
    pub fn fill(&self, buf: &mut [u8], offset: u64, generation: u64) {
        match &self.0 {
            FillerKind::Unique { noise, .. } => noise.fill(buf, offset, generation),
            FillerKind::Zeros => buf.fill(0),
            FillerKind::Repeat(repeat) => repeat.fill(buf, offset),
            FillerKind::Reducible(r) => r.fill(buf, offset, generation),
            FillerKind::PartZero(part) => part.fill(buf, offset, generation),
            FillerKind::Stamped(stamped) => stamped.fill(buf, offset, generation),
        }
    }

    /// True when the bytes at an address depend on the generation, so that a buffer cannot be used twice.
    pub fn is_fresh(&self) -> bool {
        match &self.0 {
            FillerKind::Unique { .. } | FillerKind::Reducible(_) | FillerKind::Stamped(_) => true,
            FillerKind::PartZero(part) => part.under.is_fresh(),
            FillerKind::Zeros | FillerKind::Repeat(_) => false,
        }
    }

    /// True when no block equals another, as long as none is made twice of one address and generation; and none can be
    /// compressed.
    pub fn is_unique(&self) -> bool {
        matches!(self.0, FillerKind::Unique { .. })
    }

    /// Identity that an array would find in the `len` bytes that [`Filler::fill`] makes of the same arguments.
    ///
    /// The compressed size leaves duplicates inside the range itself out of account.
    pub fn identity(&self, offset: u64, len: u32, generation: u64) -> Identity {
        match &self.0 {
            FillerKind::Unique { seed, .. } => Identity::Data {
                fingerprint: combine(&[*seed, offset, generation]),
                compressed: len,
            },
            FillerKind::Zeros => Identity::Zero,
            FillerKind::Repeat(repeat) => {
                let mut bytes = vec![0; len as usize];
                repeat.fill(&mut bytes, offset);
                identify_bytes(&bytes)
            }
            FillerKind::Reducible(r) => r.identity(offset, len, generation),
            FillerKind::PartZero(part) => part.identity(offset, len, generation),
            // Who asks is given no bytes, and so no marks.
            FillerKind::Stamped(stamped) => stamped.under.identity(offset, len, generation),
        }
    }
}

impl Stamped {
    fn fill(&self, buf: &mut [u8], offset: u64, generation: u64) {
        self.under.fill(buf, offset, generation);
        let place = self.places.in_file(offset);
        self.plan.stamp(buf, place, generation);
        if let Some(journal) = &self.journal {
            journal.begin_write(offset, buf.len() as u64);
        }
    }
}

impl Reducible {
    fn new(compress: f64, dedupe: Option<DedupePlan>, pattern: Option<Repeat>, seed: u64) -> Self {
        let cells = Cells::new(compress, dedupe.map(|d| d.unit));
        Reducible {
            unique: Source::new(seed, cells),
            duplicates: Source::new(!dedupe.map_or(seed, |d| d.seed), cells),
            cells,
            pattern,
            dedupe: dedupe.map(|d| Dedupe::new(&d)),
            rewrites: None,
        }
    }

    /// Cuts a range at the borders of deduplication units.
    fn pieces(&self, offset: u64, len: usize, generation: u64) -> impl Iterator<Item = Piece> {
        let mut at = offset;
        let end = offset + len as u64;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let start = at;
            let Some(dedupe) = &self.dedupe else {
                at = end;
                return Some(Piece {
                    len: (end - start) as usize,
                    class: Class::Unique,
                    source: start,
                    generation,
                });
            };
            let number = start / dedupe.unit;
            let within = start - number * dedupe.unit;
            at = end.min(start + dedupe.unit - within);
            let class = dedupe.class(number, || {
                self.rewrites.as_ref().is_some_and(|r| r.is_odd(number))
            });
            let (source, generation) = match class {
                Class::Unique => (start, generation),
                Class::Duplicate(c) => (c * dedupe.unit + within, 0),
            };
            Some(Piece {
                len: (at - start) as usize,
                class,
                source,
                generation,
            })
        })
    }

    fn source(&self, class: Class) -> &Source {
        match class {
            Class::Unique => &self.unique,
            Class::Duplicate(_) => &self.duplicates,
        }
    }

    fn fill(&self, buf: &mut [u8], offset: u64, generation: u64) {
        let mut done = 0;
        for piece in self.pieces(offset, buf.len(), generation) {
            let noise = &self.source(piece.class).noise;
            let part = &mut buf[done..done + piece.len];
            match &self.cells {
                Some(cells) => {
                    let pattern = self.pattern.as_ref();
                    cells.fill(noise, pattern, part, piece.source, piece.generation);
                }
                None => noise.fill(part, piece.source, piece.generation),
            }
            done += piece.len;
        }
    }

    fn identity(&self, offset: u64, len: u32, generation: u64) -> Identity {
        let mut fingerprint = 0;
        let mut compressed = BLOCK_END;
        for piece in self.pieces(offset, len as usize, generation) {
            let name = self.source(piece.class).name;
            fingerprint = combine(&[fingerprint, name, piece.source, piece.generation]);
            compressed += match &self.cells {
                Some(cells) => cells.compressed(piece.source, piece.len as u64),
                None => piece.len as u64,
            };
        }
        Identity::Data {
            fingerprint,
            compressed: compressed.min(u64::from(len)) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Placement;
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    const SIZE: u64 = 64 << 20;

    fn dedupe(ratio: f64, unit: u64) -> DedupePlan {
        DedupePlan {
            ratio,
            unit,
            sets: SIZE / unit / 20,
            units: SIZE / unit,
            flip_flop: false,
            placement: Placement::Scattered,
            seed: 5,
        }
    }

    fn in_runs(ratio: f64, unit: u64) -> DedupePlan {
        DedupePlan {
            placement: Placement::Runs,
            ..dedupe(ratio, unit)
        }
    }

    fn plans() -> Vec<ContentPlan> {
        vec![
            ContentPlan::Unique,
            ContentPlan::Zeros,
            ContentPlan::Repeat(vec![1, 2, 3].into()),
            ContentPlan::Repeat(Vec::new().into()),
            ContentPlan::Reducible {
                compress: 2.0,
                dedupe: None,
            },
            ContentPlan::Reducible {
                compress: 1.0,
                dedupe: Some(dedupe(4.0, 4096)),
            },
            ContentPlan::Reducible {
                compress: 6.0,
                dedupe: Some(dedupe(2.0, 8192)),
            },
            ContentPlan::Reducible {
                compress: 2.0,
                dedupe: Some(dedupe(3.0, 1536)),
            },
            ContentPlan::Reducible {
                compress: 1.5,
                dedupe: Some(in_runs(2.5, 4096)),
            },
            ContentPlan::Reducible {
                compress: 1.0,
                dedupe: Some(in_runs(6.0, 512)),
            },
            ContentPlan::ReduciblePattern {
                pattern: [0xde, 0xad, 0xbe].into(),
                compress: 2.0,
                dedupe: Some(dedupe(2.0, 4096)),
            },
        ]
    }

    fn bytes(filler: &Filler, offset: u64, len: usize, generation: u64) -> Vec<u8> {
        let mut buf = vec![0xee; len];
        filler.fill(&mut buf, offset, generation);
        buf
    }

    #[test]
    fn distinct_blocks_give_the_asked_dedupe_ratio() {
        for (ratio, compress) in [(1.5, 1.0), (2.0, 2.0), (5.0, 1.0), (10.0, 3.0)] {
            let filler = Filler::new(
                ContentPlan::Reducible {
                    compress,
                    dedupe: Some(dedupe(ratio, 4096)),
                },
                3,
            );
            let mut distinct = HashSet::new();
            let mut written = 0u64;
            for chunk in 0..SIZE / (1 << 20) {
                for block in bytes(&filler, chunk << 20, 1 << 20, chunk).chunks_exact(4096) {
                    distinct.insert(crate::fingerprint::fingerprint(block));
                    written += 1;
                }
            }
            let got = written as f64 / distinct.len() as f64;
            assert!((got / ratio - 1.0).abs() < 0.03, "asked {ratio}, got {got}");
        }
    }

    #[test]
    fn a_rewritten_unique_block_is_new_and_a_rewritten_duplicate_is_not() {
        let plan = ContentPlan::Reducible {
            compress: 1.0,
            dedupe: Some(dedupe(4.0, 4096)),
        };
        let filler = Filler::new(plan, 3);
        let same = (0..1000u64)
            .filter(|n| bytes(&filler, n * 4096, 4096, 0) == bytes(&filler, n * 4096, 4096, 1))
            .count();
        // A ratio of 4 with sets of 5 %: 20 % of the blocks are unique.
        assert!((740..860).contains(&same), "{same}");
        assert_ne!(
            bytes(&Filler::new(ContentPlan::Unique, 3), 0, 4096, 0),
            bytes(&Filler::new(ContentPlan::Unique, 3), 0, 4096, 1)
        );
    }

    #[test]
    fn the_described_identity_and_that_of_the_bytes_tell_the_same_blocks_apart() {
        for plan in plans() {
            let filler = Filler::new(plan.clone(), 11);
            let mut described = HashMap::new();
            let mut found = HashMap::new();
            let mut wrong_sizes = 0;
            for n in 0..2000u64 {
                // 12 KiB: the smallest size that holds whole units of all plans.
                let (offset, generation) = (n * 12_288, n & 1);
                let block = bytes(&filler, offset, 12_288, generation);
                let from_plan = filler.identity(offset, 12_288, generation);
                let from_bytes = identify_bytes(&block);
                assert_eq!(
                    *described.entry(from_plan).or_insert(n),
                    *found.entry(from_bytes).or_insert(n),
                    "{plan:?}"
                );
                match (from_plan, from_bytes) {
                    (Identity::Zero, Identity::Zero) => {}
                    (
                        Identity::Data { compressed: a, .. },
                        Identity::Data { compressed: b, .. },
                    ) => {
                        wrong_sizes += u32::from((f64::from(a) / f64::from(b) - 1.0).abs() > 0.03);
                    }
                    other => panic!("{plan:?}: {other:?}"),
                }
            }
            // A compressor sees twins in one block; the description does not look for them.
            assert!(
                wrong_sizes < 60,
                "{plan:?}: {wrong_sizes} of 2000 sizes are off"
            );
        }
    }

    #[test]
    fn single_units_are_identified_as_their_bytes_are() {
        for plan in plans() {
            let unit = match &plan {
                ContentPlan::Reducible {
                    dedupe: Some(d), ..
                } => d.unit,
                _ => 4096,
            };
            let filler = Filler::new(plan.clone(), 12);
            let mut first = HashMap::new();
            let mut found = HashMap::new();
            for n in 0..4000u64 {
                let block = bytes(&filler, n * unit, unit as usize, 0);
                let a = *first
                    .entry(filler.identity(n * unit, unit as u32, 0))
                    .or_insert(n);
                let b = *found.entry(identify_bytes(&block)).or_insert(n);
                assert_eq!(a, b, "{plan:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_do_not_depend_on_how_a_range_is_cut(
            which in 0usize..11, seed: u64, offset in 0u64..SIZE, generation: u64, len in 0usize..20_000, cut in 0usize..20_000
        ) {
            let filler = Filler::new(plans().swap_remove(which), seed);
            let whole = bytes(&filler, offset, len, generation);
            let cut = cut.min(len);
            let mut parts = bytes(&filler, offset, cut, generation);
            parts.extend(bytes(&filler, offset + cut as u64, len - cut, generation));
            prop_assert_eq!(&whole, &parts);
            let again = Filler::new(plans().swap_remove(which), seed);
            prop_assert_eq!(whole, bytes(&again, offset, len, generation));
        }
    }
}
