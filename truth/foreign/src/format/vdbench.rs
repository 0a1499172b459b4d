//! Vdbench: the pages of an output folder, one of them alone, or what was copied from the console, cut off or quoted in a mail.

use super::vdbench_row::{self, WHOLE};
use super::{vdbench_flat, vdbench_log, vdbench_page};
use crate::input::{Input, ReadError};
use crate::model::{AskedSettings, ForeignResult, Format, Load, Remark, Run, Tool};
use crate::text;
use plimsoll_dialects::{AskedRun, vdbench};

/// True where a text has lines of Vdbench in it.
pub fn is_one(text: &str) -> bool {
    text.contains("Starting RD=")
        || of_files(text)
        || text.lines().any(|l| {
            vdbench_row::words(l)
                .is_some_and(|w| WHOLE.contains(&w.numbers.len()) || w.label.starts_with("avg_"))
        })
}

/// True where it is a run of file systems, whose columns are others.
fn of_files(text: &str) -> bool {
    text.contains("ReqstdOps") || text.contains("; fwdrate=")
}

/// Reads one page, or what was copied.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    if of_files(text) {
        return Err(files_not_read(name));
    }
    let (runs, remarks) = vdbench_log::read(text, 0);
    let version = version(text);
    finish(ForeignResult {
        tool: Tool::Vdbench,
        format: Format::VdbenchText,
        version,
        started_s: None,
        sources: vec![name.into()],
        runs,
        remarks,
    })
}

fn files_not_read(name: &str) -> ReadError {
    ReadError::Unsupported {
        name: name.into(),
        what: "a file system run (fsd, fwd) of Vdbench",
        remedy: "only runs on storage definitions (sd, wd) are judged",
    }
}

/// True where a run is the one with which Vdbench makes its files, before the first that was asked for. Its name may have more behind it.
pub(crate) fn is_format(run: &str) -> bool {
    run.split([' ', ';']).next() == Some("SD_format")
}

fn finish(mut result: ForeignResult) -> Result<ForeignResult, ReadError> {
    let mut missing = "no interval and no average stands in it";
    if let Some(format) = result.runs.iter().find(|r| is_format(&r.name)) {
        missing = "only the run in which it makes its files (SD_format) has figures in it";
        let text = "SD_format: what Vdbench wrote to make its files is no measurement: left out";
        result.remarks.push(Remark {
            at: format.at,
            text: text.into(),
        });
        result.runs.retain(|r| !is_format(&r.name));
    }
    if result.runs.iter().all(|r| r.rows.is_empty()) {
        return Err(ReadError::Nothing {
            name: result.sources.join(", "),
            what: "Vdbench's output",
            missing,
            remedy: "give logfile.html or summary.html, or the output folder; `totals.html` alone has averages only",
        });
    }
    Ok(result)
}

/// Names of an output folder's pages, and which of them are read.
const PAGES: &[&str] = &["summary.html", "logfile.html", "totals.html"];

/// Names of pages that say more about these.
const BESIDE: &[&str] = &["flatfile.html", "parmfile.html"];

/// True where files with these names are an output folder.
pub fn is_folder<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|n| PAGES.contains(&n) || n == "flatfile.html")
}

/// Reads an output folder's pages: intervals from the flat file where there is one, since it has more digits, what was asked from
/// the summary and the parameter file.
pub fn read_folder(all: &[Input]) -> Result<ForeignResult, ReadError> {
    let known = |i: &&Input| PAGES.contains(&i.file_name()) || BESIDE.contains(&i.file_name());
    let inputs: Vec<&Input> = all.iter().filter(known).collect();
    let page = |name: &str| inputs.iter().position(|i| i.file_name() == name);
    let mut result = ForeignResult {
        tool: Tool::Vdbench,
        format: Format::VdbenchFolder,
        version: None,
        started_s: None,
        sources: inputs.iter().map(|i| i.name.clone()).collect(),
        runs: Vec::new(),
        remarks: Vec::new(),
    };
    // The first of them that has rows; a page that was cut off to nothing does not count.
    for index in PAGES.iter().filter_map(|p| page(p)) {
        let text = inputs[index].text();
        if of_files(&text) {
            return Err(files_not_read(&inputs[index].name));
        }
        result.version = result.version.or_else(|| version(&text));
        if result.runs.is_empty() {
            let (runs, remarks) = vdbench_log::read(&text, index);
            result.remarks.extend(remarks);
            if runs.iter().any(|r| !r.rows.is_empty()) {
                result.runs = runs;
            }
        }
    }
    if let Some(index) = page("flatfile.html") {
        let (flat, remarks) = vdbench_flat::runs(&inputs[index].text(), index);
        result.remarks.extend(remarks);
        join(&mut result.runs, flat);
    }
    if let Some(index) = page("parmfile.html") {
        let text = inputs[index].text();
        let remarks = vdbench_page::remarks(&text, index, &result.runs);
        result.remarks.extend(remarks);
        let asked = vdbench::asked(&text);
        tell(&mut result.runs, &asked);
    }
    result.runs.iter_mut().for_each(vdbench_log::spans);
    finish(result).map_err(|error| {
        let mut inputs = inputs.iter();
        let failed = inputs.find_map(|input| failed(&input.name, &input.text()));
        failed.unwrap_or(error)
    })
}

