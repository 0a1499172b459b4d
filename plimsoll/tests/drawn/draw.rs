//! Numbers out of a seed, and how many cases are asked for.

/// Numbers out of a seed (SplitMix64, Steele and others 2014).
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        // Else the draws of a seed would be those of the one before it, moved by one.
        Draw(seed.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(29))
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A number of the environment: `PLIMSOLL_DRAWS` or `PLIMSOLL_SEED`.
pub fn number(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

/// The seeds to draw from, where nobody asks for others.
pub fn seeds(otherwise: u64) -> std::ops::Range<u64> {
    let first = number("PLIMSOLL_SEED", 1);
    first..first + number("PLIMSOLL_DRAWS", otherwise)
}
