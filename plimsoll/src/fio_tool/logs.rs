//! The logs that fio's jobs ask for, as files.

use crate::destination::Destination;
use crate::failure::Failure;
use plimsoll_dialects::fio::{JobLog, LogKind, Parsed};
use plimsoll_evidence::{Interval, StepEvidence};
use plimsoll_permit::output::Precious;
use plimsoll_report::fio::{FioLog, LogOf, LogValue, Samples, is_histogram_log, is_log};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::PathBuf;

/// Content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Values(LogValue),
    Histograms,
    /// fio writes one of the time that handing over takes; here that is within `clat`.
    Nothing,
}

/// All files, and who writes them.
pub struct Logs {
    files: Vec<File>,
    /// Start of each step, ms since 1970.
    begun_ms: BTreeMap<u32, u64>,
}

struct File {
    place: Destination,
    path: PathBuf,
    content: Content,
    jobs: Vec<JobLog>,
}

impl Logs {
    /// Asks for leave for each file, before anything is measured. As fio does, logs replace earlier ones. What is to be written is
    /// precious to those who ask later.
    pub fn ask(
        parsed: &Parsed,
        overwrite: bool,
        precious: &mut Vec<Precious>,
    ) -> Result<Logs, Failure> {
        let mut files: Vec<File> = Vec::new();
        for log in parsed.logs() {
            for (suffix, content) in contents(log.kind) {
                let path = PathBuf::from(name(&log, suffix));
                if let Some(file) = files.iter_mut().find(|f| f.path == path) {
                    file.jobs.push(log.clone());
                    continue;
                }
                let of = match log.number {
                    Some(_) => LogOf::OneJob,
                    None => LogOf::SeveralJobs,
                };
                let is_like = |file: &mut dyn BufRead| match content {
                    Content::Histograms => is_histogram_log(file, of),
                    Content::Values(_) | Content::Nothing => is_log(file, of),
                };
                let place = Destination::ask_for_like(&path, overwrite, precious, is_like)?;
                precious.push(Precious::new("the log of another job", &path));
                files.push(File {
                    place,
                    path,
                    content,
                    jobs: vec![log.clone()],
                });
            }
        }
        Ok(Logs {
            files,
            begun_ms: BTreeMap::new(),
        })
    }

    /// Samples as these logs need them.
    pub fn samples(&self) -> Samples {
        match self.files.iter().any(|f| f.content == Content::Histograms) {
            true => Samples::with_histograms(),
            false => Samples::default(),
        }
    }

    /// An interval has come.
    pub fn saw(&mut self, interval: &Interval) {
        let since = (interval.start_ns + interval.length_ns) / 1_000_000;
        let now_ms = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0);
        let begun = self.begun_ms.entry(interval.step);
        begun.or_insert(now_ms.saturating_sub(since));
    }

    /// Writes all of them. `numbers` are those of the jobs' steps.
    pub fn write(
        self,
        steps: &[StepEvidence],
        numbers: &[u32],
        samples: &Samples,
    ) -> Result<(), Failure> {
        for file in self.files {
            let texts = file.jobs.iter().filter_map(|job| {
                let number = *numbers.get(job.step)?;
                let step = steps.iter().find(|s| s.number == number)?;
                Some(text(job, file.content, step, samples, &self.begun_ms))
            });
            let text: String = texts.collect();
            file.place
                .write(|out| Ok(out.write_all(text.as_bytes())?))?;
        }
        Ok(())
    }
}

/// The files of a log: the ends of their names, and what they hold.
fn contents(kind: LogKind) -> Vec<(&'static str, Content)> {
    match kind {
        LogKind::Bandwidth => vec![("bw", Content::Values(LogValue::Bandwidth))],
        LogKind::Iops => vec![("iops", Content::Values(LogValue::Iops))],
        LogKind::Latency => vec![
            ("lat", Content::Values(LogValue::Response)),
            ("clat", Content::Values(LogValue::Service)),
            ("slat", Content::Nothing),
        ],
        LogKind::Histogram => vec![("clat_hist", Content::Histograms)],
    }
}

/// `STEM_bw.1.log`, or `STEM_bw.log` where all jobs write into one.
fn name(log: &JobLog, suffix: &str) -> String {
    match log.number {
        Some(number) => format!("{}_{suffix}.{number}.log", log.stem),
        None => format!("{}_{suffix}.log", log.stem),
    }
}

fn text(
    job: &JobLog,
    content: Content,
    step: &StepEvidence,
    samples: &Samples,
    begun_ms: &BTreeMap<u32, u64>,
) -> String {
    let job_streams = step.streams.iter().enumerate();
    let job_streams = job_streams.filter(|(_, s)| s.workload == job.workload);
    let log = FioLog {
        step: step.number,
        streams: job_streams.map(|(n, _)| n).collect(),
        window_ns: job.window.0,
        epoch_ms: match job.since_1970 {
            true => begun_ms.get(&step.number).copied().unwrap_or(0),
            false => 0,
        },
        offset: job.offset,
        largest: job.largest,
    };
    match content {
        Content::Values(value) => log.values(samples, value),
        Content::Histograms => log.histograms(samples, job.coarseness, job.block),
        Content::Nothing => String::new(),
    }
}
