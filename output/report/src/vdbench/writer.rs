//! The report of one execution: pages are written as it goes, console lines go back to the caller.

use super::columns::{self, Megabyte, time_of_day};
use super::cpu::{Cpu, CpuMean};
use super::figures::Figures;
use super::page::Page;
use super::pages::Pages;
use super::run::RunDefinition;
use super::tally::ReadsWrites;
use super::{errors, flatfile, histogram, shares};
use jiff::Zoned;
use plimsoll_evidence::{End, Interval, StepEvidence};
use plimsoll_measure::{Histogram, Op};
use plimsoll_permit::output::{FolderPermit, OutputError};
use std::path::{Path, PathBuf};

/// Intervals between two headers.
const HEADER_EVERY: u32 = 30;

/// Above this use of all CPUs, percent, Vdbench warns.
const BUSY_PERCENT: f64 = 80.0;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum VdbenchError {
    /// The folder or a file of it may not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file of the folder.
    #[error("cannot write the report {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An interval or an average came before any run was started.
    #[error("a report needs a run before its intervals")]
    NoRun,
}

/// What a report depends on beside its runs.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The parameter files: name and text; kept in `parmfile.html`.
    pub parameter_files: Vec<(String, String)>,
    /// Edges of the histogram, us, ascending; `None`: [`super::DEFAULT_EDGES_US`].
    pub histogram_edges_us: Option<Vec<u64>>,
    /// Megabytes of 10^6 bytes (`-mb`) instead of 1024^2.
    pub decimal_megabytes: bool,
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// As asked.
    Completed,
    /// By the user.
    Interrupted,
    /// With the error of this number, which `data_errors=` names: in the middle of a run.
    TooManyErrors(u64),
    /// After a run that had so many errors. Vdbench begins no other then, however many `data_errors=` names.
    Errors(u64),
    /// It could not go on; why.
    Failed(String),
}

/// Writes the report folder; each method returns the lines for the console.
///
/// The order of calls is [`starting`](Self::starting), [`interval`](Self::interval) for each,
/// [`averages`](Self::averages), then the next run, and [`finish`](Self::finish) at the end. `now` is the local time of
/// what is reported.
#[derive(Debug)]
pub struct VdbenchWriter {
    folder: PathBuf,
    megabyte: Megabyte,
    edges_us: Vec<u64>,
    pages: Pages,
    run: Option<Current>,
    /// The name of the run that began last.
    last_run: String,
}

/// The run that is being reported.
#[derive(Debug)]
struct Current {
    definition: RunDefinition,
    /// Counted I/Os of each stream.
    counted: Vec<ReadsWrites>,
    cpu: CpuMean,
    /// I/Os in flight over the counted intervals, integrated.
    depth_integral_ns: u128,
    intervals: u32,
}

impl VdbenchWriter {
    /// Makes the folder, where it lacks, and opens the report in it; see [`super::permit`].
    pub fn create(
        folder: FolderPermit,
        options: &Options,
        now: &Zoned,
    ) -> Result<Self, VdbenchError> {
        let mut pages = Pages::create(folder.open()?)?;
        let mut parameters = Page::create(pages.folder(), "parmfile", "parameter files")?;
        for (name, text) in &options.parameter_files {
            parameters.line(&format!("* Contents of parameter file: {name}"))?;
            for line in text.trim_end_matches('\n').split('\n') {
                parameters.line(line.trim_end_matches('\r'))?;
            }
        }
        parameters.flush()?;
        pages.flatfile.lines(&flatfile::heading())?;
        pages
            .status
            .line("* One line for each change; columns are separated by tabs.")?;
        pages.status.line("")?;
        pages.status(now, "Starting slaves", None)?;
        pages.status(now, "Slaves connected", None)?;
        pages.flush()?;
        Ok(VdbenchWriter {
            folder: std::path::absolute(pages.folder().path())
                .unwrap_or_else(|_| pages.folder().path().into()),
            megabyte: match options.decimal_megabytes {
                true => Megabyte::Decimal,
                false => Megabyte::Binary,
            },
            edges_us: options
                .histogram_edges_us
                .clone()
                .unwrap_or_else(|| super::DEFAULT_EDGES_US.to_vec()),
            pages,
            run: None,
            last_run: String::new(),
        })
    }

    /// The report's folder, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A run begins.
    pub fn starting(
        &mut self,
        run: RunDefinition,
        now: &Zoned,
    ) -> Result<Vec<String>, VdbenchError> {
        let line = format!("{} {run}", time_of_day(now));
        let pages = &mut self.pages;
        for name in names(&run) {
            pages.part(name)?.line(&line)?;
        }
        for page in [
            &mut pages.logfile,
            &mut pages.summary,
            &mut pages.totals,
            &mut pages.histogram,
            &mut pages.skew,
            &mut pages.host,
        ] {
            page.line(&line)?;
        }
        pages.status(now, "Starting", Some(&run))?;
        pages.flush()?;
        self.last_run.clone_from(&run.name);
        self.run = Some(Current {
            counted: vec![ReadsWrites::default(); run.streams.len()],
            cpu: CpuMean::default(),
            depth_integral_ns: 0,
            intervals: 0,
            definition: run,
        });
        Ok(vec![line])
    }

