//! Parts of a target that end where it does, and sequences that seek unevenly.

use super::*;

fn clipped(from: u64, until: Option<u64>, ahead: u64) -> RangeSpec {
    RangeSpec::Clipped {
        from: Bytes(from),
        until: until.map(Bytes),
        ahead: Bytes(ahead),
    }
}

fn in_order(range: RangeSpec, pattern: Pattern) -> Stream {
    let mut stream = fixed(pattern, 4 * K);
    stream.address.range = range;
    stream
}

#[test]
fn a_part_ends_where_its_target_does() {
    let seen = |range| offsets(&in_order(range, sequential(false)), 20 * K, 6);
    assert_eq!(
        seen(clipped(8 * K, None, 0)),
        [8192, 12_288, 16_384, 8192, 12_288, 16_384]
    );
    let longer = seen(clipped(12 * K, Some(M), 0));
    assert_eq!(longer[..3], [12_288, 16_384, 12_288]);
    let shorter = seen(clipped(4 * K, Some(12 * K), 0));
    assert_eq!(shorter[..3], [4096, 8192, 4096]);
    let beyond = in_order(clipped(20 * K, None, 0), sequential(false));
    assert!(StreamSource::new(&beyond, 20 * K, 512, None, false, 1, 0, 1).is_err());
}

/// DiskSPD's threads with -T: the first round begins further in, the others at the start.
#[test]
fn what_begins_ahead_comes_round_to_the_start() {
    let seen = offsets(
        &in_order(clipped(4 * K, None, 8 * K), sequential(false)),
        20 * K,
        7,
    );
    assert_eq!(seen, [12_288, 16_384, 4096, 8192, 12_288, 16_384, 4096]);
    let stride = Pattern::Stride {
        min: Bytes(4 * K),
        max: Bytes(4 * K),
    };
    let seen = offsets(&in_order(clipped(0, None, 16 * K), stride), 32 * K, 7);
    assert_eq!(seen, [16_384, 24_576, 0, 8192, 16_384, 24_576, 0]);
}

fn part_random(percent: f64, whole_runs: bool) -> Pattern {
    Pattern::PartRandom {
        percent,
        distribution: Distribution::Zoned(vec![(95.0, 5.0), (4.0, 10.0), (1.0, 85.0)]),
        whole_runs,
    }
}

#[test]
fn what_seeks_unevenly_seeks_that_often_and_there() {
    let size = 64 << 30;
    let ios = offsets(&fixed(part_random(20.0, false), 4 * K), size, 200_000);
    let seeks: Vec<u64> = ios
        .windows(2)
        .filter(|w| w[1] != w[0] + 4 * K)
        .map(|w| w[1])
        .collect();
    let share = seeks.len() as f64 / 2000.0;
    assert!((share - 20.0).abs() < 0.5, "{share}");
    let first = seeks.iter().filter(|at| **at < size / 20).count() as f64 / seeks.len() as f64;
    assert!((first - 0.95).abs() < 0.01, "{first}");
    let all = offsets(&fixed(part_random(100.0, false), 4 * K), size, 20_000);
    let first = all.iter().filter(|at| **at < size / 20).count() as f64 / 20_000.0;
    assert!((first - 0.95).abs() < 0.01, "{first}");
}

#[test]
fn a_run_does_one_thing_where_it_is_to() {
    let mut mixed = fixed(part_random(20.0, true), 4 * K);
    mixed.mix = Mix::of_reads(70.0);
    let ios = take(&mut source(&mixed, 64 << 30), 100_000);
    for pair in ios.windows(2) {
        let continues = pair[1].offset == pair[0].offset + 4 * K;
        assert!(!continues || pair[0].op == pair[1].op, "{pair:?}");
    }
    let reads = ios.iter().filter(|io| io.op == Op::Read).count() as f64 / 1000.0;
    assert!((reads - 70.0).abs() < 2.0, "{reads}");
    mixed.address.pattern = part_random(20.0, false);
    let ios = take(&mut source(&mixed, 64 << 30), 1000);
    let differs = |w: &[Io]| w[1].offset == w[0].offset + 4 * K && w[0].op != w[1].op;
    assert!(ios.windows(2).any(differs), "each by itself otherwise");
}
