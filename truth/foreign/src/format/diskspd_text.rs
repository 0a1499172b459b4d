//! DiskSPD's text.

use super::diskspd::{ended_early, mix, of_command};
use super::diskspd_echo::Echo;
use super::diskspd_table::{Columns, Table, cells, is_cut, latency, size_of_file, title, traffic};
use super::diskspd_xml::ENDS_S;
use crate::command::{self, Commands};
use crate::input::ReadError;
use crate::model::{
    Cpu, CpuOf, ForeignResult, Format, InputPlace, Pair, Remark, Row, Run, Scope, Tool,
};
use crate::text;
use plimsoll_printable::human;
use std::borrow::Cow;

/// Words before the results of a time span, whose number follows: in DiskSPD, and in its port to Linux.
const RESULTS: [&str; 2] = ["Results for timespan", "Results for job"];

/// True where a text is one of DiskSPD's.
pub fn is_one(text: &str) -> bool {
    RESULTS.iter().any(|r| text.contains(r))
        || (text.contains("Input parameters:") && text.contains("timespan:"))
        || (text.contains("I/O per s") && (text.contains("thread |") || text.contains("thread\t")))
}

/// Reads it.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    // From a spreadsheet the bars of its tables are tabs.
    let text = match text.contains('|') {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.replace('\t', "|")),
    };
    let text = &*text;
    let mut reader = Reader {
        last: text::last_line(text),
        ..Reader::default()
    };
    for (line, content) in command::joined(text::whole_lines(text), COMMANDS) {
        reader.line(InputPlace { source: 0, line }, content.trim_end());
    }
    let Reader {
        mut runs,
        mut remarks,
        table,
        ..
    } = reader;
    remarks.extend(runs.iter_mut().filter_map(of_one_thread));
    for row in runs.iter_mut().filter_map(Run::whole_mut) {
        // Its rates are its counts over the time.
        let counted = row.all.ios.zip(row.iops()).filter(|(_, rate)| *rate > 0.0);
        row.seconds = row.seconds.or(counted.map(|(ios, rate)| ios as f64 / rate));
    }
    if !runs.iter().any(is_done) {
        return Err(failed(name, text).unwrap_or_else(|| ReadError::Nothing {
            name: name.into(),
            what: "text of DiskSPD",
            missing: "a table `Total IO` with a line `total:` that has figures is not in it",
            remedy: "give all that DiskSPD printed, or use -R xml",
        }));
    }
    if runs.last().is_some_and(|r| !is_done(r))
        || table.is_some_and(|t| matches!(t, Table::Total | Table::Read))
    {
        let at = runs.last().map(|r| r.at).unwrap_or_default();
        remarks.push(Remark {
            at,
            text: "the last time span was cut off: what was there is judged".into(),
        });
    }
    for run in &mut runs {
        let asked = &run.asked;
        if let Some(row) = run.rows.first_mut() {
            row.pairs.extend(mix(asked, row));
        }
    }
    Ok(ForeignResult {
        tool: Tool::DiskSpd,
        format: Format::DiskSpdText,
        version: None,
        started_s: None,
        sources: vec![name.into()],
        runs: runs.into_iter().filter(is_done).collect(),
        remarks,
    })
}

/// Words before the command line that DiskSPD repeats.
const REPEATED: &str = "Command Line:";
const COMMANDS: Commands = Commands {
    begins: |line| command_of(bare(line)).is_some(),
    is_whole: |line| command_of(bare(line)).and_then(of_command).is_some(),
};

/// The command that a line has: behind the words with which DiskSPD repeats it, or as somebody typed it, with a prompt or without.
fn command_of(line: &str) -> Option<&str> {
    if let Some(command) = line.strip_prefix(REPEATED) {
        // A path may have blanks.
        let program = command.split_whitespace().find(|word| is_program(word));
        let at = program.map_or(0, |word| word.as_ptr() as usize - command.as_ptr() as usize);
        return Some(&command[at..]);
    }
    let mut words = line.split_whitespace();
    let word = words.find(|word| is_program(word))?;
    let at = word.as_ptr() as usize - line.as_ptr() as usize;
    let prompt = line[..at].trim_end();
    let is_typed = prompt.is_empty() || prompt.ends_with(['>', '$', '#']);
    let has_flags = words
        .next()
        .is_some_and(|flag| flag.starts_with(['-', '/']));
    (is_typed && has_flags).then(|| &line[at..])
}