    /// An interval has ended.
    pub fn interval(
        &mut self,
        interval: &Interval,
        now: &Zoned,
    ) -> Result<Vec<String>, VdbenchError> {
        let run = self.run.as_mut().ok_or(VdbenchError::NoRun)?;
        let (mb, label) = (self.megabyte, interval.number.to_string());
        let streams: Vec<ReadsWrites> = interval
            .stats
            .streams
            .iter()
            .map(ReadsWrites::of_stream)
            .collect();
        let cpu = interval.cpu.as_ref().map(Cpu::of);
        if !interval.warmup {
            for (sum, stream) in run.counted.iter_mut().zip(&streams) {
                sum.add(stream);
            }
            cpu.iter().for_each(|cpu| run.cpu.add(cpu));
            run.depth_integral_ns += u128::from(interval.stats.depth_integral_ns);
        }
        let seconds = run.definition.interval_s.max(1) as f64;
        let figures = Figures {
            tally: sum(&streams),
            seconds,
            depth: interval.stats.depth_integral_ns as f64 / (seconds * 1e9),
            cpu,
        };
        let mut lines = match run.intervals % HEADER_EVERY {
            0 => columns::header(now, mb),
            _ => Vec::new(),
        };
        run.intervals += 1;
        let header = lines.clone();
        lines.push(columns::line(now, &label, &figures, mb));
        let pages = &mut self.pages;
        for page in [&mut pages.logfile, &mut pages.summary, &mut pages.host] {
            page.lines(&lines)?;
        }
        for (name, figures) in parts(&run.definition, &streams, seconds, cpu) {
            let page = pages.part(&name)?;
            page.lines(&header)?;
            page.line(&columns::line(now, &label, &figures, mb))?;
        }
        pages.flatfile.line(&flatfile::line(
            now,
            &run.definition,
            &label,
            &figures,
            mb.bytes(),
        ))?;
        pages.flush()?;
        Ok(lines)
    }

    /// A run has ended: its averages over the counted intervals, its histograms, its errors.
    pub fn averages(
        &mut self,
        step: &StepEvidence,
        now: &Zoned,
    ) -> Result<Vec<String>, VdbenchError> {
        let run = self.run.take().ok_or(VdbenchError::NoRun)?;
        let errors = self.errors(&run.definition, step, now)?;
        if step.end == End::Errors {
            // A run that was broken off has no averages, nor is it done.
            self.pages.flush()?;
            return Ok(errors);
        }
        let mb = self.megabyte;
        let (first, last) = step.counted_intervals;
        let label = format!("avg_{first}-{last}");
        let counted = (u64::from(last) + 1).saturating_sub(first.into());
        let seconds = (counted * run.definition.interval_s) as f64;
        let figures = Figures {
            tally: ReadsWrites::of_step(step),
            seconds,
            // By the seconds that the rate is divided by, so that Little's law holds even where the last interval is short.
            depth: match counted {
                0 => 0.0,
                _ => run.depth_integral_ns as f64 / (seconds * 1e9),
            },
            cpu: run.cpu.mean(),
        };
        let line = columns::line(now, &label, &figures, mb);
        let mut lines = vec![line.clone()];
        lines.extend(busy_warning(figures.cpu));
        let pages = &mut self.pages;
        for page in [&mut pages.logfile, &mut pages.summary, &mut pages.host] {
            page.lines(&lines)?;
        }
        pages.totals.lines(&columns::header(now, mb))?;
        pages.totals.line(&line)?;
        pages.totals.line("")?;
        for (name, figures) in parts(&run.definition, &run.counted, seconds, figures.cpu) {
            pages
                .part(&name)?
                .line(&columns::line(now, &label, &figures, mb))?;
        }
        let flat = flatfile::line(now, &run.definition, &label, &figures, mb.bytes());
        pages.flatfile.line(&flat)?;
        pages.histogram.line("")?;
        pages
            .histogram
            .own_lines(&histograms(step, &self.edges_us))?;
        pages.skew.line("")?;
        pages.skew.lines(&skew(&run, seconds, mb.bytes()))?;
        pages.status(now, "Workload done", Some(&run.definition))?;
        pages.status(now, "Slaves done", Some(&run.definition))?;
        pages.flush()?;
        Ok([errors, lines].concat())
    }

    /// Writes a run's errors to where they are looked for, and returns them.
    fn errors(
        &mut self,
        run: &RunDefinition,
        step: &StepEvidence,
        now: &Zoned,
    ) -> Result<Vec<String>, VdbenchError> {
        let errors = errors::lines(run, step, now);
        let pages = &mut self.pages;
        for page in [
            &mut pages.errorlog,
            &mut pages.logfile,
            &mut pages.summary,
            &mut pages.host,
        ] {
            page.lines(&errors)?;
        }
        if step.errors > 0 {
            pages.status(now, "I/O error detected. See errorlog.html", None)?;
        }
        Ok(errors)
    }

