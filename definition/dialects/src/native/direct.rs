//! The simple case without a file: the flags of the command line.
//!
//! `--read 70 --block 8k` are the keys of the language with the same grammar and the same defaults.

use super::document::empty;
use super::given::{Given, Part, Wrong};
use super::keys::{Key, List, RUN, SHAPE, TARGET, find};
use super::method::METHOD;
use super::overrides::is_list;
use super::run::Run;
use super::shape::Setting;
use super::workload::Workload;
use super::{expand, target};
use plimsoll_plan::validate::validate;
use plimsoll_plan::{Item, Load, Plan, Target, TargetId};

/// What to do with the workload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// One measurement.
    #[default]
    Single,
    /// The maximum, then percentages of it.
    Curve,
    /// Another method, by its name in the language.
    Named(&'static str),
}

/// The flags as they were typed. What was not typed has the language's default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DirectFlags {
    /// Files, devices, `null:SIZE`.
    pub targets: Vec<String>,
    /// What to do.
    pub method: Method,
    /// `--read`: percent of reads.
    pub read: Option<String>,
    /// `--trim`: percent of trims.
    pub trim: Option<String>,
    /// `--block`: `8k`, `4k-64k`, `4k=50,64k=50`.
    pub block: Option<String>,
    /// `--access`: `random`, `coverage`, `sequential`, `streams=4`.
    pub access: Option<String>,
    /// `--distribution`: `zipf=1.1`.
    pub distribution: Option<String>,
    /// `--range`: `10%-20%`.
    pub range: Option<String>,
    /// `--hits`: `read=75,area=1m`.
    pub hits: Option<String>,
    /// `--content`: `unique`, `zeros`, `compress=2`.
    pub content: Option<String>,
    /// `--read-block`: the size of a read.
    pub read_block: Option<String>,
    /// `--write-block`: the size of a write.
    pub write_block: Option<String>,
    /// `--trim-block`: the size of a trim.
    pub trim_block: Option<String>,
    /// `--think`: `5ms`.
    pub think: Option<String>,
    /// `--think-every`: after how many I/Os.
    pub think_every: Option<String>,
    /// `--think-distribution`: `exponential`, `uniform`, `even`.
    pub think_distribution: Option<String>,
    /// `--max-rate`: `5000`.
    pub max_rate: Option<String>,
    /// `--max-bandwidth`: `100m`.
    pub max_bandwidth: Option<String>,
    /// `--rate`: `max`, `5000`, `10k`.
    pub rate: Option<String>,
    /// `--arrival`: `exponential`, `uniform`, `even`.
    pub arrival: Option<String>,
    /// `--for`: `30s`.
    pub duration: Option<String>,
    /// `--warmup`: `5s`.
    pub warmup: Option<String>,
    /// `--interval`: `1s`.
    pub interval: Option<String>,
    /// `--workers`: how many.
    pub workers: Option<String>,
    /// `--depth`: I/Os in flight on each target.
    pub depth: Option<String>,
    /// `--pin`: CPUs, `0,2,4`.
    pub pin: Option<String>,
    /// `--waiting`: `thrifty`, `punctual`.
    pub waiting: Option<String>,
    /// `--caching`: `direct`, `buffered`.
    pub caching: Option<String>,
    /// `--durability`: `none`, `dsync`, `sync`, `fsync_every=8`, `fdatasync_every=1`, `fsync_at_end`.
    pub durability: Option<String>,
    /// `--size`: how much of each target is used.
    pub size: Option<String>,
    /// `--metrics`: where the array below the targets tells of itself.
    pub metrics: Option<String>,
    /// `--metrics-map`: what it calls its counters.
    pub metrics_map: Option<String>,
    /// `--percents`: points of a curve, `10,50,100`.
    pub percents: Option<String>,
    /// `--slo`: response-time limits of a curve, each `p99=2ms`.
    pub slos: Vec<String>,
    /// Flags that only a method has: each the flag, its key and what was typed.
    pub of_method: Vec<(&'static str, &'static str, String)>,
    /// `--max-errors`.
    pub max_errors: Option<u64>,
    /// `--seed`.
    pub seed: Option<u64>,
}

/// A flag that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{flag}: {message}{}", remedy.as_ref().map(|r| format!("\n  {r}")).unwrap_or_default())]
pub struct DirectError {
    /// The flag, as `--block`, or `TARGET`.
    pub flag: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub remedy: Option<String>,
}

/// A flag and the key that it is.
pub(super) struct Flag<'f> {
    pub flag: &'static str,
    pub key: &'static str,
    pub value: Option<&'f str>,
}

fn flag<'f>(flag: &'static str, key: &'static str, value: &'f Option<String>) -> Flag<'f> {
    Flag {
        flag,
        key,
        value: value.as_deref(),
    }
}

