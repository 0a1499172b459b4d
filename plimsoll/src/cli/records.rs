//! What is done with records: showing, comparing, exporting and reporting.

use clap::{ArgGroup, Args, ValueEnum, ValueHint};
use plimsoll_record::compare::{Confidence, FailRule, RuleError};
use std::path::PathBuf;

/// `plimsoll show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The record
    #[arg(value_name = "RECORD", value_hint = ValueHint::FilePath)]
    pub record: PathBuf,
    /// Every interval, too
    #[arg(long)]
    pub intervals: bool,
    /// As JSON, as `plimsoll run --json` prints it
    #[arg(long)]
    pub json: bool,
}

/// `plimsoll watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The record, or a folder: of that the newest that is being written [default: this folder]
    #[arg(value_name = "RECORD|DIR", value_hint = ValueHint::AnyPath)]
    pub record: Option<PathBuf>,
    /// In the terminal of the run, until its end
    #[arg(long, hide = true)]
    pub of_run: bool,
}

/// `plimsoll records`.
#[derive(Debug, Args)]
pub struct RecordsArgs {
    /// The folder
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Only those with this tag
    #[arg(long, value_name = "WORD")]
    pub tag: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `plimsoll compare`.
#[derive(Debug, Args)]
#[command(
    override_usage = "plimsoll compare [OPTIONS] A.plim B.plim\n       plimsoll compare [OPTIONS] A.plim... -- B.plim...",
    group = ArgGroup::new("files").multiple(true)
)]
pub struct CompareArgs {
    /// Records before the change, or results of fio, Vdbench, DiskSPD or elbencho; of two without --, the first
    #[arg(value_name = "A", required = true, value_hint = ValueHint::FilePath)]
    pub before: Vec<PathBuf>,
    /// Records after the change, or results of the same tool; or lab:PERSONA, the array that A is to be like
    #[arg(value_name = "B", last = true, value_hint = ValueHint::FilePath)]
    pub after: Vec<PathBuf>,
    /// Exit with 1 where this is shown of B against A: 'iops < -3%', 'p99 > +5%', with 0 where it is excluded, and with 3
    /// where neither is; repeatable
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub fail_if: Vec<FailRule>,
    /// How sure a verdict is, percent
    #[arg(long, value_name = "PERCENT", default_value = "95", value_parser = |text: &str| text.parse::<Confidence>())]
    pub confidence: Confidence,
    /// Compare this step only, by the name that `plimsoll show` has for it; repeatable
    #[arg(long, value_name = "NAME")]
    pub step: Vec<String>,
    /// Give verdicts also where block sizes, mixes, depths, rates or whatever else was asked for differ
    #[arg(long)]
    pub different: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Write the comparison as one offline HTML page, too
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "files")]
    pub html: Option<PathBuf>,
    /// Write the gates as JUnit's XML, too, as CI shows them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "files", requires = "fail_if")]
    pub junit: Option<PathBuf>,
    /// Write the comparison as Markdown, too, for a summary or a comment
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, group = "files")]
    pub markdown: Option<PathBuf>,
    /// Replace the files that are there, whoever wrote them
    #[arg(long, requires = "files")]
    pub overwrite: bool,
}

fn rule(text: &str) -> Result<FailRule, RuleError> {
    text.parse()
}

/// `plimsoll export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The record; of several, with --csv, --parquet or --influx, one table with a column for the record
    #[arg(value_name = "RECORD", required = true, value_hint = ValueHint::FilePath)]
    pub records: Vec<PathBuf>,
    #[command(flatten)]
    pub format: ExportFormat,
    /// Of a table: a row for each step, for each interval, or for each of a step's workloads, targets or streams
    #[arg(long, value_enum, default_value_t = Rows::Steps, conflicts_with_all = ["json", "hdr", "influx"])]
    pub rows: Rows,
    /// Only what a licence that forbids to publish figures cannot mean: shapes, shares, ratios, classes and rules' numbers
    #[arg(long, conflicts_with_all = ["csv", "parquet", "hdr", "influx"])]
    pub redact: bool,
    /// Where to write; - is standard output [default: -]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replace the file that is there, whoever wrote it
    #[arg(long)]
    pub overwrite: bool,
}

/// One of the export formats.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ExportFormat {
    /// Comma-separated values
    #[arg(long)]
    pub csv: bool,
    /// Apache Parquet: the same table with the kinds of its columns, for pandas, DuckDB and Spark
    #[arg(long)]
    pub parquet: bool,
    /// The whole record as one JSON document
    #[arg(long)]
    pub json: bool,
    /// An HdrHistogram interval log (V2)
    #[arg(long)]
    pub hdr: bool,
    /// InfluxDB's line protocol: a point for each interval
    #[arg(long)]
    pub influx: bool,
}

/// Rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rows {
    /// One row a step.
    Steps,
    /// One row an interval.
    Intervals,
    /// One row for each workload of a step.
    Workloads,
    /// One row for each target of a step.
    Targets,
    /// One row for each workload on each target of a step.
    Streams,
    /// One row for each host of a step that several carried out.
    Hosts,
    /// One row for each figure of a method's verdict.
    Figures,
    /// One row for each cell of the tables of methods' verdicts.
    Cells,
    /// One row for each point of their charts.
    Points,
    /// One row for each finding.
    Findings,
}

/// `plimsoll report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The record
    #[arg(value_name = "RECORD", value_hint = ValueHint::FilePath)]
    pub record: PathBuf,
    /// Where to write the page; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "report.html", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Only what a licence that forbids to publish figures cannot mean: shapes, shares, ratios, classes and rules' numbers
    #[arg(long)]
    pub redact: bool,
    /// Replace the file that is there, whoever wrote it
    #[arg(long)]
    pub overwrite: bool,
}
