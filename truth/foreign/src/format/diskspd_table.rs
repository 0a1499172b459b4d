//! The tables of a time span in DiskSPD's text.

use super::diskspd::quantile;
use crate::model::{InputPlace, Pair, Row, Samples, Scope, Side};
use crate::text;
use plimsoll_plan::Bytes;

/// A table of a time span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Table {
    Total,
    Read,
    Write,
    Latency,
    /// One whose title was left out.
    Untitled,
}

/// The table that a line begins.
pub(super) fn title(line: &str) -> Option<Table> {
    match line.trim_end_matches(':') {
        "Total IO" => Some(Table::Total),
        "Read IO" => Some(Table::Read),
        "Write IO" => Some(Table::Write),
        _ => line.starts_with("%-ile").then_some(Table::Latency),
    }
}

/// A line of a table, and its titles.
pub(super) struct Columns<'l> {
    pub(super) titles: &'l [String],
    pub(super) cells: &'l [&'l str],
}

/// The cells of a line. DiskSPD prints `total:` and the bytes in one, which are two here.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let cells = line.split('|').map(|cell| cell.trim().trim_matches('*'));
    let mut cells: Vec<&str> = cells.map(str::trim).collect();
    let total = cells[0]
        .split_once(':')
        .filter(|(name, bytes)| name.eq_ignore_ascii_case("total") && !bytes.is_empty());
    if let Some((name, bytes)) = total {
        cells.splice(..1, [name, bytes.trim()]);
    }
    cells
}

/// True where the last cell of a text's last line may lack digits: a time has three behind its point, a rate two, and of a count nobody
/// knows.
pub(super) fn is_cut(table: Table, titles: &[String], cells: &[&str]) -> bool {
    let last = cells.last().copied().unwrap_or_default();
    let title = titles.get(cells.len() - 1).map_or("", String::as_str);
    let wanted = match title {
        _ if table == Table::Latency => 3,
        title if title.contains("Lat") => 3,
        "bytes" | "I/Os" => usize::MAX,
        _ => 2,
    };
    let decimals = last.rsplit_once(['.', ',']).map_or(0, |(_, d)| d.len());
    last.starts_with(|c: char| c.is_ascii_digit()) && decimals < wanted
}

impl Columns<'_> {
    pub(super) fn is_total(&self) -> bool {
        let name = self.cells.first().map(|name| name.trim_end_matches(':'));
        name.is_some_and(|name| name.eq_ignore_ascii_case("total"))
    }

    fn number(&self, title: &str) -> Option<f64> {
        let at = self.titles.iter().position(|t| t.starts_with(title))?;
        let cell = self.cells.get(at)?;
        match title {
            "bytes" | "I/Os" => text::count(cell),
            _ => text::amount(cell),
        }
    }

    /// The rates of all intervals, of which DiskSPD prints the deviation.
    pub(super) fn samples(&self, interval_s: f64, seconds: Option<f64>) -> Option<Samples> {
        self.is_total().then_some(())?;
        Some(Samples {
            count: (seconds.filter(|_| interval_s > 0.0)? / interval_s) as u64,
            min: None,
            mean: self.number("I/O per s")?,
            max: None,
            sd: self.number("IopsStdDev")?,
        })
    }
}

/// A line of a table of I/O: puts a total into the run's row, and gives a thread's own.
pub(super) fn traffic(
    row: &mut Row,
    table: Table,
    columns: &Columns,
    at: InputPlace,
) -> Option<Row> {
    let column = |title: &str| columns.number(title);
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
    if !columns.is_total() {
        let thread = columns.cells.first()?;
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
pub(super) fn latency(row: &mut Row, cells: &[&str]) {
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
pub(super) fn size_of_file(cell: &str) -> Option<Bytes> {
    let (_, size) = cell.rsplit_once('(')?;
    text::size(size.trim_end_matches(')')).map(Bytes)
}