/// True where a word calls DiskSPD, by its path or behind a prompt.
fn is_program(word: &str) -> bool {
    let name = word.rsplit(['\\', '/', '>', '$', '#']).next();
    let name = name.unwrap_or(word).to_ascii_lowercase();
    matches!(name.as_str(), "diskspd" | "diskspd.exe")
}

/// A line without the stars of somebody who made words bold, the bars around a table in Markdown, and the marks of a heading that a page takes
/// a line above dashes for.
fn bare(line: &str) -> &str {
    let bare = line.trim().trim_matches('*');
    bare.trim_start_matches(['|', '#']).trim()
}

/// Last words of DiskSPD where a run fails; the reason comes before them.
const LAST_WORDS: [&str; 2] = [
    "Error generating I/O requests",
    "There has been an error during threads execution",
];
const REASONS: [&str; 6] = [
    "Error opening file",
    "error during overlapped",
    "error during asynchronous",
    "error during reading",
    "ERROR:",
    "FATAL ERROR:",
];

/// Reason why the run failed whose text this is; `None` where it does not say that it did.
pub fn failed(name: &str, text: &str) -> Option<ReadError> {
    let find = |words: &[&str]| {
        let said = |line: &str| words.iter().any(|w| line.contains(w));
        text::whole_lines(text).find(|(_, line)| said(line))
    };
    let last = find(&LAST_WORDS)?;
    let (line, said) = find(&REASONS)
        .filter(|(at, _)| *at <= last.0)
        .unwrap_or(last);
    let said = said.trim().chars().take(200).collect();
    Some(ReadError::Failed {
        name: name.into(),
        tool: "DiskSPD",
        line,
        said,
    })
}

#[derive(Default)]
struct Reader {
    /// Parameters of the run, as the text repeats them, and the number of its time spans whose results have been read.
    echo: Echo,
    told: usize,
    /// The command that somebody typed above the next result; empty where there are several.
    typed: Option<String>,
    /// True once results have begun: no line is a parameter until the next parameters begin.
    in_results: bool,
    runs: Vec<Run>,
    remarks: Vec<Remark>,
    table: Option<Table>,
    /// True where the table has had its total.
    has_total: bool,
    titles: Vec<String>,
    /// Busy shares of the CPUs.
    cpus: Vec<f64>,
    /// The last line that was no figure: what the next table is of.
    heading: String,
    /// The percentiles that are read are those of one target.
    of_part: bool,
    /// Length of the intervals of its deviations (`-D`), s.
    interval_s: f64,
    /// The last line of the text, which may be cut off.
    last: u32,
}

impl Reader {
    fn line(&mut self, at: InputPlace, line: &str) {
        let trimmed = bare(line);
        if let Some(command) = command_of(trimmed) {
            let is_typed = !trimmed.starts_with(REPEATED);
            let others = self.typed.take().filter(|_| is_typed && !self.in_results);
            // Of several above one result nobody knows which is its own.
            let is_one = others.is_none_or(|other| other == command);
            // Several results one after the other: parameters begin anew.
            self.parameters(Echo::of(of_command(command).filter(|_| is_one)));
            self.typed = match is_one {
                true => is_typed.then(|| command.to_string()),
                false => Some(String::new()),
            };
        } else if trimmed.starts_with("Input parameters:") {
            if self.in_results {
                self.parameters(Echo::default());
            }
        } else if let Some(number) = RESULTS.iter().find_map(|r| trimmed.strip_prefix(r)) {
            self.begin(at, number.trim().trim_end_matches(':'));
        } else if !self.in_results && !trimmed.contains('|') {
            self.echo.line(trimmed);
        }
        self.result(at, trimmed);
    }

    /// Parameters of a result begin.
    fn parameters(&mut self, echo: Echo) {
        (self.table, self.cpus) = (None, Vec::new());
        (self.echo, self.told, self.in_results) = (echo, 0, false);
    }

    fn begin(&mut self, at: InputPlace, number: &str) {
        let index = number.parse::<usize>().unwrap_or(1).saturating_sub(1);
        self.open(at, index, format!("time span {number}"));
    }

    /// Begins what has no heading: what it was asked is known where its command stands above it.
    fn begin_untold(&mut self, at: InputPlace) {
        let name = match self.runs.len() {
            0 => "time span 1".to_string(),
            n => format!("result {}", n + 1),
        };
        self.open(at, 0, name);
    }

