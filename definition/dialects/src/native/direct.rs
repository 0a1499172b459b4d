//! The simple case without a file: the flags of the command line.
//!
//! `--read 70 --block 8k` are the keys of the language with the same grammar and the same defaults.

use super::document::{empty, limit_threads};
use super::given::{Given, Part, Wrong, is_list};
use super::keys::{Key, List, RUN, SHAPE, TARGET, WORKLOAD, find};
use super::method::METHOD;
use super::run::Run;
use super::shape::Setting;
use super::workload::Workload;
use super::{expand, operations, target};
use plimsoll_plan::validate::validate;
use plimsoll_plan::{FileWork, Item, Load, Location, Plan, Target, TargetId};

/// The method that a workload is measured by.
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
    /// The method to measure by.
    pub method: Method,
    /// Each flag of the workload that was typed, and what was typed behind it: `("--block", "8k")`. `--slo` may be there several times.
    pub typed: Vec<(&'static str, String)>,
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
    /// The mistake.
    pub message: String,
    /// The remedy: words to write instead.
    pub remedy: Option<String>,
}

impl DirectError {
    pub(super) fn new(flag: String, message: String, remedy: Option<String>) -> Self {
        DirectError {
            flag,
            message,
            remedy,
        }
    }
}

/// Flags that are keys of a target.
const OF_TARGET: &str = "--file-size --size --caching --durability --metrics --metrics-map";
/// Flags of a target whose value is a key of a tree.
const TREE: &str = "--tree";
/// Flags that say on which files of a tree.
const OF_FILES: &str = "--select --per-file --to";
/// Flags that say what the I/O looks like.
const OF_SHAPE: &str = "--read --trim --operations --block --access --distribution --range --hits --content --read-block --write-block --trim-block \
--think --think-every --think-distribution --max-rate --max-bandwidth";
/// Flags that are keys of a run.
const OF_RUN: &str = "--rate --arrival --for --warmup --interval --workers --depth --pin --waiting";
/// Flags that only a curve has.
const OF_CURVE: &str = "--percents --slo";

/// A flag that was typed, and the key that it is.
pub(super) struct Flag {
    pub flag: &'static str,
    pub key: &'static str,
    pub value: String,
}

impl Flag {
    fn new((flag, key, value): (&'static str, &'static str, &str)) -> Self {
        let value = value.to_string();
        Flag { flag, key, value }
    }
}

impl DirectFlags {
    /// The value that was typed behind a flag.
    pub fn get(&self, flag: &str) -> Option<&str> {
        let found = self.typed.iter().find(|(typed, _)| *typed == flag);
        found.map(|(_, value)| value.as_str())
    }

    /// As if it had been typed.
    pub fn set(&mut self, flag: &'static str, value: String) {
        self.typed.retain(|(typed, _)| *typed != flag);
        self.typed.push((flag, value));
    }

    pub(super) fn target_flags(&self) -> Vec<Flag> {
        self.flags(OF_TARGET)
    }

    pub(super) fn workload_flags(&self) -> Vec<Flag> {
        self.flags(OF_FILES)
    }

    pub(super) fn shape_flags(&self) -> Vec<Flag> {
        self.flags(OF_SHAPE)
    }

    pub(super) fn run_flags(&self) -> Vec<Flag> {
        self.flags(OF_RUN)
    }

    pub(super) fn curve_flags(&self) -> Vec<Flag> {
        self.flags(OF_CURVE)
    }

    /// Flags that only a method has.
    pub(super) fn method_flags(&self) -> Vec<Flag> {
        let typed = self.of_method.iter();
        typed
            .map(|(flag, key, value)| Flag::new((flag, key, value)))
            .collect()
    }

    /// The flags among these that were typed. One that was typed several times is a list.
    fn flags(&self, names: &'static str) -> Vec<Flag> {
        let of = |flag: &'static str| {
            let typed = self.typed.iter().filter(|(typed, _)| *typed == flag);
            let values: Vec<&str> = typed.map(|(_, value)| value.as_str()).collect();
            let key = match flag {
                "--rate" => "load",
                flag => &flag[2..].replace('-', "_"),
            };
            let key = find(&[&TARGET, &SHAPE, &RUN, &METHOD, &WORKLOAD], key)?.name;
            let value = values.join(",");
            (!values.is_empty()).then_some(Flag { flag, key, value })
        };
        names.split(' ').filter_map(of).collect()
    }
}

