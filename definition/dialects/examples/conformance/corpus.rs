//! Parameter files, each with what Vdbench says of it in simulation: a corpus of our own and, where it is there, one of
//! other people's.

use plimsoll_diagnostic::render;
use plimsoll_dialects::vdbench::{self, Input};
use std::path::{Path, PathBuf};

/// One parameter file.
pub struct Case {
    /// Its name, without folder and extension.
    pub name: String,
    parameters: PathBuf,
    words: Vec<(String, String)>,
    accepted: bool,
    lines: Vec<String>,
}

/// How this program does on one file.
pub enum Verdict {
    /// Accepted by both, with the same runs, loop values, rates, times and totals.
    Same,
    /// Refused by both, with a place.
    Diagnosed {
        /// The complaints, rendered.
        text: String,
    },
    /// Refused by Vdbench, accepted here with a warning.
    Warned {
        /// The warnings, rendered.
        text: String,
    },
    /// Anything else.
    Different {
        /// What.
        text: String,
    },
}

/// Our own files, with what Vdbench says of them by its documentation and by what was seen of it. They are always there.
pub fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// Other people's files: where `PLIMSOLL_CORPORA` says, or beside the workspace. They may not be there.
pub fn others() -> PathBuf {
    let corpora = match std::env::var_os("PLIMSOLL_CORPORA") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora"),
    };
    corpora.join("vdbench")
}

/// A corpus that is not whole: what is wrong with which file.
pub type Broken = String;

/// All files of the corpus in this folder. Not one of them may be missing.
pub fn cases(root: &Path) -> Result<Vec<Case>, Broken> {
    let index = text(&root.join("index.tsv"))?;
    let mut lines = index.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let at = header.iter().position(|h| *h == name);
        at.ok_or_else(|| format!("{}/index.tsv has no column {name}", root.display()))
    };
    let (file, arguments) = (column("file")?, column("sim_args")?);
    let cases = lines.map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |at: usize| *cells.get(at).unwrap_or(&"");
        case(root, cell(file), cell(arguments))
    });
    let cases = cases.collect::<Result<Vec<Case>, Broken>>()?;
    if cases.is_empty() {
        return Err(format!("{}/index.tsv names no file", root.display()));
    }
    Ok(cases)
}

fn text(path: &Path) -> Result<String, Broken> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn case(root: &Path, file: &str, arguments: &str) -> Result<Case, Broken> {
    let name = file
        .trim_start_matches("parm/")
        .trim_end_matches("/main.parm")
        .trim_end_matches(".parm");
    let golden = text(&root.join(format!("expected/{name}.sim.txt")))?;
    let parameters = root.join(file);
    if !parameters.is_file() {
        return Err(format!("{} is not there", parameters.display()));
    }
    let lines = golden
        .lines()
        .filter(|l| {
            ["Simulating RD=", "Total amount of", "Adjusted default JVM"]
                .iter()
                .any(|s| l.starts_with(s))
        })
        .map(str::to_string)
        .collect();
    Ok(Case {
        name: name.to_string(),
        parameters,
        words: arguments
            .split_whitespace()
            .filter_map(|word| word.split_once('='))
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect(),
        accepted: golden.lines().next() == Some("rc=0"),
        lines,
    })
}

impl Case {
    /// Runs this program's simulation and compares.
    pub fn judge(&self) -> Verdict {
        let input = Input::files([self.parameters.clone()]).with_words(&self.words);
        match (vdbench::parse(&input), self.accepted) {
            (Ok(parsed), true) => match difference(&self.lines, &parsed.simulate().lines) {
                None => Verdict::Same,
                Some(text) => Verdict::Different { text },
            },
            (Ok(parsed), false) if parsed.warnings.is_empty() => Verdict::Different {
                text: "Vdbench refuses it; accepted here without a word".to_string(),
            },
            (Ok(parsed), false) => Verdict::Warned {
                text: parsed
                    .warnings
                    .iter()
                    .map(|d| render(d, &parsed.sources, false))
                    .collect(),
            },
            (Err(refusal), accepted) => {
                let text = refusal
                    .diagnostics
                    .iter()
                    .map(|d| render(d, &refusal.sources, false))
                    .collect();
                let placed = refusal
                    .diagnostics
                    .iter()
                    .any(|d| d.is_error() && !d.labels.is_empty());
                match !accepted && placed {
                    true => Verdict::Diagnosed { text },
                    false => Verdict::Different { text },
                }
            }
        }
    }
}

/// Whether this version could run a file.
pub enum Runnable {
    /// It has a plan.
    Yes,
    /// It's refused by name; the complaints, rendered.
    No(String),
}

impl Case {
    /// Lowers an accepted file; `None` for one that is refused before.
    pub fn runnable(&self) -> Option<Runnable> {
        let input = Input::files([self.parameters.clone()]).with_words(&self.words);
        let parsed = vdbench::parse(&input).ok()?;
        Some(match parsed.plan() {
            Ok(_) => Runnable::Yes,
            Err(complaints) => Runnable::No(
                complaints
                    .iter()
                    .map(|d| format!("{}\n", render(d, &parsed.sources, false)))
                    .collect(),
            ),
        })
    }
}

fn difference(expected: &[String], found: &[String]) -> Option<String> {
    if expected == found {
        return None;
    }
    let at = expected
        .iter()
        .zip(found)
        .take_while(|(e, f)| e == f)
        .count();
    Some(format!(
        "{} lines expected, {} found; the first difference is in line {}:\n  expected {}\n  found    {}",
        expected.len(),
        found.len(),
        at + 1,
        expected.get(at).map_or("nothing", String::as_str),
        found.get(at).map_or("nothing", String::as_str),
    ))
}
