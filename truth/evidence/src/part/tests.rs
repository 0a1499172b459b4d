//! Streams put together, against sums made another way.

use super::*;

fn histogram(values: impl IntoIterator<Item = u64>) -> Histogram {
    let mut h = Histogram::empty();
    values.into_iter().for_each(|v| h.record(v));
    h
}

/// The values of one operation of one stream: no two streams have the same.
fn values(seed: u64, ios: u64) -> impl Iterator<Item = u64> + Clone {
    (0..ios).map(move |i| 100_000 + seed * 7_919 + i * (seed + 1) * 131)
}

fn stream(workload: &str, target: u32, seed: u64, reads: u64, writes: u64) -> StreamSummary {
    let op = |op, ios: u64, seed| OpSummary {
        op,
        ios,
        bytes: ios * 4096,
        errors: seed % 3,
        response: histogram(values(seed, ios)),
        service: histogram(values(seed, ios).map(|v| v / 2)),
    };
    let all = [(Op::Read, reads, seed), (Op::Write, writes, seed + 50)];
    let ops: Vec<OpSummary> = all
        .into_iter()
        .filter(|(_, ios, _)| *ios > 0)
        .map(|(kind, ios, seed)| op(kind, ios, seed))
        .collect();
    let mean =
        |h: Histogram| Estimate::new(h.mean_ns().unwrap_or(0.0), Some(100.0), 20 + seed as u32);
    StreamSummary {
        workload: workload.into(),
        target,
        ios: reads + writes,
        bytes: (reads + writes) * 4096,
        errors: ops.iter().map(|o| o.errors).sum(),
        rate: Estimate::new((reads + writes) as f64 / 10.0, Some(1.0), 20 + seed as u32),
        response_mean_ns: mean(merged(ops.iter().map(|o| &o.response))),
        service_mean_ns: mean(merged(ops.iter().map(|o| &o.service))),
        ops,
        ..StreamSummary::default()
    }
}

/// Two workloads on two targets, and a third workload on the second target only.
fn step() -> StepEvidence {
    let streams = vec![
        stream("oltp", 0, 1, 300, 100),
        stream("oltp", 1, 2, 200, 50),
        stream("scan", 0, 3, 1000, 0),
        stream("scan", 1, 4, 900, 0),
        stream("log", 1, 5, 0, 70),
    ];
    let all = together(&streams.iter().collect::<Vec<_>>(), 10.0);
    StepEvidence {
        slots: 8,
        workers: 1,
        counted_s: 10.0,
        counted_intervals: (1, 10),
        ios: all.ios,
        bytes: all.bytes,
        errors: all.errors,
        rate: Estimate {
            half_width: Some(0.5),
            batches: 99,
            ..all.rate
        },
        response_mean_ns: Estimate::bare(all.response().mean_ns().unwrap()),
        service_mean_ns: Estimate::bare(all.service().mean_ns().unwrap()),
        response: all.response(),
        service: all.service(),
        ops: all.ops,
        depth_mean: 8.0,
        streams,
        ..StepEvidence::new(1, "s")
    }
}

fn names(parts: &[Part]) -> Vec<&str> {
    parts.iter().map(|p| p.workloads[0].as_str()).collect()
}

#[test]
fn every_way_of_taking_a_step_apart_sums_to_the_step() {
    let step = step();
    let ways = [step.by_stream(), step.by_workload(), step.by_target()];
    assert_eq!(ways.each_ref().map(Vec::len), [5, 3, 2]);
    for parts in &ways {
        assert_eq!(parts.iter().map(|p| p.ios).sum::<u64>(), step.ios);
        assert_eq!(parts.iter().map(|p| p.bytes).sum::<u64>(), step.bytes);
        let rates: f64 = parts.iter().map(|p| p.rate.mean).sum();
        assert!((rates - step.rate.mean).abs() < 1e-9);
        let response: Vec<Histogram> = parts.iter().map(Part::response).collect();
        assert_eq!(merged(response.iter()), step.response);
        let service: Vec<Histogram> = parts.iter().map(Part::service).collect();
        assert_eq!(merged(service.iter()), step.service);
    }
    assert_eq!(names(&ways[1]), ["oltp", "scan", "log"]);
    assert_eq!(ways[2][1].workloads, ["oltp", "scan", "log"]);
    assert_eq!(ways[2][1].targets, [1]);
}

