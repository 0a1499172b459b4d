//! What `plimsoll compare` compares: records of Plimsoll's own, or results of another tool.

use crate::failure::Failure;
use plimsoll_evidence::{Estimate, Severity};
use plimsoll_foreign::model::{AskedSettings, Load, Run, Side};
use plimsoll_foreign::{
    DefinitionPlan, ForeignResult, IntakeError, ReadError, intake, judge, twice,
};
use plimsoll_plan::{Bytes, Nanos};
use plimsoll_record::compare::{Comparison, Fact, Metric, RunFigures, StepFigures, StepKind};
use plimsoll_record::{Record, RecordError, RunStatus};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Both sides of a comparison.
pub struct Sides {
    /// Runs that B is compared with.
    pub a: Vec<RunFigures>,
    /// Runs that are judged.
    pub b: Vec<RunFigures>,
    foreign: bool,
    /// True where results of another tool say when they were made.
    is_dated: bool,
}

/// Content of a path.
enum Taken {
    Record(Vec<RunFigures>),
    Results(Vec<ForeignResult>),
}

impl Sides {
    /// Reads all that was named.
    pub fn take(before: &[PathBuf], after: &[PathBuf]) -> Result<Self, Failure> {
        let read = |paths: &[PathBuf]| -> Result<Vec<Taken>, Failure> {
            paths.iter().map(|p| take(p)).collect()
        };
        let (a, b) = (read(before)?, read(after)?);
        let is_record = |taken: &&Taken| matches!(taken, Taken::Record(_));
        let records = a.iter().chain(&b).filter(is_record).count();
        if records > 0 && records < a.len() + b.len() {
            return Err(Failure::usage(
                "records of Plimsoll and results of another tool are not compared with each other: they do not measure \
                 the same times (`plimsoll audit` judges each)",
            ));
        }
        let results = a.iter().chain(&b).flat_map(Taken::results);
        let formats: HashSet<&str> = results.clone().map(|r| r.format.name()).collect();
        let is_dated = formats.len() == 1 && results.clone().all(|r| r.started_s.is_some());
        let mut seen = Vec::new();
        Ok(Sides {
            a: figures(a, 0, is_dated, &mut seen),
            b: figures(b, 1, is_dated, &mut seen),
            foreign: records == 0,
            is_dated,
        })
    }

    /// Says what is to be borne in mind of results that other tools left.
    pub fn tell(&self, comparison: &mut Comparison) {
        if !self.foreign {
            return;
        }
        let several = self.a.len().max(self.b.len()) > 1;
        let of_tool = "Times are those that the tool tells: of a limited rate they are counted from when an I/O was sent.";
        let order = "When these runs were made is not known here: whether A and B were interleaved cannot be said.";
        comparison.notes.push(of_tool.to_string());
        if self.is_dated {
            return;
        }
        comparison.order = "not known".to_string();
        comparison.notes.extend(several.then(|| order.to_string()));
    }
}

/// A record, or else results of another tool.
fn take(path: &Path) -> Result<Taken, Failure> {
    let not_a_record = match Record::open(path) {
        Ok(record) => return Ok(Taken::Record(RunFigures::each_of(&record)?)),
        Err(error) => error,
    };
    let may_be_other = matches!(not_a_record, RecordError::NotSqlite { .. }) || path.is_dir();
    let Some(name) = path.to_str().filter(|_| may_be_other) else {
        return Err(not_a_record.into());
    };
    match intake::take(name) {
        Ok(taken) => Ok(Taken::Results(taken.results)),
        Err(error @ IntakeError::Read(ReadError::Unknown { .. })) => Err(Failure::usage(format!(
            "{error}. Nor is it a record of Plimsoll"
        ))),
        Err(error) => Err(error.into()),
    }
}

impl Taken {
    fn results(&self) -> &[ForeignResult] {
        match self {
            Taken::Record(_) => &[],
            Taken::Results(results) => results,
        }
    }
}

/// The runs of a side. Results that do not say when they were made get places by turns, and one that came before its place.
fn figures(
    taken: Vec<Taken>,
    side: i64,
    is_dated: bool,
    seen: &mut Vec<(ForeignResult, i64)>,
) -> Vec<RunFigures> {
    let mut runs = Vec::new();
    for one in taken {
        match one {
            Taken::Record(figures) => runs.extend(figures),
            Taken::Results(results) => {
                for result in results {
                    let known = seen
                        .iter()
                        .find(|(earlier, _)| twice::is_one_run(earlier, &result));
                    let turn = 2 * runs.len() as i64 + side;
                    // Two may begin in one second.
                    let second = result.started_s.filter(|_| is_dated).unwrap_or(0);
                    let new = second.saturating_mul(1_000_000_000).saturating_add(turn);
                    let place = known.map_or(new, |(_, place)| *place);
                    runs.push(of_result(&result, place));
                    seen.push((result, place));
                }
            }
        }
    }
    runs
}

