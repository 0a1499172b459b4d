//! From a step's intervals to what it came to.

use crate::remarks::remarks;
use crate::saturation::OpenLoop;
use crate::series::Series;
use plimsoll_evidence::{
    End, ErrorSample, Estimate, Interval, OpSummary, Phase, StepEvidence, StreamSummary,
};
use plimsoll_measure::{Histogram, OP_COUNT, Op, OpStats};
use plimsoll_plan::{Arrival, Load, Purpose, Step, Stream};

/// A time in which the process did not run: it was stopped, or its CPUs were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standstill {
    /// From the step's start, ns.
    pub at_ns: u64,
    /// How long, ns.
    pub length_ns: u64,
}

/// What is known of a step's course beside its intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFacts {
    /// Worker threads.
    pub workers: u32,
    /// Why it ended.
    pub end: End,
    /// The first errors, with their place.
    pub error_samples: Vec<ErrorSample>,
    /// What failed outside of every interval: I/Os while the last ones were waited for, those that never came back, and
    /// fsyncs at the end.
    pub errors_after: u64,
    /// The fsyncs among them.
    pub fsync_errors_after: u64,
    /// When the process itself did not run, in order.
    pub standstills: Vec<Standstill>,
    /// Things that the rig has to say beside the result, one sentence each.
    pub notes: Vec<String>,
}

