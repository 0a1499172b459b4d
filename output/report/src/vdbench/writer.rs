//! The report of one execution: pages are written as it goes, console lines go back to the caller.

use super::columns::{self, Megabyte, time_of_day};
use super::contents::{Contents, PlannedRun};
use super::cpu::{Cpu, CpuMean};
use super::ending::Ending;
use super::error::VdbenchError;
use super::figures::Figures;
use super::files::{self, FileColumns, FileRun, Moment};
use super::page::Page;
use super::pages::Pages;
use super::run::RunDefinition;
use super::running::{Current, names};
use super::shares::Share;
use super::tally::ReadsWrites;
use super::{errors, escape, flatfile, histogram, notice, shares};
use jiff::Zoned;
use plimsoll_evidence::{End, ErrorSample, Interval, Phase, StepEvidence};
use plimsoll_measure::{Histogram, Op};
use plimsoll_permit::output::FolderPermit;
use std::path::{Path, PathBuf};

/// Intervals between two headers.
const HEADER_EVERY: u32 = 30;

/// Options of a report beside its runs.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The parameter files: name and text; kept in `parmfile.html`.
    pub parameter_files: Vec<(String, String)>,
    /// The runs that are to come, where they are known: most pages begin with the list of them.
    pub planned: Vec<PlannedRun>,
    /// Edges of the histogram, us, ascending; `None`: [`super::DEFAULT_EDGES_US`].
    pub histogram_edges_us: Option<Vec<u64>>,
    /// Megabytes of 10^6 bytes (`-mb`) instead of 1024^2.
    pub decimal_megabytes: bool,
    /// Columns of operations, where the runs are on files.
    pub files: Option<FileColumns>,
}

/// Writes the report folder; each method returns the lines for the console.
///
/// The order of calls is [`starting`](Self::starting), [`interval`](Self::interval) for each, with
/// [`failed`](Self::failed) before it where I/Os failed in it, [`averages`](Self::averages), then the next run, and
/// [`finish`](Self::finish) at the end. `now` is the local time of
/// what is reported.
#[derive(Debug)]
pub struct VdbenchWriter {
    folder: PathBuf,
    megabyte: Megabyte,
    edges_us: Vec<u64>,
    pages: Pages,
    /// Columns of runs on files.
    files: Option<FileColumns>,
    run: Option<Current>,
    /// The name of the run that began last.
    last_run: String,
    /// The place of each run in the pages.
    contents: Contents,
}

