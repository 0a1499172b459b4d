//! A run as Vdbench names it: the `Starting RD=` line, and what was asked for.

use super::files::Column;
use plimsoll_measure::Op;
use std::fmt;

/// A run definition with one set of loop values: what Vdbench calls an RD.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDefinition {
    /// Name of the run: `rd1_(10%)`.
    pub name: String,
    /// Rate that was asked for.
    pub rate: RequestedRate,
    /// `elapsed=`, s; `None` where the run goes to the end of its target, as a format does.
    pub elapsed_s: Option<u64>,
    /// A format that ends when its time is up, whatever is made by then.
    pub is_limited: bool,
    /// `warmup=`, s; 0: none.
    pub warmup_s: u64,
    /// `interval=`, s, at least 1: what rates are divided by.
    pub interval_s: u64,
    /// Loop values: (parameter, value as Vdbench prints it).
    pub loops: Vec<(String, String)>,
    /// The workloads on their targets, in the order of the intervals' streams.
    pub streams: Vec<StreamLabel>,
    /// Other settings that were asked for.
    pub requested: Requested,
    /// Amount of data that ends the run early.
    pub max_data: MaxData,
    /// Operations that it asks for, where it is on files.
    pub operations: Option<Vec<Op>>,
}

/// The rate that was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RequestedRate {
    /// `iorate=max` without shares to keep.
    UncontrolledMax,
    /// `iorate=max` with shares to keep.
    ControlledMax,
    /// The maximum run of a curve, without shares to keep.
    UncontrolledCurve,
    /// The maximum run of a curve, with shares to keep.
    ControlledCurve,
    /// A list of rates over time.
    Variable,
    /// I/Os per second.
    PerSecond(f64),
}

/// One workload on one target.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamLabel {
    /// The target's name: `sd1`.
    pub sd: String,
    /// The target's path.
    pub lun: String,
    /// The workload's name: `wd1`.
    pub wd: String,
    /// Percent of the run's I/Os that it was to make; `None` where nobody can say, as at an uncontrolled maximum.
    pub skew: Option<f64>,
}

/// Amounts of data that end a run, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MaxData {
    /// `maxdata=`
    pub total: Option<u64>,
    /// `maxdataread=`
    pub read: Option<u64>,
    /// `maxdatawritten=`
    pub written: Option<u64>,
    /// The largest transfer: a worker ends where less than this is left of its part.
    pub transfer: u64,
}

/// Columns of the flat file that repeat the definition; `None` prints `n/a`: unknown, or not the same everywhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Requested {
    /// Transfer size, bytes; the first where sizes are mixed.
    pub xfersize: Option<f64>,
    /// Outstanding I/Os of one target; -1 where targets differ.
    pub threads: Option<f64>,
    /// Percent of reads.
    pub rdpct: Option<f64>,
    /// Percent of reads that go to the hit area.
    pub rhpct: Option<f64>,
    /// Percent of writes that go to the hit area.
    pub whpct: Option<f64>,
    /// Percent of I/Os that seek.
    pub seekpct: Option<f64>,
    /// Size of all targets together, bytes.
    pub lunsize: Option<u64>,
    /// Compression ratio.
    pub compratio: Option<f64>,
    /// Deduplication ratio.
    pub dedupratio: Option<f64>,
}

impl RequestedRate {
    /// True where shares are kept, so that a share which was missed is worth a word.
    pub(super) fn keeps_shares(self) -> bool {
        !matches!(
            self,
            RequestedRate::UncontrolledMax | RequestedRate::UncontrolledCurve
        )
    }

    /// The flat file's `reqrate`: a maximum is 9999988 there, a curve's 9999977.
    pub(super) fn column(self) -> Option<f64> {
        match self {
            RequestedRate::PerSecond(rate) => Some(rate),
            RequestedRate::Variable => None,
            RequestedRate::UncontrolledCurve | RequestedRate::ControlledCurve => Some(9_999_977.0),
            RequestedRate::UncontrolledMax | RequestedRate::ControlledMax => Some(9_999_988.0),
        }
    }
}