#[test]
fn a_workload_has_the_percentiles_of_its_own_values() {
    let step = step();
    let oltp = &step.by_workload()[0];
    let mut reads: Vec<u64> = values(1, 300).chain(values(2, 200)).collect();
    reads.sort_unstable();
    let p90 = reads[reads.len() * 9 / 10 - 1] as f64;
    let found = oltp.ops[0].response.supported_quantile_ns(0.9).unwrap() as f64;
    assert!((found / p90 - 1.0).abs() < 0.0079, "{found} for {p90}");
    let writes = values(51, 100).chain(values(52, 50));
    let exact = reads.iter().copied().chain(writes).sum::<u64>() as f64 / 650.0;
    assert!((oltp.response_mean_ns.mean / exact - 1.0).abs() < 1e-9);
}

#[test]
fn how_sure_a_part_is_never_looks_better_than_its_streams() {
    let step = step();
    let oltp = &step.by_workload()[0];
    assert_eq!(oltp.rate.half_width, Some(2.0));
    assert!((oltp.response_mean_ns.half_width.unwrap() - 100.0).abs() < 1e-9);
    assert_eq!(oltp.rate.batches, 21);
    let mut unsure = step.clone();
    unsure.streams[1].rate.half_width = None;
    let oltp = &unsure.by_workload()[0];
    assert_eq!(oltp.rate, Estimate::bare(65.0));
    // One workload on all targets is the step, whose confidence was measured.
    let mut one = step;
    one.streams.retain(|s| s.workload == "oltp");
    assert_eq!(one.by_workload()[0].rate.half_width, Some(0.5));
}

#[test]
fn a_part_is_saturated_where_one_of_its_streams_is() {
    let mut step = step();
    let saturation = |saturated, no_slot_share, shortfall, backlog_end| Saturation {
        saturated,
        no_slot_share,
        shortfall,
        backlog_growth: backlog_end as f64 / 10.0,
        backlog_end,
        short_samples: no_slot_share,
        ..Saturation::default()
    };
    // 400 of 500 that came due, and 250 of 250.
    step.streams[0].saturation = Some(saturation(true, 0.3, 0.2, 100));
    step.streams[1].saturation = Some(saturation(false, 0.0, 0.0, 0));
    (step.streams[0].offered, step.streams[1].offered) = (Some(50.0), Some(25.0));
    let [oltp, scan, _] = &step.by_workload()[..] else {
        panic!("three workloads")
    };
    assert_eq!((oltp.offered, scan.offered), (Some(75.0), None));
    let both = oltp.saturation.unwrap();
    assert!(both.saturated && !scan.is_saturated());
    assert!((both.shortfall - 100.0 / 750.0).abs() < 1e-12);
    assert!((both.no_slot_share - 0.2).abs() < 1e-12);
    assert_eq!((both.backlog_end, both.short_samples), (100, 0.3));
    assert_eq!(step.by_target()[1].saturation, step.streams[1].saturation);
    assert_eq!(scan.saturation, None);
    // What completed nothing is as heavy as what waits for it.
    step.streams[1].ios = 0;
    step.streams[1].saturation = Some(saturation(true, 1.0, 1.0, 500));
    let both = step.by_workload()[0].saturation.unwrap();
    assert!((both.shortfall - 600.0 / 1000.0).abs() < 1e-12);
}

#[test]
fn a_step_of_an_early_record_has_no_parts() {
    let mut step = step();
    step.streams.clear();
    assert!(step.by_workload().is_empty() && step.by_target().is_empty());
}
