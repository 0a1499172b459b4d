//! Fingerprints of arrays of other makes than the lab's.

use crate::bench::{self, Print};
use crate::foreign::{Buffer, CacheShape, Dealing, Shape, Way, cache::Policy};
use plimsoll_evidence::Quantity;

const MIB: u64 = 1 << 20;

/// Five owners of 160 KiB each, a cache of 32 MiB with lines of 64 KiB, and a longer path.
fn five() -> Shape {
    let way = |extra_ns| Way {
        extra_ns,
        command_ns: 60_000.0,
        ns_per_byte: 5.0,
    };
    let rate = 3_000.0;
    Shape {
        size: 2 << 30,
        owners: 5,
        slice: 160 << 10,
        begins_at: 0,
        dealing: Dealing::Turns,
        speeds: vec![1.0; 5],
        share: 0.5,
        cost_ns: 5.0 / rate * 1e9,
        write_factor: 1.5,
        fixed_ns: 100_000.0,
        media: 40,
        media_ns: 3_000_000.0,
        slow_share: 0.0,
        slow_ns: 0.0,
        cache: Some(CacheShape {
            bytes: 32 * MIB,
            line: 64 << 10,
            policy: Policy::Lru,
            allocates: true,
            hit_ns: 5_000.0,
            above: false,
        }),
        journal: Some(Buffer {
            bytes: 16 * MIB,
            drain_per_ns: rate * 0.1 * 4096.0 / 1e9,
        }),
        unit: 4096,
        ahead: false,
        zeros: None,
        duplicates: None,
        compressible: None,
        compressed_read: 1.0,
        paths: vec![way(0.0), way(0.0), way(1_500_000.0)],
        noise: 0.02,
    }
}

fn word<'p>(print: &'p Print, name: &str) -> Option<&'p str> {
    match print.quantity(name)? {
        Quantity::Text(word) => Some(word),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn slices_of_any_size_a_caches_lines_who_makes_room_and_the_longer_path_are_told() {
    let print = bench::take_foreign(&five(), 7, false);
    assert_eq!(print.bytes("slice_bytes"), Some(160 << 10));
    assert_eq!(print.bytes("owners"), Some(5));
    assert_eq!(print.bytes("cache_line_bytes"), Some(64 << 10));
    assert_eq!(word(&print, "cache_policy"), Some("oldest-goes"));
    let paths = print.figure("path_asymmetry");
    assert!(
        paths
            .remark
            .as_deref()
            .unwrap_or("")
            .ends_with("the better ones are 0, 1"),
        "{paths:?}"
    );
    // Nothing is said of writes, and nothing was written.
    assert_eq!(word(&print, "cache_writes"), None);
    assert_eq!(print.written, 0);
}

#[test]
fn other_shapes_of_the_same_array_are_told_from_it() {
    let mut shape = five();
    // No two slices of an owner are a turn apart.
    shape.dealing = Dealing::Hash;
    shape.paths[2] = shape.paths[0];
    let cache = shape.cache.as_mut().expect("a cache");
    cache.policy = Policy::Random;
    cache.allocates = false;
    let print = bench::take_foreign(&shape, 7, true);
    assert_eq!(print.bytes("slice_bytes"), None);
    assert_eq!(print.bytes("owners"), None);
    assert_ne!(word(&print, "cache_policy"), Some("oldest-goes"));
    assert_ne!(word(&print, "cache_writes"), Some("filled"));
    let paths = print.figure("path_asymmetry");
    assert!(
        paths.remark.as_deref().unwrap_or("").contains("alike"),
        "{paths:?}"
    );
    assert!(print.written > 0);
}
