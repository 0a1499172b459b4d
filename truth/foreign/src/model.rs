//! The one form that every tool's result is read into. What a tool did not say is `None`, never a default of ours.

pub use crate::claimed::Claimed;

pub use crate::asked::{AskedSettings, Content, Hits, Load, Pace};
pub use plimsoll_plan::Caching;

use plimsoll_plan::{Bytes, Claim, Nanos, Rate};
use serde::Serialize;

/// Result of another tool, and the settings that it had been asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForeignResult {
    /// Tool that measured.
    pub tool: Tool,
    /// Format that the result was read from.
    pub format: Format,
    /// The tool's version, where it says one.
    pub version: Option<String>,
    /// Start of the result, s since 1970 by the tool's own clock, where it says that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_s: Option<i64>,
    /// Names of the files it was read from; a [`InputPlace`] says which.
    pub sources: Vec<String>,
    /// Runs that were measured, in the order of the input.
    pub runs: Vec<Run>,
    /// Remarks of the reader, for somebody who reads the result.
    pub remarks: Vec<Remark>,
}

/// A tool whose results are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// fio.
    Fio,
    /// Vdbench.
    Vdbench,
    /// DiskSPD, on Windows or Linux.
    DiskSpd,
    /// elbencho.
    Elbencho,
    /// None: somebody says it.
    Claim,
}

impl Tool {
    /// Name of the tool, as its users write it.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Fio => "fio",
            Tool::Vdbench => "Vdbench",
            Tool::DiskSpd => "DiskSPD",
            Tool::Elbencho => "elbencho",
            Tool::Claim => "a claim",
        }
    }
}

/// Format that a result was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// `--output-format=json`, or json+.
    FioJson,
    /// `--output-format=normal`: the text for people.
    FioText,
    /// `--output-format=terse`, or `--minimal`.
    FioTerse,
    /// The pages of an output folder.
    VdbenchFolder,
    /// A log, a summary, or what was copied from the console.
    VdbenchText,
    /// `flatfile.html` alone.
    VdbenchFlatFile,
    /// `-R text`.
    DiskSpdText,
    /// `-R xml`.
    DiskSpdXml,
    /// `--csvfile`.
    ElbenchoCsv,
    /// Words, without a log.
    Claim,
    /// The table for people, and the file of `--resfile`.
    ElbenchoTable,
    /// `--livecsv`.
    ElbenchoLive,
}

impl Format {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Format::FioJson => "JSON of fio",
            Format::FioText => "text of fio",
            Format::FioTerse => "terse output of fio",
            Format::VdbenchFolder => "an output folder of Vdbench",
            Format::VdbenchText => "a log or console text of Vdbench",
            Format::VdbenchFlatFile => "a flat file of Vdbench",
            Format::DiskSpdText => "text of DiskSPD",
            Format::DiskSpdXml => "XML of DiskSPD",
            Format::ElbenchoCsv => "a CSV of elbencho",
            Format::Claim => "a claim in words",
            Format::ElbenchoTable => "a table of elbencho",
            Format::ElbenchoLive => "live statistics of elbencho",
        }
    }
}

/// Place of something in the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct InputPlace {
    /// Index into [`ForeignResult::sources`].
    pub source: usize,
    /// The line, from 1.
    pub line: u32,
}

/// Remark of the reader on something that it met on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Place in the input.
    pub at: InputPlace,
    /// Text that says what was met, and what was done about it.
    pub text: String,
}

impl Remark {
    /// A row of a table that has other columns than its titles say, and is left out; `None` where it has as many.
    pub fn other_columns(at: InputPlace, cells: usize, titles: usize) -> Option<Remark> {
        let text = format!("{cells} columns where the titles have {titles}: left out");
        (cells != titles).then_some(Remark { at, text })
    }
}

/// One measurement: a fio job, a Vdbench run, a DiskSPD time span, an elbencho phase.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Run {
    /// The tool's name for it.
    pub name: String,
    /// Place in the input where the run begins.
    pub at: InputPlace,
    /// Settings that the run was asked for.
    pub asked: AskedSettings,
    /// Rows of results.
    pub rows: Vec<Row>,
    /// First and last of intervals that the tool itself did not report, and says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreported: Vec<(u32, u32)>,
    /// Parts that only a claim has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Claimed>,
}

/// Scope of a row: what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All of the run, as the tool sums it up.
    Whole,
    /// One interval, by its number from 1.
    Interval(u32),
    /// A thread's or a target's part of the run.
    Part,
}