impl DirectFlags {
    /// Flags that are keys of a target.
    pub(super) fn target_flags(&self) -> [Flag<'_>; 5] {
        [
            flag("--size", "size", &self.size),
            flag("--caching", "caching", &self.caching),
            flag("--durability", "durability", &self.durability),
            flag("--metrics", "metrics", &self.metrics),
            flag("--metrics-map", "metrics_map", &self.metrics_map),
        ]
    }

    /// Flags that say what the I/O looks like.
    pub(super) fn shape_flags(&self) -> [Flag<'_>; 16] {
        [
            flag("--read", "read", &self.read),
            flag("--trim", "trim", &self.trim),
            flag("--block", "block", &self.block),
            flag("--access", "access", &self.access),
            flag("--distribution", "distribution", &self.distribution),
            flag("--range", "range", &self.range),
            flag("--hits", "hits", &self.hits),
            flag("--content", "content", &self.content),
            flag("--read-block", "read_block", &self.read_block),
            flag("--write-block", "write_block", &self.write_block),
            flag("--trim-block", "trim_block", &self.trim_block),
            flag("--think", "think", &self.think),
            flag("--think-every", "think_every", &self.think_every),
            flag(
                "--think-distribution",
                "think_distribution",
                &self.think_distribution,
            ),
            flag("--max-rate", "max_rate", &self.max_rate),
            flag("--max-bandwidth", "max_bandwidth", &self.max_bandwidth),
        ]
    }

    /// Flags that are keys of a run, with a load that may be another than `--rate`.
    pub(super) fn run_flags<'f>(&'f self, load: &'f Option<String>) -> [Flag<'f>; 9] {
        [
            flag("--rate", "load", load),
            flag("--arrival", "arrival", &self.arrival),
            flag("--for", "for", &self.duration),
            flag("--warmup", "warmup", &self.warmup),
            flag("--interval", "interval", &self.interval),
            flag("--workers", "workers", &self.workers),
            flag("--depth", "depth", &self.depth),
            flag("--pin", "pin", &self.pin),
            flag("--waiting", "waiting", &self.waiting),
        ]
    }

    /// Flags that only a curve has.
    pub(super) fn curve_flags<'f>(&'f self, slos: &'f Option<String>) -> [Flag<'f>; 2] {
        [
            flag("--percents", "percents", &self.percents),
            flag("--slo", "slo", slos),
        ]
    }

    /// Flags that only a method has.
    pub(super) fn method_flags(&self) -> Vec<Flag<'_>> {
        self.of_method
            .iter()
            .map(|(flag, key, value)| Flag {
                flag,
                key,
                value: Some(value),
            })
            .collect()
    }

    /// All `--slo` as one list.
    pub(super) fn joined_slos(&self) -> Option<String> {
        (!self.slos.is_empty()).then(|| self.slos.join(","))
    }
}

/// Makes a plan of flags, by the same rules as a file.
pub fn direct(flags: &DirectFlags) -> Result<Plan, DirectError> {
    let mut plan = empty("command line");
    plan.seed = flags.seed;
    plan.max_errors = flags.max_errors.unwrap_or(plan.max_errors);
    plan.targets = targets(flags)?;

    let name = match flags.method {
        Method::Single => "run",
        Method::Curve | Method::Named("adaptive") => "curve",
        Method::Named(name) => name,
    };
    let names: Vec<String> = plan.targets.iter().map(|t| t.name.clone()).collect();
    let workload = Workload {
        name: name.to_string(),
        targets: (0..names.len()).map(|i| TargetId(i as u32)).collect(),
        settings: settings(flags)?,
        ..Workload::default()
    };
    let run = run(flags, name, &names)?;
    if let Some((lacks, help)) = run.method.missing() {
        return Err(DirectError {
            flag: "the flags".to_string(),
            message: lacks.to_string(),
            remedy: Some(help.to_string()),
        });
    }
    let workloads = [workload];
    let steps = expand::steps(&run);
    if steps > expand::STEPS_MAX {
        return Err(DirectError {
            flag: "the flags".to_string(),
            message: format!("their lists make {steps} steps"),
            remedy: Some(format!("make it {} or fewer", expand::STEPS_MAX)),
        });
    }
    let expanded = expand::items(&run, &workloads, None);
    if let Some(Item::Step(first)) = expanded.items.first()
        && matches!(first.load, Load::PercentOfLast { .. })
    {
        return Err(DirectError {
            flag: "--rate".to_string(),
            message: "a percentage is of what the step before it reached, and there is none before the first".to_string(),
            remedy: Some("put max first, as in --rate max,50%; or measure a curve: plimsoll curve TARGET --percents 50".to_string()),
        });
    }
    if expanded.idle_distribution.is_some() {
        return Err(DirectError {
            flag: "--distribution".to_string(),
            message: "it says where random addresses fall, but --access asks for another order"
                .to_string(),
            remedy: Some("leave one of them out".to_string()),
        });
    }
    if let Some((_, key)) = expanded.idle_thought {
        return Err(DirectError {
            flag: format!("--{}", key.replace('_', "-")),
            message: "it says how to think, and there is no --think".to_string(),
            remedy: Some("add --think TIME, or leave it out".to_string()),
        });
    }
    plan.items = expanded.items;
    match validate(&plan).into_iter().next() {
        None => Ok(plan),
        Some(problem) => Err(DirectError {
            flag: "the flags".to_string(),
            message: problem.message,
            remedy: Some(problem.remedy),
        }),
    }
}

