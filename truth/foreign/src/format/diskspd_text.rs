//! DiskSPD's text.

use super::diskspd::{Spec, TargetSpec, quantile};
use super::diskspd_line;
use crate::model::{
    Caching, Content, Cpu, CpuOf, ForeignResult, Format, Place, Remark, Row, Run, Scope, Side, Tool,
};
use crate::read::ReadError;
use crate::text;
use plimsoll_plan::Bytes;

/// Whether a text is one of DiskSPD's.
pub fn is_one(text: &str) -> bool {
    text.contains("Results for timespan")
        || (text.contains("Input parameters:") && text.contains("timespan:"))
        || (text.contains("I/O per s") && text.contains("thread |"))
}

/// Reads it.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let mut reader = Reader::default();
    for (line, content) in text::whole_lines(text) {
        reader.line(Place { source: 0, line }, content.trim_end());
    }
    let Reader {
        runs,
        mut remarks,
        table,
        ..
    } = reader;
    let whole = |r: &Run| r.whole().is_some_and(|w| w.all.iops.is_some());
    if !runs.iter().any(whole) {
        return Err(failed(name, text).unwrap_or_else(|| ReadError::Nothing {
            name: name.into(),
            what: "text of DiskSPD",
            missing: "the table `Total IO` with its `total:` line is not in it",
            remedy: "give all that DiskSPD printed, or use -R xml",
        }));
    }
    if runs.last().is_some_and(|r| !whole(r))
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
        runs: runs.into_iter().filter(whole).collect(),
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
    command: Option<Spec>,
    /// Of the input parameters, one for each time span.
    specs: Vec<Spec>,
    runs: Vec<Run>,
    remarks: Vec<Remark>,
    table: Option<Table>,
    titles: Vec<String>,
    busiest: f64,
}

impl Reader {
    fn line(&mut self, at: Place, line: &str) {
        let trimmed = line.trim();
        if let Some(command) = trimmed.strip_prefix("Command Line:") {
            self.command = Some(diskspd_line::spec(command));
            (self.table, self.busiest) = (None, 0.0);
            // Several results one after the other: parameters begin anew.
            self.specs.clear();
        } else if trimmed.starts_with("Results for timespan") {
            self.begin(at, trimmed);
        } else if self.runs.last().is_none_or(|r| r.rows.is_empty())
            && self.table.is_none()
            && !trimmed.contains('|')
        {
            self.parameter(trimmed);
        }
        self.result(at, trimmed);
    }

    fn begin(&mut self, at: Place, line: &str) {
        let number = line
            .trim_start_matches("Results for timespan")
            .trim()
            .trim_end_matches(':');
        let index = number.parse::<usize>().unwrap_or(1).saturating_sub(1);
        let spec = self.specs.get(index).filter(|s| !s.targets.is_empty());
        let mut spec = spec.or(self.command.as_ref()).cloned().unwrap_or_default();
        // Only the command line says that the file was made for the run.
        let made = self
            .command
            .as_ref()
            .and_then(|c| c.targets.first())
            .is_some_and(|t| t.made);
        spec.targets.iter_mut().for_each(|t| t.made |= made);
        (self.table, self.busiest) = (None, 0.0);
        self.runs.push(Run {
            name: format!("time span {number}"),
            at,
            asked: spec.asked(),
            rows: vec![Row::new(Scope::Whole, "total", at)],
        });
    }

    /// A line of `Input parameters`.
    fn parameter(&mut self, line: &str) {
        if line.starts_with("timespan:") {
            self.specs.push(Spec::default());
        }
        let Some(spec) = self.specs.last_mut() else {
            return;
        };
        let value = |key: &str| line.strip_prefix(key).map(str::trim);
        let amount = |key: &str| value(key).and_then(leading);
        if let Some(seconds) = amount("duration:") {
            spec.duration_s = Some(seconds);
        } else if let Some(seconds) = amount("warm up time:") {
            spec.warm_up_s = Some(seconds);
        } else if let Some(threads) = amount("thread pool with") {
            spec.pool = Some(threads as u64);
        } else if line.starts_with("generating random data for each write") {
            spec.fresh = true;
        } else if value("path:").is_some() {
            spec.targets.push(TargetSpec::default());
        } else if spec.targets.is_empty() && spec.pool.is_some() {
            let depth = amount("number of outstanding I/O operations per thread:");
            spec.pool_depth = depth.map(|d| d as u64).or(spec.pool_depth);
        }
        if let Some(target) = spec.targets.last_mut() {
            of_target(target, line);
        }
    }