impl VdbenchWriter {
    /// Makes the folder, where it lacks, and opens the report in it; see [`super::permit`].
    pub fn create(
        folder: FolderPermit,
        options: &Options,
        now: &Zoned,
    ) -> Result<Self, VdbenchError> {
        let (contents, list) = Contents::new(&options.planned);
        let mut pages = Pages::create(folder.open()?, list)?;
        let mut parameters = Page::create(pages.folder(), "parmfile", "parameter files")?;
        for (name, text) in &options.parameter_files {
            parameters.line(&format!("* Contents of parameter file: {name}"))?;
            for line in text.trim_end_matches('\n').split('\n') {
                parameters.line(line.trim_end_matches('\r'))?;
            }
        }
        parameters.flush()?;
        pages.flatfile.lines(&match &options.files {
            Some(_) => files::heading(),
            None => flatfile::heading(),
        })?;
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
            files: options.files.clone(),
            run: None,
            last_run: String::new(),
            contents,
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
        let place = self.contents.place_of(&run);
        // Vdbench's own programs find a run by its anchor.
        let shown = escape::text(&line);
        let anchored = [
            String::new(),
            format!("<a name=\"_{place}\"></a><i><b>{shown}</b></i>"),
            String::new(),
        ];
        let pages = &mut self.pages;
        for name in names(&run) {
            pages.part(name)?.own_lines(&anchored)?;
            pages.part_histogram(name)?.own_lines(&anchored)?;
        }
        pages.logfile.line(&line)?;
        for page in [
            &mut pages.summary,
            &mut pages.totals,
            &mut pages.histogram,
            &mut pages.skew,
            &mut pages.host,
            &mut pages.slave,
        ] {
            page.own_lines(&anchored)?;
        }
        pages.status(now, "Starting", Some(&run))?;
        pages.flush()?;
        self.last_run.clone_from(&run.name);
        let on_files = run.operations.is_some();
        let files = on_files.then(|| self.files.clone().unwrap_or_default());
        self.run = Some(Current {
            files: files.map(|columns| FileRun::new(columns, run.streams.len())),
            counted: vec![ReadsWrites::default(); run.streams.len()],
            cpu: CpuMean::default(),
            counted_s: 0.0,
            depth_integral_ns: 0,
            intervals: 0,
            errors_told: 0,
            start: now.clone(),
            service: vec![Default::default(); run.streams.len()],
            moved: (0, 0),
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
        if interval.phase == Phase::Drain {
            run.add_drain(&interval.stats);
            return Ok(Vec::new());
        }
        let (mb, label) = (self.megabyte, interval.number.to_string());
        let streams: Vec<ReadsWrites> = interval
            .stats
            .streams
            .iter()
            .map(ReadsWrites::of_stream)
            .collect();
        let cpu = interval.cpu.as_ref().map(Cpu::of);
        let all = sum(&streams);
        let nominal = run.definition.interval_s.max(1) as f64;
        // Vdbench ends a run at an interval's end. Where data ended this one before, the interval was shorter than asked for.
        let seconds = nominal.min(interval.length_ns.max(1) as f64 / 1e9);
        // Vdbench's first interval is no part of its totals, by which files are limited.
        let first_too = run.definition.warmup_s == 0 && run.files.is_none();
        if first_too || interval.counts() {
            run.moved.0 += all.reads.bytes;
            run.moved.1 += all.writes.bytes;
        }
        if interval.counts() {
            cpu.iter().for_each(|cpu| run.cpu.add(cpu));
            run.counted_s += seconds;
            for (sum, stream) in run.counted.iter_mut().zip(&streams) {
                sum.add(stream);
            }
            run.depth_integral_ns += u128::from(interval.stats.depth_integral_ns);
            run.add_service(&interval.stats);
        }
        if let Some(files) = &mut run.files {
            let moment = Moment {
                run: &run.definition,
                now,
                mb,
                seconds,
                cpu,
            };
            let place = (label.as_str(), run.intervals, interval.counts());
            run.intervals += 1;
            let lines = files.interval(&interval.stats, place, &moment, &mut self.pages)?;
            self.pages.flush()?;
            return Ok(lines);
        }
        let figures = Figures {
            tally: all,
            seconds,
            depth: interval.stats.depth_integral_ns as f64 / (seconds * 1e9),
            cpu,
        };
        let titles = match run.intervals % HEADER_EVERY {
            0 => columns::header(now, mb),
            _ => Vec::new(),
        };
        run.intervals += 1;
        let line = |figures: &Figures| columns::line(now, &label, figures, mb);
        let parts = parts(&run.definition, &streams, seconds, cpu).into_iter();
        let parts = parts.map(|(name, figures)| (name, line(&figures)));
        let pages = &mut self.pages;
        let lines = pages.interval(titles, line(&figures), parts)?;
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
        let untold = step.error_samples.get(run.errors_told..).unwrap_or(&[]);
        let mut errors = errors::lines(&run.definition, untold, &run.start, now);
        errors.extend(errors::unlisted(&run.definition, step, now));
        if step.errors > 0 {
            self.tell_errors(&errors, run.errors_told == 0, now)?;
        }
        if step.end == End::Errors {
            // A run that was broken off has no averages, nor is it done.
            self.pages.flush()?;
            return Ok(errors);
        }
        let mb = self.megabyte;
        let (first, last) = step.counted_intervals;
        let label = format!("avg_{first}-{last}");
        let seconds = run.counted_s;
        let reached: Vec<String> = run.ended_by_data(step, now).into_iter().collect();
        if let Some(files) = &run.files {
            let moment = Moment {
                run: &run.definition,
                now,
                mb,
                seconds,
                cpu: run.cpu.mean(),
            };
            let lines = files.averages(&label, &moment, &self.edges_us, &mut self.pages)?;
            self.done(&run.definition, now)?;
            return Ok([errors, reached, lines].concat());
        }
        let figures = Figures {
            tally: sum(&run.counted),
            seconds,
            // By the seconds that the rate is divided by, so that Little's law holds.
            depth: match seconds > 0.0 {
                true => run.depth_integral_ns as f64 / (seconds * 1e9),
                false => 0.0,
            },
            cpu: run.cpu.mean(),
        };
        let line = columns::line(now, &label, &figures, mb);
        let by_workload = shares::by_name(&run.definition, &run.counted, |s| &s.wd);
        let mut lines = reached;
        lines.push(line.clone());
        if run.definition.rate.keeps_shares() {
            lines.extend(notice::missed(&by_workload, now));
        }
        lines.extend(notice::busy(figures.cpu, now));
        let pages = &mut self.pages;
        for page in [&mut pages.logfile, &mut pages.summary] {
            page.lines(&lines)?;
        }
        for page in [&mut pages.host, &mut pages.slave] {
            page.line(&line)?;
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
        self.details(&run, step, &by_workload, seconds, now)?;
        self.done(&run.definition, now)?;
        Ok([errors, lines].concat())
    }

    /// Notes that a run has ended.
    fn done(&mut self, run: &RunDefinition, now: &Zoned) -> Result<(), VdbenchError> {
        let pages = &mut self.pages;
        pages.status(now, "Workload done", Some(run))?;
        pages.status(now, "Slaves done", Some(run))?;
        pages.flush()
    }

    /// I/Os have failed: the run's first that are kept, in the order in which its evidence will list them.
    pub fn failed(
        &mut self,
        errors: &[ErrorSample],
        now: &Zoned,
    ) -> Result<Vec<String>, VdbenchError> {
        let run = self.run.as_mut().ok_or(VdbenchError::NoRun)?;
        let lines = errors::lines(&run.definition, errors, &run.start, now);
        let first = run.errors_told == 0 && !errors.is_empty();
        run.errors_told += errors.len();
        self.tell_errors(&lines, first, now)?;
        self.pages.flush()?;
        Ok(lines)
    }

    /// Writes errors to where they are looked for, and says at a run's `first` that there are any.
    fn tell_errors(
        &mut self,
        lines: &[String],
        first: bool,
        now: &Zoned,
    ) -> Result<(), VdbenchError> {
        let pages = &mut self.pages;
        for page in [
            &mut pages.errorlog,
            &mut pages.logfile,
            &mut pages.summary,
            &mut pages.host,
        ] {
            page.lines(lines)?;
        }
        if first {
            pages.status(now, "I/O error detected. See errorlog.html", None)?;
        }
        Ok(())
    }

    /// The histograms and the shares of a run that has ended.
    fn details(
        &mut self,
        run: &Current,
        step: &StepEvidence,
        by_workload: &[Share],
        seconds: f64,
        now: &Zoned,
    ) -> Result<(), VdbenchError> {
        let (pages, mb) = (&mut self.pages, self.megabyte);
        let all = histograms(step, &self.edges_us);
        pages.histogram.own_lines(&all)?;
        for (name, [reads, writes]) in run.service_by_name() {
            let blocks = histogram::blocks(&reads, &writes, &self.edges_us);
            pages.part_histogram(&name)?.own_lines(&blocks)?;
        }
        let by_target = shares::by_name(&run.definition, &run.counted, |s| &s.sd);
        let mut skew = shares::table("SD:", &by_target, seconds, mb.bytes(), false);
        if by_workload.len() > 1 {
            skew.extend(shares::table("WD:", by_workload, seconds, mb.bytes(), true));
        }
        let time = time_of_day(now);
        for line in skew {
            pages.skew.line(&format!("{time} {line}"))?;
        }
        Ok(())
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
        let time = time_of_day(now);
        let lines: Vec<String> = ending
            .lines(&self.folder, &self.last_run)
            .iter()
            .map(|line| format!("{time} {line}"))
            .collect();
        let abort = ending.abort(&self.last_run);
        let pages = &mut self.pages;
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

fn histograms(step: &StepEvidence, edges_us: &[u64]) -> Vec<String> {
    let of = |wanted: fn(Op) -> bool| {
        let mut sum = Histogram::new();
        step.ops
            .iter()
            .filter(|o| wanted(o.op))
            .for_each(|o| sum.merge(&o.service));
        sum
    };
    let (reads, writes) = (of(|op| op == Op::Read), of(|op| op != Op::Read));
    histogram::blocks(&reads, &writes, edges_us)
}