fn of_result(result: &ForeignResult, place: i64) -> RunFigures {
    let judged = judge(result, None, DefinitionPlan::NotGiven);
    let worth = judged.audit.findings.iter().map(|f| (f.rule, &f.finding));
    let worth = worth.filter(|(_, finding)| finding.severity >= Severity::Suspect);
    let notes = worth.map(|(_, finding)| format!("{}: {}", finding.rule, finding.with_remedy()));
    let version = result.version.as_deref().unwrap_or("of unknown version");
    let tool = result.tool.name();
    RunFigures {
        label: result.sources.join(", "),
        repeat: None,
        left_out: Vec::new(),
        started_unix_ns: place,
        status: RunStatus::Completed,
        // What one format shows and another doesn't is no difference.
        version: format!("{tool} {version}, {}", result.format.name()),
        seed: 0,
        simulated: false,
        facts: vec![Fact::plain("version", version)],
        measured: vec![Fact::plain("tool", tool)],
        invalid: judged.worst() == Some(Severity::Invalid),
        notes: notes.collect(),
        steps: result.runs.iter().flat_map(of_run).collect(),
    }
}

/// A run with its sums, none of one that has intervals only; and its reads and writes, where their percentiles are told apart.
fn of_run(run: &Run) -> Vec<StepFigures> {
    let Some(row) = run.whole() else {
        return Vec::new();
    };
    let rate = match run.asked.load {
        Some(Load::Limited { rate, .. }) => Some(rate.0),
        _ => None,
    };
    let whole = StepFigures {
        name: run.name.clone(),
        errors: row.errors,
        offered: rate.into_iter().collect(),
        asked: asked(&run.asked),
        values: values(&row.all, row.bandwidth),
        ..StepFigures::default()
    };
    let sides = [("reads", &row.reads), ("writes", &row.writes)];
    let is_told_apart = sides
        .iter()
        .all(|(_, side)| side.iops.is_some_and(|r| r.0 > 0.0))
        && sides.iter().any(|(_, side)| !percentiles(side).is_empty())
        && percentiles(&row.all).is_empty();
    if !is_told_apart {
        return vec![whole];
    }
    let part = |(name, side): (&str, &Side)| StepFigures {
        name: format!("{}: {name}", run.name),
        errors: 0,
        values: values(side, None),
        ..whole.clone()
    };
    let parts = sides.map(part);
    let whole = StepFigures {
        kind: StepKind::Mixed,
        ..whole
    };
    [whole].into_iter().chain(parts).collect()
}

fn asked(asked: &AskedSettings) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut put = |name: &str, value: Option<String>| {
        facts.extend(value.map(|value| Fact::plain(name, value)));
    };
    let block = asked.block.map(|(min, max)| match min == max {
        true => min.to_string(),
        false => format!("{min} to {max}"),
    });
    put("size", block);
    put(
        "reads",
        asked.read_share.map(|s| format!("{:.0} %", s * 100.0)),
    );
    let order = |random| if random { "random" } else { "sequential" };
    put("addresses", asked.random.map(|r| order(r).to_string()));
    put("depth", asked.depth.map(|d| d.to_string()));
    put("threads", asked.threads.map(|t| t.to_string()));
    put("engine", asked.engine.clone());
    put("time", asked.duration_s.map(|s| format!("{s} s")));
    put("warm-up", asked.warm_up_s.map(|s| format!("{s} s")));
    put(
        "caching",
        asked.cache.map(|c| format!("{c:?}").to_lowercase()),
    );
    put(
        "bytes of the target",
        asked.target_size.map(|s| s.to_string()),
    );
    let load = asked.load.map(|load| match load {
        Load::Max | Load::CurveMax => "as fast as it goes",
        Load::Limited { .. } => "at a rate",
        Load::HeldBack => "held back",
    });
    put("load", load.map(str::to_string));
    facts
}

/// Percentiles of the whole time; some tools have those of the time behind the submit only.
fn percentiles(side: &Side) -> &[(f64, Nanos)] {
    match (&side.completion, side.latency.percentiles.is_empty()) {
        (Some(completion), true) => &completion.percentiles,
        _ => &side.latency.percentiles,
    }
}

fn values(side: &Side, bandwidth: Option<Bytes>) -> BTreeMap<Metric, Estimate> {
    let quantile = |wanted: f64| {
        let mut all = percentiles(side).iter();
        let found = all.find(|(q, _)| (q - wanted).abs() < 1e-9);
        found.map(|(_, time)| time.0 as f64)
    };
    let told = [
        (Metric::Iops, side.iops.map(|r| r.0)),
        (Metric::BytesPerSecond, bandwidth.map(|b| b.0 as f64)),
        (Metric::ResponseMean, side.latency.mean.map(|n| n.0 as f64)),
        (Metric::ResponseP50, quantile(0.5)),
        (Metric::ResponseP99, quantile(0.99)),
        (Metric::ResponseP999, quantile(0.999)),
    ];
    let known = told
        .into_iter()
        .filter_map(|(metric, value)| Some((metric, Estimate::bare(value?))));
    known.collect()
}
