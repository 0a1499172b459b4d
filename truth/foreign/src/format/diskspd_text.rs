//! DiskSPD's text.

use super::diskspd::{of_command, quantile};
use super::diskspd_echo::Echo;
use super::diskspd_xml::ENDS_S;
use crate::input::ReadError;
use crate::model::{
    AskedSettings, Cpu, CpuOf, ForeignResult, Format, InputPlace, Pair, Remark, Row, Run, Scope,
    Side, Tool,
};
use crate::text;
use plimsoll_plan::Bytes;

/// What stands before the results of a time span, whose number follows: in DiskSPD, and in its port to Linux.
const RESULTS: [&str; 2] = ["Results for timespan", "Results for job"];

/// Whether a text is one of DiskSPD's.
pub fn is_one(text: &str) -> bool {
    RESULTS.iter().any(|r| text.contains(r))
        || (text.contains("Input parameters:") && text.contains("timespan:"))
        || (text.contains("I/O per s") && text.contains("thread |"))
}

/// Reads it.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let mut reader = Reader::default();
    for (line, content) in text::whole_lines(text) {
        reader.line(InputPlace { source: 0, line }, content.trim_end());
    }
    let Reader {
        runs,
        mut remarks,
        table,
        ..
    } = reader;
    if !runs.iter().any(is_done) {
        return Err(failed(name, text).unwrap_or_else(|| ReadError::Nothing {
            name: name.into(),
            what: "text of DiskSPD",
            missing: "the table `Total IO` with its `total:` line is not in it",
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
    Ok(ForeignResult {
        tool: Tool::DiskSpd,
        format: Format::DiskSpdText,
        version: None,
        sources: vec![name.into()],
        runs: runs.into_iter().filter(is_done).collect(),
        remarks,
    })
}

/// What DiskSPD prints where a run fails: its last words, and before them why.
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

/// Why the run failed whose text this is; `None` where it does not say that it did.
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

/// A table of a time span.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Table {
    Total,
    Read,
    Write,
    Latency,
}

#[derive(Default)]
struct Reader {
    /// What was asked, as the text repeats it.
    echo: Echo,
    runs: Vec<Run>,
    remarks: Vec<Remark>,
    table: Option<Table>,
    titles: Vec<String>,
    busiest: f64,
    /// The last line that was no figure: what the next table is of.
    heading: String,
    /// The percentiles that are read are those of one target.
    of_part: bool,
}

impl Reader {
    fn line(&mut self, at: InputPlace, line: &str) {
        // Stars are those of somebody who made words bold.
        let trimmed = line.trim().trim_matches('*');
        if let Some(command) = trimmed.strip_prefix("Command Line:") {
            (self.table, self.busiest) = (None, 0.0);
            // Several results one after the other: parameters begin anew.
            self.echo = Echo::of(of_command(command));
        } else if let Some(number) = RESULTS.iter().find_map(|r| trimmed.strip_prefix(r)) {
            self.begin(at, number.trim().trim_end_matches(':'));
        } else if self.runs.last().is_none_or(|r| r.rows.is_empty())
            && self.table.is_none()
            && !trimmed.contains('|')
        {
            self.echo.line(trimmed);
        }
        self.result(at, trimmed);
    }

    fn begin(&mut self, at: InputPlace, number: &str) {
        let index = number.parse::<usize>().unwrap_or(1).saturating_sub(1);
        let asked = self.echo.span(index).map(|s| AskedSettings::of(&s.asked()));
        (self.table, self.busiest) = (None, 0.0);
        self.runs.push(Run {
            name: format!("time span {number}"),
            at,
            asked: asked.unwrap_or_default(),
            rows: vec![Row::new(Scope::Whole, "total", at)],
            claimed: None,
        });
    }

    /// Begins what has no heading, so that nobody knows what was asked.
    fn begin_untold(&mut self, at: InputPlace) {
        let name = match self.runs.len() {
            0 => "time span 1".to_string(),
            n => format!("result {}", n + 1),
        };
        self.runs.push(Run {
            name,
            at,
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
            self.table = Some(table);
            if table == Table::Latency {
                self.latencies(at);
            }
            return;
        }
        if !line.is_empty() && !line.contains('|') && !line.starts_with("---") {
            self.heading = line.trim_end_matches(':').to_string();
        }
        if line.starts_with("thread |") {
            self.titles = line.split('|').map(|t| t.trim().to_string()).collect();
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
            return;
        }
        if let Some(threads) = line
            .strip_prefix("thread count:")
            .and_then(|n| text::leading(n.trim()))
        {
            self.remarks.extend(more_threads(run, at, threads as u64));
            return;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        match self.table {
            None => cpu(row, &cells, &mut self.busiest),
            Some(Table::Latency) => {
                let at = match self.of_part {
                    true => run.rows.len() - 1,
                    false => 0,
                };
                latency(&mut run.rows[at], &cells);
            }
            Some(table) => {
                if let Some(part) = traffic(row, table, &cells, &self.titles, at) {
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

/// Rows that are kept of a time span.
const MOST_ROWS: usize = 10_000;

/// Whether a run has its figures.
fn is_done(run: &Run) -> bool {
    run.whole().is_some_and(|row| row.all.iops.is_some())
}

fn title(line: &str) -> Option<Table> {
    match line.trim_end_matches(':') {
        "Total IO" => Some(Table::Total),
        "Read IO" => Some(Table::Read),
        "Write IO" => Some(Table::Write),
        _ => line.starts_with("%-ile").then_some(Table::Latency),
    }
}

/// `avg.|  18.33%|  10.00%| ...`, and the same of each CPU.
fn cpu(row: &mut Row, cells: &[&str], busiest: &mut f64) {
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
    } else {
        *busiest = busiest.max(shares[0]);
    }
}

/// A line of a table of I/O: puts a total into the run's row, and gives a thread's own.
fn traffic(
    row: &mut Row,
    table: Table,
    cells: &[&str],
    titles: &[String],
    at: InputPlace,
) -> Option<Row> {
    // `total:` stands in one cell with its bytes.
    let total = cells.first()?.strip_prefix("total:").map(str::trim);
    let column = |title: &str| {
        let at = titles.iter().position(|t| t.starts_with(title))?;
        let cell = match total {
            Some(bytes) if at == 1 => bytes,
            Some(_) => cells.get(at.checked_sub(1)?)?,
            None => cells.get(at)?,
        };
        text::amount(cell)
    };
    let mut side = Side {
        iops: column("I/O per s").and_then(text::rate),
        ios: column("I/Os").map(|n| n as u64),
        ..Side::default()
    };
    side.iops?;
    side.latency.mean = column("AvgLat").and_then(text::millis).filter(|m| m.0 > 0);
    side.latency.sd = column("LatStdDev").and_then(text::millis);
    let bandwidth = column("MiB/s")
        .or_else(|| column("MB/s"))
        .map(|mb| mb * 1_048_576.0);
    let bandwidth = bandwidth.and_then(text::bytes);
    if total.is_none() {
        let thread = cells[0];
        if table != Table::Total || !thread.bytes().all(|b| b.is_ascii_digit()) || thread.is_empty()
        {
            return None;
        }
        let mut part = Row::new(Scope::Part, format!("thread {thread}"), at);
        (part.all, part.bandwidth, part.seconds) = (side, bandwidth, row.seconds);
        return Some(part);
    }
    let name = match table {
        Table::Read => "Read IO",
        Table::Write => "Write IO",
        _ => "Total IO",
    };
    let bytes = column("bytes");
    let seconds = row.seconds.filter(|s| *s > 0.0);
    let mut over_time = |what: &str, amount: Option<f64>, unit: f64, said: Option<f64>| {
        if let (Some(amount), Some(said), Some(s)) = (amount, said, seconds) {
            // Times and rates are told to a hundredth.
            let slack = 0.01 + amount / unit / s * 0.01 / s;
            let what = format!("{what} over the test time");
            let pair = Pair::same(
                what,
                amount / unit / s,
                format!("{name}, per second"),
                said,
                slack,
            );
            row.pairs.push(pair);
        }
    };
    let (ios, mib) = (
        side.ios.map(|n| n as f64),
        column("MiB/s").or_else(|| column("MB/s")),
    );
    over_time("I/Os", ios, 1.0, side.iops.map(|r| r.0));
    over_time("bytes", bytes, 1_048_576.0, mib);
    match table {
        Table::Read => row.reads = side,
        Table::Write => row.writes = side,
        _ => (row.all, row.bandwidth, row.at) = (side, bandwidth, at),
    }
    if let (Some(all), Some(reads), Some(writes), Table::Write) =
        (row.all.ios, row.reads.ios, row.writes.ios, table)
    {
        let both = reads as f64 + writes as f64;
        row.pairs.push(Pair::same(
            "I/Os of reads and writes",
            both,
            "I/Os in all",
            all as f64,
            1.0,
        ));
    }
    None
}

/// A line of the percentiles: of reads, writes, all.
fn latency(row: &mut Row, cells: &[&str]) {
    let [name, reads, writes, all, ..] = cells else {
        return;
    };
    let sides = [&mut row.reads, &mut row.writes, &mut row.all];
    for (side, cell) in sides.into_iter().zip([reads, writes, all]) {
        let Some(value) = text::amount(cell).and_then(text::millis) else {
            continue;
        };
        match *name {
            "min" => side.latency.min = Some(value),
            "max" => side.latency.max = Some(value),
            name => {
                if let Some(q) = quantile(name)
                    && side.latency.percentiles.len() < 40
                {
                    side.latency.percentiles.push((q, value));
                }
            }
        }
    }
}

/// `c:\a.dat (64MiB)`.
fn size_of_file(cell: &str) -> Option<Bytes> {
    let (_, size) = cell.rsplit_once('(')?;
    text::size(size.trim_end_matches(')')).map(Bytes)
}
