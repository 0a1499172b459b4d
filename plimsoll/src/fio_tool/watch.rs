//! What ends fio's jobs before their time, looked at each interval.

use plimsoll_dialects::fio::{Reported, SteadyValue, Watched};
use plimsoll_evidence::Interval;
use plimsoll_plan::{OP_COUNT, Plan};
use plimsoll_report::fio::{SteadyRule, SteadyState};

/// fio's errors of a job that was too slow, and of one whose I/O took too long.
const ETIMEDOUT: u32 = 110;
const EIO: u32 = 5;

/// All jobs that are shown together, and what each is watched for.
pub struct Watch {
    jobs: Vec<Job>,
}

struct Job {
    /// The place of its step among those that measure.
    step: usize,
    /// The numbers of its streams there.
    streams: Vec<usize>,
    watched: Watched,
    steady: Option<SteadyState>,
    /// Since a least rate was looked at last, and since the state was.
    cycle: Count,
    look: Count,
    failed: Option<u32>,
}

/// Counts of a job over a time.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    ns: u64,
    ios: [u64; OP_COUNT],
    bytes: [u64; OP_COUNT],
    sum_ns: u64,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.ns += other.ns;
        self.sum_ns += other.sum_ns;
        for op in 0..OP_COUNT {
            self.ios[op] += other.ios[op];
            self.bytes[op] += other.bytes[op];
        }
    }

    fn per_s(&self, n: u64) -> f64 {
        n as f64 * 1e9 / self.ns.max(1) as f64
    }
}

impl Watch {
    /// Of the jobs as they are reported.
    pub fn of(reported: &[Reported], plan: &Plan) -> Self {
        let steps: Vec<_> = plan.steps().collect();
        let job = |r: &Reported| {
            let streams = steps.get(r.step).map_or(&[][..], |s| &s.streams);
            let matching = streams.iter().enumerate();
            let matching = matching.filter(|(_, s)| r.workloads.contains(&s.workload));
            Job {
                step: r.step,
                streams: matching.map(|(n, _)| n).collect(),
                watched: r.watched.clone(),
                steady: rule(&r.watched).map(SteadyState::of),
                cycle: Count::default(),
                look: Count::default(),
                failed: None,
            }
        };
        Watch {
            jobs: reported.iter().map(job).collect(),
        }
    }

    /// An interval of the step at this place has come; the sentence with which the step is to end, where it is.
    pub fn saw(&mut self, step: usize, interval: &Interval) -> Option<String> {
        if !interval.counts() {
            return None;
        }
        let mut matching: Vec<&mut Job> = self.jobs.iter_mut().filter(|j| j.step == step).collect();
        let mut said = None;
        for job in &mut matching {
            said = job.saw(interval).or(said);
        }
        let steady = |job: &&mut Job| job.steady.as_ref().is_none_or(SteadyState::is_attained);
        let any = matching.iter().any(|job| job.steady.is_some());
        let all = any && matching.iter().all(steady);
        said.or_else(|| all.then(|| "steady state was attained".to_string()))
    }

    /// The error of a job, by its place among those that are reported.
    pub fn failed(&self, job: usize) -> Option<u32> {
        self.jobs.get(job)?.failed
    }

    /// Observations of a job's steady state.
    pub fn steady(&self, job: usize) -> Option<SteadyState> {
        self.jobs.get(job)?.steady.clone()
    }

    /// True where any was ended as fio ends one that fails.
    pub fn any_failed(&self) -> bool {
        self.jobs.iter().any(|job| job.failed.is_some())
    }
}

impl Job {
    fn saw(&mut self, interval: &Interval) -> Option<String> {
        let (count, longest) = self.counted(interval);
        self.cycle.add(&count);
        let end_ns = interval.start_ns + interval.length_ns;
        let ramp_ns = self.watched.steady.as_ref().map_or(0, |s| s.ramp.0);
        if end_ns > ramp_ns {
            self.look.add(&count);
        }
        self.look_at_state();
        for (most, ns) in self.watched.longest.iter().zip(longest) {
            if let Some(most) = most.filter(|most| ns > most.0) {
                self.failed = Some(ETIMEDOUT);
                return Some(format!("an I/O took {ns} ns, and max_latency is {most}"));
            }
        }
        self.too_slow()
    }

    /// Counts of its streams, and the longest service time of each operation.
    fn counted(&self, interval: &Interval) -> (Count, [u64; OP_COUNT]) {
        let mut count = Count {
            ns: interval.length_ns,
            ..Count::default()
        };
        let mut longest = [0; OP_COUNT];
        for stream in self
            .streams
            .iter()
            .filter_map(|n| interval.stats.streams.get(*n))
        {
            for (op, stats) in stream.ops.iter().enumerate() {
                count.ios[op] += stats.ios;
                count.bytes[op] += stats.bytes;
                count.sum_ns = count.sum_ns.saturating_add(stats.service.sum_ns());
                longest[op] = longest[op].max(stats.service.max_ns().unwrap_or(0));
            }
        }
        (count, longest)
    }

    fn look_at_state(&mut self) {
        let (Some(state), Some(rule)) = (&mut self.steady, &self.watched.steady) else {
            return;
        };
        if self.look.ns < rule.check.0 {
            return;
        }
        let look = std::mem::take(&mut self.look);
        let (ios, bytes) = (look.ios.iter().sum(), look.bytes.iter().sum());
        let mean_ns = look.sum_ns as f64 / (ios as f64).max(1.0);
        state.look([look.per_s(ios), look.per_s(bytes), mean_ns]);
    }

    /// One that does nothing at all in an operation is not too slow in it: it has none of them.
    fn too_slow(&mut self) -> Option<String> {
        if self.cycle.ns < self.watched.cycle.0 {
            return None;
        }
        let cycle = std::mem::take(&mut self.cycle);
        for op in 0..OP_COUNT {
            for (least, done, what) in [
                (self.watched.least_ios[op], cycle.ios[op], "I/Os"),
                (self.watched.least_bytes[op], cycle.bytes[op], "bytes"),
            ] {
                let slow = least.filter(|least| done > 0 && cycle.per_s(done) < *least as f64);
                if let Some(least) = slow {
                    self.failed = Some(EIO);
                    let rate = cycle.per_s(done);
                    return Some(format!("{rate:.0} {what}/s, and the least is {least}"));
                }
            }
        }
        None
    }
}

fn rule(watched: &Watched) -> Option<SteadyRule> {
    let steady = watched.steady.as_ref()?;
    let (name, value) = match steady.value {
        SteadyValue::Iops => ("iops", 0),
        SteadyValue::Bandwidth => ("bw", 1),
        SteadyValue::Latency => ("lat", 2),
    };
    let slope = if steady.slope { "_slope" } else { "" };
    Some(SteadyRule {
        name: format!("{name}{slope}"),
        value,
        slope: steady.slope,
        limit: steady.limit,
        percent: steady.percent,
        looks: (steady.duration.0 / steady.check.0.max(1)).clamp(1, 100_000) as usize,
        duration_s: steady.duration.0 / 1_000_000_000,
    })
}
