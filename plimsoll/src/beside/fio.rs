//! fio as the other tool.

use super::{Other, Peer, TheirRun, finished};
use crate::cli::RunArgs;
use crate::definition::{Definition, fail};
use crate::failure::Failure;
use crate::{convert, fio};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_dialects::Dialect;
use plimsoll_foreign::beside::{Facts, of_fio, reasons};
use plimsoll_plan::Plan;
use plimsoll_rig::Enclosure;
use std::path::{Path, PathBuf};
use std::process::Command;

/// fio, as it was found.
pub struct Fio {
    program: PathBuf,
    version: String,
}

impl Fio {
    /// Asks it for its version, which says that it is there.
    pub fn find(named: Option<&Path>) -> Result<Fio, Failure> {
        let program = super::program("fio", named)?;
        let output = Command::new(&program)
            .arg("--version")
            .output()
            .map_err(|error| {
                Failure::usage(format!(
                    "--beside fio: cannot run {}: {error}",
                    program.display()
                ))
            })?;
        Ok(Fio {
            version: String::from_utf8_lossy(&output.stdout).trim().to_string(),
            program,
        })
    }
}

impl Other for Fio {
    fn name(&self) -> &'static str {
        "fio"
    }

    /// A definition in its own words goes to it as it is, any other in the words that `convert` finds for it.
    fn peer(&self, definition: &Definition, args: &RunArgs) -> Result<Peer, Failure> {
        let mut words = vec!["--output-format=json+".to_string()];
        let writes = definition.plan.steps().any(|step| step.writes());
        if !writes {
            words.push("--readonly".to_string());
        }
        let mut peer = Peer {
            version: self.version.clone(),
            program: "fio",
            words,
            input: None,
            facts: Facts::default(),
        };
        if definition.plan.dialect != "fio" {
            peer.input = Some(convert::written(definition, Dialect::Fio)?);
            peer.facts.converted = true;
            peer.words.push("-".to_string());
            return Ok(peer);
        }
        let files: Vec<&String> = match &args.file.file[..] {
            [] => args.what.iter().collect(),
            files => files.iter().chain(&args.what).collect(),
        };
        let parsed = fio::again(&files, &args.file.section, &definition.sources)?;
        elsewhere(&parsed, args.common.going.allow_commands)?;
        ended_by_results(&parsed)?;
        peer.facts.options = parsed.jobs.iter().flat_map(|job| job.options()).collect();
        peer.input = fio::standard_input(&definition.sources);
        let sections = args.file.section.iter().map(|s| format!("--section={s}"));
        peer.words.extend(sections);
        peer.words.extend(files.into_iter().cloned());
        Ok(peer)
    }

    fn run(
        &mut self,
        peer: &Peer,
        parts: usize,
        enclosure: Enclosure,
    ) -> Result<TheirRun, Failure> {
        let mut command = Command::new(&self.program);
        command.args(&peer.words);
        let output = finished(peer, &mut command, peer.input.as_deref(), &enclosure)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(peer.failed(format!("{}: {}", output.status, said.trim())));
        }
        let parts = of_fio(&String::from_utf8_lossy(&output.stdout), parts);
        Ok(TheirRun {
            parts: parts.map_err(|what| peer.failed(what))?,
            busy_cpus: None,
        })
    }

    fn reasons(&self, plan: &Plan, facts: &Facts) -> Vec<String> {
        reasons(plan, facts)
    }
}

/// Jobs that end, or change their depth, by what is measured do so in fio and not in `plimsoll run`: nothing is to be compared.
fn ended_by_results(parsed: &plimsoll_dialects::fio::Parsed) -> Result<(), Failure> {
    let reported = parsed.reported();
    match reported.iter().any(|job| !job.watched.is_none()) {
        false => Ok(()),
        true => Err(Failure::usage(
            "--beside fio: max_latency, a least rate, a steady state or latency_target has fio end a job, or change its depth, by what it \
             measures, and plimsoll run would go on for the job's time; leave them out for this comparison, or run plimsoll fio and fio \
             one after the other",
        )),
    }
}

/// Options with which fio writes, removes or changes what is no target: nobody gave leave for that.
const ELSEWHERE: [&str; 10] = [
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_hist_log",
    "write_iolog",
    "unlink",
    "unlink_each_loop",
    "ioscheduler",
    "cgroup",
    "verify_state_save",
];

fn elsewhere(parsed: &plimsoll_dialects::fio::Parsed, commands: bool) -> Result<(), Failure> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for job in &parsed.jobs {
        for (name, value) in job.options() {
            let command = ["exec_prerun", "exec_postrun"].contains(&name.as_str()) && !commands;
            let off = ["0", "false"].contains(&value.as_str());
            if !command && (!ELSEWHERE.contains(&name.as_str()) || off) {
                continue;
            }
            let message = format!(
                "with `{name}` fio touches more than the targets that this run has leave for"
            );
            let said = Diagnostic::error("beside", message).help(match command {
                true => "add --allow-commands, or leave it out",
                false => "leave it out for this comparison",
            });
            found.push(match job.place(&name) {
                Some(span) => said.at(span, format!("of job {}", job.name)),
                None => said,
            });
        }
    }
    found.dedup();
    match found.is_empty() {
        true => Ok(()),
        false => Err(fail(&found, &parsed.sources)),
    }
}
