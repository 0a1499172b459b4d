//! Vdbench as the other tool.
//!
//! Each of its runs leaves its output in a temporary folder, where its numbers are read. Its simulation says before anything runs
//! whether it takes the definition.

use super::{Other, Peer, TheirRun, finished};
use crate::cli::RunArgs;
use crate::convert;
use crate::definition::{Definition, fail, warn};
use crate::failure::Failure;
use crate::options;
use crate::reading::VdbenchWords;
use crate::vdbench_changes::times;
use plimsoll_dialects::Dialect;
use plimsoll_dialects::vdbench::{self, Overrides};
use plimsoll_foreign::beside::{Facts, busy_cpus, of_vdbench, vdbench_reasons};
use plimsoll_foreign::intake;
use plimsoll_plan::{Plan, Target};
use plimsoll_rig::Enclosure;
use std::cell::Cell;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The line of its banner that has its version.
const DISTRIBUTION: &str = "Vdbench distribution: ";
/// Lines that begin so say nothing of a failure.
const NO_WORDS: [&str; 3] = ["at ", "Link to", "Picked up JAVA_TOOL_OPTIONS"];
/// The last line of an error log without errors begins so.
const NO_ERRORS: &str = "Error log. If there are no error messages beyond this line";

/// Vdbench, as it was found.
pub struct Vdbench {
    program: PathBuf,
    /// Folder for its output, and for the definition that is written for it.
    folder: TempDir,
    runs: usize,
    /// True once it was said what is left out of a definition.
    has_told: Cell<bool>,
}

impl Vdbench {
    /// Finds it; whether it runs, its first simulation says.
    pub fn find(named: Option<&Path>) -> Result<Vdbench, Failure> {
        let folder = super::folder("vdbench")?;
        // Vdbench hands its name to a shell.
        if !folder.path().to_str().is_some_and(vdbench::is_plain) {
            return Err(Failure::usage(format!(
                "--beside vdbench: Vdbench cannot keep its output in {}; set TMPDIR to a folder whose path has only letters, digits and / - _ .",
                folder.path().display()
            )));
        }
        Ok(Vdbench {
            program: super::program("vdbench", named)?,
            folder,
            runs: 0,
            has_told: Cell::new(false),
        })
    }

    /// Runs it with an output folder of its own, to its end.
    fn go(
        &self,
        peer: &Peer,
        name: &str,
        mut enclosure: Enclosure,
        simulate: bool,
    ) -> Result<(Output, PathBuf), Failure> {
        enclosure.may_write(self.folder.path())?;
        let output = self.folder.path().join(name);
        let mut command = Command::new(&self.program);
        // Else numbers look as they do where the user is from.
        command.env("LC_ALL", "C");
        if let Some(scratch) = enclosure.scratch() {
            command.env(JAVA, java_options(scratch));
        }
        command.args(simulate.then_some("-s"));
        for word in &peer.words {
            match word.as_str() {
                WRITTEN => command.arg(self.written()),
                word => command.arg(word),
            };
        }
        command.arg("-o").arg(&output);
        Ok((finished(peer, &mut command, None, &enclosure)?, output))
    }

    fn written(&self) -> PathBuf {
        self.folder.path().join(WRITTEN)
    }
}

/// Name of the variable in which every Java machine looks for options.
const JAVA: &str = "JAVA_TOOL_OPTIONS";

/// The user's own, and a place for temporary files; what a Java machine tells others of itself it would keep elsewhere.
fn java_options(scratch: &Path) -> OsString {
    let mut options = std::env::var_os(JAVA).unwrap_or_default();
    options.push(" -XX:-UsePerfData -Djava.io.tmpdir=");
    options.push(scratch);
    options
}

/// Name of the file that is written from the definition.
const WRITTEN: &str = "written.parm";

impl Other for Vdbench {
    fn name(&self) -> &'static str {
        "Vdbench"
    }

    /// Makes a definition of what was read: its own words once more, else those that `convert` finds.
    fn peer(&self, definition: &Definition, args: &RunArgs) -> Result<Peer, Failure> {
        let plan = super::with_whole_paths(&definition.plan, "vdbench")?;
        let (text, times) = match definition.plan.dialect.as_str() {
            "vdbench" => self.own(&plan, args)?,
            _ => (
                convert::written(definition, &plan, Dialect::Vdbench)?,
                Vec::new(),
            ),
        };
        self.write(&text)?;
        let mut peer = Peer {
            version: "Vdbench".to_string(),
            program: "vdbench",
            words: ["-f", WRITTEN].map(str::to_string).to_vec(),
            input: Some(text),
            facts: Facts::default(),
        };
        peer.words.extend(times);
        let options = options::options(&args.common, &definition.engine)?;
        let enclosure = Enclosure::without_targets(&options)?;
        let (output, _) = self.go(&peer, "simulated", enclosure, true)?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Err(peer.failed(format!(
                "Vdbench does not take it, {}: {}",
                output.status,
                last_words(&output)
            )));
        }
        let version = printed.lines().find_map(|l| l.strip_prefix(DISTRIBUTION));
        let version = version.and_then(|v| v.split_whitespace().next());
        peer.version = version
            .ok_or_else(|| {
                peer.failed(format!(
                    "{} is not Vdbench, for it does not say its version; name Vdbench's own script with --beside-program",
                    self.program.display()
                ))
            })?
            .to_string();
        Ok(peer)
    }

    fn run(&mut self, peer: &Peer, _: usize, enclosure: Enclosure) -> Result<TheirRun, Failure> {
        self.runs += 1;
        let (output, folder) = self.go(peer, &format!("run-{}", self.runs), enclosure, false)?;
        if !output.status.success() {
            return Err(peer.failed(format!("{}: {}", output.status, last_words(&output))));
        }
        let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        if let Some(error) = first_error(&page("errorlog.html")) {
            return Err(peer.failed(format!("its run has errors: {error}")));
        }
        let taken = intake::take(&folder.to_string_lossy()).map_err(|e| peer.failed(e))?;
        let [result] = &taken.results[..] else {
            return Err(peer.failed("its output folder holds no result"));
        };
        let parts = of_vdbench(result, &page("histogram.html"));
        Ok(TheirRun {
            parts: parts.map_err(|what| peer.failed(what))?,
            busy_cpus: busy_cpus(result),
        })
    }

    fn reasons(&self, plan: &Plan, facts: &Facts) -> Vec<String> {
        vdbench_reasons(plan, facts)
    }
}

