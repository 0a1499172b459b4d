//! Vdbench: the pages of an output folder, one of them alone, or what was copied from the console, cut off or quoted in a mail.

use super::vdbench_parm::Parameters;
use super::vdbench_row::{self, WHOLE};
use super::{vdbench_flat, vdbench_parm};
use crate::model::{Asked, ForeignResult, Format, Load, Pace, Place, Remark, Run, Scope, Tool};
use crate::read::{Input, ReadError};
use crate::text;
use plimsoll_plan::{Bytes, Rate};

const MIB: f64 = 1_048_576.0;
/// What Vdbench calls its largest rate in the flat file.
pub const MAX_RATE: f64 = 9_999_988.0;

/// Whether a text has lines of Vdbench in it.
pub fn is_one(text: &str) -> bool {
    text.contains("Starting RD=")
        || text.lines().any(|l| {
            vdbench_row::words(l)
                .is_some_and(|w| WHOLE.contains(&w.numbers.len()) || w.label.starts_with("avg_"))
        })
}

/// Whether it is a run of file systems, whose columns are others.
fn of_files(text: &str) -> bool {
    text.contains("ReqstdOps") || text.contains("; fwdrate=")
}

/// Reads one page, or what was copied.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    if of_files(text) {
        return Err(files_not_read(name));
    }
    let (runs, remarks) = log(text, 0);
    let version = version(text);
    finish(ForeignResult {
        tool: Tool::Vdbench,
        format: Format::VdbenchText,
        version,
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

fn finish(result: ForeignResult) -> Result<ForeignResult, ReadError> {
    if result.runs.iter().all(|r| r.rows.is_empty()) {
        return Err(ReadError::Nothing {
            name: result.sources.join(", "),
            what: "Vdbench's output",
            missing: "no interval and no average stands in it",
            remedy: "give logfile.html or summary.html, or the output folder; `totals.html` alone has averages only",
        });
    }
    Ok(result)
}

/// Names of an output folder's pages, and which of them are read.
const PAGES: &[&str] = &["summary.html", "logfile.html", "totals.html"];

/// Those that say more of what is in these.
const BESIDE: &[&str] = &["flatfile.html", "parmfile.html"];

/// Whether files with these names are an output folder.
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
            let (runs, remarks) = log(&text, index);
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
        let parameters = vdbench_parm::read(&inputs[index].text());
        result.runs.iter_mut().for_each(|run| parameters.tell(run));
    }
    result.runs.iter_mut().for_each(spans);
    finish(result)
}

