//! Numbers out of a seed, and how many cases are asked for.

pub use plimsoll_draw::Draw;

/// Numbers out of a seed.
pub fn numbers(seed: u64) -> Draw {
    // Else the draws of a seed would be those of the one before it, moved by one.
    Draw(seed.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(29))
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