impl Vdbench {
    /// A definition in Vdbench's own words, and the words for what flags change of it.
    fn own(&self, plan: &Plan, args: &RunArgs) -> Result<(String, Vec<String>), Failure> {
        let other = |target: &&Target| target.location.paths().is_empty();
        if let Some(target) = plan.targets.iter().find(other) {
            return Err(Failure::usage(format!(
                "--beside vdbench: Vdbench knows no target {}; name a file or a device",
                target.location.text()
            )));
        }
        let given = args.file.file.iter().chain(&args.what);
        let words = VdbenchWords::of(given);
        let changed = times(&args.direct)?;
        let parsed = words.read(changed)?;
        let here = super::here("vdbench")?;
        // The files were read once more, so their spans are those of these texts.
        let written = parsed
            .written(&here)
            .map_err(|found| fail(&found, &parsed.sources))?;
        if !self.has_told.replace(true) {
            warn(&written.left_out, &parsed.sources);
        }
        self.reads_back(&written.text, changed, plan)?;
        let mut out = Vec::new();
        for (flag, seconds) in [
            ("-e", changed.elapsed),
            ("-w", changed.warmup),
            ("-i", changed.interval),
        ] {
            out.extend(
                seconds
                    .into_iter()
                    .flat_map(|s| [flag.to_string(), s.to_string()]),
            );
        }
        Ok((written.text, out))
    }

    /// Refuses a written definition that asks for something else than what was judged.
    fn reads_back(&self, text: &str, changed: Overrides, plan: &Plan) -> Result<(), Failure> {
        let mut input = vdbench::Input::text("what was written for Vdbench", text);
        input.overrides = changed;
        let parsed = vdbench::parse(&input)
            .map_err(|refused| fail(&refused.diagnostics, &refused.sources))?;
        let lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
        match normalized(&lowered.plan) == normalized(plan) {
            true => Ok(()),
            false => Err(Failure::usage(
                "--beside vdbench: what was written for Vdbench does not read back as this definition, so it is not run; \
                 write the definition in TOML (`plimsoll convert --to toml`)",
            )),
        }
    }

    /// Keeps the definition where Vdbench finds it.
    fn write(&self, text: &str) -> Result<(), Failure> {
        let failed = |e: std::io::Error| {
            Failure::usage(format!(
                "--beside vdbench: cannot write {}: {e}",
                self.written().display()
            ))
        };
        let in_folder = tempfile::NamedTempFile::new_in(self.folder.path());
        let mut file = in_folder.map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.persist(self.written()).map_err(|e| failed(e.error))?;
        Ok(())
    }
}

/// Plan without the names of its targets, which follow from their paths.
fn normalized(plan: &Plan) -> Plan {
    let mut plan = plan.normalized();
    plan.targets.iter_mut().for_each(|t| t.name = String::new());
    plan
}

/// Last words of it, without the times, the banner and the machine's word on its options.
fn last_words(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = out.lines().chain(err.lines()).map(str::trim).collect();
    let mut printed: Vec<&str> = lines
        .into_iter()
        .filter(|l| !l.is_empty() && !NO_WORDS.iter().any(|start| l.starts_with(start)))
        .rev()
        .take(6)
        .collect();
    printed.reverse();
    printed.join("; ")
}

/// The first line behind the one that says that none would follow.
fn first_error(log: &str) -> Option<&str> {
    let (_, behind) = log.split_once(NO_ERRORS)?;
    let lines = behind.lines().skip(1).map(str::trim);
    lines.into_iter().find(|l| !l.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_log_has_errors_only_behind_its_last_line() {
        let clean = "<pre>\nVdbench error log\nError log. If there are no error messages beyond this line then all is well.\n\n";
        assert_eq!(first_error(clean), None);
        let bad = format!("{clean}\n06:00:01 op: read lun: /x error: EIO\n");
        assert_eq!(
            first_error(&bad),
            Some("06:00:01 op: read lun: /x error: EIO")
        );
        assert_eq!(first_error(""), None);
    }
}
