//! Fingerprints of arrays of other makes than the lab's.

use crate::bench::{self, Print};
use crate::foreign::stripe::Stripe;
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
    let policy = print.figure("cache_policy");
    assert_eq!(
        word(&print, "cache_policy"),
        Some("oldest-goes"),
        "{policy:?}"
    );
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

/// Six owners by some rule; no more than is needed to look at it.
fn six(dealing: Dealing) -> Shape {
    let mut shape = five();
    shape.owners = 6;
    shape.speeds = vec![1.0; 6];
    shape.cost_ns = 6.0 / 3_000.0 * 1e9;
    shape.slice = 256 << 10;
    shape.dealing = dealing;
    shape.paths.truncate(1);
    shape.cache = None;
    shape.media = 200;
    shape
}

#[test]
fn owners_that_take_no_turns_are_not_counted_though_their_slices_are_told() {
    for dealing in [
        Dealing::Hash,
        Dealing::Multiplied,
        Dealing::Rotated,
        Dealing::Groups { each: 3, run: 24 },
        // To and fro: each has two slices of a turn.
        Dealing::Pattern(vec![0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0]),
        // One of seven slices is another one's second.
        Dealing::Pattern(vec![0, 1, 2, 3, 4, 5, 3]),
    ] {
        let shape = six(dealing);
        let print = bench::take_foreign(&shape, 7, false);
        let owners = print.figure("owners");
        println!(
            "{:?}: {:?} {owners:?}",
            shape.dealing,
            print.bytes("slice_bytes")
        );
        assert_eq!(owners.quantity, None, "{:?}", shape.dealing);
        let slice = print.bytes("slice_bytes");
        assert!(
            slice.is_none_or(|s| s == shape.slice),
            "{:?}: {slice:?}",
            shape.dealing
        );
    }
    let print = bench::take_foreign(&six(Dealing::Turns), 7, false);
    assert_eq!(print.bytes("owners"), Some(6));
}

/// A cache of 16 MiB whose lines make room by a policy.
fn cached(policy: Policy) -> Shape {
    let mut shape = six(Dealing::Turns);
    shape.cache = five().cache;
    let cache = shape.cache.as_mut().expect("a cache");
    (cache.policy, cache.bytes) = (policy, 16 * MIB);
    shape
}

#[test]
fn where_the_oldest_makes_room_in_a_cache_it_is_told() {
    for policy in [Policy::Lru, Policy::Fifo] {
        for seed in 1..3 {
            let print = bench::take_foreign(&cached(policy), seed, false);
            let found = print.figure("cache_policy");
            assert_eq!(
                word(&print, "cache_policy"),
                Some("oldest-goes"),
                "{policy:?} {seed} {found:?}"
            );
        }
    }
}

#[test]
fn where_any_line_makes_room_in_a_cache_no_policy_is_told_and_the_share_is_said() {
    let mut said = 0;
    for seed in 1..4 {
        let print = bench::take_foreign(&cached(Policy::Random), seed, false);
        let found = print.figure("cache_policy");
        assert_eq!(found.quantity, None, "{seed} {found:?}");
        let why = found.remark.as_deref().expect("a reason");
        assert!(why.starts_with("not identifiable: "), "{why}");
        said += usize::from(why.contains("it keeps a share"));
        println!("{seed}: {why} {:?}", print.figure("cache_bytes"));
    }
    assert!(said > 0);
}

#[test]
fn a_cache_that_holds_off_a_scan_is_not_told_smaller_than_it_is() {
    for (seed, mib) in [(1, 24), (2, 48)] {
        let mut shape = cached(Policy::TwoQueues);
        shape.cache.as_mut().expect("a cache").bytes = mib * MIB;
        let print = bench::take_foreign(&shape, seed, false);
        let found = print.figure("cache_bytes");
        println!("{mib} MiB: {found:?}");
        let reported = print.bytes("cache_bytes").map(|b| b as f64);
        assert!(
            reported.is_none_or(|b| b > 0.85 * (mib * MIB) as f64),
            "{found:?}"
        );
    }
}

/// Seven disks that share nothing.
fn stripe() -> Stripe {
    Stripe {
        size: 4 << 30,
        disks: 7,
        chunk: 192 << 10,
        access_ns: 1_500_000.0,
        byte_ns: 5.0,
        fixed_ns: 100_000,
        ahead: 256 << 10,
        holds: 24 * MIB,
        noise: 0.02,
    }
}

#[test]
fn a_stripe_is_told_with_its_disks_and_what_it_reads_ahead() {
    let print = bench::take_stripe(stripe(), 3, true);
    let (slice, owners) = (print.figure("slice_bytes"), print.figure("owners"));
    assert_eq!(print.bytes("slice_bytes"), Some(192 << 10), "{slice:?}");
    assert_eq!(print.bytes("owners"), Some(7), "{owners:?}");
    let (low, _) = print.figure("owner_share").interval.expect("a share");
    assert!(low > 0.9, "{low}");
    assert!(print.quantity("read_ahead").is_some());
    // It caches nothing that was read.
    for name in ["cache_bytes", "zeros", "duplicates", "compressible"] {
        assert_eq!(print.quantity(name), None, "{name}");
    }
    // What it holds is full within a moment, sooner than a burst is looked at.
    assert_eq!(print.quantity("journal_bytes"), None);
    let mut plain = stripe();
    plain.ahead = 0;
    let print = bench::take_stripe(plain, 3, false);
    assert_eq!(print.quantity("read_ahead"), None);
    assert_eq!(print.bytes("owners"), Some(7));
}