impl fmt::Display for RequestedRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestedRate::UncontrolledMax => f.write_str("Uncontrolled MAX"),
            RequestedRate::ControlledMax => f.write_str("Controlled MAX"),
            RequestedRate::UncontrolledCurve => f.write_str("Uncontrolled curve"),
            RequestedRate::ControlledCurve => f.write_str("Controlled curve"),
            RequestedRate::Variable => f.write_str("Variable"),
            RequestedRate::PerSecond(rate) => write!(f, "{rate}"),
        }
    }
}

impl RunDefinition {
    /// True for a run that goes to the end of what it makes.
    pub(super) fn is_format(&self) -> bool {
        self.elapsed_s.is_none()
    }

    /// Column of the one operation that a run on files asks for; `None` where it asks for several.
    pub(super) fn single_operation(&self) -> Option<Column> {
        match self.operations.as_deref() {
            Some(_) if self.is_format() => Column::of(Op::Write),
            Some([one]) => Column::of(*one),
            _ => None,
        }
    }

    /// A loop's value, where it is a number.
    pub(super) fn looped(&self, key: &str) -> Option<f64> {
        let value = self.loops.iter().find(|(own, _)| own == key);
        value.and_then(|(_, value)| value.parse().ok())
    }

    /// The start line of a run on files.
    fn on_files(&self) -> String {
        let Some(elapsed) = self.elapsed_s else {
            return format!("Starting RD={}", self.name);
        };
        let warmup = match self.warmup_s {
            0 => String::new(),
            s => format!(" warmup={s}"),
        };
        // Vdbench ends the rate with a full stop where it is a word.
        let rate = match self.rate {
            RequestedRate::UncontrolledMax | RequestedRate::ControlledMax => "max.".to_owned(),
            RequestedRate::UncontrolledCurve | RequestedRate::ControlledCurve => {
                "curve.".to_owned()
            }
            RequestedRate::Variable => "variable;".to_owned(),
            RequestedRate::PerSecond(rate) => format!("{};", rate as i64),
        };
        let loops = self.for_loops();
        format!(
            "Starting RD={}; elapsed={elapsed}{warmup}; fwdrate={rate} {loops}",
            self.name
        )
    }

    /// Amount of data that ended a run of so many workers, in Vdbench's words.
    pub(super) fn reached(&self, read: u64, written: u64, workers: u32) -> Option<String> {
        let left = self.max_data.transfer.saturating_mul(workers.into());
        let limits = [
            ("maxdata", self.max_data.total, read.saturating_add(written)),
            ("maxdataread", self.max_data.read, read),
            ("maxdatawritten", self.max_data.written, written),
        ];
        let (name, _, moved) = limits
            .into_iter()
            .find(|(_, limit, moved)| limit.is_some_and(|l| moved.saturating_add(left) > l))?;
        Some(format!(
            "Reached {name}={}. rd={} shutting down.",
            size_text(moved),
            self.name
        ))
    }

    /// `For loops: ...`, as the start line ends and the status file has it.
    pub(super) fn for_loops(&self) -> String {
        if self.loops.is_empty() {
            return "For loops: None".into();
        }
        let values: Vec<String> = self.loops.iter().map(|(k, v)| format!("{k}={v}")).collect();
        format!("For loops: {}", values.join(" "))
    }
}

/// Bytes in the largest unit that they reach, with three decimals unless they are all zero.
fn size_text(bytes: u64) -> String {
    const UNITS: [(u32, &str); 4] = [(40, "t"), (30, "g"), (20, "m"), (10, "k")];
    let Some((shift, unit)) = UNITS.into_iter().find(|(shift, _)| bytes >> shift > 0) else {
        return bytes.to_string();
    };
    let number = format!("{:.3}", bytes as f64 / (1u64 << shift) as f64);
    format!("{}{unit}", number.strip_suffix(".000").unwrap_or(&number))
}

impl fmt::Display for RunDefinition {
    /// The start line without its time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.operations.is_some() {
            return f.write_str(&self.on_files());
        }
        let elapsed = self
            .elapsed_s
            .map_or_else(|| "(none)".to_owned(), |s| s.to_string());
        let warmup = match self.warmup_s {
            0 => String::new(),
            s => format!(" warmup={s}"),
        };
        write!(
            f,
            "Starting RD={}; I/O rate: {}; elapsed={elapsed}{warmup}; {}",
            self.name,
            self.rate,
            self.for_loops(),
        )
    }
}
