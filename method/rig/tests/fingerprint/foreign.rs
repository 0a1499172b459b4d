//! Arrays unlike the lab's, drawn by chance: owners by a hash or unequal, slices of any size, caches of other makes, two
//! tiers, paths that are not alike.

pub mod cache;
pub mod model;
pub mod stripe;

use crate::drawn::Draw;
use cache::Policy;
pub use plimsoll_draw::mix64 as mix;

/// Dealing of slices to owners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dealing {
    Turns,
    Hash,
    /// The owners of consecutive slices, again and again.
    Pattern(Vec<u64>),
    /// By the multiplicative hash (Knuth, The Art of Computer Programming, 6.4), which looks nearly like turns for a while.
    Multiplied,
    /// So many slices go to a few owners in turn, then as many to the next few.
    Groups {
        /// Owners of a group.
        each: u64,
        /// Slices until the next group.
        run: u64,
    },
    /// Left-asymmetric RAID 5, whose parity moves by a disk each row: the owners' order differs from row to row.
    Rotated,
}

#[derive(Debug, Clone, Copy)]
pub struct CacheShape {
    pub bytes: u64,
    pub line: u64,
    pub policy: Policy,
    /// True where writes go into the cache.
    pub allocates: bool,
    pub hit_ns: f64,
    /// A hit asks no owner.
    pub above: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Buffer {
    pub bytes: u64,
    pub drain_per_ns: f64,
}

/// Treatment of a kind of data by writes.
#[derive(Debug, Clone, Copy)]
pub struct Treated {
    pub grain: u64,
    pub factor: f64,
}

#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub extra_ns: f64,
    pub command_ns: f64,
    pub ns_per_byte: f64,
}

/// Shape of an array, as it truly is.
#[derive(Debug, Clone)]
pub struct Shape {
    pub size: u64,
    pub owners: u64,
    pub slice: u64,
    /// Bytes of the first slice that are before the target.
    pub begins_at: u64,
    pub dealing: Dealing,
    /// Of each owner.
    pub speeds: Vec<f64>,
    pub share: f64,
    pub cost_ns: f64,
    pub write_factor: f64,
    pub fixed_ns: f64,
    pub media: usize,
    pub media_ns: f64,
    pub slow_share: f64,
    pub slow_ns: f64,
    pub cache: Option<CacheShape>,
    pub journal: Option<Buffer>,
    /// Alignment of an I/O's pieces; 0: none.
    pub unit: u64,
    pub ahead: bool,
    pub zeros: Option<Treated>,
    pub duplicates: Option<Treated>,
    pub compressible: Option<Treated>,
    pub compressed_read: f64,
    pub paths: Vec<Way>,
    pub noise: f64,
}

/// One of them.
pub fn array(seed: u64) -> Shape {
    let mut draw = Draw::new(seed ^ 0xF02E_1611);
    let owners = 1 + draw.below(16);
    // Of many, few are powers of two, and some are no multiple of 32 KiB.
    let slice = match draw.below(8) {
        0 => 4096 * (17 + draw.below(500)),
        1..=3 => 65536 << draw.below(7),
        _ => 32768 * (2 + draw.below(60)),
    };
    let dealing = match draw.below(6) {
        0 => Dealing::Hash,
        1 if owners > 1 => Dealing::Pattern(
            (0..owners + 1 + draw.below(3))
                .map(|i| if i < owners { i } else { draw.below(owners) })
                .collect(),
        ),
        _ => Dealing::Turns,
    };
    let unequal = draw.below(6) == 0;
    let speeds = (0..owners)
        .map(|_| if unequal { draw.between(0.5, 1.5) } else { 1.0 })
        .collect();
    let rate = draw.between(2_500.0, 9_000.0);
    let tiered = draw.below(4) == 0;
    let media_ns = draw.between(500_000.0, 4_000_000.0);
    let grain = |draw: &mut Draw| 4096 << draw.below(5);
    let treated = |draw: &mut Draw, low, high| {
        (draw.below(5) < 2).then(|| Treated {
            grain: grain(draw),
            factor: match draw.between(low, high) {
                // What is no difference is none.
                f if f < 1.0 => f.min(0.85),
                f => f.max(1.2),
            },
        })
    };
    Shape {
        size: 8 << 30,
        owners,
        slice,
        begins_at: if draw.below(5) == 0 {
            slice / 32768 / 2 * 32768 % slice
        } else {
            0
        },
        dealing,
        speeds,
        share: if draw.below(8) == 0 {
            0.0
        } else {
            draw.between(0.15, 0.85)
        },
        cost_ns: owners as f64 / rate * 1e9,
        write_factor: draw.between(1.0, 3.0),
        fixed_ns: draw.between(20_000.0, 300_000.0),
        media: (rate * media_ns / 1e9 * draw.between(1.5, 6.0)) as usize + 8,
        media_ns,
        slow_share: if tiered { draw.between(0.05, 0.7) } else { 0.0 },
        slow_ns: draw.between(3_000_000.0, 20_000_000.0),
        cache: (draw.below(5) > 0).then(|| cache(&mut draw)),
        journal: (draw.below(5) < 3).then(|| buffer(&mut draw, rate)),
        unit: [0, 0, 4096, 4096, 8192, 16384, 65536][draw.below(7) as usize],
        ahead: draw.flip(),
        zeros: treated(&mut draw, 0.2, 0.85),
        duplicates: treated(&mut draw, 0.3, 0.85),
        compressible: treated(&mut draw, 0.6, 1.5),
        compressed_read: 1.0,
        paths: paths(&mut draw, rate),
        noise: draw.between(0.0, 0.08),
    }
}

