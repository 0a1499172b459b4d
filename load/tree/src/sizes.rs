//! Sizes of files by their numbers, as Vdbench draws them: file after file out of one generator of a fixed seed.

use plimsoll_draw::JavaRandom;
use plimsoll_plan::FileSizes;

/// Files between two kept states of the generator; the sizes between are drawn again from the state before.
const EVERY: u64 = 64;

/// Sizes of the files of a tree.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    spec: FileSizes,
    /// The generator before file 0, 64, 128…; empty where nothing is drawn.
    states: Vec<JavaRandom>,
    total: u64,
}

impl Sizes {
    pub(crate) fn new(spec: &FileSizes, files: u64) -> Self {
        if let FileSizes::Fixed(size) = spec {
            return Sizes {
                spec: spec.clone(),
                states: Vec::new(),
                total: files.saturating_mul(size.0),
            };
        }
        let mut java = JavaRandom::new(0);
        let mut states = Vec::with_capacity(files.div_ceil(EVERY) as usize);
        let mut total: u64 = 0;
        for file in 0..files {
            if file % EVERY == 0 {
                states.push(java);
            }
            total = total.saturating_add(draw(spec, &mut java));
        }
        Sizes {
            spec: spec.clone(),
            states,
            total,
        }
    }

    /// Bytes of a file when it is full.
    pub(crate) fn of(&self, file: u64) -> u64 {
        if let FileSizes::Fixed(size) = &self.spec {
            return size.0;
        }
        let Some(mut java) = self.states.get((file / EVERY) as usize).copied() else {
            return 0;
        };
        for _ in 0..file % EVERY {
            draw(&self.spec, &mut java);
        }
        draw(&self.spec, &mut java)
    }

    /// Bytes of all files when they are full.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }
}

fn draw(spec: &FileSizes, java: &mut JavaRandom) -> u64 {
    match spec {
        FileSizes::Fixed(size) => size.0,
        FileSizes::Weighted(list) => {
            let drawn = java.below(100);
            // Vdbench adds up in whole percents.
            let mut below = 0;
            let found = list.iter().find(|(_, percent)| {
                below = (f64::from(below) + percent) as i32;
                drawn < below
            });
            found.or(list.last()).map_or(0, |(size, _)| size.0)
        }
        FileSizes::Range { min, max, align } => {
            let steps = (max.0.saturating_sub(min.0)) / align.0.max(1) + 1;
            let steps = i32::try_from(steps).unwrap_or(i32::MAX);
            min.0 + java.below(steps) as u64 * align.0
        }
        FileSizes::Around(size) => around(i32::try_from(size.0).unwrap_or(i32::MAX), java),
    }
}

/// From a half to one and a half of the average, rounded to a unit that suits it; in Java's 32 bits, of numbers and of fractions.
fn around(average: i32, java: &mut JavaRandom) -> u64 {
    const KIB: i32 = 1 << 10;
    const MIB: i32 = 1 << 20;
    let drawn = java.below(average).wrapping_add(average / 2) as f32;
    let unit = match average {
        _ if drawn >= (10 * MIB) as f32 => MIB,
        MIB.. => 100 * KIB,
        _ if average >= 100 * KIB => 10 * KIB,
        _ => KIB,
    };
    let times = (f64::from(drawn / unit as f32) + 0.5).floor() as i32;
    times.wrapping_mul(unit).max(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::Bytes;

    /// Sizes that Vdbench 5.04.07 made of `sizes=(4k,50,8k,30,100k,20)` and of `sizes=(10k,0)`.
    #[test]
    fn sizes_are_vdbenchs() {
        const K: u64 = 1 << 10;
        let of = |spec: FileSizes| {
            let sizes = Sizes::new(&spec, 18);
            let all: Vec<u64> = (0..18).map(|file| sizes.of(file)).collect();
            assert_eq!(all.iter().sum::<u64>(), sizes.total());
            all
        };
        let list = [(4, 50.0), (8, 30.0), (100, 20.0)];
        let weighted = FileSizes::Weighted(list.map(|(k, p)| (Bytes(k * K), p)).to_vec());
        let expected = [8, 4, 4, 4, 4, 8, 100, 8, 4, 8, 8, 8, 8, 8, 100, 4, 100, 8].map(|k| k * K);
        assert_eq!(of(weighted), expected);
        let expected = [
            6144, 13312, 6144, 13312, 6144, 11264, 5120, 6144, 8192, 12288, 15360, 5120, 5120,
            14336, 7168, 7168, 14336, 11264,
        ];
        assert_eq!(of(FileSizes::Around(Bytes(10 * K))), expected);
    }

    #[test]
    fn a_file_has_its_size_wherever_it_is_asked_for() {
        let (min, max, align) = (Bytes(4096), Bytes(65_536), Bytes(512));
        let sizes = Sizes::new(&FileSizes::Range { min, max, align }, 1_000);
        let mut java = JavaRandom::new(0);
        for file in 0..1_000 {
            let size = draw(&sizes.spec, &mut java);
            assert_eq!(sizes.of(file), size, "{file}");
            assert!((min.0..=max.0).contains(&size) && size.is_multiple_of(align.0));
        }
        assert_eq!(sizes.of(1_000_000), 0);
    }
}
