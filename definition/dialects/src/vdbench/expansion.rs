//! From run definitions to runs: storage choices, loops, rates, curves and inserted formats, in Vdbench's order.

use super::checks;
use super::codes;
use super::definition::Definition;
use super::file_checks;
use super::file_sizes;
use super::model::{
    LoopKey, LoopValue, RateRequest, Reference, RunDefinition, StorageChoice, Workload,
};
use super::names::Names;
use super::report::{Report, Stop};
use super::run::{Assignment, Run, RunRate, Work};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_draw::JavaRandom;
use std::rc::Rc;

/// The most runs of one definition.
const MAX_RUNS: u64 = 200_000;

/// Expands all run definitions.
pub(crate) fn runs(definition: &Definition, report: &mut Report) -> Result<Vec<Run>, Stop> {
    let mut expansion = Expansion {
        storages: Names::new(definition.storages.iter().map(|s| s.name.as_str())),
        workloads: Names::new(definition.workloads.iter().map(|w| w.name.as_str())),
        file_workloads: Names::new(definition.file_workloads.iter().map(|w| w.name.as_str())),
        file_systems: Names::new(definition.file_systems.iter().map(|f| f.name.as_str())),
        definition,
        runs: Vec::new(),
    };
    for (index, run) in definition.runs.iter().enumerate() {
        checks::times(run, report);
        match run.file_workloads.is_some() || run.file_systems.is_some() {
            true => expansion.files(index, run, report)?,
            false => expansion.raw(index, run, report)?,
        }
        report.bounded()?;
    }
    Ok(expansion.runs)
}

struct Expansion<'a> {
    definition: &'a Definition,
    storages: Names<'a>,
    workloads: Names<'a>,
    file_workloads: Names<'a>,
    file_systems: Names<'a>,
    runs: Vec<Run>,
}