/// One line of a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Scope of the row: an interval, or the whole run.
    pub scope: Scope,
    /// The tool's word for it.
    pub label: String,
    /// Place of the row in the input.
    pub at: InputPlace,
    /// The time that it covers, s.
    pub seconds: Option<f64>,
    /// First and last interval of an average.
    pub covers: Option<(u32, u32)>,
    /// Of reads, writes and all others together.
    pub all: Side,
    /// Of reads.
    pub reads: Side,
    /// Of writes.
    pub writes: Side,
    /// Of trims, where they are told by themselves.
    #[serde(skip_serializing_if = "Side::is_empty")]
    pub trims: Side,
    /// Bytes each second.
    pub bandwidth: Option<Bytes>,
    /// Mean I/Os out, as the tool itself counted them.
    pub queue_depth: Option<f64>,
    /// Cost of the load in CPU.
    pub cpu: Option<Cpu>,
    /// I/Os that failed, or came back short.
    pub errors: u64,
    /// The number of the error that ended it.
    pub errno: Option<u32>,
    /// True where the result counts what failed; else it tells only of the error that ended it.
    pub counts_errors: bool,
    /// I/Os per second until the first of several threads was done, where the tool tells.
    pub while_all: Option<f64>,
    /// Samples of the rate within the row.
    pub samples: Option<Samples>,
    /// True where it tells samples of a rate or a bandwidth, whether or not they are looked at.
    pub is_sampled: bool,
    /// Sums of shares of all I/Os, 1 for all of them, and what they are of: `depths`, `times`.
    pub shares: Vec<(&'static str, f64)>,
    /// Words of the tool about a steady state that it was to find and did not.
    pub unattained: Option<String>,
    /// Shares of all I/Os by their times.
    pub histogram: Option<Histogram>,
    /// The most of one job that any I/O found in flight, itself with it.
    pub deepest: Option<u64>,
    /// Fields of the input that have to agree.
    pub pairs: Vec<Pair>,
    /// Times of its syncs.
    pub syncs: Latency,
    /// The rate, where its text may have lost a carry and nothing else in it says so (fio before 3.26).
    pub carried: Option<Rate>,
    /// Number of threads that were in a submission on average: rate times its mean time (fio's slat).
    pub submitting: Option<f64>,
    /// Reads of all runs that went on together, and how many of them the disks of the host saw meanwhile.
    pub reached: Option<(u64, u64)>,
}

/// Two fields of the input that have to agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The one, by its path in the input.
    pub what: String,
    /// Value that the other has to have for it, in the other's unit.
    pub means: f64,
    /// The other.
    pub other: String,
    /// Value of the other.
    pub said: f64,
    /// Relation between the two.
    pub relation: Relation,
    /// Largest difference by rounding, in the other's unit.
    pub slack: f64,
}

impl Pair {
    /// Two figures that say the same but for their rounding.
    pub fn same(
        what: impl Into<String>,
        means: f64,
        other: impl Into<String>,
        said: f64,
        slack: f64,
    ) -> Self {
        Pair {
            what: what.into(),
            means,
            other: other.into(),
            said,
            relation: Relation::Same,
            slack,
        }
    }

    /// A figure that another one is the bound of.
    pub fn at_most(
        what: impl Into<String>,
        means: f64,
        other: impl Into<String>,
        said: f64,
        slack: f64,
    ) -> Self {
        Pair {
            relation: Relation::AtMost,
            ..Pair::same(what, means, other, said, slack)
        }
    }
}

/// Relation that two fields have to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Same value.
    Same,
    /// The first is not above the second.
    AtMost,
}

impl Relation {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Relation::Same => "same",
            Relation::AtMost => "at most",
        }
    }
}

/// Histogram of the times of all directions together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Histogram {
    /// The mean that is told of the same times, ns.
    pub mean_ns: f64,
    /// The largest of them, ns.
    pub max_ns: f64,
    /// Shares by time, shortest first.
    pub buckets: Vec<Bucket>,
}

/// A bucket of times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bucket {
    /// The shortest time in it, ns.
    pub from_ns: f64,
    /// The first that is no more in it, ns; `None` for all that are longer.
    pub to_ns: Option<f64>,
    /// Share of all I/Os, 0..=1.
    pub share: f64,
}

