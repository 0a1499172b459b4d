//! Columns of the console, the summary, and the pages of file systems, workloads and the host.

use super::FileColumns;
use super::tally::{FileTally, Spread};
use crate::vdbench::columns::{Megabyte, time_of_day};
use crate::vdbench::cpu::Cpu;
use jiff::Zoned;
use plimsoll_measure::Op;

/// Column of an operation, by its place in Vdbench's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::vdbench) struct Column(usize);

/// Operations with their words in Vdbench's reports.
const OPERATIONS: [(Op, &str); 12] = [
    (Op::Read, "read"),
    (Op::Write, "write"),
    (Op::Mkdir, "mkdir"),
    (Op::Rmdir, "rmdir"),
    (Op::Create, "create"),
    (Op::Open, "open"),
    (Op::Close, "close"),
    (Op::Delete, "delete"),
    (Op::Stat, "getattr"),
    (Op::Setattr, "setattr"),
    (Op::Access, "access"),
    (Op::Copy, "copy"),
];

impl Column {
    /// Number of columns.
    pub(super) const COUNT: usize = OPERATIONS.len();

    /// All of them, in order.
    pub(super) const ALL: [Column; Column::COUNT] = {
        let mut all = [Column(0); Column::COUNT];
        let mut at = 0;
        while at < Column::COUNT {
            all[at] = Column(at);
            at += 1;
        }
        all
    };

    /// Column of an operation; `None` where Vdbench has none.
    pub(in crate::vdbench) fn of(op: Op) -> Option<Column> {
        OPERATIONS
            .iter()
            .position(|(own, _)| *own == op)
            .map(Column)
    }

    pub(super) fn op(self) -> Op {
        OPERATIONS[self.0].0
    }

    /// Vdbench's word for its operation.
    pub(super) fn word(self) -> &'static str {
        OPERATIONS[self.0].1
    }

    /// The flat file has none for copies.
    pub(super) fn is_in_flat_file(self) -> bool {
        self.op() != Op::Copy
    }

    pub(super) fn at(self) -> usize {
        self.0
    }

    /// Reads and writes come before the megabytes; opens and closes have a column in every report.
    pub(super) fn is_always_shown(self) -> bool {
        self.moves() || matches!(self.op(), Op::Open | Op::Close)
    }

    fn moves(self) -> bool {
        self.op().moves_bytes()
    }
}

/// All that a line shows. Times ms of service.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures<'f> {
    pub tally: &'f FileTally,
    /// Configured length of what is counted, s; 0 where nothing is.
    pub seconds: f64,
    /// `None` where it could not be observed.
    pub cpu: Option<Cpu>,
}

impl Figures<'_> {
    pub(super) fn per_second(&self, count: f64) -> f64 {
        match self.seconds > 0.0 {
            true => count / self.seconds,
            false => 0.0,
        }
    }

    pub(super) fn rate(&self, column: Column) -> f64 {
        self.per_second(self.tally.of(column).ios as f64)
    }

    pub(super) fn requested_rate(&self) -> f64 {
        self.per_second(self.tally.requested.ios as f64)
    }

    /// Megabytes read and written a second.
    pub(super) fn mb_per_s(&self, mb: f64) -> [f64; 2] {
        let [read, write] = self.tally.transfers();
        [read, write].map(|t| self.per_second(t.bytes as f64 / mb))
    }

    /// Mean size of a transfer, whole bytes.
    pub(super) fn transfer_size(&self) -> u64 {
        let [read, write] = self.tally.transfers();
        (read.bytes + write.bytes)
            .checked_div(read.ios + write.ios)
            .unwrap_or(0)
    }

    fn read_percent(&self) -> f64 {
        let [read, write] = self.tally.transfers();
        match read.ios + write.ios {
            0 => 0.0,
            all => 100.0 * read.ios as f64 / all as f64,
        }
    }
}

/// A pair of columns below one title: (title, widths and decimals of the two).
type Pair = (&'static str, [&'static str; 2], [(usize, usize); 2]);

const RATE_AND_TIME: [&str; 2] = ["rate", "resp"];
const REQUESTED: Pair = ("ReqstdOps.", RATE_AND_TIME, [(6, 1), (6, 3)]);
const CPU: Pair = ("cpu%", ["total", "sys"], [(5, 1), (4, 2)]);
const MEGABYTES: Pair = ("mb/sec", ["read", "write"], [(5, 2), (5, 2)]);

fn pair_of(column: Column) -> Pair {
    let rate = if column.moves() { 6 } else { 5 };
    (column.word(), RATE_AND_TIME, [(rate, 1), (6, 3)])
}

/// A title in the middle of dots.
fn dotted(title: &str, width: usize) -> String {
    let extra = width.saturating_sub(title.chars().count());
    format!(
        " {}{title}{}",
        ".".repeat(extra / 2),
        ".".repeat(extra - extra / 2)
    )
}

/// The two lines of titles, with the interval and the CPU or without them.
pub(super) fn titles(columns: &FileColumns, is_whole: bool) -> [String; 2] {
    let mut lines = [String::new(), String::new()];
    let pair = |(title, halves, widths): Pair, lines: &mut [String; 2]| {
        lines[0] += &dotted(title, widths[0].0 + widths[1].0 + 1);
        for (half, (width, _)) in halves.into_iter().zip(widths) {
            lines[1] += &format!(" {half:>width$}");
        }
    };
    let single = |title: &str, below: &str, width: usize, lines: &mut [String; 2]| {
        lines[0] += &dotted(title, width);
        lines[1] += &format!(" {below:>width$}");
    };
    if is_whole {
        single("Interval", "", 12, &mut lines);
    }
    pair(REQUESTED, &mut lines);
    if is_whole {
        pair(CPU, &mut lines);
    }
    single(" read", "pct", 5, &mut lines);
    for column in columns.shown().filter(|c| c.moves()) {
        pair(pair_of(column), &mut lines);
    }
    pair(MEGABYTES, &mut lines);
    single("mb/sec", "total", 6, &mut lines);
    single("xfer", "size", 7, &mut lines);
    for column in columns.shown().filter(|c| !c.moves()) {
        pair(pair_of(column), &mut lines);
    }
    lines
}