/// Reads a flat file alone.
pub fn read_flat(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let (mut runs, remarks) = vdbench_flat::runs(text, 0);
    runs.iter_mut().for_each(spans);
    finish(ForeignResult {
        tool: Tool::Vdbench,
        format: Format::VdbenchFlatFile,
        version: None,
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

/// The runs of a log, and what was odd in it.
fn log(text: &str, source: usize) -> (Vec<Run>, Vec<Remark>) {
    let (mut runs, mut remarks): (Vec<Run>, Vec<Remark>) = (Vec::new(), Vec::new());
    let megabyte = if text.contains("1000**2") { 1e6 } else { MIB };
    let (mut last, mut times): (u32, Vec<f64>) = (0, Vec::new());
    let (mut begun, mut titles) = (false, None);
    let mut lines = text::lines(text).peekable();
    while let Some((line, content)) = lines.next() {
        let at = Place { source, line };
        if let Some(run) = starting(content, at) {
            if let Some(done) = runs.last_mut() {
                interval_length(done, &times);
            }
            (last, begun) = (0, true);
            times.clear();
            runs.push(run);
            continue;
        }
        titles = vdbench_row::two_maxima(content).or(titles);
        let Some(mut words) = vdbench_row::words(content) else {
            continue;
        };
        // A mail breaks long lines: the rest stands on the next.
        if !WHOLE.contains(&words.numbers.len())
            && let Some((_, next)) = lines.peek()
            && let Some(rest) = vdbench_row::rest(next)
            && WHOLE.contains(&(words.numbers.len() + rest.len()))
        {
            words.numbers.extend(rest);
            lines.next();
        }
        let Some(row) = vdbench_row::row(&words, at, megabyte, titles) else {
            if words.numbers.len() >= 4 {
                let text = format!(
                    "{} columns: cut off, or of a version that is not known; left out",
                    words.numbers.len()
                );
                remarks.push(Remark { at, text });
            }
            continue;
        };
        let number = match row.scope {
            Scope::Interval(n) => n,
            _ => u32::MAX,
        };
        // Copied without its beginning, a run begins where the numbers do again.
        let again = number != u32::MAX && number <= last;
        if runs.is_empty() || (again && !begun) || (again && last == u32::MAX) {
            if let Some(done) = runs.last_mut() {
                interval_length(done, &times);
            }
            times.clear();
            let name = format!("run {}", runs.len() + 1);
            runs.push(Run {
                name,
                at,
                ..Run::default()
            });
        }
        last = number;
        if number != u32::MAX {
            times.extend(words.time_s);
        }
        if let Some(run) = runs.last_mut() {
            run.rows.push(row);
        }
    }
    if let Some(done) = runs.last_mut() {
        interval_length(done, &times);
        if begun && done.whole().is_none() {
            let text = format!(
                "`{}` ends without an average: cut off, or interrupted",
                done.name
            );
            remarks.push(Remark { at: done.at, text });
        }
    }
    runs.iter_mut().for_each(spans);
    // Announced, and cut off before its first interval.
    runs.retain(|r| !r.rows.is_empty());
    remarks.truncate(50);
    (runs, remarks)
}

/// `Starting RD=name; I/O rate: X; elapsed=N warmup=M; For loops: threads=8`.
fn starting(line: &str, at: Place) -> Option<Run> {
    let (_, rest) = line.split_once("Starting RD=")?;
    let rest = rest.split('<').next().unwrap_or(rest);
    let (name, rest) = rest.split_once(';').unwrap_or((rest, ""));
    let mut asked = Asked::default();
    let mut loops = String::new();
    for word in rest.split([';', ' ']).map(str::trim) {
        let Some((key, value)) = word.split_once('=') else {
            continue;
        };
        let value = value.trim_end_matches('.');
        match key {
            "elapsed" => asked.duration_s = text::amount(value),
            "warmup" => asked.warm_up_s = text::amount(value),
            "threads" => asked.depth = text::amount(value).map(|n| n as u64),
            "xfersize" => asked.block = text::size(value).map(|s| (Bytes(s), Bytes(s))),
            "rdpct" => asked.read_share = text::amount(value).map(|p| (p / 100.0).min(1.0)),
            _ => {}
        }
    }
    if let Some((_, listed)) = rest.split_once("For loops:") {
        loops = listed.trim().trim_end_matches('.').to_string();
    }
    if let Some((_, rate)) = rest.split_once("I/O rate:") {
        let rate = rate.split(';').next().unwrap_or("").trim();
        asked.load = load(rate);
    }
    let name = match loops.as_str() {
        "" | "None" => name.trim().to_string(),
        loops => format!("{} ({loops})", name.trim()),
    };
    Some(Run {
        name,
        at,
        asked,
        rows: Vec::new(),
    })
}

fn load(rate: &str) -> Option<Load> {
    let lower = rate.to_ascii_lowercase();
    if lower.contains("curve") {
        return Some(Load::CurveMax);
    }
    if lower.contains("max") {
        return Some(Load::Max);
    }
    // A whole number: a comma in it parts thousands.
    let number = text::amount(&rate.replace(',', "")).filter(|r| *r > 0.0)?;
    // Gaps are exponential unless the definition says otherwise.
    (number < MAX_RATE).then_some(Load::Limited {
        rate: Rate(number),
        pace: Pace::Random,
    })
}

/// How long an interval is, from the times of the lines: Vdbench's are whole seconds, and its lines come up to half of one late.
fn interval_length(run: &mut Run, times: &[f64]) {
    let count = run.intervals().count();
    let mut gaps: Vec<f64> = times
        .windows(2)
        .map(|p| (p[1] - p[0]).rem_euclid(86_400.0))
        .collect();
    gaps.sort_by(f64::total_cmp);
    let planned = run
        .asked
        .duration_s
        .map(|d| d + run.asked.warm_up_s.unwrap_or(0.0));
    let whole = run.whole().is_some() && count > 0;
    let length = match (planned.filter(|_| whole), gaps.get(gaps.len() / 2)) {
        (Some(planned), _) => planned / count as f64,
        (None, Some(gap)) => gap.round().max(1.0),
        (None, None) => return,
    };
    for row in run
        .rows
        .iter_mut()
        .filter(|r| matches!(r.scope, Scope::Interval(_)))
    {
        row.seconds = Some(length);
    }
}

/// How long averages are, from the intervals that they cover; without these from how long the run was to be.
fn spans(run: &mut Run) {
    let length = run.intervals().find_map(|(_, r)| r.seconds);
    let asked = &run.asked;
    let planned = asked.duration_s.map(|d| d + asked.warm_up_s.unwrap_or(0.0));
    for row in &mut run.rows {
        let Some((first, last)) = row.covers.filter(|(_, last)| *last > 0) else {
            continue;
        };
        let length = length.or(planned.map(|p| p / f64::from(last)));
        let covered = f64::from(last.saturating_add(1).saturating_sub(first));
        row.seconds = length.map(|l| l * covered);
    }
}

impl Parameters {
    /// Puts what the parameter file says of a run into it, where the run itself does not say it.
    fn tell(&self, run: &mut Run) {
        let asked = &mut run.asked;
        asked.cache = asked.cache.or(self.cache);
        asked.content = asked.content.or(self.content);
        asked.hits = asked.hits.or(self.hits);
        asked.depth = asked.depth.or(self.threads);
        asked.block = asked.block.or(self.block);
        asked.target_size = asked.target_size.or(self.size);
        asked.targets = Some(self.targets.clamp(1, 1_000_000) as u64);
        // With one target the threads are all that can be out.
        if self.targets == 1 {
            asked.in_flight = asked.in_flight.or(asked.depth);
        }
    }
}
