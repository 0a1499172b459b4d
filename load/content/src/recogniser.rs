//! What Plimsoll has written, known again from its bytes alone.
//!
//! Noise leads back to the counter that it was made of ([`crate::Noise`]), and everything but zeros and repeated bytes is
//! made of noise. So nothing must be remembered of who wrote what with which seed, and a block of which several writes,
//! cut off or not, have written a part each is known as well. The rest is a [`Recogniser::hint`].

use crate::aes::LANE;
use crate::noise::Noise;
use crate::plan::ContentPlan;
use crate::repeat;
use crate::verify::header_at;
use std::ops::Range;
use std::sync::Arc;

/// The smallest piece that storage writes whole.
const SECTOR: usize = 512;
/// How far beside a part are the lanes that tell whose its first and its last bytes are: a write may begin and end within a lane, and two
/// whole lanes behind that lead back to it.
const BESIDE: usize = 4 * LANE;
/// Lanes of addresses are below this (4 EiB). One lane in 64 of other data is so by chance, and the next one never goes on with it.
const LANES_MAX: u64 = 1 << 58;
/// Content that compresses may be a single lane of noise: below 4 PiB, as one lane of other data in 65,536 is.
const LONE_LANES_MAX: u64 = 1 << 48;

/// Tells blocks that Plimsoll wrote from others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recogniser {
    /// Bytes that were written again and again.
    patterns: Vec<Arc<[u8]>>,
    /// Whether there is content that compresses, and so sectors of one byte alone.
    runs: bool,
}

/// What stands for content that compresses.
const RUNS: &str = "runs";
/// The longest hint: a device's label has room for it.
const HINT_MAX: usize = 200;

impl Recogniser {
    /// Of all content that these plans make, as far as it can be known again: of a long pattern it can't.
    pub fn of<'p>(plans: impl IntoIterator<Item = &'p ContentPlan>) -> Self {
        let mut known = Recogniser::default();
        for plan in plans {
            known.add(plan);
        }
        known
    }

    fn add(&mut self, plan: &ContentPlan) {
        match plan {
            ContentPlan::Unique | ContentPlan::Zeros => {}
            ContentPlan::Repeat(bytes) => {
                if !bytes.is_empty() && !is_counting(bytes) && !self.patterns.contains(bytes) {
                    self.patterns.push(Arc::clone(bytes));
                }
            }
            ContentPlan::Reducible { compress, .. } => self.runs |= *compress > 1.0,
            // Sectors of both random bytes and a pattern are not told from others.
            ContentPlan::ReduciblePattern { .. } => {}
            ContentPlan::PartZero { rest, .. } => self.add(rest),
        }
    }

    /// Text of at most 200 bytes of which [`Self::from_hint`] makes as good a recogniser, but for patterns that have no room in
    /// it: what must be kept beside the bytes to know them again.
    pub fn hint(&self) -> String {
        let hex = |bytes: &Arc<[u8]>| bytes.iter().map(|b| format!("{b:02x}")).collect();
        let runs = self.runs.then(|| RUNS.to_string());
        let words = runs.into_iter().chain(self.patterns.iter().map(hex));
        let mut hint = String::new();
        for word in words {
            let space = if hint.is_empty() { "" } else { " " };
            if hint.len() + space.len() + word.len() <= HINT_MAX {
                hint = hint + space + &word;
            }
        }
        hint
    }

    /// Recogniser of which [`Self::hint`] made this; words that are none of a hint are passed over.
    pub fn from_hint(hint: &str) -> Self {
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let pattern = |word: &str| {
            let bytes: Option<Vec<u8>> = word.as_bytes().chunks(2).map(byte).collect();
            bytes.filter(|bytes| !bytes.is_empty()).map(Arc::from)
        };
        Recogniser {
            runs: hint.split_whitespace().any(|word| word == RUNS),
            patterns: hint.split_whitespace().filter_map(pattern).collect(),
        }
    }

    /// True where Plimsoll wrote all bytes of a part of `bytes`, or nobody did: zeros. What lies beside the part tells of a write that
    /// begins or ends there; none of it is judged.
    pub fn is_ours(&self, bytes: &[u8], part: Range<usize>) -> bool {
        let sectors =
            || (part.clone().step_by(SECTOR)).map(|start| start..part.end.min(start + SECTOR));
        self.is_known(bytes, &part)
            || (part.len() > SECTOR && sectors().all(|sector| self.is_known(bytes, &sector)))
    }

    fn is_known(&self, bytes: &[u8], part: &Range<usize>) -> bool {
        let own = &bytes[part.clone()];
        if own.iter().all(|byte| *byte == 0) || self.is_pattern(own) {
            return true;
        }
        let from = part.start.saturating_sub(BESIDE);
        let near = &bytes[from..bytes.len().min(part.end + BESIDE)];
        let own = part.start - from..part.end - from;
        // Where a target begins in the middle of a lane, so do its lanes.
        (0..LANE).any(|phase| self.is_noise(near, &own, phase))
    }

    /// Whether it is cut out of bytes that are repeated: those that were said to be written, and DiskSPD's own.
    fn is_pattern(&self, part: &[u8]) -> bool {
        let is_of = |pattern: &Arc<[u8]>| repeat::is_of(pattern, part);
        is_counting(part) || self.patterns.iter().any(is_of)
    }

    /// Whether every byte of the part is noise, or what belongs to it: headers with sums, one byte again and again, zeros. Lanes begin
    /// `phase` bytes into `bytes`.
    fn is_noise(&self, bytes: &[u8], part: &Range<usize>, phase: usize) -> bool {
        let mut known = Known {
            is: vec![false; bytes.len()],
            noise: Vec::new(),
        };
        known.find_noise(bytes, phase, self.runs);
        if known.all(part) {
            return true;
        }
        known.find_headers(bytes);
        if !self.runs && !known.is.contains(&true) {
            return false;
        }
        known.find_runs(bytes, self.runs);
        known.all(part)
    }
}