    fn open(&mut self, at: InputPlace, index: usize, name: String) {
        if index < self.told {
            // Of another result, whose parameters were not copied.
            self.echo = Echo::default();
        }
        (self.told, self.in_results) = (index + 1, true);
        let span = self.echo.span(index);
        self.interval_s = span.map_or(USUAL_S, |s| f64::from(s.bucket_ms) / 1e3);
        let asked = self.echo.asked(index);
        (self.table, self.cpus) = (None, Vec::new());
        self.runs.push(Run {
            name,
            at,
            asked: asked.unwrap_or_default(),
            rows: vec![Row::new(Scope::Whole, "total", at)],
            ..Run::default()
        });
    }

    /// A table of percentiles begins: of all targets, or of the one that stands above it.
    fn latencies(&mut self, at: InputPlace) {
        let Some(run) = self.runs.last_mut() else {
            return;
        };
        let of_all = [
            "",
            "total",
            "Total latency distribution",
            "Read IO",
            "Write IO",
        ];
        self.of_part = !of_all.contains(&self.heading.as_str()) && run.rows.len() < MOST_ROWS;
        if self.of_part {
            run.rows
                .push(Row::new(Scope::Part, self.heading.clone(), at));
        }
    }

    /// A line of the results.
    fn result(&mut self, at: InputPlace, line: &str) {
        if let Some(table) = title(line) {
            // Results alone, copied without what stands above: the first of a text, or another one's.
            if table == Table::Total && self.runs.last().is_none_or(is_done) {
                self.begin_untold(at);
            }
            (self.table, self.has_total) = (Some(table), false);
            if table == Table::Latency {
                self.latencies(at);
            }
            return;
        }
        if is_cpu_titles(line) {
            // Another result's beginning, copied without what stands above.
            if self.runs.last().is_some_and(is_done) {
                self.begin_untold(at);
            }
            (self.table, self.cpus) = (None, Vec::new());
            return;
        }
        if !line.is_empty() && !line.contains('|') && !line.starts_with("---") {
            self.heading = line.trim_end_matches(':').to_string();
        }
        let titles = line.split('|').map(str::trim);
        if line.contains('|') && titles.clone().next() == Some("thread") {
            self.titles = titles.map(str::to_string).collect();
            if std::mem::take(&mut self.has_total) {
                self.table = Some(Table::Untitled);
                let text = "a table without its title: left out".into();
                self.remarks.push(Remark { at, text });
            }
            return;
        }
        let Some(run) = self.runs.last_mut() else {
            return;
        };
        let Some(row) = run.rows.first_mut() else {
            return;
        };
        let time = line.strip_prefix("actual ").unwrap_or(line);
        if let Some(seconds) = time.strip_prefix("test time:") {
            row.seconds = text::leading(seconds.trim());
            let lasted = row.seconds.zip(run.asked.duration_s);
            let lasted = lasted.map(|(ran, asked)| {
                Pair::at_most("actual test time", ran, "duration", asked, ENDS_S)
            });
            row.pairs.extend(lasted);
            self.remarks
                .extend(ended_early(at, row.seconds, run.asked.duration_s));
            return;
        }
        if let Some(threads) = line
            .strip_prefix("thread count:")
            .and_then(|n| text::leading(n.trim()))
        {
            self.remarks.extend(more_threads(run, at, threads as u64));
            return;
        }
        let mut cells = cells(line);
        if at.line == self.last && self.table.is_some_and(|t| is_cut(t, &self.titles, &cells)) {
            cells.pop();
        }
        match self.table {
            None => cpu(row, &cells, &mut self.cpus, run.asked.threads),
            Some(Table::Untitled) => {}
            Some(Table::Latency) => {
                let at = match self.of_part {
                    true => run.rows.len() - 1,
                    false => 0,
                };
                latency(&mut run.rows[at], &cells);
            }
            Some(table) => {
                let columns = Columns {
                    titles: &self.titles,
                    cells: &cells,
                };
                if table == Table::Total {
                    row.samples = columns
                        .samples(self.interval_s, row.seconds)
                        .or(row.samples);
                }
                self.has_total |= columns.is_total();
                let part = traffic(row, table, &columns, at);
                if columns.is_total() && table == Table::Total {
                    self.remarks.extend(rows_left_out(run));
                } else if let Some(part) = part {
                    if run.asked.target_size.is_none() {
                        run.asked.target_size = cells.last().and_then(|c| size_of_file(c));
                    }
                    if run.rows.len() < MOST_ROWS {
                        run.rows.push(part);
                    }
                }
            }
        }
    }
}

