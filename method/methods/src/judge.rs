//! From a step's intervals to what it came to.

use crate::carried::{Carried, late_by_host};
use crate::course::CourseBuilder;
use crate::op_tally::OpTally;
use crate::remarks::{nothing_to_do, remarks};
use crate::series::{Series, or_mean};
use crate::step_facts::StepFacts;
use crate::streams::{StreamJudge, offered_to};
use plimsoll_evidence::{Interval, OpSummary, Phase, StepEvidence};
use plimsoll_measure::Histogram;
use plimsoll_plan::{Arrival, Load, Purpose, Rate, Step};
use plimsoll_printable::human;
use std::collections::BTreeSet;

/// Merges a step's counted intervals as they come, and judges them at the end. Its size does not grow with the
/// intervals' histograms: a day of one-second intervals takes some 50 MB.
#[derive(Debug)]
pub struct Judge<'s> {
    step: &'s Step,
    number: u32,
    series: Series,
    course: CourseBuilder,
    ops: OpTally,
    streams: Vec<StreamJudge>,
    lateness: Histogram,
    /// Integral of the depth, I/O x ns.
    depth_integral: f64,
    counted_ns: u64,
    warmup_ns: u64,
    /// Numbers of the first and the last counted interval.
    counted: Option<(u32, u32)>,
    errors: u64,
    /// CPU time of the process, ns; `None` once any counted interval's is not known.
    process_ns: Option<u64>,
    /// Busy time of the worker threads, and all of theirs, ns.
    busy: (f64, f64),
    /// Operations on trees that found nothing to do.
    blocked: u64,
    /// Workloads that ended because nothing was left for them to do, by their place.
    ended_in_vain: BTreeSet<usize>,
}

impl<'s> Judge<'s> {
    /// Of a step; `number` is its number in the record.
    pub fn new(step: &'s Step, number: u32) -> Self {
        let streams = step.streams.iter().enumerate();
        Judge {
            step,
            number,
            series: Series::default(),
            course: CourseBuilder::new(step),
            ops: OpTally::new(),
            streams: streams
                .map(|(i, s)| StreamJudge::new(s, offered_to(step, i)))
                .collect(),
            lateness: Histogram::new(),
            depth_integral: 0.0,
            counted_ns: 0,
            warmup_ns: 0,
            counted: None,
            errors: 0,
            process_ns: Some(0),
            busy: (0.0, 0.0),
            blocked: 0,
            ended_in_vain: BTreeSet::new(),
        }
    }

    /// Adds the next interval. One of the warm-up counts with its errors only, one of the drain with the times of what came
    /// back in it too.
    pub fn add(&mut self, interval: &Interval) {
        self.errors += interval.stats.errors();
        let streams = interval.stats.streams.iter().enumerate();
        let ended = streams.filter(|(_, stream)| stream.ended_in_vain > 0);
        self.ended_in_vain.extend(ended.map(|(at, _)| at));
        match interval.phase {
            Phase::WarmUp => {
                self.warmup_ns += interval.length_ns;
                self.ops.add_failed_syncs(interval.stats.failed_syncs());
            }
            Phase::Counted => self.add_counted(interval),
            Phase::Drain => self.add_drained(interval),
        }
    }

    fn add_counted(&mut self, interval: &Interval) {
        let first = self.counted.map_or(interval.number, |(first, _)| first);
        self.counted = Some((first, interval.number));
        self.counted_ns += interval.length_ns;
        self.series.add(interval);
        self.course.add(interval);
        self.lateness.merge(&interval.stats.lateness);
        self.depth_integral += interval.stats.depth_integral_ns as f64;
        self.blocked += interval.stats.blocked();
        for stream in &interval.stats.streams {
            self.ops.add(stream);
        }
        for (index, stream) in self.streams.iter_mut().enumerate() {
            stream.add(interval, index);
        }
        let cpu = interval.cpu.as_ref();
        self.process_ns = self.process_ns.zip(cpu).map(|(sum, c)| sum + c.process_ns);
        for share in cpu.iter().flat_map(|c| &c.workers) {
            let length_ns = interval.length_ns as f64;
            self.busy.0 += share * length_ns;
            self.busy.1 += length_ns;
        }
    }

    fn add_drained(&mut self, interval: &Interval) {
        self.series.add_drained(interval);
        self.course.add_drained(interval);
        self.lateness.merge(&interval.stats.lateness);
        for stream in &interval.stats.streams {
            self.ops.add_drained(stream);
        }
        for (index, stream) in self.streams.iter_mut().enumerate() {
            stream.add_drained(interval, index);
        }
    }

