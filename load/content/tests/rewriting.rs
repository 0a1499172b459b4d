//! A target is written step by step, each with a filler of its own seed, as a run does it: what stays the same, what
//! alternates, and that what is said of a block agrees with its bytes.

use plimsoll_content::{ContentPlan, DedupePlan, Filler, Identity, Placement, Rewrites, mix64};
use std::collections::HashMap;
use std::sync::Arc;

fn in_runs(ratio: f64) -> DedupePlan {
    DedupePlan {
        ratio,
        unit: 4096,
        sets: 400,
        units: 8000,
        flip_flop: false,
        placement: Placement::Runs,
        seed: 5,
    }
}

fn bytes(filler: &Filler, offset: u64, len: usize, generation: u64) -> Vec<u8> {
    let mut buf = vec![0xee; len];
    filler.fill(&mut buf, offset, generation);
    buf
}

/// A target of so many units that is written step by step, and what each step's filler says of it.
struct Written {
    bytes: Vec<Vec<u8>>,
    described: Vec<Identity>,
    rewrites: Arc<Rewrites>,
    plan: DedupePlan,
}

impl Written {
    fn new(plan: DedupePlan) -> Self {
        Written {
            bytes: vec![Vec::new(); plan.units as usize],
            described: vec![Identity::Zero; plan.units as usize],
            rewrites: Arc::new(Rewrites::new(plan.units).expect("fits")),
            plan,
        }
    }

    fn filler(&self, step: u64) -> Filler {
        let plan = ContentPlan::Reducible {
            compress: 1.5,
            dedupe: Some(self.plan),
        };
        Filler::new(plan, step).with_rewrites(Arc::clone(&self.rewrites))
    }

    /// Writes `count` units from `first` on, in one write.
    fn write(&mut self, filler: &Filler, first: u64, count: u64, generation: u64) {
        let unit = self.plan.unit;
        filler.count_write(first * unit, count * unit);
        let all = bytes(filler, first * unit, (count * unit) as usize, generation);
        for (number, block) in (first..).zip(all.chunks(unit as usize)) {
            self.bytes[number as usize] = block.to_vec();
            self.described[number as usize] =
                filler.identity(number * unit, unit as u32, generation);
        }
    }

    /// Blocks over different ones by the bytes and as described. They have to agree on each pair of blocks.
    fn ratios(&self) -> (f64, f64) {
        let (mut by_bytes, mut by_description) = (HashMap::new(), HashMap::new());
        for (at, (block, said)) in self.bytes.iter().zip(&self.described).enumerate() {
            let found = *by_bytes.entry(block).or_insert(at);
            assert_eq!(found, *by_description.entry(said).or_insert(at));
        }
        let all = self.bytes.len() as f64;
        (
            all / by_bytes.len() as f64,
            all / by_description.len() as f64,
        )
    }
}

fn each_way(flip_flop: bool) -> impl Iterator<Item = DedupePlan> {
    [Placement::Scattered, Placement::Runs]
        .into_iter()
        .map(move |placement| DedupePlan {
            placement,
            flip_flop,
            ..in_runs(2.0)
        })
}

#[test]
fn steps_with_seeds_of_their_own_write_the_same_duplicates() {
    for plan in each_way(false) {
        let mut written = Written::new(plan);
        for step in 0..3 {
            let filler = written.filler(step);
            // All of it, then two halves of it at other sizes, each with generations of its own.
            let size = [8, 4, 1][step as usize];
            for n in 0..4000 / (step + 1) / size {
                written.write(&filler, n * size * 2, size * 2, n << 40);
            }
            if step == 0 {
                continue;
            }
            let (found, described) = written.ratios();
            assert!((found / 2.0 - 1.0).abs() < 0.03, "step {step}: {found}");
            assert_eq!(found, described);
        }
    }
}

#[test]
fn alternating_duplicates_alternate_by_the_writes_of_their_own_block() {
    for plan in each_way(true) {
        let mut written = Written::new(plan);
        let mut after = Vec::new();
        for pass in 0..4 {
            let filler = written.filler(pass);
            // Generations in the disorder that workers have.
            (0..4000).for_each(|n| written.write(&filler, n * 2, 2, mix64(n * 7 + pass)));
            let ratios = written.ratios();
            assert!(
                (ratios.0 / 2.0 - 1.0).abs() < 0.03,
                "pass {pass}: {ratios:?}"
            );
            after.push(written.bytes.clone());
        }
        let same = |a: usize, b: usize| {
            let blocks = after[a].iter().zip(&after[b]);
            blocks.filter(|(a, b)| a == b).count()
        };
        assert_eq!((same(0, 1), same(1, 2), same(2, 3)), (0, 0, 0));
        // Two writes later what is no unique block is as it was.
        assert!(same(0, 2) > 3900 && same(0, 2) == same(1, 3));
    }
}

#[test]
fn half_of_the_blocks_written_once_more_hold_the_other_value() {
    // 45 % unique, and both values of 5 % of the blocks: 1 / 0.55.
    for plan in each_way(true) {
        let mut written = Written::new(plan);
        let filler = written.filler(1);
        (0..8000).for_each(|n| written.write(&filler, n, 1, n));
        let filler = written.filler(2);
        (0..8000)
            .filter(|n| mix64(*n) & 1 == 0)
            .for_each(|n| written.write(&filler, n, 1, n));
        let (found, described) = written.ratios();
        assert!((found * 0.55 - 1.0).abs() < 0.03, "{found}");
        assert_eq!(found, described);
    }
}

#[test]
fn a_write_of_a_part_of_a_unit_counts_for_the_unit() {
    let written = Written::new(each_way(true).next().expect("a plan"));
    let filler = written.filler(1);
    filler.count_write(4096 * 3 + 100, 1);
    filler.count_write(4096 * 10 - 1, 2);
    filler.count_write(4096 * 20, 0);
    let odd: Vec<u64> = (0..30).filter(|n| written.rewrites.is_odd(*n)).collect();
    assert_eq!(odd, [3, 9, 10]);
}

#[test]
fn what_compresses_otherwise_is_not_described_as_the_same() {
    let filler = |compress| {
        let dedupe = Some(in_runs(4.0));
        Filler::new(ContentPlan::Reducible { compress, dedupe }, 1)
    };
    let (loose, tight) = (filler(1.5), filler(3.0));
    for n in 0..100 {
        assert_ne!(
            bytes(&loose, n * 4096, 4096, 0),
            bytes(&tight, n * 4096, 4096, 0)
        );
        assert_ne!(
            loose.identity(n * 4096, 4096, 0),
            tight.identity(n * 4096, 4096, 0)
        );
    }
}