impl Expansion<'_> {
    fn raw(&mut self, index: usize, run: &RunDefinition, report: &mut Report) -> Result<(), Stop> {
        let Some(assignments) = self.assignments(run, report)? else {
            return Ok(());
        };
        let rate = checks::raw(self.definition, run, &assignments, report);
        let (Some(rate), false) = (rate, report.failed()) else {
            return Ok(());
        };
        for (suffix, assignments) in self.choices(run, assignments, report)? {
            self.loops(
                index,
                run,
                &format!("{}{suffix}", run.name),
                Work::Raw(Rc::new(assignments)),
                rate,
                report,
            )?;
        }
        Ok(())
    }

    /// The workloads of a run with their storage.
    fn assignments(
        &self,
        run: &RunDefinition,
        report: &mut Report,
    ) -> Result<Option<Vec<Assignment>>, Stop> {
        let Some(references) = &run.workloads else {
            let storages = match &run.storages {
                Some(StorageChoice::Names(_)) => {
                    self.storages_of(run, &self.definition.default_workload, report)?
                }
                Some(_) if !self.definition.storages.is_empty() => {
                    (0..self.definition.storages.len()).collect()
                }
                _ => {
                    report.add(checks::no_work(run));
                    return Ok(None);
                }
            };
            return Ok(Some(vec![Assignment {
                workload: None,
                storages,
            }]));
        };
        let before = report.errors();
        let mut out = Vec::new();
        for at in self
            .workloads
            .find_once(references, "wd", "workload", report)?
        {
            let storages = self.storages_of(run, &self.definition.workloads[at], report)?;
            out.push(Assignment {
                workload: Some(at),
                storages,
            });
        }
        Ok((!out.is_empty() && report.errors() == before).then_some(out))
    }

    fn storages_of(
        &self,
        run: &RunDefinition,
        workload: &Workload,
        report: &mut Report,
    ) -> Result<Vec<usize>, Stop> {
        let references: &[Reference] = match &run.storages {
            Some(StorageChoice::Names(names)) => names,
            Some(_) if !self.definition.storages.is_empty() => {
                return Ok((0..self.definition.storages.len()).collect());
            }
            _ => &workload.storages,
        };
        if references.is_empty() {
            report.add(
                Diagnostic::error(codes::REQUIRED, format!("wd={} has no sd", workload.name))
                    .at(workload.span, "needs sd=, here or in the rd"),
            );
        }
        self.storages.find_once(references, "sd", "storage", report)
    }

    /// `sd=single`, `range` and `setsofN` make several runs, each with a suffix to its name.
    fn choices(
        &self,
        run: &RunDefinition,
        assignments: Vec<Assignment>,
        report: &mut Report,
    ) -> Result<Vec<(String, Vec<Assignment>)>, Stop> {
        // Vdbench goes through all storage of the file here, whatever the workloads name.
        let mut all: Vec<usize> = (0..self.definition.storages.len()).collect();
        if matches!(&run.storages, Some(StorageChoice::Sets(size)) if *size > 1) {
            shuffle(&mut all);
        }
        let name = |at: usize| self.definition.storages[at].name.as_str();
        let groups: Vec<(String, Vec<usize>)> = match &run.storages {
            None | Some(StorageChoice::Names(_)) => return Ok(vec![(String::new(), assignments)]),
            Some(StorageChoice::Single) => all
                .iter()
                .map(|s| (format!("_{}", name(*s)), vec![*s]))
                .collect(),
            Some(StorageChoice::Range) => {
                report.charge((all.len() * all.len() / 2) as u64, run.span)?;
                (1..=all.len())
                    .map(|n| {
                        let suffix = format!("_{}-{}", name(all[0]), name(all[n - 1]));
                        (suffix, all[..n].to_vec())
                    })
                    .collect()
            }
            Some(StorageChoice::Sets(size)) => all
                .chunks(*size)
                .map(|set| {
                    (
                        set.iter().map(|s| format!("_{}", name(*s))).collect(),
                        set.to_vec(),
                    )
                })
                .collect(),
        };
        let cost: usize = groups.iter().map(|(_, set)| 1 + set.len()).sum();
        report.charge((cost * assignments.len()) as u64, run.span)?;
        let on = |set: Vec<usize>| {
            let one = |assignment: &Assignment| Assignment {
                workload: assignment.workload,
                storages: set.clone(),
            };
            assignments.iter().map(one).collect()
        };
        Ok(groups
            .into_iter()
            .map(|(suffix, set)| (suffix, on(set)))
            .collect())
    }

    fn files(
        &mut self,
        index: usize,
        run: &RunDefinition,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let found: Vec<Option<usize>> = match &run.file_workloads {
            None => vec![None],
            Some(references) => self
                .file_workloads
                .find(references, "fwd", "file-system workload", report)?
                .into_iter()
                .filter(|at| self.definition.file_workloads[*at].name != "format")
                .map(Some)
                .collect(),
        };
        if let Some(references) = &run.file_systems {
            self.file_systems
                .find(references, "fsd", "file system", report)?;
        }
        if found.is_empty() {
            return Ok(());
        }
        let rate = file_checks::run(self.definition, run, &found, report);
        let (Some(rate), false) = (rate, report.failed()) else {
            return Ok(());
        };
        self.loops(
            index,
            run,
            &run.name,
            Work::Files(Rc::new(found)),
            rate,
            report,
        )
    }

    /// The loops, the first outermost; within them the format, then the rates.
    fn loops(
        &mut self,
        index: usize,
        run: &RunDefinition,
        name: &str,
        work: Work,
        rate: &RateRequest,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let combinations = run
            .loops
            .iter()
            .fold(1u64, |n, l| n.saturating_mul(l.values.len() as u64));
        let rates = match rate {
            // A list of file rates is one of the loops.
            RateRequest::Rates(_) if matches!(work, Work::Files(_)) => 1,
            RateRequest::Rates(list) | RateRequest::Percents(list) => list.len(),
            RateRequest::Curve => 1 + run.curve.len(),
            _ => 1,
        };
        let total = combinations.saturating_mul(rates as u64);
        if total > MAX_RUNS {
            report.add(
                Diagnostic::error(
                    codes::TOO_LARGE,
                    format!("rd={} makes {total} runs", run.name),
                )
                .at(run.span, format!("the limit is {MAX_RUNS}")),
            );
            return Err(Stop);
        }
        report.charge(total.saturating_mul(1 + run.loops.len() as u64), run.span)?;
        for combination in 0..combinations {
            let loops = Rc::new(values_of(run, combination));
            if let Work::Files(workloads) = &work
                && run.format.wanted
                && (combination == 0 || !run.format.once)
            {
                self.runs.push(Run {
                    name: format!("format_for_{name}"),
                    definition: index,
                    work: Work::Format(Rc::clone(workloads)),
                    loops: Rc::clone(&loops),
                    rate: RunRate::Format,
                });
            }
            if run.format.only {
                continue;
            }
            if let Work::Files(workloads) = &work {
                file_sizes::check(self.definition, run, workloads, &loops, report)?;
            }
            let looped = loops.iter().find(|(key, _)| *key == LoopKey::FileRate);
            let rates = match looped {
                Some((_, rate)) => vec![(String::new(), RunRate::Fixed(rate.number().trunc()))],
                None => rates_of(run, rate),
            };
            for (suffix, rate) in rates {
                self.runs.push(Run {
                    name: format!("{name}{suffix}"),
                    definition: index,
                    work: work.clone(),
                    loops: Rc::clone(&loops),
                    rate,
                });
            }
        }
        Ok(())
    }
}

