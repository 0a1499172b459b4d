//! fio as the other tool.

use super::{Other, Peer, TheirRun, finished};
use crate::cli::RunArgs;
use crate::definition::{Definition, fail, warn};
use crate::failure::Failure;
use crate::{convert, fio};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_dialects::Dialect;
use plimsoll_dialects::fio::{Input, Job};
use plimsoll_foreign::beside::{Facts, of_fio, reasons};
use plimsoll_plan::{Item, Plan};
use plimsoll_rig::Enclosure;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// fio, as it was found.
pub struct Fio {
    program: PathBuf,
    version: String,
    /// Folder that it runs in; what it writes lies there, beside its targets.
    folder: TempDir,
    /// True once it was said what is left out of a job file.
    has_told: Cell<bool>,
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
            folder: super::folder("fio")?,
            has_told: Cell::new(false),
        })
    }

    /// Refuses a job file of fio's own that asks for what the plan cannot hold, and says what is left out.
    fn judge(&self, definition: &Definition, args: &RunArgs) -> Result<(), Failure> {
        let files: Vec<&String> = match &args.file.file[..] {
            [] => args.what.iter().collect(),
            files => files.iter().chain(&args.what).collect(),
        };
        let parsed = fio::again(&files, &args.file.section, &definition.sources)?;
        let (errors, left_out): (Vec<Diagnostic>, _) =
            parsed.beside().into_iter().partition(Diagnostic::is_error);
        if !errors.is_empty() {
            return Err(fail(&errors, &parsed.sources));
        }
        if !self.has_told.replace(true) {
            warn(&left_out, &parsed.sources);
        }
        Ok(())
    }
}

/// Options that come before the jobs: without them fio would keep the state of a verified job in a file of its own.
const NO_FILES: &str = "[global]\nverify_state_save=0\n\n";

impl Other for Fio {
    fn name(&self) -> &'static str {
        "fio"
    }

    /// Makes a job file of the plan as `convert` writes it, whatever the definition is written in.
    fn peer(&self, definition: &Definition, args: &RunArgs) -> Result<Peer, Failure> {
        if definition.plan.dialect == "fio" {
            self.judge(definition, args)?;
        }
        let mut plan = super::with_whole_paths(&definition.plan, "fio")?;
        commands_here(&mut plan)?;
        let text = format!(
            "{NO_FILES}{}",
            convert::written(definition, &plan, Dialect::Fio)?
        );
        let mut words = vec![
            "--output-format=json+".to_string(),
            format!("--aux-path={}", self.folder.path().display()),
        ];
        if !plan.steps().any(|step| step.writes()) {
            words.push("--readonly".to_string());
        }
        words.push("-".to_string());
        let facts = Facts {
            options: options(&text)?,
            ..Facts::default()
        };
        Ok(Peer {
            version: self.version.clone(),
            program: "fio",
            words,
            input: Some(text),
            facts,
        })
    }

    fn run(
        &mut self,
        peer: &Peer,
        parts: usize,
        mut enclosure: Enclosure,
    ) -> Result<TheirRun, Failure> {
        let mut command = Command::new(&self.program);
        enclosure.may_write(self.folder.path())?;
        command.args(&peer.words).current_dir(self.folder.path());
        let output = finished(peer, &mut command, peer.input.as_deref(), &enclosure)?;
        if !output.status.success() {
            let printed = String::from_utf8_lossy(&output.stderr);
            return Err(peer.failed(format!("{}: {}", output.status, printed.trim())));
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

/// Commands of a plan run where they were meant to, and not where fio does.
fn commands_here(plan: &mut Plan) -> Result<(), Failure> {
    let here = super::here("fio")?;
    let quoted = here.to_string_lossy().replace('\'', r"'\''");
    for item in &mut plan.items {
        if let Item::Step(step) = item {
            let commands = step.start_commands.iter_mut().chain(&mut step.end_commands);
            commands.for_each(|c| c.line = format!("(cd '{quoted}' && {})", c.line));
        }
    }
    Ok(())
}

/// The options of what was written.
fn options(text: &str) -> Result<Vec<(String, String)>, Failure> {
    let parsed = plimsoll_dialects::fio::parse(&Input::text("what was written for fio", text))
        .map_err(|refused| fail(&refused.diagnostics, &refused.sources))?;
    let of_job = |job: &Job| job.inherited().into_iter().chain(job.options());
    Ok(parsed.jobs.iter().flat_map(of_job).collect())
}