/// The empty line and the two lines of titles, above the first interval of a run and every thirtieth.
pub(super) fn header(now: &Zoned, columns: &FileColumns) -> Vec<String> {
    let [first, second] = titles(columns, true);
    let date = now.strftime("%b %d, %Y");
    vec![
        String::new(),
        format!("{date}{first}"),
        format!("{:12}{second}", ""),
    ]
}

/// A number in so many characters: digits behind the point are cut where it does not fit.
fn fitted(value: f64, (width, decimals): (usize, usize)) -> String {
    let mut text = format!("{value:.decimals$}");
    while text.len() > width && text.contains('.') {
        text.pop();
        if text.ends_with('.') {
            text.pop();
        }
    }
    format!(" {text:>width$}")
}

fn pair(values: [f64; 2], (_, _, widths): Pair) -> String {
    let parts = values.into_iter().zip(widths);
    parts.map(|(value, width)| fitted(value, width)).collect()
}

/// One line behind the time and the label; `label` is an interval's number, or `avg_a-b`.
pub(super) fn line(
    now: &Zoned,
    label: &str,
    f: &Figures,
    mb: Megabyte,
    columns: &FileColumns,
) -> String {
    // Vdbench prints NaN where it has no CPU figures, and scripts expect a column there.
    let cpu = f.cpu.map_or([f64::NAN; 2], |c| [c.used(), c.kernel]);
    format!(
        "{} {label:>12}{}",
        time_of_day(now),
        cells(f, mb, columns, Some(cpu))
    )
}

/// Cells of a line of the skew report, which has neither intervals nor CPU.
pub(super) fn short_line(f: &Figures, mb: Megabyte, columns: &FileColumns) -> String {
    cells(f, mb, columns, None)
}

fn cells(f: &Figures, mb: Megabyte, columns: &FileColumns, cpu: Option<[f64; 2]>) -> String {
    let operation = |column: Column| {
        let time = f.tally.of(column).mean_ms();
        pair([f.rate(column), time], pair_of(column))
    };
    let megabytes = f.mb_per_s(mb.bytes());
    let mut line = pair([f.requested_rate(), f.tally.requested.mean_ms()], REQUESTED);
    line.extend(cpu.map(|cpu| pair(cpu, CPU)));
    line += &fitted(f.read_percent(), (5, 1));
    line.extend(columns.shown().filter(|c| c.moves()).map(operation));
    line += &pair(megabytes, MEGABYTES);
    line += &fitted(megabytes[0] + megabytes[1], (6, 2));
    line += &format!(" {:>7}", f.transfer_size());
    line.extend(columns.shown().filter(|c| !c.moves()).map(operation));
    line
}

/// The line of standard deviations or of maxima: `values` gives those of a column, and those of what was requested where that is one
/// operation. What is 0 is left blank.
pub(super) fn spread_line(
    now: &Zoned,
    label: &str,
    columns: &FileColumns,
    requested: Option<Column>,
    values: impl Fn(Column) -> Spread,
) -> String {
    let blank = |(width, decimals): (usize, usize), value: f64| match value == 0.0 {
        true => format!(" {:width$}", ""),
        false => fitted(value, (width, decimals)),
    };
    let both = |column: Option<Column>, (_, _, widths): Pair| {
        let spread = column.map(&values).unwrap_or_default();
        blank(widths[0], spread.rate) + &blank(widths[1], spread.time_ms)
    };
    let of = |column: Column| both(Some(column), pair_of(column));
    let mut line = format!("{} {label:>12}", time_of_day(now));
    line += &both(requested, REQUESTED);
    line += &both(None, CPU);
    line += &blank((5, 1), 0.0);
    line.extend(columns.shown().filter(|c| c.moves()).map(of));
    line += &both(None, MEGABYTES);
    line += &blank((6, 2), 0.0);
    line += &blank((7, 0), 0.0);
    line.extend(columns.shown().filter(|c| !c.moves()).map(of));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Titles and cells that Vdbench 5.04.07 printed.
    #[test]
    fn titles_are_vdbenchs() {
        let format = [Op::Mkdir, Op::Rmdir, Op::Create, Op::Delete, Op::Stat];
        let [first, second] = titles(&FileColumns(format.to_vec()), true);
        assert_eq!(
            first,
            " ..Interval.. .ReqstdOps... ...cpu%...  read ....read..... ....write.... ..mb/sec... mb/sec .xfer.. \
             ...mkdir.... ...rmdir.... ...create... ....open.... ...close.... ...delete... ..getattr..."
        );
        assert_eq!(
            second,
            "                rate   resp total  sys   pct   rate   resp   rate   resp  read write  total    size  \
             rate   resp  rate   resp  rate   resp  rate   resp  rate   resp  rate   resp  rate   resp"
        );
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        for (value, decimals, text) in [
            (4.124, (4, 2), " 4.12"),
            (11.166, (4, 2), " 11.1"),
            (100.0, (4, 2), "  100"),
            (123_456.78, (6, 1), " 123456"),
            (f64::NAN, (6, 1), "    NaN"),
        ] {
            assert_eq!(fitted(value, decimals), text);
        }
    }
}