impl Row {
    /// An empty row.
    pub fn new(scope: Scope, label: impl Into<String>, at: InputPlace) -> Self {
        Row {
            scope,
            label: label.into(),
            at,
            seconds: None,
            covers: None,
            all: Side::default(),
            reads: Side::default(),
            writes: Side::default(),
            trims: Side::default(),
            bandwidth: None,
            queue_depth: None,
            cpu: None,
            errors: 0,
            errno: None,
            counts_errors: false,
            while_all: None,
            samples: None,
            is_sampled: false,
            shares: Vec::new(),
            unattained: None,
            histogram: None,
            deepest: None,
            pairs: Vec::new(),
            syncs: Latency::default(),
            carried: None,
            submitting: None,
            reached: None,
        }
    }

    /// I/Os each second.
    pub fn iops(&self) -> Option<f64> {
        self.all.iops.map(|r| r.0)
    }

    /// Mean time of an I/O, ns.
    pub fn mean_ns(&self) -> Option<f64> {
        self.all.latency.mean.map(|n| n.0 as f64)
    }

    /// I/Os in flight by Little's law: rate times mean time.
    pub fn in_flight(&self) -> Option<f64> {
        Some(self.iops()? * self.mean_ns()? / 1e9)
    }
}

/// One direction of a row, or all of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Side {
    /// I/Os each second.
    pub iops: Option<Rate>,
    /// I/Os.
    pub ios: Option<u64>,
    /// The time in which they were done, s, where the tool says it of each direction.
    pub seconds: Option<f64>,
    /// Time of an I/O as the tool calls it, from its own beginning to its end.
    pub latency: Latency,
    /// The part of it after the submit (fio's clat), where the percentiles are of that.
    pub completion: Option<Latency>,
}

impl Side {
    /// True where nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Side::default()
    }
}

/// Times of I/Os.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Mean.
    pub mean: Option<Nanos>,
    /// Standard deviation.
    pub sd: Option<Nanos>,
    /// Smallest.
    pub min: Option<Nanos>,
    /// Largest.
    pub max: Option<Nanos>,
    /// Number of times behind these, where the tool says it.
    pub count: Option<u64>,
    /// Percentiles, as quantiles from 0 to 1 with their values, in the order of the input.
    pub percentiles: Vec<(f64, Nanos)>,
    /// Unit of the last digit of these times, where the tool printed no more.
    pub rounded: Nanos,
}

impl Latency {
    /// True where nothing is known.
    pub fn is_empty(&self) -> bool {
        let nothing = Latency {
            rounded: self.rounded,
            ..Latency::default()
        };
        *self == nothing
    }

    /// The last bucket of fio's histogram, ns: of 3.x (17.1 s), and of 2.x (16.7 s).
    const LAST_BUCKETS: [std::ops::RangeInclusive<u64>; 2] = [
        17_100_000_000..=17_130_000_000,
        16_711_500_000..=16_712_500_000,
    ];

    /// True where a percentile stands for all that took so long or longer, for the histogram ends there.
    pub fn is_capped(at: Nanos) -> bool {
        Self::LAST_BUCKETS.iter().any(|last| last.contains(&at.0))
    }

    /// Rounding that the digits leave open, ns.
    pub fn rounding(&self) -> f64 {
        self.rounded.0 as f64
    }
}

/// CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cpu {
    /// Owner of the CPU time.
    pub of: CpuOf,
    /// Share of the time that it was busy.
    pub busy: f64,
    /// The kernel's part of that.
    pub system: Option<f64>,
}

/// Owner of CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CpuOf {
    /// Of the threads that made the load, each at most 1.
    Generator,
    /// Of all CPUs of the host.
    Host,
}

/// Samples of a rate within a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Samples {
    /// Number of samples.
    pub count: u64,
    /// Smallest, where the tool says it.
    pub min: Option<f64>,
    /// Mean.
    pub mean: f64,
    /// Largest, where the tool says it.
    pub max: Option<f64>,
    /// Standard deviation.
    pub sd: f64,
}

impl ForeignResult {
    /// Runs that began with one, that one among them; none where that is not told.
    pub fn began_with<'r>(&'r self, run: &Run) -> impl Iterator<Item = &'r Run> {
        let group = run.asked.began_with;
        let runs = self.runs.iter();
        runs.filter(move |other| group.is_some() && other.asked.began_with == group)
    }

    /// Claim that it is judged for where none is made: what its longest run supports, and a burst where no length is told.
    pub fn judged_for(&self) -> Claim {
        let longest = self.runs.iter().filter_map(Run::length_s).reduce(f64::max);
        let claim = |s: f64| Claim::of_length(Nanos((s * 1e9) as u64));
        longest.map_or(Claim::Burst, claim)
    }
}

