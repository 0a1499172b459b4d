//! What everyone else sees while a step runs.

mod lookout;
mod targets;

pub(crate) use targets::{disks_under, watched};

use crate::session::{RecordWrites, Session};
use lookout::Lookout;
use plimsoll_engine::MergedInterval;
use plimsoll_evidence::witnessed::{RecordKeeping, ThreadUse};
use plimsoll_evidence::{CpuInterval, Interval, Witnessed};
use plimsoll_plan::Step;
use plimsoll_witness::cpu::{CpuSampler, CpuSnapshot, between};
use plimsoll_witness::{Root, Watched};

/// Looks at host, devices and this process, interval by interval.
pub(crate) struct Witness {
    sampler: CpuSampler,
    last: CpuSnapshot,
    lookout: Lookout,
    /// The engine's threads and the record since the last look that came back.
    ours: Witnessed,
    /// Bytes that had been written to the record at the last interval.
    record_bytes: Option<u64>,
    /// Observations of the counted time.
    counted: Option<Witnessed>,
}

/// Observations of one interval.
#[derive(Default)]
pub(crate) struct IntervalSeen {
    pub cpu: Option<CpuInterval>,
    pub witnessed: Option<Box<Witnessed>>,
}

impl Witness {
    /// Beside a step of the session.
    pub fn new(session: &Session, step: &Step) -> Self {
        let used = |target: usize| step.depths.iter().any(|d| d.target.0 as usize == target);
        let what = session.watched.iter().enumerate();
        let what = what.filter(|(target, _)| used(*target));
        let what: Vec<Watched> = what.map(|(_, watched)| watched.clone()).collect();
        let sampler = CpuSampler::new(&Root::system());
        let lookout = Lookout::new(what);
        Witness {
            last: sampler.sample(),
            sampler,
            lookout,
            ours: Witnessed::default(),
            record_bytes: session.record_writes.bytes,
            counted: None,
        }
    }

    /// Observations since the last interval.
    pub fn look(&mut self, merged: &MergedInterval, record: &RecordWrites) -> IntervalSeen {
        let now = self.sampler.sample();
        let last = std::mem::replace(&mut self.last, now);
        let cpu = between(&last, &self.last, &[]).map(|cpu| CpuInterval {
            workers: merged.worker_busy.clone(),
            ..cpu
        });
        let record = self.record(record);
        self.ours.append(Witnessed {
            threads: threads(merged),
            record,
            ..Witnessed::default()
        });
        let witnessed = self.lookout.look().map(|mut seen| {
            seen.append(std::mem::take(&mut self.ours));
            Box::new(seen)
        });
        IntervalSeen { cpu, witnessed }
    }

    fn record(&mut self, record: &RecordWrites) -> Option<RecordKeeping> {
        let before = std::mem::replace(&mut self.record_bytes, record.bytes);
        Some(RecordKeeping {
            disks: record.disks.clone(),
            written_bytes: record.bytes?.saturating_sub(before?),
        })
    }

    /// Keeps what counts.
    pub fn add(&mut self, interval: &Interval) {
        let Some(seen) = interval.witnessed.as_deref().filter(|_| interval.counts()) else {
            return;
        };
        match &mut self.counted {
            Some(counted) => counted.append(seen.clone()),
            None => self.counted = Some(seen.clone()),
        }
    }

    /// Observations of the counted time. Drives are asked once more, for theirs are counts from the step's beginning to its end; and caches
    /// of which nothing was seen in the counted time, because they were asked seldom.
    pub fn finish(mut self) -> Option<Witnessed> {
        let mut counted = self.counted?;
        if let Some(mut end) = self.lookout.end() {
            let is_seen = |target: &str| counted.caches.iter().any(|c| c.target == target);
            end.caches.retain(|c| !is_seen(&c.target));
            counted.append(end);
        }
        Some(counted)
    }
}

fn threads(merged: &MergedInterval) -> Vec<ThreadUse> {
    let times = merged.worker_times.iter().flatten();
    times
        .map(|time| ThreadUse {
            ran_s: time.ran_ns as f64 / 1e9,
            waited_s: time.waited_ns as f64 / 1e9,
        })
        .collect()
}