/// The order in which Vdbench takes storage in sets: swaps of what Java's generator draws from the seed 0.
fn shuffle(all: &mut [usize]) {
    let bound = i32::try_from(all.len()).unwrap_or(i32::MAX);
    let mut java = JavaRandom::new(0);
    let mut below = || java.below(bound) as usize;
    for _ in 0..all.len() * 8 {
        let (one, other) = (below(), below());
        all.swap(one, other);
    }
}

/// The loop values of the n-th combination; the last loop turns fastest.
fn values_of(run: &RunDefinition, mut combination: u64) -> Vec<(LoopKey, LoopValue)> {
    let mut out = Vec::with_capacity(run.loops.len());
    for one in run.loops.iter().rev() {
        let count = one.values.len() as u64;
        out.push((one.key, one.values[(combination % count) as usize]));
        combination /= count;
    }
    out.reverse();
    out
}

/// The innermost loop: name suffixes and rates.
fn rates_of(run: &RunDefinition, rate: &RateRequest) -> Vec<(String, RunRate)> {
    let plain = |rate| vec![(String::new(), rate)];
    match rate {
        RateRequest::Max => plain(RunRate::Max),
        RateRequest::Schedule(_) => plain(RunRate::Schedule),
        RateRequest::Curve => std::iter::once((String::new(), RunRate::CurveMax))
            .chain(
                run.curve
                    .iter()
                    .map(|p| (format!("_({p}%)"), RunRate::CurvePoint(*p))),
            )
            .collect(),
        RateRequest::Percents(list) => {
            let listed = list.len() > 1;
            list.iter()
                .map(|p| {
                    (
                        String::new(),
                        RunRate::PercentOfLast {
                            percent: *p,
                            first: list[0],
                            listed,
                        },
                    )
                })
                .collect()
        }
        RateRequest::Rates(list) => match list[..] {
            [one] => plain(RunRate::Fixed(one)),
            _ => list
                .iter()
                .map(|r| {
                    (
                        String::new(),
                        RunRate::Listed {
                            rate: *r,
                            first: list[0],
                        },
                    )
                })
                .collect(),
        },
    }
}
