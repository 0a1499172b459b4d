//! Made-up storage: latencies that rise towards a maximum, and a backlog past it.

use plimsoll_draw::Draw;
use plimsoll_evidence::{
    CpuInterval, Estimate, Interval, OpSummary, Phase, Saturation, SaturationCause, StepEvidence,
};
use plimsoll_measure::{HEAT_COLUMNS, Histogram, IntervalStats, Op, OpStats};
use plimsoll_report::human;

/// About normal: twelve uniform draws.
pub fn normal(random: &mut Draw) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

/// Request of a step to the storage.
#[derive(Clone)]
pub struct Ask {
    pub number: u32,
    pub name: String,
    pub run: String,
    /// `None`: closed loop.
    pub offered: Option<f64>,
    /// The most that the storage does, I/Os per second.
    pub maximum: f64,
    pub warmup: u32,
    pub intervals: u32,
    pub streams: usize,
    pub write_share: f64,
    /// Share of the accesses that go to one small area.
    pub hot_share: f64,
}

impl Ask {
    /// A closed loop of reads on one stream.
    pub fn new(number: u32, name: impl Into<String>, maximum: f64) -> Self {
        let name = name.into();
        Ask {
            number,
            run: name.clone(),
            name,
            offered: None,
            maximum,
            warmup: 0,
            intervals: 10,
            streams: 1,
            write_share: 0.0,
            hot_share: 0.0,
        }
    }
}

/// Measures the storage as asked: the step and its intervals of 1 s.
pub fn measure(ask: &Ask, random: &mut Draw) -> (StepEvidence, Vec<Interval>) {
    let mut backlog = 0.0;
    let intervals: Vec<Interval> = (1..=ask.warmup + ask.intervals)
        .map(|number| interval(ask, number, &mut backlog, random))
        .collect();
    (judged(ask, &intervals), intervals)
}

fn interval(ask: &Ask, number: u32, backlog: &mut f64, random: &mut Draw) -> Interval {
    let able = ask.maximum * (1.0 + 0.012 * normal(random));
    let due = ask.offered.unwrap_or(able);
    let rate = due.min(able);
    *backlog = (*backlog + due - rate).max(0.0);
    let load = (rate / ask.maximum).min(0.985);
    let mut stats = IntervalStats::new(ask.streams);
    let (mut busy_ns, mut wait_ns) = (0.0, 0.0);
    for _ in 0..rate.round() as u64 {
        let stream = &mut stats.streams[(random.unit() * ask.streams as f64) as usize];
        let write = random.unit() < ask.write_share;
        let slow = if random.unit() < 0.004 { 7.0 } else { 1.0 };
        let base = if write { 60_000.0 } else { 92_000.0 } * slow * (0.22 * normal(random)).exp();
        let queue = if random.unit() < load.powi(3) {
            30_000.0 / (1.0 - load) * random.exponential()
        } else {
            0.0
        };
        let service = base + queue;
        let wait = *backlog / able * 1e9
            + if ask.offered.is_some() {
                2_000.0 * random.exponential()
            } else {
                0.0
            };
        (busy_ns, wait_ns) = (busy_ns + service, wait_ns + wait);
        count(
            &mut stream.ops[if write { Op::Write } else { Op::Read } as usize],
            service,
            service + wait,
        );
        stream.heat[column(ask.hot_share, random)] += 1;
        stream.late_for_slot += u64::from(*backlog > 0.0);
    }
    stats.streams[0].due = due as u64;
    stats.depth_integral_ns = busy_ns as u64;
    stats.backlog_integral_ns = wait_ns as u64;
    stats.backlog_end = *backlog as u64;
    (0..200).for_each(|_| stats.lateness.record((900.0 * random.exponential()) as u64));
    let start_ns = u64::from(number - 1) * 1_000_000_000;
    Interval {
        cpu: Some(CpuInterval {
            user: 0.02 + 0.05 * load,
            system: 0.03 + 0.10 * load,
            ..Default::default()
        }),
        ..Interval::new(
            ask.number,
            number,
            start_ns..start_ns + 1_000_000_000,
            match number <= ask.warmup {
                true => Phase::WarmUp,
                false => Phase::Counted,
            },
            stats,
        )
    }
}

