//! The flat file: one line an interval or average, a column a word, for programs.

use super::columns::time_of_day;
use super::figures::Figures;
use super::run::RunDefinition;
use jiff::Zoned;
use plimsoll_printable::printable;

/// A column: its title, what it is, and its value.
type Column = (&'static str, &'static str, fn(&Line) -> String);

/// Parts that a line is made of.
struct Line<'a> {
    now: &'a Zoned,
    run: &'a RunDefinition,
    label: &'a str,
    figures: &'a Figures,
    mb: f64,
}

/// Columns as lines: `"read_resp" "the same of reads": |l| …;`
macro_rules! columns {
    ($($title:literal $what:literal: $value:expr;)*) => {
        [$(($title, $what, $value),)*]
    };
}

/// All columns of 5.04.07, in its order.
const COLUMNS: [Column; 34] = columns! {
    "tod" "time of day": |l| time_of_day(l.now);
    "timestamp" "date, time and zone": |l| timestamp(l.now);
    "Run" "name of the run": |l| word(&l.run.name);
    "Interval" "number of the interval, or avg_first-last": |l| l.label.to_owned();
    "reqrate" "I/Os per second asked for; 9999988 is max, 9999977 that of a curve": |l| known(l.run.rate.column());
    "rate" "I/Os per second achieved": |l| number(l.figures.rate());
    "MB/sec" "megabytes per second": |l| number(l.figures.mb_per_s(l.mb));
    "bytes/io" "mean transfer size, bytes": |l| number(l.figures.bytes_per_io());
    "read%" "percent of I/Os that read": |l| number(l.figures.read_pct());
    "resp" "mean service time, ms": |l| number(l.figures.tally.all().mean_ms());
    "read_resp" "the same of reads": |l| number(l.figures.tally.reads.mean_ms());
    "write_resp" "the same of writes": |l| number(l.figures.tally.writes.mean_ms());
    "resp_max" "largest service time, ms": |l| number(l.figures.tally.all().max_ms());
    "read_max" "the same of reads": |l| number(l.figures.tally.reads.max_ms());
    "write_max" "the same of writes": |l| number(l.figures.tally.writes.max_ms());
    "resp_std" "standard deviation of service time, ms": |l| number(l.figures.tally.all().std_ms());
    "read_std" "the same of reads": |l| number(l.figures.tally.reads.std_ms());
    "write_std" "the same of writes": |l| number(l.figures.tally.writes.std_ms());
    "xfersize" "transfer size asked for, bytes; of several the first": |l| known(l.run.requested.xfersize);
    "threads" "outstanding I/Os of one target; -1 where they differ": |l| known(l.run.requested.threads);
    "rdpct" "read percentage asked for": |l| known(l.run.requested.rdpct);
    "rhpct" "read hit percentage asked for": |l| known(l.run.requested.rhpct);
    "whpct" "write hit percentage asked for": |l| known(l.run.requested.whpct);
    "seekpct" "seek percentage asked for": |l| known(l.run.requested.seekpct);
    "lunsize" "size of all targets, GB of 1024**3 bytes": |l| known(gigabytes(l.run.requested.lunsize));
    "version" "not known, as in Vdbench itself": |_| "n/a".to_owned();
    "compratio" "compression ratio asked for": |l| known(l.run.requested.compratio);
    "dedupratio" "deduplication ratio asked for": |l| known(l.run.requested.dedupratio);
    "queue_depth" "mean I/Os in flight": |l| number(l.figures.depth);
    "cpu_used" "percent of all CPUs, user and kernel": |l| known(l.figures.cpu.map(|c| c.used()));
    "cpu_user" "the same in user mode": |l| known(l.figures.cpu.map(|c| c.user));
    "cpu_kernel" "the same in the kernel": |l| known(l.figures.cpu.map(|c| c.kernel));
    "cpu_wait" "the same waiting for I/O": |l| known(l.figures.cpu.map(|c| c.wait));
    "cpu_idle" "the same idle": |l| known(l.figures.cpu.map(|c| c.idle()));
};

/// Comment lines that name the columns, then the line of their titles.
pub(super) fn heading() -> Vec<String> {
    let mut lines = vec![
        "* Written by Plimsoll in the layout of Vdbench 5.04.07: one line for each interval and average,".to_owned(),
        "* one blank between columns; n/a where a value is not known.".to_owned(),
        "*".to_owned(),
    ];
    lines.extend(
        COLUMNS
            .iter()
            .map(|(title, what, _)| format!("* {title:<12}: {what}")),
    );
    lines.push("*".to_owned());
    // Vdbench's own reader knows the titles by the blank before them.
    lines.push(format!(" {}", COLUMNS.map(|(title, ..)| title).join(" ")));
    lines
}

/// One line.
pub(super) fn line(
    now: &Zoned,
    run: &RunDefinition,
    label: &str,
    figures: &Figures,
    mb: f64,
) -> String {
    let line = Line {
        now,
        run,
        label,
        figures,
        mb,
    };
    COLUMNS.map(|(_, _, value)| value(&line)).join(" ")
}

/// Date and time as the flat file and the status file have it: `03/21/2026-12:00:00-UTC`.
pub(super) fn timestamp(now: &Zoned) -> String {
    now.strftime("%m/%d/%Y-%H:%M:%S-%Z").to_string()
}

/// Up to four decimals, zeros at the end cut.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "n/a".into();
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A name as one word: columns are separated by blanks.
pub(super) fn word(name: &str) -> String {
    let line: String = printable(name).into_owned();
    line.replace(char::is_whitespace, "_")
}

pub(super) fn known(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".into(), number)
}

fn gigabytes(bytes: Option<u64>) -> Option<f64> {
    bytes.map(|b| b as f64 / (1u64 << 30) as f64)
}