    /// A line of its own for the log and the console, with the time before it.
    pub fn message(&mut self, text: &str, now: &Zoned) -> Result<Vec<String>, VdbenchError> {
        let line = format!("{} {text}", time_of_day(now));
        self.pages.logfile.line(&line)?;
        self.pages.flush()?;
        Ok(vec![line])
    }

    /// All is done.
    pub fn finish(mut self, ending: &Ending, now: &Zoned) -> Result<Vec<String>, VdbenchError> {
        let folder = self.folder.display();
        let execution = |how: &str| format!("Vdbench execution {how}. Output directory: {folder}");
        let lines = match ending {
            Ending::Completed => vec![execution("completed successfully")],
            Ending::Interrupted => vec![execution("was interrupted")],
            Ending::Failed(why) => {
                vec![execution(&format!("failed: {}", why.trim_end_matches('.')))]
            }
            Ending::TooManyErrors(limit) => vec![errors::aborted(*limit, &self.last_run)],
            Ending::Errors(count) => errors::terminated(*count),
        };
        let time = time_of_day(now);
        let lines: Vec<String> = lines.iter().map(|line| format!("{time} {line}")).collect();
        let pages = &mut self.pages;
        let abort = match ending {
            Ending::Completed | Ending::Interrupted => None,
            Ending::Failed(why) => Some(why.clone()),
            Ending::TooManyErrors(limit) => Some(errors::aborted(*limit, &self.last_run)),
            Ending::Errors(_) => Some(errors::TERMINATING.to_owned()),
        };
        if let Some(why) = &abort {
            pages.errorlog.line(&format!("{time} {why}"))?;
        }
        for page in [&mut pages.logfile, &mut pages.summary, &mut pages.totals] {
            page.lines(&lines)?;
        }
        match abort {
            Some(why) => pages.status(now, &format!("Abort requested: {why}"), None)?,
            None => pages.status(now, "Vdbench complete", None)?,
        }
        pages.flush()?;
        Ok(lines)
    }
}

/// Names of all targets and workloads of a run, each once.
fn names(run: &RunDefinition) -> Vec<&str> {
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

/// The figures of each target and each workload. Their depth is Little's: service times added up, by the time.
fn parts(
    run: &RunDefinition,
    streams: &[ReadsWrites],
    seconds: f64,
    cpu: Option<Cpu>,
) -> Vec<(String, Figures)> {
    let by_target = shares::by_name(run, streams, |s| &s.sd);
    let by_workload = shares::by_name(run, streams, |s| &s.wd);
    let mut seen: Vec<(String, Figures)> = Vec::new();
    for part in by_target.into_iter().chain(by_workload) {
        // A workload may have a target's name; both then share the page, and the target's line stands.
        if seen.iter().any(|(name, _)| *name == part.name) {
            continue;
        }
        let busy_s = part.tally.all().busy_s();
        let depth = if seconds > 0.0 { busy_s / seconds } else { 0.0 };
        let figures = Figures {
            tally: part.tally,
            seconds,
            depth,
            cpu,
        };
        seen.push((part.name, figures));
    }
    seen
}

fn sum(streams: &[ReadsWrites]) -> ReadsWrites {
    let mut all = ReadsWrites::default();
    streams.iter().for_each(|s| all.add(s));
    all
}

fn busy_warning(cpu: Option<Cpu>) -> Option<String> {
    let used = cpu?.used();
    (used > BUSY_PERCENT).then(|| {
        format!("*Warning: average processor utilization {used:.2}%: the host may limit the result, not the storage")
    })
}

fn histograms(step: &StepEvidence, edges_us: &[u64]) -> Vec<String> {
    let of = |wanted: fn(Op) -> bool| {
        let mut sum = Histogram::new();
        step.ops
            .iter()
            .filter(|o| wanted(o.op))
            .for_each(|o| sum.merge(&o.service));
        sum
    };
    let mut lines = histogram::block("Reads and writes", &of(|_| true), edges_us);
    lines.extend(histogram::block(
        "Reads",
        &of(|op| op == Op::Read),
        edges_us,
    ));
    lines.extend(histogram::block(
        "Writes",
        &of(|op| op != Op::Read),
        edges_us,
    ));
    lines
}

fn skew(run: &Current, seconds: f64, mb: f64) -> Vec<String> {
    let by_target = shares::by_name(&run.definition, &run.counted, |s| &s.sd);
    let by_workload = shares::by_name(&run.definition, &run.counted, |s| &s.wd);
    let mut lines = shares::table("Workload", &by_workload, seconds, mb);
    lines.extend(shares::table("Storage", &by_target, seconds, mb));
    lines
}