fn targets(flags: &DirectFlags) -> Result<Vec<Target>, DirectError> {
    if flags.targets.is_empty() {
        return Err(DirectError {
            flag: "TARGET".to_string(),
            message: "there is no target".to_string(),
            remedy: Some("name a file, a device, nbd://…, lab:PERSONA, or null:64GiB".to_string()),
        });
    }
    let mut targets: Vec<Target> = Vec::new();
    for path in &flags.targets {
        let location = target::locate(&[Part::of(path)]).map_err(|w| error("TARGET", w))?;
        if targets.iter().any(|t| t.name == *path) {
            return Err(DirectError {
                flag: "TARGET".to_string(),
                message: format!("`{path}` is named twice"),
                remedy: Some("name it once".to_string()),
            });
        }
        let mut found = target::plain(path, location);
        for f in flags.target_flags() {
            each(&f, &[&TARGET], |key, given| {
                target::set(&mut found, key, &given[0])
            })?;
        }
        targets.push(found);
    }
    Ok(targets)
}

/// The values of keys that may be looped over go to the run, all others to the workload.
fn settings(flags: &DirectFlags) -> Result<Vec<Setting>, DirectError> {
    let mut settings = Vec::new();
    for f in flags.shape_flags() {
        if f.value.is_some_and(is_list) {
            continue;
        }
        each(&f, &[&SHAPE], |key, given| {
            settings.push(Setting::read(key, &given[0])?);
            Ok(())
        })?;
    }
    Ok(settings)
}

fn run(flags: &DirectFlags, name: &str, targets: &[String]) -> Result<Run, DirectError> {
    let mut run = Run::defaults(name, 1);
    let curve = matches!(flags.method, Method::Curve | Method::Named("adaptive"));
    if curve && flags.rate.as_deref().is_some_and(|r| r != "max") {
        return Err(DirectError {
            flag: "--rate".to_string(),
            message: "a curve finds its rates itself".to_string(),
            remedy: Some("leave --rate out, or use `plimsoll run`".to_string()),
        });
    }
    let load = if curve {
        Some("curve".to_string())
    } else {
        flags.rate.clone()
    };
    for f in flags.shape_flags() {
        if f.value.is_some_and(is_list) {
            each(&f, &[&SHAPE], |key, given| {
                run.axis(key, true, given, targets)
            })?;
        }
    }
    let slos = flags.joined_slos();
    let limits = flags.curve_flags(&slos);
    let method = match flags.method {
        Method::Named(name) => Some(name),
        Method::Single | Method::Curve => None,
    };
    let method = Flag {
        flag: "the command",
        key: "method",
        value: method,
    };
    let all = flags.run_flags(&load).into_iter().chain(limits);
    for f in all.chain([method]).chain(flags.method_flags()) {
        each(&f, &[&RUN, &METHOD], |key, given| match key.list {
            List::Loop => run.axis(key, given.len() > 1, given, targets),
            _ => run.set(key, given),
        })?;
    }
    Ok(run)
}

/// Reads a flag that was given, by the grammar of its key.
fn each(
    flag: &Flag<'_>,
    tables: &[&'static [Key]],
    read: impl FnOnce(&'static Key, &[Given]) -> Result<(), Wrong>,
) -> Result<(), DirectError> {
    let (Some(value), Some(key)) = (flag.value, find(tables, flag.key)) else {
        return Ok(());
    };
    let given: Vec<Given> = match key.list {
        List::Many | List::Loop if key.list == List::Many || is_list(value) => value
            .split(',')
            .map(|v| Given::from_text(Part::of(v.trim())))
            .collect(),
        _ => vec![Given::from_text(Part::of(value))],
    };
    read(key, &given).map_err(|wrong| error(flag.flag, wrong))
}

fn error(flag: &str, wrong: Wrong) -> DirectError {
    DirectError {
        flag: flag.to_string(),
        message: wrong.message,
        remedy: wrong.remedy,
    }
}