/// Whether each byte is one more than the byte before.
fn is_counting(bytes: &[u8]) -> bool {
    bytes.len() > 1 && bytes.windows(2).all(|two| two[1] == two[0].wrapping_add(1))
}

/// What of a block is known.
struct Known {
    /// Each byte.
    is: Vec<bool>,
    /// Where noise ends.
    noise: Vec<usize>,
}

impl Known {
    fn find_noise(&mut self, block: &[u8], phase: usize, lone: bool) {
        let noise = Noise::new(0);
        let mut at = phase;
        while let Some(lane) = block.get(at..at + LANE) {
            let (number, generation) = Noise::made_of(lane.try_into().expect("a lane"));
            let mut length = 0;
            if number < LANES_MAX {
                let mut wanted = vec![0; block.len() - at];
                noise.fill_masked(&mut wanted, number * LANE as u64, generation);
                length = common(block[at..].iter().zip(&wanted));
            }
            if length < 2 * LANE && !(lone && number < LONE_LANES_MAX) {
                at += LANE;
                continue;
            }
            // And the end of the lane before, whose beginning another write may have written.
            let mut before = [0; LANE];
            let address = number.wrapping_sub(1).wrapping_mul(LANE as u64);
            noise.fill_masked(&mut before, address, generation);
            let back = common(block[..at].iter().rev().zip(before.iter().rev()));
            self.noise.push(at + length);
            self.is[at - back..at + length].fill(true);
            at += length / LANE * LANE;
        }
    }

    fn find_headers(&mut self, block: &[u8]) {
        for at in 0..block.len() {
            if let Some(length) = header_at(&block[at..]) {
                let end = block.len().min(at + length);
                self.is[at..end].fill(true);
            }
        }
    }

    /// One byte in a row: zeros are holes, and the rest of a cell that compresses repeats the last byte of its noise. Where a
    /// write was cut off, its noise may be gone; only where there is content that compresses that is a reason to believe it.
    fn find_runs(&mut self, block: &[u8], any: bool) {
        let mut at = 0;
        for run in block.chunk_by(|one, other| one == other) {
            if run.len() >= LANE && (any || run[0] == 0) {
                self.is[at..at + run.len()].fill(true);
            }
            at += run.len();
        }
        for end in self.noise.iter().copied().filter(|_| any) {
            let rest = &block[end..];
            let run = rest.iter().take_while(|byte| **byte == block[end - 1]);
            self.is[end..end + run.count()].fill(true);
        }
    }