impl StepFacts {
    /// A step that ran its time without an error.
    pub fn clean(workers: u32) -> Self {
        StepFacts {
            workers,
            end: End::Elapsed,
            error_samples: Vec::new(),
            errors_after: 0,
            fsync_errors_after: 0,
            standstills: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Merges a step's counted intervals as they come, and judges them at the end. Its size does not grow with the
/// intervals' histograms: a day of one-second intervals takes some 30 MB.
#[derive(Debug)]
pub struct Judge<'s> {
    step: &'s Step,
    number: u32,
    series: Series,
    ops: [OpSummary; OP_COUNT],
    streams: Vec<StreamSummary>,
    lateness: Histogram,
    load: OpenLoop,
    /// Integral of the depth, I/O x ns.
    depth_integral: f64,
    counted_ns: u64,
    warmup_ns: u64,
    /// Numbers of the first and the last counted interval.
    counted: Option<(u32, u32)>,
    errors: u64,
    fsync_errors: u64,
    /// CPU time of the process, ns; `None` once any counted interval's is not known.
    process_ns: Option<u64>,
    /// Sum and count of the worker threads' busy shares.
    busy: (f64, u32),
}

impl<'s> Judge<'s> {
    /// Of a step; `number` is its number in the record.
    pub fn new(step: &'s Step, number: u32) -> Self {
        Judge {
            step,
            number,
            series: Series::default(),
            ops: Op::ALL.map(empty_summary),
            streams: step.streams.iter().map(empty_stream).collect(),
            lateness: Histogram::new(),
            load: OpenLoop::default(),
            depth_integral: 0.0,
            counted_ns: 0,
            warmup_ns: 0,
            counted: None,
            errors: 0,
            fsync_errors: 0,
            process_ns: Some(0),
            busy: (0.0, 0),
        }
    }

    /// Adds the next interval; one of the warm-up counts with its errors only.
    pub fn add(&mut self, interval: &Interval) {
        self.errors += interval.stats.errors();
        self.fsync_errors += interval.stats.fsync_errors;
        match interval.phase {
            Phase::WarmUp => {
                self.warmup_ns += interval.length_ns;
                return;
            }
            Phase::Counted | Phase::Drain => {}
        }
        let first = self.counted.map_or(interval.number, |(first, _)| first);
        self.counted = Some((first, interval.number));
        self.counted_ns += interval.length_ns;
        self.series.add(interval);
        self.load.add(interval);
        self.lateness.merge(&interval.stats.lateness);
        self.depth_integral += interval.stats.depth_integral_ns as f64;
        for (index, stream) in interval.stats.streams.iter().enumerate() {
            for (sum, part) in self.ops.iter_mut().zip(&stream.ops) {
                add(sum, part);
            }
            for (sum, part) in self
                .streams
                .get_mut(index)
                .into_iter()
                .flat_map(|s| s.ops.iter_mut().zip(&stream.ops))
            {
                add(sum, part);
            }
        }
        let cpu = interval.cpu.as_ref();
        self.process_ns = self.process_ns.zip(cpu).map(|(sum, c)| sum + c.process_ns);
        for share in cpu.iter().flat_map(|c| &c.workers) {
            self.busy.0 += share;
            self.busy.1 += 1;
        }
    }

    /// What the step came to. Rates and means carry 95 % intervals from batch means of the 100 ms samples.
    pub fn finish(self, facts: &StepFacts) -> StepEvidence {
        let step = self.step;
        let ops: Vec<OpSummary> = self
            .ops
            .into_iter()
            .filter(|o| o.ios + o.errors > 0)
            .collect();
        let ios = ops.iter().map(|o| o.ios).sum();
        let offered = offered_rate(step);
        let busy = (self.busy.1 > 0).then(|| self.busy.0 / f64::from(self.busy.1));
        let mut evidence = StepEvidence {
            number: self.number,
            name: step.name.clone(),
            run: step.run.clone(),
            loops: step
                .loops
                .iter()
                .map(|l| (l.key.clone(), l.value.clone()))
                .collect(),
            fill: step.purpose == Purpose::Fill,
            offered,
            load: load_words(&step.load),
            slots: step.total_depth(),
            workers: facts.workers,
            warmup_s: self.warmup_ns as f64 / 1e9,
            counted_s: self.counted_ns as f64 / 1e9,
            counted_intervals: self.counted.unwrap_or((0, 0)),
            ios,
            bytes: ops.iter().map(|o| o.bytes).sum(),
            errors: self.errors + facts.errors_after,
            fsync_errors: self.fsync_errors + facts.fsync_errors_after,
            rate: self.series.rate(),
            response_mean_ns: self.series.response_mean(),
            service_mean_ns: self.series.service_mean(),
            response: merged(ops.iter().map(|o| &o.response)),
            service: merged(ops.iter().map(|o| &o.service)),
            ops,
            streams: self
                .streams
                .into_iter()
                .map(|s| summed(s, self.counted_ns))
                .collect(),
            depth_mean: self.depth_integral / self.counted_ns.max(1) as f64,
            lateness: self.lateness,
            saturation: offered.and_then(|_| self.load.saturation(step.total_depth())),
            cpu_ns_per_io: self
                .process_ns
                .filter(|_| ios > 0)
                .map(|ns| ns as f64 / ios as f64),
            stalls: Vec::new(),
            late_by_host: Vec::new(),
            unfinished: 0,
            end: facts.end,
            error_samples: facts.error_samples.clone(),
            paths: Vec::new(),
            arrays: Vec::new(),
            notes: facts.notes.clone(),
        };
        let found = remarks(step, busy, &self.series, &facts.standstills, &evidence);
        evidence.notes.extend(found);
        evidence
    }
}

/// Judges a step of which all intervals are at hand, in order; there may be none, and then nothing was reached.
pub fn judge(step: &Step, number: u32, intervals: &[Interval], facts: &StepFacts) -> StepEvidence {
    let mut judge = Judge::new(step, number);
    for interval in intervals {
        judge.add(interval);
    }
    judge.finish(facts)
}

fn empty_stream(stream: &Stream) -> StreamSummary {
    StreamSummary {
        workload: stream.workload.clone(),
        target: stream.target.0,
        offered: stream.fixed_rate.map(|r| r.0),
        ios: 0,
        bytes: 0,
        errors: 0,
        rate: Estimate::bare(0.0),
        response_mean_ns: Estimate::bare(0.0),
        service_mean_ns: Estimate::bare(0.0),
        ops: Op::ALL.map(empty_summary).into(),
        saturation: None,
    }
}

/// A stream's sums, of what its operations counted.
fn summed(stream: StreamSummary, counted_ns: u64) -> StreamSummary {
    let ops: Vec<OpSummary> = stream
        .ops
        .into_iter()
        .filter(|o| o.ios + o.errors > 0)
        .collect();
    let ios = ops.iter().map(|o| o.ios).sum();
    let mean = |h: Histogram| Estimate::bare(h.mean_ns().unwrap_or(0.0));
    StreamSummary {
        ios,
        bytes: ops.iter().map(|o| o.bytes).sum(),
        errors: ops.iter().map(|o| o.errors).sum(),
        rate: Estimate::bare(ios as f64 * 1e9 / counted_ns.max(1) as f64),
        response_mean_ns: mean(merged(ops.iter().map(|o| &o.response))),
        service_mean_ns: mean(merged(ops.iter().map(|o| &o.service))),
        ops,
        ..stream
    }
}

fn add(sum: &mut OpSummary, part: &OpStats) {
    sum.ios += part.ios;
    sum.bytes += part.bytes;
    sum.errors += part.errors;
    sum.response.merge(&part.response);
    sum.service.merge(&part.service);
}

fn empty_summary(op: Op) -> OpSummary {
    OpSummary {
        op,
        ios: 0,
        bytes: 0,
        errors: 0,
        response: Histogram::new(),
        service: Histogram::new(),
    }
}

fn merged<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> Histogram {
    histograms.fold(Histogram::new(), |mut all, h| {
        all.merge(h);
        all
    })
}

/// What an open loop is asked for, I/Os per second, the streams of a fixed rate included; `None` for a closed loop,
/// and for a percentage that was never resolved.
pub(crate) fn offered_rate(step: &Step) -> Option<f64> {
    let shared = step.streams.iter().any(|s| s.fixed_rate.is_none());
    let fixed: f64 = step
        .streams
        .iter()
        .filter_map(|s| s.fixed_rate)
        .map(|r| r.0)
        .sum();
    let rate = match &step.load {
        Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => return None,
        Load::Rate { rate, .. } => rate.0,
        Load::Schedule { segments, .. } => {
            let length: f64 = segments.iter().map(|s| s.length.as_secs_f64()).sum();
            let ios: f64 = segments
                .iter()
                .map(|s| s.rate.0 * s.length.as_secs_f64())
                .sum();
            if length > 0.0 { ios / length } else { 0.0 }
        }
    };
    Some(fixed + if shared { rate } else { 0.0 })
}

/// A load in words: `max`, `5,000/s exponential`.
pub fn load_words(load: &Load) -> String {
    match load {
        Load::Max => "max".to_string(),
        Load::MaxShared => "max, shares kept".to_string(),
        Load::Rate { rate, arrival } => format!("{rate} {}", arrival_word(*arrival)),
        Load::PercentOfLast { percent, arrival } => {
            format!("{percent}% of the last rate, {}", arrival_word(*arrival))
        }
        Load::Schedule { segments, arrival } => {
            format!(
                "schedule of {} rates, {}",
                segments.len(),
                arrival_word(*arrival)
            )
        }
    }
}

fn arrival_word(arrival: Arrival) -> &'static str {
    match arrival {
        Arrival::Exponential => "exponential",
        Arrival::Uniform => "uniform",
        Arrival::Even => "even",
    }
}