/// The same with owners that take no turns, or not all of them.
pub fn strange(seed: u64) -> Shape {
    let mut shape = array(seed);
    let mut draw = Draw::new(seed ^ 0x57_4A61);
    let few = 2 + draw.below(4);
    shape.owners = few * (2 + draw.below(3));
    shape.speeds = vec![1.0; shape.owners as usize];
    shape.cost_ns = shape.owners as f64 / draw.between(2_500.0, 9_000.0) * 1e9;
    shape.share = draw.between(0.2, 0.85);
    shape.slice = 32768 * (2 + draw.below(60));
    shape.begins_at = 0;
    shape.dealing = match draw.below(5) {
        0 => Dealing::Multiplied,
        1 => Dealing::Groups {
            each: few,
            run: few * (1 + draw.below(40)),
        },
        2 => Dealing::Rotated,
        3 => Dealing::Hash,
        _ => Dealing::Pattern((0..shape.owners).chain((0..shape.owners).rev()).collect()),
    };
    shape
}

/// One path or several; in half of these some are worse.
fn paths(draw: &mut Draw, rate: f64) -> Vec<Way> {
    let count: usize = [1, 2, 2, 4, 4, 6][draw.below(6) as usize];
    let good = Way {
        extra_ns: draw.between(0.0, 50_000.0),
        command_ns: 1e9 / rate / draw.between(1.5, 4.0),
        ns_per_byte: count as f64 * 1e9 / (draw.between(300.0, 1200.0) * 1_048_576.0),
    };
    let worse = Way {
        extra_ns: good.extra_ns + draw.between(60_000.0, 500_000.0),
        command_ns: good.command_ns,
        ns_per_byte: good.ns_per_byte,
    };
    let mixed = draw.flip();
    (0..count)
        .map(|i| {
            if mixed && i >= count.div_ceil(2) {
                worse
            } else {
                good
            }
        })
        .collect()
}

fn cache(draw: &mut Draw) -> CacheShape {
    let policies = [
        Policy::Lru,
        Policy::Lru,
        Policy::Fifo,
        Policy::Random,
        Policy::TwoQueues,
    ];
    CacheShape {
        bytes: (4.0 * 1_048_576.0 * 2f64.powf(draw.between(0.0, 10.5))) as u64,
        line: 4096 << [0, 2, 3, 4, 5, 6][draw.below(6) as usize],
        policy: policies[draw.below(5) as usize],
        allocates: draw.flip(),
        hit_ns: draw.between(1_000.0, 20_000.0),
        above: draw.below(4) == 0,
    }
}

fn buffer(draw: &mut Draw, rate: f64) -> Buffer {
    Buffer {
        bytes: (4.0 * 1_048_576.0 * 2f64.powf(draw.between(0.0, 9.0))) as u64,
        drain_per_ns: rate * draw.between(0.05, 1.2) * 4096.0 / 1e9,
    }
}