    /// A line of the results.
    fn result(&mut self, at: Place, line: &str) {
        if let Some(table) = title(line) {
            self.table = Some(table);
            // Results alone, copied without what stands above.
            if self.runs.is_empty() && table == Table::Total {
                self.begin(at, "Results for timespan 1:");
            }
            return;
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
        if let Some(seconds) = line.strip_prefix("actual test time:") {
            row.seconds = leading(seconds.trim());
            return;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        match self.table {
            None => cpu(row, &cells, &mut self.busiest),
            Some(Table::Latency) => latency(row, &cells),
            Some(table) => {
                if let Some(part) = traffic(row, table, &cells, &self.titles, at) {
                    if run.asked.target_size.is_none() {
                        run.asked.target_size = cells.last().and_then(|c| size_of_file(c));
                    }
                    if run.rows.len() < 10_000 {
                        run.rows.push(part);
                    }
                }
            }
        }
    }
}

fn title(line: &str) -> Option<Table> {
    match line.trim_end_matches(':') {
        "Total IO" => Some(Table::Total),
        "Read IO" => Some(Table::Read),
        "Write IO" => Some(Table::Write),
        _ => line.starts_with("%-ile").then_some(Table::Latency),
    }
}

/// The number that a text begins with.
fn leading(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','));
    text::amount(&text[..end.unwrap_or(text.len())])
}

fn of_target(target: &mut TargetSpec, line: &str) {
    let after = |key: &str| line.strip_prefix(key).map(str::trim);
    let count = |key: &str| after(key).and_then(leading).map(|n| n as u64);
    match line {
        "using software cache" => target.cache = Some(Caching::Buffered),
        "software cache disabled" => target.cache = Some(Caching::Direct),
        "zeroing write buffers" => target.content = Some(Content::Zeros),
        "performing read test" => target.write = Some(0.0),
        "performing write test" => target.write = Some(100.0),
        _ => {}
    }
    if line.starts_with("hardware and software write caches disabled") {
        target.cache = Some(Caching::Direct);
    } else if line.starts_with("write buffer size:") || line.starts_with("write buffer source:") {
        target.content = Some(Content::Reused);
    } else if let Some(size) = after("block size:") {
        target.block = text::size(size);
    } else if let Some(ratio) = after("performing mix test (read/write ratio:") {
        target.write = ratio.split('/').nth(1).and_then(leading);
    } else if line.starts_with("using random I/O") || line.starts_with("using mixed random") {
        target.random = Some(true);
    } else if line.starts_with("using interlocked sequential") {
        (target.random, target.apart) = (Some(false), true);
    } else if line.starts_with("using sequential") {
        target.random = Some(false);
    } else if let Some(stride) = after("thread stride size:").and_then(text::size) {
        target.apart |= stride > 0;
    } else if let Some(limit) = after("throughput rate-limited to") {
        match limit.contains("IOPS") {
            true => target.limit_iops = leading(limit),
            false => target.limit_bytes_per_ms = leading(limit),
        }
    }
    // Older versions leave `per thread` out.
    let depth = count("number of outstanding I/O operations per thread:");
    target.depth = depth
        .or_else(|| count("number of outstanding I/O operations:"))
        .or(target.depth);
    target.threads = count("threads per file:").or(target.threads);
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
    at: Place,
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
    match table {
        Table::Read => row.reads = side,
        Table::Write => row.writes = side,
        _ => (row.all, row.bandwidth, row.at) = (side, bandwidth, at),
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
