//! The size from which on bytes are the limit: from there on the rate falls as the size grows.

use plimsoll_plan::Bytes;

/// Bytes a second that differ by no more, as a part of the fewest, are the same.
const LEVEL: f64 = 0.05;
/// Fewest sizes that show it.
const SIZES: usize = 3;
/// The largest of them is so many times the smallest, at least.
const REACH: u64 = 8;

/// Ceiling of the bytes a second, whatever the size of the I/Os.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ceiling {
    /// The smallest size at which it is reached.
    pub from: Bytes,
    /// Mean bytes a second from there on.
    pub bytes_per_s: f64,
}

impl Ceiling {
    /// The ceiling of sizes with their bytes a second, if they show one.
    pub fn of(mut sizes: Vec<(Bytes, f64)>) -> Option<Self> {
        sizes.sort_by_key(|(size, _)| size.0);
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        let level = |(_, carried): &&(Bytes, f64)| {
            (low, high) = (low.min(*carried), high.max(*carried));
            high <= (1.0 + LEVEL) * low
        };
        let alike: Vec<_> = sizes.iter().rev().take_while(level).collect();
        let (largest, from) = (alike.first()?.0, alike.last()?.0);
        let shown = alike.len() >= SIZES && largest.0 >= REACH * from.0;
        shown.then(|| Ceiling {
            from,
            bytes_per_s: alike.iter().map(|(_, carried)| carried).sum::<f64>() / alike.len() as f64,
        })
    }
}

#[test]
fn sizes_that_carry_the_same_bytes_show_a_ceiling_and_few_or_near_ones_none() {
    let of = |carried: &[(u64, f64)]| {
        let sizes = carried.iter().map(|(kib, mb)| (Bytes(kib << 10), *mb));
        Ceiling::of(sizes.collect()).map(|c| (c.from.0 >> 10, c.bytes_per_s.round()))
    };
    // The two bricks: 639, 670, 694, 698, 712, 696 MB/s.
    let bricks = [
        (4, 639.0),
        (8, 670.0),
        (16, 694.0),
        (32, 698.0),
        (64, 712.0),
        (1024, 696.0),
    ];
    assert_eq!(of(&bricks), Some((16, 700.0)));
    assert_eq!(of(&[(4, 100.0), (64, 700.0), (1024, 700.0)]), None);
    assert_eq!(of(&[(4, 700.0), (8, 700.0), (16, 700.0)]), None);
    assert_eq!(
        of(&[(64, 700.0), (4, 700.0), (16, 700.0)]),
        Some((4, 700.0))
    );
    assert_eq!(of(&[(4, 100.0), (16, 300.0), (64, 800.0)]), None);
    assert_eq!(of(&[]), None);
}