/// Makes a plan of flags, by the same rules as a file.
pub fn direct(flags: &DirectFlags) -> Result<Plan, DirectError> {
    let mut plan = empty("command line");
    plan.seed = flags.seed;
    plan.max_errors = flags.max_errors.unwrap_or(plan.max_errors);
    for_a_tree(flags)?;
    plan.targets = targets(flags)?;
    let to = other_tree(flags, &mut plan.targets)?;

    let name = match flags.method {
        Method::Single => "run",
        Method::Curve | Method::Named("adaptive") => "curve",
        Method::Named(name) => name,
    };
    let names: Vec<String> = plan.targets.iter().map(|t| t.name.clone()).collect();
    let mut workload = Workload {
        name: name.to_string(),
        targets: (0..flags.targets.len())
            .map(|i| TargetId(i as u32))
            .collect(),
        settings: settings(flags)?,
        files: FileWork {
            to,
            ..files(flags)?
        },
        ..Workload::default()
    };
    expand::once_through_names(&mut workload, &plan.targets);
    let run = run(flags, name, &names)?;
    if let Some((lacks, help)) = run.method.missing() {
        return Err(DirectError::new(
            "the flags".to_string(),
            lacks.to_string(),
            Some(help.to_string()),
        ));
    }
    let workloads = [workload];
    let steps = expand::steps(&run);
    if steps > expand::STEPS_MAX {
        return Err(DirectError::new(
            "the flags".to_string(),
            format!("their lists make {steps} steps"),
            Some(format!("make it {} or fewer", expand::STEPS_MAX)),
        ));
    }
    let mut expanded = expand::items(&run, &workloads, None);
    if flags.get("--depth").is_none() {
        limit_threads(&plan, &mut expanded.items);
    }
    if let Some(Item::Step(first)) = expanded.items.first()
        && matches!(first.load, Load::PercentOfLast { .. })
    {
        let remedy = "put max first, as in --rate max,50%; or measure a curve: plimsoll curve TARGET --percents 50";
        return Err(DirectError::new(
            "--rate".to_string(),
            "a percentage is of what the step before it reached, and there is none before the first".to_string(),
            Some(remedy.to_string()),
        ));
    }
    if expanded.idle_distribution.is_some() {
        return Err(DirectError::new(
            "--distribution".to_string(),
            "it says where random addresses fall, but --access asks for another order".to_string(),
            Some("leave one of them out".to_string()),
        ));
    }
    if let Some((_, key)) = expanded.idle_thought {
        return Err(DirectError::new(
            format!("--{}", key.replace('_', "-")),
            "it says how to think, and there is no --think".to_string(),
            Some("add --think TIME, or leave it out".to_string()),
        ));
    }
    if let Some((_, key)) = expanded.idle_read {
        return Err(DirectError::new(
            format!("--{key}"),
            "it stands beside --operations, which say what is read".to_string(),
            Some("leave it out, and write reads among the operations".to_string()),
        ));
    }
    plan.items = expanded.items;
    match validate(&plan).into_iter().next() {
        None => Ok(plan),
        Some(problem) => Err(DirectError::new(
            "the flags".to_string(),
            problem.message,
            Some(problem.remedy),
        )),
    }
}

fn targets(flags: &DirectFlags) -> Result<Vec<Target>, DirectError> {
    if flags.targets.is_empty() {
        return Err(DirectError::new(
            "TARGET".to_string(),
            "there is no target".to_string(),
            Some("name a file, a device, nbd://…, lab:PERSONA, or null:64GiB".to_string()),
        ));
    }
    let mut targets: Vec<Target> = Vec::new();
    for path in &flags.targets {
        let location = located(flags, path)?;
        if targets.iter().any(|t| t.name == *path) {
            return Err(DirectError::new(
                "TARGET".to_string(),
                format!("`{path}` is named twice"),
                Some("name it once".to_string()),
            ));
        }
        let mut found = target::plain(path, location);
        for f in flags.target_flags() {
            each(&f, &[&TARGET], |key, given| match &mut found.location {
                Location::Tree(tree) if key.name == "file_size" => {
                    tree.sizes = target::file_sizes(key, &given[0])?;
                    Ok(())
                }
                _ => target::set(&mut found, key, &given[0]),
            })?;
        }
        targets.push(found);
    }
    Ok(targets)
}