/// Takes the figures of the only thread for those of all, where the line `total:` was left out.
fn of_one_thread(run: &mut Run) -> Option<Remark> {
    let [whole, thread] = &mut run.rows[..] else {
        return None;
    };
    let is_one = run.asked.threads == Some(1) && thread.label.starts_with("thread ");
    if !is_one || whole.all.iops.is_some() {
        return None;
    }
    (whole.all, whole.bandwidth, whole.at) = (thread.all.clone(), thread.bandwidth, thread.at);
    let text = "the line `total:` was left out: the figures of the one thread are taken for all";
    Some(Remark {
        at: whole.at,
        text: text.into(),
    })
}

/// Says of a total that the rows of its threads have less.
fn rows_left_out(run: &Run) -> Option<Remark> {
    let (whole, parts) = run.rows.split_first()?;
    let of_threads = parts
        .iter()
        .filter(|part| part.label.starts_with("thread "));
    let ios: u64 = of_threads.filter_map(|part| part.all.ios).sum();
    let share = ios as f64 / whole.all.ios.filter(|all| *all > 0)? as f64;
    let percent = human::percent(share);
    let text = format!(
        "the rows of its threads have {percent} of the total's I/Os: a row was left out, or a number was changed"
    );
    (share < 0.98 && ios > 0 && run.rows.len() < MOST_ROWS).then_some(Remark { at: whole.at, text })
}

/// Takes the threads that ran where the parameters above are those of fewer: lines of other targets were cut out there.
fn more_threads(run: &mut Run, at: InputPlace, ran: u64) -> Option<Remark> {
    let asked = &mut run.asked;
    let reported = asked
        .threads
        .filter(|reported| *reported > 0 && *reported < ran)?;
    let each = asked.depth.unwrap_or(0).max(asked.in_flight? / reported);
    (asked.threads, asked.targets) = (Some(ran), None);
    asked.in_flight = Some(ran.saturating_mul(each));
    let text = format!(
        "{ran} threads ran, and the parameters above are of {reported}: those of other targets are not there, and are taken to be the same"
    );
    Some(Remark { at, text })
}

/// DiskSPD's own interval, s.
const USUAL_S: f64 = 1.0;
/// Rows that are kept of a time span.
const MOST_ROWS: usize = 10_000;

/// True where a run has its figures.
fn is_done(run: &Run) -> bool {
    run.whole().is_some_and(|row| row.all.iops.is_some())
}

/// `CPU |  Usage |  User  |  Kernel |  Idle`, with more columns before them in later versions.
fn is_cpu_titles(line: &str) -> bool {
    let mut titles = line.split('|').map(str::trim);
    titles.any(|title| title == "CPU") && titles.next() == Some("Usage")
}

/// `avg.|  18.33%|  10.00%| ...`, and before it the same of each CPU. DiskSPD binds its threads to CPUs: where they are fewer than these,
/// they may be busy while most of the host is not.
fn cpu(row: &mut Row, cells: &[&str], cpus: &mut Vec<f64>, threads: Option<u64>) {
    let shares: Option<Vec<f64>> = match cells {
        [.., a, b, c, d] if [a, b, c, d].iter().all(|c| c.ends_with('%')) => [a, b, c, d]
            .iter()
            .map(|c| text::amount(c).map(|p| p / 100.0))
            .collect(),
        _ => None,
    };
    let Some(shares) = shares.filter(|s| s.iter().all(|s| *s <= 1.01)) else {
        return;
    };
    if cells[0].starts_with("avg") {
        let [usage, user, kernel, idle] = [0, 1, 2, 3].map(|n| 100.0 * shares[n]);
        // Other versions have other columns.
        let is_plain = cells.len() == 5;
        let pairs = [
            Pair::same("User and Kernel", user + kernel, "Usage, %", usage, 0.5),
            Pair::same(
                "Usage and Idle",
                usage + idle,
                "all of the CPUs, %",
                100.0,
                1.0,
            ),
        ];
        row.pairs.extend(pairs.into_iter().filter(|_| is_plain));
        row.cpu = Some(Cpu {
            of: CpuOf::Host,
            busy: shares[0],
            system: Some(shares[2]),
        });
        let threads = threads
            .map(|n| n as usize)
            .filter(|n| *n > 0 && *n < cpus.len());
        let busy = threads.map(|n| cpus[..n].iter().sum::<f64>() / n as f64);
        if let Some(busy) = busy.filter(|busy| *busy > BUSY) {
            row.cpu = Some(Cpu {
                of: CpuOf::Generator,
                busy,
                system: None,
            });
        }
    } else {
        cpus.push(shares[0]);
    }
}

/// From here on threads have no time for more.
const BUSY: f64 = 0.95;