    /// Evidence of the step. Rates and means carry 95 % intervals from batch means of the 100 ms samples, a stream's from those of the
    /// intervals.
    pub fn finish(mut self, facts: &StepFacts) -> StepEvidence {
        let step = self.step;
        let busy = (self.busy.1 > 0.0).then(|| self.busy.0 / self.busy.1);
        self.ops.add_failed_syncs(facts.fsync_errors_after);
        let (ops, syncs) = self.ops.finish();
        let ios = ops.iter().map(|o| o.ios).sum();
        let service = merged(ops.iter().map(|o| &o.service));
        let carried = Carried::of(step, &self.series, &self.streams, &service, facts);
        let mut evidence = StepEvidence {
            run: step.run.clone(),
            loops: step
                .loops
                .iter()
                .map(|l| (l.key.clone(), l.value.clone()))
                .collect(),
            fill: step.purpose == Purpose::Fill,
            offered: offered_rate(step),
            load: load_words(step),
            slots: step.total_depth(),
            workers: facts.workers,
            warmup_s: self.warmup_ns as f64 / 1e9,
            counted_s: self.counted_ns as f64 / 1e9,
            counted_intervals: self.counted.unwrap_or((0, 0)),
            ios,
            bytes: OpSummary::moved(&ops),
            errors: self.errors + facts.errors_after,
            syncs,
            rate: self.series.rate(),
            response_mean_ns: self.series.response_mean(),
            service_mean_ns: or_mean(self.series.service_mean(), &service),
            response: merged(ops.iter().map(|o| &o.response)),
            service,
            ops,
            depth_mean: self.depth_integral / self.counted_ns.max(1) as f64,
            lateness: self.lateness,
            saturation: carried.step,
            cpu_ns_per_io: self
                .process_ns
                .filter(|_| ios > 0)
                .map(|ns| ns as f64 / ios as f64),
            stalls: carried.stalls,
            late_by_host: late_by_host(&self.series),
            end: facts.end,
            error_samples: facts.error_samples.clone(),
            series: self.course.finish(),
            findings: facts.findings.clone(),
            ..StepEvidence::new(self.number, step.name.clone())
        };
        let judged = self.streams.into_iter().zip(carried.streams);
        evidence.streams = judged.map(|(s, saturation)| s.finish(saturation)).collect();
        if let ([only], true) = (&mut evidence.streams[..], step.streams[0].window.is_whole()) {
            // The step's samples are the stream's, and finer than its intervals.
            only.rate = evidence.rate;
            only.response_mean_ns = evidence.response_mean_ns;
            only.service_mean_ns = evidence.service_mean_ns;
        }
        let all_in_vain = self.ended_in_vain.len() == step.streams.len();
        let busy = (busy, all_in_vain);
        let judged = remarks(step, busy, &self.series, &facts.standstills, &evidence);
        evidence.findings.extend(judged);
        let ended = self.ended_in_vain.iter().map(|at| &step.streams[*at]);
        let ended: Vec<&str> = ended.map(|stream| stream.workload.as_str()).collect();
        let found = nothing_to_do(self.blocked, &ended, &evidence);
        evidence.findings.extend(found);
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

fn merged<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> Histogram {
    histograms.fold(Histogram::new(), |mut all, h| {
        all.merge(h);
        all
    })
}

/// Rate that a step is asked for, I/Os per second over its counted time; `None` where any of its streams has no schedule.
pub(crate) fn offered_rate(step: &Step) -> Option<f64> {
    let offered = step.streams.iter().enumerate().map(|(i, stream)| {
        let works = stream.window.counted_share(step.warmup, step.elapsed);
        Some(offered_to(step, i)? * works)
    });
    let sum: Option<f64> = offered.sum();
    sum.filter(|_| !step.streams.is_empty())
}

/// A load in words: `max`, `max, think 5ms`, `5000/s exponential`; of streams that have rates of their own, and nothing else, their sum.
pub fn load_words(step: &Step) -> String {
    let own: f64 = step
        .streams
        .iter()
        .filter_map(|s| s.fixed_rate)
        .map(|r| r.0)
        .sum();
    let all_own = step.streams.iter().all(|s| s.fixed_rate.is_some());
    let word = match &step.load {
        Load::Max => match step.throttle_words() {
            Some(held) => format!("max, {held}"),
            None => "max".to_string(),
        },
        Load::MaxShared => "max, shares kept".to_string(),
        Load::Rate { rate, arrival } => format!("{} {}", shown(rate.0), arrival_word(*arrival)),
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
    };
    match (own > 0.0, all_own) {
        (false, _) => word,
        (true, true) => format!("{} of its own", shown(own)),
        (true, false) => format!("{word}, beside {} of their own", shown(own)),
    }
}

/// A rate as it was asked for; what was computed has no more digits than mean something.
fn shown(rate: f64) -> String {
    match (rate * 100.0).round() / 100.0 == rate {
        true => Rate(rate).to_string(),
        false => format!("{}/s", human::rate(rate)),
    }
}

fn arrival_word(arrival: Arrival) -> &'static str {
    match arrival {
        Arrival::Exponential => "exponential",
        Arrival::Uniform => "uniform",
        Arrival::Even => "even",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_was_computed_is_shown_without_digits_that_mean_nothing() {
        let cases = [
            (5000.0, "5,000/s"),
            (1234.5, "1,234.5/s"),
            (0.25, "0.25/s"),
            (32_737.187_499_999_985, "32,737/s"),
            (65_474.374_999_999_97, "65,474/s"),
            (1.0 / 3.0, "0.33/s"),
        ];
        for (rate, words) in cases {
            assert_eq!(shown(rate), words);
        }
    }
}