impl Run {
    /// True where its text ends before it does: there is no sum, and less than was asked.
    pub fn is_cut_off(&self) -> bool {
        let planned = self.asked.duration_s.filter(|_| self.whole().is_none());
        let there: f64 = self.intervals().filter_map(|(_, row)| row.seconds).sum();
        planned.is_some_and(|planned| planned > 1.1 * there)
    }

    /// The row that stands for all of the run.
    pub fn whole(&self) -> Option<&Row> {
        self.rows.iter().rev().find(|r| r.scope == Scope::Whole)
    }

    /// The same, to be changed.
    pub fn whole_mut(&mut self) -> Option<&mut Row> {
        let mut rows = self.rows.iter_mut().rev();
        rows.find(|r| r.scope == Scope::Whole)
    }

    /// The intervals, with their numbers, in order.
    pub fn intervals(&self) -> impl Iterator<Item = (u32, &Row)> {
        self.rows.iter().filter_map(|r| match r.scope {
            Scope::Interval(n) => Some((n, r)),
            _ => None,
        })
    }

    /// The intervals that count: the tool's own choice where an average says it, else all but the first.
    pub fn counted(&self) -> Vec<&Row> {
        let covers = self.whole().and_then(|w| w.covers);
        let counts = |n: u32| covers.map_or(n > 1, |(first, last)| (first..=last).contains(&n));
        self.intervals()
            .filter(|(n, _)| counts(*n))
            .map(|(_, row)| row)
            .collect()
    }

    /// Number of intervals that count and that the tool did not report.
    pub fn skipped(&self) -> u64 {
        let covers = self.whole().and_then(|w| w.covers);
        let (from, to) = covers.unwrap_or((0, u32::MAX));
        let counted = self.unreported.iter().map(|(first, last)| {
            let both = u64::from((*last).min(to)) + 1;
            both.saturating_sub(u64::from((*first).max(from)))
        });
        counted.sum()
    }

    /// The intervals that count, where none of them is missing but what the tool did not report: what is left of a run that somebody
    /// shortened is not its course.
    pub fn course(&self) -> Option<Vec<&Row>> {
        let rows = self.counted();
        let number = |row: &&&Row| match row.scope {
            Scope::Interval(number) => Some(number),
            _ => None,
        };
        let (first, last) = (
            rows.first().as_ref().and_then(number)?,
            rows.last().as_ref().and_then(number)?,
        );
        let (from, to) = self.whole().and_then(|w| w.covers).unwrap_or((first, last));
        (rows.len() as u64 + self.skipped() == u64::from(to.saturating_sub(from)) + 1)
            .then_some(rows)
    }

    /// The time that the result stands for, s.
    pub fn counted_s(&self) -> Option<f64> {
        if let Some(seconds) = self.whole().and_then(|w| w.seconds) {
            return Some(seconds);
        }
        let parts: Option<Vec<f64>> = self.counted().iter().map(|r| r.seconds).collect();
        parts
            .filter(|p| !p.is_empty())
            .map(|p| p.iter().sum())
            .or(self.asked.duration_s)
    }

    /// The length that it is judged by, s: what was asked, where no more is missing of it than a first interval that the tool leaves out.
    pub fn length_s(&self) -> Option<f64> {
        let (counted, asked) = (self.counted_s(), self.asked.duration_s);
        let missing = asked.is_some_and(|asked| self.is_cut_off() || counted > Some(0.9 * asked));
        match missing {
            true => asked.into_iter().chain(counted).reduce(f64::max),
            false => counted,
        }
    }

    /// True where it read, as far as it says.
    pub fn reads(&self) -> bool {
        self.mix().is_none_or(|share| share > 0.0)
    }

    /// True where it wrote, as far as it says.
    pub fn writes(&self) -> bool {
        self.mix().is_some_and(|share| share < 1.0)
    }

    /// The share of reads, as it was done or asked.
    pub fn mix(&self) -> Option<f64> {
        let done = self.whole().and_then(|w| {
            let (reads, writes) = (w.reads.iops?.0, w.writes.iops?.0);
            (reads + writes > 0.0).then(|| reads / (reads + writes))
        });
        done.or(self.asked.read_share)
    }
}