fn count(op: &mut OpStats, service_ns: f64, response_ns: f64) {
    op.ios += 1;
    op.bytes += 8192;
    op.service.record(service_ns as u64);
    op.response.record(response_ns as u64);
}

fn column(hot_share: f64, random: &mut Draw) -> usize {
    if random.unit() < hot_share {
        3
    } else {
        (random.unit() * HEAT_COLUMNS as f64) as usize
    }
}

/// Evidence of the intervals.
pub fn judged(ask: &Ask, intervals: &[Interval]) -> StepEvidence {
    let counted: Vec<&Interval> = intervals.iter().filter(|i| i.counts()).collect();
    let mut total = IntervalStats::new(ask.streams);
    counted.iter().for_each(|i| total.merge(&i.stats));
    let mut all = OpStats::default();
    total.ops().for_each(|op| all.merge(op));
    let seconds = counted.len() as f64;
    let series = |of: &dyn Fn(&Interval) -> f64| {
        estimate(&counted.iter().map(|i| of(i)).collect::<Vec<_>>())
    };
    StepEvidence {
        run: ask.run.clone(),
        offered: ask.offered,
        load: ask.offered.map_or("max".to_owned(), |rate| {
            format!("{}/s exponential", human::exact(rate))
        }),
        slots: 64,
        workers: 4,
        warmup_s: f64::from(ask.warmup),
        counted_s: seconds,
        counted_intervals: (ask.warmup + 1, ask.warmup + ask.intervals),
        ios: all.ios,
        bytes: all.bytes,
        errors: all.errors,
        rate: series(&|i| i.stats.ios() as f64),
        response_mean_ns: series(&|i| mean(i, |op| op.response.sum_ns())),
        service_mean_ns: series(&|i| mean(i, |op| op.service.sum_ns())),
        ops: operations(&total),
        depth_mean: total.depth_integral_ns as f64 / 1e9 / seconds.max(1.0),
        saturation: ask
            .offered
            .map(|offered| saturation(offered, &total, seconds)),
        lateness: total.lateness,
        response: all.response,
        service: all.service,
        cpu_ns_per_io: (all.ios > 0).then_some(1840.0),
        ..StepEvidence::new(ask.number, ask.name.clone())
    }
}

fn mean(interval: &Interval, sum_ns: impl Fn(&OpStats) -> u64) -> f64 {
    interval.stats.ops().map(sum_ns).sum::<u64>() as f64 / interval.stats.ios().max(1) as f64
}

fn operations(total: &IntervalStats) -> Vec<OpSummary> {
    Op::ALL
        .into_iter()
        .map(|op| {
            let mut sum = OpStats {
                response: Histogram::new(),
                service: Histogram::new(),
                ..Default::default()
            };
            total
                .streams
                .iter()
                .for_each(|s| sum.merge(&s.ops[op as usize]));
            OpSummary::of(op, &sum)
        })
        .filter(|s| s.ios > 0)
        .collect()
}

fn saturation(offered: f64, total: &IntervalStats, seconds: f64) -> Saturation {
    let ios = total.ios() as f64;
    let no_slot = total.streams.iter().map(|s| s.late_for_slot).sum::<u64>() as f64 / ios.max(1.0);
    let shortfall = (1.0 - ios / (offered * seconds)).max(0.0);
    let growth = total.backlog_end as f64 / seconds / seconds.max(1.0);
    Saturation {
        saturated: shortfall > 0.005,
        cause: (shortfall > 0.005).then_some(SaturationCause::BacklogGrows),
        no_slot_share: if shortfall > 0.005 { no_slot } else { 0.0 },
        shortfall,
        backlog_growth: growth,
        backlog_end: total.backlog_end,
        short_samples: 0.0,
        ..Saturation::default()
    }
}

fn estimate(series: &[f64]) -> Estimate {
    let n = series.len() as f64;
    let mean = series.iter().sum::<f64>() / n.max(1.0);
    let variance = series.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    Estimate {
        mean,
        half_width: (series.len() >= 10).then(|| 2.09 * (variance / n).sqrt()),
        batches: series.len() as u32,
    }
}
