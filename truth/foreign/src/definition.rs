//! The definition that a result was run with, where its file lies beside it: read by its own dialect, for what the result leaves out
//! and for the rules that look at plans.

use crate::asked::AskedSettings;
use crate::format::{diskspd, vdbench as pages};
use crate::model::{ForeignResult, Run, Tool};
use crate::{intake, text};
use plimsoll_diagnostic::{Diagnostic, Sources};
use plimsoll_dialects::diskspd::{parse_command, parse_text};
use plimsoll_dialects::recognise::{Recognised, recognise};
use plimsoll_dialects::{AskedRun, Dialect, fio, vdbench};
use plimsoll_plan::{Bytes, Plan};
use std::path::PathBuf;

/// A definition that was read.
#[derive(Debug)]
pub struct Definition {
    /// Name of the definition's file.
    pub file: String,
    /// Plan of what can be planned here, or the reason why nothing can.
    pub plan: Result<Plan, String>,
    /// Texts of the definition.
    pub sources: Sources,
    /// Runs of the definition.
    asked: Vec<AskedRun>,
}

/// Reason why a definition is not that of a result.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// Definition that cannot be read.
    #[error(transparent)]
    Unreadable(#[from] intake::IntakeError),
    /// Definition that its dialect refuses.
    #[error("{file} cannot be read as {what}:\n{complaints}")]
    Refused {
        /// Name of its file.
        file: String,
        /// Kind of file that it was taken for.
        what: &'static str,
        /// Complaints about it.
        complaints: String,
    },
    /// Definition of another tool.
    #[error(
        "{file} is {what}, and the result is of {tool}: give the definition that {tool} was run with"
    )]
    OtherTool {
        /// Name of its file.
        file: String,
        /// Kind of file that it is.
        what: &'static str,
        /// Tool of the result.
        tool: &'static str,
    },
    /// The tool has none.
    #[error("{tool} has no definition file that is read: leave --job out")]
    NoForm {
        /// Tool of the result.
        tool: &'static str,
    },
    /// A run is not in it.
    #[error(
        "{file} has no `{run}`, which the result has; it has {has}: give the file that the result was run with"
    )]
    NoRun {
        /// Name of its file.
        file: String,
        /// The run of the result.
        run: String,
        /// Runs that the file has.
        has: String,
    },
    /// Definition that asks for something else than the result says.
    #[error(
        "{file} asks for {what} of {asked} in `{run}`, and the result says {says}: give the file that the result was run with"
    )]
    Differs {
        /// Name of its file.
        file: String,
        /// The run.
        run: String,
        /// Setting that differs.
        what: &'static str,
        /// Value in the file.
        asked: String,
        /// Value in the result.
        says: String,
    },
}

impl Definition {
    /// Reads a tool's file. What a fio job file refers to, variables and the host, is that of `around`.
    ///
    /// # Errors
    /// What cannot be read, and what is another tool's.
    pub fn read(
        file: &str,
        tool: Tool,
        around: &fio::Input,
    ) -> Result<Definition, DefinitionError> {
        let bytes = intake::file(file)?;
        let dialect = match tool {
            Tool::Fio => Dialect::Fio,
            Tool::Vdbench => Dialect::Vdbench,
            Tool::DiskSpd => Dialect::DiskSpd,
            Tool::Elbencho | Tool::Claim => {
                return Err(DefinitionError::NoForm { tool: tool.name() });
            }
        };
        if let Some(found) = recognise(&bytes).filter(|f| *f != Recognised::Definition(dialect)) {
            return Err(DefinitionError::OtherTool {
                file: file.into(),
                what: found.what(),
                tool: tool.name(),
            });
        }
        let text = text::decode(&bytes);
        let read = match tool {
            Tool::Fio => of_fio(file, &text, around),
            Tool::Vdbench => of_vdbench(file),
            _ => of_diskspd(file, &text),
        };
        let (asked, plan, sources) = read.map_err(|complaints| DefinitionError::Refused {
            file: file.into(),
            what: match tool {
                Tool::DiskSpd => "a DiskSPD command line or profile",
                _ => dialect.what(),
            },
            complaints,
        })?;
        Ok(Definition {
            file: file.into(),
            plan,
            sources,
            asked,
        })
    }

    /// Tells a result what it leaves out.
    ///
    /// # Errors
    /// Runs that it does not have, or that did something else.
    pub fn tell(&self, result: &mut ForeignResult) -> Result<(), DefinitionError> {
        let pairs = pages::paired(&result.runs, &self.asked);
        for (index, run) in result.runs.iter_mut().enumerate() {
            let found = match result.tool {
                Tool::Fio => self.asked.iter().find(|a| a.name == run.name),
                // Its time spans have no names.
                Tool::DiskSpd => self.asked.get(index),
                _ => pairs[index].and_then(|at| self.asked.get(at)),
            };
            let Some(found) = found else {
                return Err(self.no_run(run));
            };
            let mut asked = AskedSettings::of(found);
            self.compare_jobs(run, &asked)?;
            if result.tool == Tool::Fio && asked.threads != Some(1) {
                // Of each clone, and how many are added up is not known here.
                (asked.threads, asked.in_flight, asked.load) = (None, None, None);
            }
            self.compare(run, &asked)?;
            let own = std::mem::take(&mut run.asked);
            run.asked = match result.tool {
                Tool::Vdbench => pages::with_parameters(own, asked),
                _ => own.or(asked),
            };
        }
        Ok(())
    }

