//! Vdbench as the other tool.
//!
//! Each of its runs leaves its output in a temporary folder, where its numbers are read. Its simulation says before anything runs
//! whether it takes the definition.

use super::{Other, Peer, TheirRun, finished};
use crate::cli::RunArgs;
use crate::convert;
use crate::definition::{Definition, VdbenchWords, fail};
use crate::failure::Failure;
use crate::measure;
use crate::vdbench_changes::times;
use plimsoll_dialects::Dialect;
use plimsoll_foreign::beside::{Facts, busy_cpus, of_vdbench, vdbench_reasons};
use plimsoll_foreign::intake;
use plimsoll_plan::Plan;
use plimsoll_rig::Enclosure;
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
    /// Where its output goes, and the definition where it is none of its own files.
    folder: TempDir,
    runs: usize,
}

impl Vdbench {
    /// Finds it; whether it runs, its first simulation says.
    pub fn find(named: Option<&Path>) -> Result<Vdbench, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("plimsoll-beside-")
            .tempdir()
            .map_err(|e| {
                Failure::usage(format!(
                    "--beside vdbench: cannot make a temporary folder for its output: {e}"
                ))
            })?;
        Ok(Vdbench {
            program: super::program("vdbench", named)?,
            folder,
            runs: 0,
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
        let (before, after) = at_plus(&peer.words);
        for word in before {
            match word.as_str() {
                WRITTEN => command.arg(self.written()),
                word => command.arg(word),
            };
        }
        command.arg("-o").arg(&output).args(after);
        Ok((finished(peer, &mut command, None, &enclosure)?, output))
    }

    fn written(&self) -> PathBuf {
        self.folder.path().join(WRITTEN)
    }
}

/// Where every Java machine looks for options.
const JAVA: &str = "JAVA_TOOL_OPTIONS";

/// The user's own, and a place for temporary files; what a Java machine tells others of itself it would keep elsewhere.
fn java_options(scratch: &Path) -> OsString {
    let mut options = std::env::var_os(JAVA).unwrap_or_default();
    options.push(" -XX:-UsePerfData -Djava.io.tmpdir=");
    options.push(scratch);
    options
}

/// What the file is called that is written from the definition.
const WRITTEN: &str = "written.parm";

impl Other for Vdbench {
    fn name(&self) -> &'static str {
        "Vdbench"
    }

    /// A file in its own words goes to it as it is, any other definition in the words that `convert` finds for it.
    fn peer(&self, definition: &Definition, args: &RunArgs) -> Result<Peer, Failure> {
        let mut peer = Peer {
            version: "Vdbench".to_string(),
            program: "vdbench",
            words: vec!["-f".to_string()],
            input: None,
            facts: Facts::default(),
        };
        if definition.plan.dialect == "vdbench" {
            peer.words.extend(own_words(definition, args)?);
        } else {
            let text = convert::written(definition, Dialect::Vdbench)?;
            self.write(&text)?;
            peer.input = Some(text);
            peer.facts.converted = true;
            peer.words.push(WRITTEN.to_string());
        }
        let options = measure::options(&args.common, &definition.engine)?;
        let enclosure = Enclosure::without_targets(&options)?;
        let (output, _) = self.go(&peer, "simulated", enclosure, true)?;
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Err(peer.failed(format!(
                "Vdbench does not take it, {}: {}",
                output.status,
                last_words(&output)
            )));
        }
        let version = said.lines().find_map(|l| l.strip_prefix(DISTRIBUTION));
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

/// The words behind `-f` of a definition that is Vdbench's own, with what flags change of it.
fn own_words(definition: &Definition, args: &RunArgs) -> Result<Vec<String>, Failure> {
    let given = args.file.file.iter().chain(&args.what);
    let words = VdbenchWords::of(given);
    let changed = times(&args.direct)?;
    let found = words.read(changed)?.elsewhere();
    if !found.is_empty() {
        return Err(fail(&found, &definition.sources));
    }
    let mut out: Vec<String> = words.files.iter().map(ToString::to_string).collect();
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
    out.extend(words.words.iter().map(ToString::to_string));
    if !words.appended.is_empty() {
        out.push("+".to_string());
        out.extend(words.appended.iter().cloned());
    }
    Ok(out)
}

/// Words up to a `+`, and from it on: flags go before it.
fn at_plus(words: &[String]) -> (&[String], &[String]) {
    let plus = words.iter().position(|w| w == "+");
    words.split_at(plus.unwrap_or(words.len()))
}

/// What it said last, without the times, the banner and the machine's word on its options.
fn last_words(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = out.lines().chain(err.lines()).map(str::trim).collect();
    let mut said: Vec<&str> = lines
        .into_iter()
        .filter(|l| !l.is_empty() && !NO_WORDS.iter().any(|start| l.starts_with(start)))
        .rev()
        .take(6)
        .collect();
    said.reverse();
    said.join("; ")
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

    #[test]
    fn flags_go_before_what_is_added_to_every_run() {
        let words: Vec<String> = ["-f", "a", "+", "iorate=5"].map(str::to_string).into();
        let (before, after) = at_plus(&words);
        assert_eq!((before.len(), after), (2, &words[2..]));
        assert_eq!(at_plus(&words[..2]).1, &[] as &[String]);
    }
}