/// What is at a path: with `--tree` the root of one.
fn located(flags: &DirectFlags, path: &str) -> Result<Location, DirectError> {
    let part = Part::of(path);
    let location = target::locate(std::slice::from_ref(&part)).map_err(|w| error("TARGET", w))?;
    let Some(tree) = flags.flags(TREE).into_iter().next() else {
        return Ok(location);
    };
    if !matches!(location, Location::Path(_) | Location::Lab(_)) {
        return Err(DirectError::new(
            TREE.to_string(),
            format!("`{path}` is no directory"),
            Some("name the directory that is to hold the tree".to_string()),
        ));
    }
    let mut found = location;
    each(&tree, &[&TARGET], |key, given| {
        found = target::tree(key, &given[0], Some(&part))?;
        Ok(())
    })?;
    Ok(found)
}

/// Refuses what is said of a tree where there is none.
fn for_a_tree(flags: &DirectFlags) -> Result<(), DirectError> {
    let of_trees = [
        "--operations",
        "--file-size",
        "--select",
        "--per-file",
        "--to",
    ];
    let idle = of_trees.into_iter().find(|flag| flags.get(flag).is_some());
    match idle.filter(|_| flags.get(TREE).is_none()) {
        None => Ok(()),
        Some(flag) => Err(DirectError::new(
            flag.to_string(),
            "it is for a tree of directories and files".to_string(),
            Some(
                "add --tree depth=2,width=10,files=20; the target is the directory that holds it"
                    .to_string(),
            ),
        )),
    }
}

/// The tree that files are copied and moved into, as a target beside the others: it differs in its root.
fn other_tree(
    flags: &DirectFlags,
    targets: &mut Vec<Target>,
) -> Result<Option<TargetId>, DirectError> {
    let Some(root) = flags.get("--to") else {
        return Ok(None);
    };
    let beside = DirectFlags {
        targets: flags
            .targets
            .iter()
            .cloned()
            .chain([root.to_string()])
            .collect(),
        ..flags.clone()
    };
    *targets = self::targets(&beside)?;
    Ok(Some(TargetId(flags.targets.len() as u32)))
}

/// How the files of a tree are taken.
fn files(flags: &DirectFlags) -> Result<FileWork, DirectError> {
    let mut files = FileWork::default();
    for f in flags.workload_flags().iter().filter(|f| f.key != "to") {
        each(f, &[&WORKLOAD], |key, given| {
            operations::set(&mut files, key, &given[0])
        })?;
    }
    Ok(files)
}

/// The values of keys that may be looped over go to the run, all others to the workload.
fn settings(flags: &DirectFlags) -> Result<Vec<Setting>, DirectError> {
    let mut settings = Vec::new();
    for f in flags.shape_flags() {
        if is_list(&f.value) {
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
    if curve && flags.get("--rate").is_some_and(|r| r != "max") {
        return Err(DirectError::new(
            "--rate".to_string(),
            "a curve finds its rates itself".to_string(),
            Some("leave --rate out, or use `plimsoll run`".to_string()),
        ));
    }
    let mut all = flags.run_flags();
    if curve {
        all.retain(|f| f.key != "load");
        all.insert(0, Flag::new(("--rate", "load", "curve")));
    }
    for f in flags.shape_flags() {
        if is_list(&f.value) {
            each(&f, &[&SHAPE], |key, given| {
                run.axis(key, true, given, targets)
            })?;
        }
    }
    all.extend(flags.curve_flags());
    if let Method::Named(name) = flags.method {
        all.push(Flag::new(("the command", "method", name)));
    }
    for f in all.into_iter().chain(flags.method_flags()) {
        each(&f, &[&RUN, &METHOD], |key, given| match key.list {
            List::Loop => run.axis(key, given.len() > 1, given, targets),
            _ => run.set(key, given),
        })?;
    }
    Ok(run)
}

/// Reads a flag that was given, by the grammar of its key.
fn each(
    flag: &Flag,
    tables: &[&'static [Key]],
    read: impl FnOnce(&'static Key, &[Given]) -> Result<(), Wrong>,
) -> Result<(), DirectError> {
    let Some(key) = find(tables, flag.key) else {
        return Ok(());
    };
    let value = flag.value.as_str();
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
    DirectError::new(flag.to_string(), wrong.message, wrong.remedy)
}