    fn no_run(&self, run: &Run) -> DefinitionError {
        let has: Vec<String> = self.asked.iter().map(|a| format!("`{}`", a.name)).collect();
        DefinitionError::NoRun {
            file: self.file.clone(),
            run: run.name.clone(),
            has: match has.is_empty() {
                true => "no run of storage".to_string(),
                false if has[0] == "``" => format!("{} without names", has.len()),
                false => has.join(", "),
            },
        }
    }

    /// Refuses a definition that has another number of clones than a result that is the sum of several.
    fn compare_jobs(&self, run: &Run, file: &AskedSettings) -> Result<(), DefinitionError> {
        let summed = run.asked.threads.filter(|jobs| *jobs > 1);
        let differ = differs("a number of jobs", &summed, &file.threads, u64::to_string);
        differ.map_or(Ok(()), |found| Err(self.other(run, found)))
    }

    /// Error of a setting that differs.
    fn other(
        &self,
        run: &Run,
        (what, says, asked): (&'static str, String, String),
    ) -> DefinitionError {
        DefinitionError::Differs {
            file: self.file.clone(),
            run: run.name.clone(),
            what,
            asked,
            says,
        }
    }

    /// Refuses a definition that says something else than the result, where both say it.
    fn compare(&self, run: &Run, file: &AskedSettings) -> Result<(), DefinitionError> {
        let own = &run.asked;
        let size = |b: &(Bytes, Bytes)| match b.0 == b.1 {
            true => b.0.to_string(),
            false => format!("{} to {}", b.0, b.1),
        };
        let percent = |share: &f64| format!("{:.0} %", share * 100.0);
        let word = |random: &bool| if *random { "random" } else { "sequential" }.to_string();
        let number = |n: &u64| n.to_string();
        let engine = |e: &String| e.clone();
        // Of a mix that only its I/Os tell, no chance makes a tenth.
        let came = run.mix().zip(file.read_share);
        let came = came.filter(|(came, asked)| (came - asked).abs() > 0.1);
        let reads = own.read_share.or(came.map(|(came, _)| came));
        differs("transfers", &own.block, &file.block, size)
            .or_else(|| differs("reads", &reads, &file.read_share, percent))
            .or_else(|| differs("an order", &own.random, &file.random, word))
            .or_else(|| differs("a depth", &own.depth, &file.depth, number))
            .or_else(|| differs("an engine", &own.engine, &file.engine, engine))
            .map_or(Ok(()), |found| Err(self.other(run, found)))
    }
}

/// Difference between two values, with the words for each; `None` where they are alike, or one is not told.
fn differs<T>(
    what: &'static str,
    own: &Option<T>,
    file: &Option<T>,
    words: impl Fn(&T) -> String,
) -> Option<(&'static str, String, String)> {
    let (own, file) = (words(own.as_ref()?), words(file.as_ref()?));
    (own != file).then_some((what, own, file))
}

type Read = Result<(Vec<AskedRun>, Result<Plan, String>, Sources), String>;

/// The plan, or the first reason why there is none.
fn plan(made: Result<Plan, Vec<Diagnostic>>) -> Result<Plan, String> {
    let reason = |all: Vec<Diagnostic>| all.into_iter().find(Diagnostic::is_error);
    made.map_err(|all| reason(all).map_or_else(String::new, |d| d.message))
}

fn of_fio(file: &str, text: &str, around: &fio::Input) -> Read {
    let input = fio::Input {
        texts: fio::Input::text(file, text).texts,
        ..around.clone()
    };
    let parsed = fio::parse(&input).map_err(|e| e.to_string())?;
    // Under the first one's name stand the figures of all that are reported together: what each was asked says nothing of them.
    let together: Vec<String> = parsed
        .reported()
        .into_iter()
        .filter(|r| r.workloads.len() > 1)
        .map(|r| r.name)
        .collect();
    let asked = parsed
        .jobs
        .iter()
        .map(|job| match together.contains(&job.name) {
            true => AskedRun {
                name: job.name.clone(),
                ..AskedRun::default()
            },
            false => fio::asked(&job.name, &job.inherited(), &job.options()),
        });
    let plan = plan(parsed.plan().map(|lowered| lowered.plan));
    Ok((asked.collect(), plan, parsed.sources))
}

fn of_vdbench(file: &str) -> Read {
    let input = vdbench::Input::files([PathBuf::from(file)]);
    let parsed = vdbench::parse(&input).map_err(|e| e.to_string())?;
    let plan = plan(parsed.plan().map(|lowered| lowered.plan));
    Ok((parsed.asked(), plan, parsed.sources))
}

/// A profile in XML, or a command line in a file.
fn of_diskspd(file: &str, text: &str) -> Read {
    let parsed = match text.trim_start().starts_with('<') {
        true => parse_text(file, text, &[]),
        false => {
            let line = text.lines().map(str::trim).find(|l| !l.is_empty());
            parse_command(&diskspd::flags(line.unwrap_or_default()))
        }
    };
    let parsed = parsed.map_err(|e| e.to_string())?;
    let asked = parsed.profile.spans.iter().map(|span| span.asked());
    let asked = asked.collect();
    let plan = plan(parsed.plan().map(|lowered| lowered.plan));
    Ok((asked, plan, parsed.sources))
}
