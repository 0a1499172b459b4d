//! The models on evidence whose truth is known by its making.

use super::*;
use crate::Part;
use crate::blame::Blame;
use plimsoll_evidence::{ArrayEvidence, CoreUse, Estimate, MediaUse, OpSummary, StepEvidence};
use plimsoll_measure::{Histogram, Op};

fn step(rate: f64, depth: f64, service: Histogram) -> StepEvidence {
    let op = OpSummary {
        op: Op::Read,
        ios: 1000,
        bytes: 0,
        errors: 0,
        response: service.clone(),
        service: service.clone(),
    };
    StepEvidence {
        rate: Estimate::new(rate, Some(rate * 0.01), 30),
        depth_mean: depth,
        service_mean_ns: Estimate::bare(depth / rate * 1e9),
        service,
        ops: vec![op],
        ios: 1000,
        counted_s: 1.0,
        ..StepEvidence::new(1, "s")
    }
}

fn with(mut step: StepEvidence, cores: &[f64], media: f64) -> StepEvidence {
    let core = |u: &f64| CoreUse {
        utilisation: *u,
        ..CoreUse::default()
    };
    step.arrays = vec![ArrayEvidence {
        cores: cores.iter().map(core).collect(),
        media: vec![MediaUse {
            kind: "flash dies".into(),
            count: 8,
            utilisation: media,
            busiest: None,
            drives: None,
        }],
        ..ArrayEvidence::default()
    }];
    step
}

fn times(list: &[(u64, u64)]) -> Histogram {
    let mut histogram = Histogram::new();
    for (ns, count) in list {
        histogram.record_many(*ns, *count);
    }
    histogram
}

#[test]
fn a_hot_core_s_work_dealt_to_all_is_the_busiest_over_the_mean() {
    let fast = times(&[(100_000, 1000)]);
    let hot = with(step(1000.0, 64.0, fast.clone()), &[1.0, 0.4, 0.4, 0.2], 0.1);
    let clean = even_owner(&hot, &hot.arrays[0]).unwrap();
    assert!((clean.value - 2000.0).abs() < 1e-6, "{clean:?}");
    assert!(clean.half_width > 100.0 && clean.half_width < 110.0);
    // The media fill before.
    let media = with(step(1000.0, 64.0, fast.clone()), &[1.0, 0.4, 0.4, 0.2], 0.7);
    let clean = even_owner(&media, &media.arrays[0]).unwrap();
    assert!((clean.value - 1400.0).abs() < 1e-6, "{clean:?}");
    // Two in flight of 100 us each are 20,000/s at the most; of 1 ms, 2,000/s.
    let few = with(
        step(1000.0, 2.0, times(&[(1_000_000, 1000)])),
        &[1.0, 0.4, 0.4, 0.2],
        0.1,
    );
    assert!(even_owner(&few, &few.arrays[0]).is_err());
    let calm = with(step(1000.0, 64.0, fast.clone()), &[0.8, 0.2, 0.2, 0.2], 0.1);
    assert!(even_owner(&calm, &calm.arrays[0]).is_err());
    let asked = StepEvidence {
        offered: Some(1000.0),
        ..hot.clone()
    };
    assert!(even_owner(&asked, &asked.arrays[0]).is_err());
}

#[test]
fn without_hits_the_slow_ones_fill_the_depth() {
    // 8 in flight, half of the reads 100 us and half 900 us: 16,000/s. All of them 900 us: 8,889/s.
    let service = times(&[(100_000, 500), (900_000, 500)]);
    let mixed = with(step(16_000.0, 8.0, service), &[0.3, 0.3], 0.1);
    let clean = misses(&mixed, &mixed.arrays[0], Op::Read, 0.5).unwrap();
    assert!((clean.value / 8889.0 - 1.0).abs() < 0.01, "{clean:?}");
    let busy = with(mixed.clone(), &[0.9, 0.3], 0.1);
    let full = with(mixed.clone(), &[0.3, 0.3], 0.6);
    let alike = with(step(16_000.0, 8.0, times(&[(500_000, 1000)])), &[0.3], 0.1);
    for (case, share) in [(&busy, 0.5), (&full, 0.5), (&alike, 0.5), (&mixed, 0.97)] {
        assert!(misses(case, &case.arrays[0], Op::Read, share).is_err());
    }
    assert!(misses(&mixed, &mixed.arrays[0], Op::Write, 0.5).is_err());
}

#[test]
fn a_warming_cache_ends_between_its_last_share_and_all() {
    // Misses 500 us, hits 420 us, 10 in flight.
    let rate = |share: f64| 10.0 / (500e-6 - 80e-6 * share);
    let parts: Vec<(f64, f64)> = (0..30)
        .map(|n| f64::from(n) / 60.0)
        .map(|s| (s, rate(s)))
        .collect();
    let clean = settled(&parts, 0.45, 10.0, true).unwrap();
    let truth = (rate(0.45), rate(1.0));
    assert!(clean.value > truth.0 && clean.value < truth.1, "{clean:?}");
    assert!(clean.value - clean.half_width < truth.0 && clean.value + clean.half_width > truth.1);
    // Disks behind a cache: nearly all depends on where it ends.
    let slow = |share: f64| 10.0 / (8e-3 - 7.6e-3 * share);
    let parts: Vec<(f64, f64)> = parts.iter().map(|(s, _)| (*s, slow(*s))).collect();
    assert!(settled(&parts, 0.45, 10.0, true).is_err());
    assert!(settled(&parts, 0.45, 10.0, false).is_err());
    assert!(settled(&[(0.5, 10.0); 30], 0.5, 10.0, true).is_err());
}

#[test]
fn a_first_interval_is_left_out_and_a_fall_needs_the_array_s_word() {
    let part = |ios: u64| Part {
        length_ns: 1_000_000_000,
        ios,
        ..Part::default()
    };
    let mut parts = vec![part(500)];
    parts.extend((0..40).map(|n| part(990 + n * 7 % 20)));
    let clean = rest(&parts).unwrap();
    assert!((clean.value - 999.5).abs() < 2.0, "{clean:?}");
    let mut fallen = step(300.0, 30.0, times(&[(100_000_000, 1000)]));
    let host = Blame::Host("It was stolen.".into());
    assert!(before_fall(&fallen, &parts, &host).is_err());
    fallen.arrays = vec![ArrayEvidence {
        front_end: Some(plimsoll_evidence::FrontEndUse {
            reads: plimsoll_evidence::Requests {
                count: 1000,
                bytes: 0,
                mean_ns: Some(200_000.0),
            },
            ..Default::default()
        }),
        ..ArrayEvidence::default()
    }];
    let unknown = before_fall(&fallen, &parts[1..], &Blame::NotAttributable);
    assert_eq!(unknown, Err("the fall is not known to be the host's"));
    let clean = before_fall(&fallen, &parts[1..], &host).unwrap();
    assert!((clean.value - 999.0).abs() < 12.0, "{clean:?}");
    // 30 in flight at 1000/s are 30 ms each: an array that had them for 80 ms has become slower itself.
    if let Some(front) = &mut fallen.arrays[0].front_end {
        front.reads.mean_ns = Some(80_000_000.0);
    }
    assert!(before_fall(&fallen, &parts[1..], &host).is_err());
}