    fn all(&self, part: &Range<usize>) -> bool {
        self.is[part.clone()].iter().all(|is| *is)
    }
}

/// How many pairs from the first on are equal.
fn common<'a>(pairs: impl Iterator<Item = (&'a u8, &'a u8)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::{Places, Sum, VerifyPlan};
    use crate::{ContentPlan, DedupePlan, Filler, Placement};
    use proptest::prelude::*;

    fn dedupe(unit: u64, placement: Placement) -> DedupePlan {
        DedupePlan {
            ratio: 3.0,
            unit,
            sets: 500,
            units: 10_000,
            flip_flop: false,
            placement,
            seed: 5,
        }
    }

    fn plans() -> Vec<ContentPlan> {
        let reducible = |compress, dedupe| ContentPlan::Reducible { compress, dedupe };
        let part_zero = |rest| ContentPlan::PartZero {
            share: 0.4,
            unit: 4096,
            seed: 3,
            rest: Box::new(rest),
        };
        let mut plans = vec![
            ContentPlan::Unique,
            ContentPlan::Zeros,
            ContentPlan::Repeat((0..=255).collect()),
            reducible(1.0, Some(dedupe(4096, Placement::Scattered))),
            reducible(2.0, Some(dedupe(512, Placement::Runs))),
            part_zero(ContentPlan::Unique),
            part_zero(reducible(2.5, None)),
        ];
        for ratio in [1.02, 1.5, 2.0, 3.0, 4.0, 6.5, 10.0, 20.0, 32.0] {
            plans.push(reducible(ratio, None));
        }
        plans
    }

    /// Offset of the first block of a target that isn't known.
    fn first_foreign(recogniser: &Recogniser, target: &[u8]) -> Option<usize> {
        let mut starts = (0..target.len()).step_by(4096);
        starts.find(|at| !recogniser.is_ours(target, *at..target.len().min(at + 4096)))
    }

    fn is_ours(recogniser: &Recogniser, bytes: &[u8]) -> bool {
        first_foreign(recogniser, bytes).is_none()
    }

    fn recogniser() -> Recogniser {
        Recogniser::default()
    }

    /// A target as 20 writers with 20 seeds leave it, each with a size of its own, some of their writes cut off at any sector.
    fn written(plan: &ContentPlan, sizes: &[usize], grain: usize, seed: u64) -> Vec<u8> {
        let mut target = vec![0; 256 << 10];
        let mut state = seed;
        let mut draw = |below: usize| {
            state = crate::mix64(state);
            (state % below as u64) as usize
        };
        for writer in 0..20 {
            let filler = Filler::new(plan.clone(), seed ^ writer);
            for generation in 0..6 {
                let size = sizes[draw(sizes.len())];
                let at = draw(target.len() / size) * size;
                let mut bytes = vec![0; size];
                filler.fill(&mut bytes, at as u64, writer << 40 | generation);
                let cut = match draw(4) {
                    0 => draw(size / grain + 1) * grain,
                    _ => size,
                };
                target[at..at + cut].copy_from_slice(&bytes[..cut]);
            }
        }
        target
    }

    #[test]
    fn what_any_content_leaves_is_known_again_whoever_wrote_it_in_which_sizes() {
        for (number, plan) in plans().iter().enumerate() {
            for sizes in [&[4096][..], &[512, 1024, 8192], &[65_536, 4096, 1536]] {
                let recogniser = Recogniser::from_hint(&Recogniser::of([plan]).hint());
                let target = written(plan, sizes, 512, number as u64);
                let foreign = first_foreign(&recogniser, &target);
                assert_eq!(foreign, None, "{plan:?}, {sizes:?}");
            }
        }
    }

    #[test]
    fn writes_at_odd_places_and_targets_that_begin_at_odd_places_are_known_again() {
        let target = written(&ContentPlan::Unique, &[1000], 1000, 7);
        for from in [0, 5, 16, 512, 1001] {
            let foreign = first_foreign(&recogniser(), &target[from..]);
            assert_eq!(foreign, None, "from {from}");
        }
    }

    #[test]
    fn headers_of_verified_blocks_and_what_is_behind_them_are_known_again() {
        for sum in [Sum::Meta, Sum::Crc32c, Sum::Md5, Sum::Sha512] {
            for interval in [None, Some(512), Some(1024)] {
                let plan = VerifyPlan {
                    sum: Some(sum),
                    interval,
                    offset: 0,
                    pattern: None,
                    began: (1, 2),
                };
                let filler = Filler::new(ContentPlan::Unique, 3).stamped(
                    Arc::new(plan),
                    Arc::new(Places::default()),
                    None,
                );
                let mut bytes = vec![0; 16_384];
                filler.fill(&mut bytes, 1 << 20, 9);
                assert!(is_ours(&recogniser(), &bytes), "{sum:?}, {interval:?}");
            }
        }
    }

    #[test]
    fn a_pattern_is_known_where_it_is_given_from_wherever_it_is_looked_at() {
        let pattern: Arc<[u8]> = b"ship shape".as_slice().into();
        let plan = ContentPlan::Repeat(pattern);
        let mut block = vec![0; 4096];
        Filler::new(plan.clone(), 0).fill(&mut block, 8192, 0);
        let known = Recogniser::of([&plan, &ContentPlan::Unique]);
        assert_eq!(Recogniser::from_hint(&known.hint()), known);
        let long = ContentPlan::Repeat((0..101).rev().collect());
        assert_eq!(Recogniser::of([&long, &plan]).hint(), known.hint());
        assert!(is_ours(&known, &block));
        assert!(!is_ours(&recogniser(), &block));
        // Of one step a pattern, of the next noise.
        let noise = Noise::new(4);
        let mut mixed = vec![0; 4096];
        let counting: Vec<u8> = (0..=255).collect();
        Filler::new(ContentPlan::Repeat(counting.into()), 0).fill(&mut mixed, 4096, 0);
        noise.fill(&mut mixed[1024..2048], 4096 + 1024, 5);
        assert!(is_ours(&recogniser(), &mixed));
    }

    #[test]
    fn what_others_write_is_not_ours() {
        let text = b"SQLite format 3\0 and whatever else people keep".repeat(90);
        let numbers: Vec<u8> = (0..2048u16).flat_map(u16::to_le_bytes).collect();
        let mut mostly_zero = vec![0; 4096];
        mostly_zero[100..108].copy_from_slice(b"precious");
        let random: Vec<u8> = (0..512u64)
            .flat_map(|n| crate::mix64(n).to_le_bytes())
            .collect();
        for block in [
            &text[..4096],
            &numbers,
            &mostly_zero,
            &random,
            &[0xff; 4096],
        ] {
            assert!(!is_ours(&recogniser(), block), "{:?}", &block[..16]);
        }
    }

    proptest! {
        #[test]
        fn one_changed_byte_is_seen_wherever_it_is(at in 0usize..4096, change in 1u8..=255, seed: u64) {
            let mut target = vec![0; 3 * 4096];
            Noise::new(seed).fill(&mut target, 1 << 30, 77);
            prop_assert!(is_ours(&recogniser(), &target));
            target[4096 + at] ^= change;
            prop_assert_eq!(first_foreign(&recogniser(), &target), Some(4096));
        }

        #[test]
        fn foreign_bytes_in_ours_are_seen_to_the_byte(at in 0usize..8192, bytes in proptest::collection::vec(1u8..=255, 1..64)) {
            let noise = Noise::new(3);
            let mut target = vec![0; 3 * 4096];
            noise.fill(&mut target, 1 << 30, 77);
            let differs = target[at..].iter().zip(&bytes).any(|(ours, other)| ours != other);
            target[at..at + bytes.len()].copy_from_slice(&bytes);
            prop_assert_eq!(is_ours(&recogniser(), &target), !differs);
        }

        #[test]
        fn a_write_that_ends_anywhere_in_another_is_known(from in 64usize..8192, length in 64usize..4000) {
            let mut target = vec![0; 3 * 4096];
            Noise::new(3).fill(&mut target, 1 << 30, 77);
            Noise::new(4).fill(&mut target[from..from + length], (1 << 30) + from as u64, 8);
            prop_assert!(is_ours(&recogniser(), &target));
        }

        #[test]
        fn random_blocks_are_not_ours(words in proptest::collection::vec(any::<u64>(), 512)) {
            let block: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            prop_assert!(!is_ours(&recogniser(), &block));
        }
    }
}