/// Reason why the run of Vdbench failed whose output this is; `None` where it does not say that it did.
pub fn failed(name: &str, text: &str) -> Option<ReadError> {
    const LAST_WORDS: &str = "java.lang.RuntimeException:";
    let words = |(line, content): (u32, &str)| {
        Some((line, content.split_once(LAST_WORDS)?.1.trim().to_string()))
    };
    let (line, said) = text::lines(text).find_map(words)?;
    Some(ReadError::Failed {
        name: name.into(),
        tool: "Vdbench",
        line,
        said: said.chars().take(200).collect(),
    })
}

/// Reads a flat file alone.
pub fn read_flat(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let (mut runs, remarks) = vdbench_flat::runs(text, 0);
    runs.iter_mut().for_each(vdbench_log::spans);
    finish(ForeignResult {
        tool: Tool::Vdbench,
        format: Format::VdbenchFlatFile,
        version: None,
        started_s: None,
        sources: vec![name.into()],
        runs,
        remarks,
    })
}

/// Takes the rows and settings of the flat file's runs into those of the summary, where both have the same runs in the same order.
fn join(runs: &mut Vec<Run>, flat: Vec<Run>) {
    let same = runs.len() == flat.len()
        && runs
            .iter()
            .zip(&flat)
            .all(|(a, b)| a.name == b.name || a.name.starts_with(&format!("{} (", b.name)));
    if runs.is_empty() {
        *runs = flat;
    } else if same {
        for (run, flat) in runs.iter_mut().zip(flat) {
            if flat.rows.len() >= run.rows.len() {
                run.rows = flat.rows;
            }
            let mine = &mut run.asked;
            mine.block = mine.block.or(flat.asked.block);
            mine.depth = mine.depth.or(flat.asked.depth);
            mine.read_share = mine.read_share.or(flat.asked.read_share);
            mine.random = mine.random.or(flat.asked.random);
            mine.target_size = mine.target_size.or(flat.asked.target_size);
            mine.hits = mine.hits.or(flat.asked.hits);
            mine.load = mine.load.or(flat.asked.load);
        }
    }
}

fn version(text: &str) -> Option<String> {
    let (_, after) = text.split_once("Vdbench distribution: vdbench")?;
    let version: String = after
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .take(20)
        .collect();
    Some(version).filter(|v| !v.is_empty())
}

/// Puts what the parameter file asks of each run into it, where the run itself does not say it.
fn tell(runs: &mut [Run], asked: &[AskedRun]) {
    let pairs = paired(runs, asked);
    for (run, at) in runs.iter_mut().zip(pairs) {
        if let Some(found) = at.and_then(|at| asked.get(at)) {
            run.asked = with_parameters(std::mem::take(&mut run.asked), AskedSettings::of(found));
        }
    }
}

/// Run of the definition that each run is, by its place there: by its name, or by their order where all have the same names.
pub fn paired(runs: &[Run], asked: &[AskedRun]) -> Vec<Option<usize>> {
    let bare = |run: &Run| run.name.split(" (").next().unwrap_or_default().to_string();
    let in_order =
        runs.len() == asked.len() && runs.iter().zip(asked).all(|(r, a)| bare(r) == a.name);
    let one = |(index, run): (usize, &Run)| {
        let named = asked
            .iter()
            .enumerate()
            .filter(|(_, a)| run.name == title(a));
        let named: Vec<usize> = named.map(|(at, _)| at).collect();
        match (&named[..], in_order) {
            ([one], _) => Some(*one),
            (_, true) => Some(index),
            _ => None,
        }
    };
    runs.iter().enumerate().map(one).collect()
}

/// A run's name as the readers of Vdbench's pages make it: with its loops, where it has some.
fn title(asked: &AskedRun) -> String {
    match asked.loops.as_str() {
        "" | "None" => asked.name.clone(),
        loops => format!("{} ({loops})", asked.name),
    }
}

/// Settings of a run with what the pages print, which is what it was asked for; but they have one size for a run that has several.
pub fn with_parameters(own: AskedSettings, of: AskedSettings) -> AskedSettings {
    AskedSettings {
        block: of.block.or(own.block),
        load: match (own.load, of.load) {
            (Some(Load::Limited { rate, .. }), Some(Load::Limited { pace, .. })) => {
                Some(Load::Limited { rate, pace })
            }
            (own, of) => own.or(of),
        },
        hits: of.hits.or(own.hits),
        ..own.or(of)
    }
}
