//! The run that is being reported, as far as it has come.

use super::columns::time_of_day;
use super::cpu::CpuMean;
use super::files::FileRun;
use super::run::RunDefinition;
use super::tally::ReadsWrites;
use jiff::Zoned;
use plimsoll_evidence::{End, StepEvidence};
use plimsoll_measure::{Histogram, IntervalStats, Op};

/// The run that is being reported.
#[derive(Debug)]
pub(super) struct Current {
    pub definition: RunDefinition,
    /// Counted I/Os of each stream.
    pub counted: Vec<ReadsWrites>,
    pub cpu: CpuMean,
    /// Length of the counted intervals, s.
    pub counted_s: f64,
    /// I/Os in flight over the counted intervals, integrated.
    pub depth_integral_ns: u128,
    pub intervals: u32,
    /// Errors that were told of already: the step's first.
    pub errors_told: usize,
    pub start: Zoned,
    /// Service times of each stream's counted reads and writes.
    pub service: Vec<[Histogram; 2]>,
    /// Counts of a run on files, in place of reads and writes.
    pub files: Option<FileRun>,
    /// Bytes read and written so far, those of `warmup=` left out.
    pub moved: (u64, u64),
}

impl Current {
    /// Adds the times of what came back after the end; it was due before it.
    pub fn add_drain(&mut self, stats: &IntervalStats) {
        for (sum, stream) in self.counted.iter_mut().zip(&stats.streams) {
            sum.add(&ReadsWrites::times_of(stream));
        }
        self.add_service(stats);
    }

    pub fn add_service(&mut self, stats: &IntervalStats) {
        for (sum, stream) in self.service.iter_mut().zip(&stats.streams) {
            for op in Op::ALL {
                let place = usize::from(op != Op::Read);
                sum[place].merge(&stream.ops[op as usize].service);
                if let Some(untimed) = &stream.untimed {
                    sum[place].merge(&untimed[op as usize]);
                }
            }
        }
    }

    /// The line that says that an amount of data ended the run.
    pub fn ended_by_data(&self, step: &StepEvidence, now: &Zoned) -> Option<String> {
        let (read, written) = self.moved;
        // On files more than that much is moved, and with blocks as much as whole transfers can be of it.
        let text = match (&self.files, step.end) {
            (Some(_), End::Limit) => self.definition.reached(read, written, 0),
            (None, End::Limit) => self.definition.reached(read, written, step.workers),
            _ => None,
        }?;
        Some(format!("{} {text}", time_of_day(now)))
    }

    /// The reads and the writes of each target and each workload; a name that is both stands for the target.
    pub fn service_by_name(&self) -> Vec<(String, [Histogram; 2])> {
        let mut all: Vec<(String, [Histogram; 2])> = Vec::new();
        for name in names(&self.definition) {
            let is_target = self.definition.streams.iter().any(|s| s.sd == name);
            let mut sums: [Histogram; 2] = Default::default();
            for (label, service) in self.definition.streams.iter().zip(&self.service) {
                let own = if is_target { &label.sd } else { &label.wd };
                if own == name {
                    sums.iter_mut().zip(service).for_each(|(a, b)| a.merge(b));
                }
            }
            all.push((name.to_owned(), sums));
        }
        all
    }
}

/// Names of all targets and workloads of a run, each once.
pub(super) fn names(run: &RunDefinition) -> Vec<&str> {
    let all = run
        .streams
        .iter()
        .flat_map(|s| [s.sd.as_str(), s.wd.as_str()]);
    let mut names: Vec<&str> = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
