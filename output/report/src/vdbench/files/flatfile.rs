//! The flat file of runs on files: one line for each interval or average, a column a word, for programs.

use super::Column;
use super::columns::Figures;
use super::tally::Spread;
use crate::vdbench::columns::time_of_day;
use crate::vdbench::flatfile::{known, number, timestamp, word};
use crate::vdbench::run::RunDefinition;
use jiff::Zoned;

/// A title and what it is.
type Title = (String, String);

/// Titles in the order of 5.04.07.
fn titles() -> Vec<Title> {
    let named = |title: &str, what: &str| (title.to_owned(), what.to_owned());
    let mut all = vec![
        named("tod", "time of day"),
        named("timestamp", "date, time and zone"),
        named("Run", "name of the run"),
        named("Interval", "number of the interval, or avg_first-last"),
        named("Xfersize", "mean transfer, bytes"),
        named("Threads", "threads asked for by the run"),
        named(
            "Reqrate",
            "operations per second asked for; 9999988 is max, 9999977 that of a curve",
        ),
    ];
    of_operation("Rate", "Resp", "requested operations", &mut all);
    all.extend([
        named("MB/sec", "megabytes per second"),
        named("MB_read", "megabytes read per second"),
        named("MB_write", "megabytes written per second"),
    ]);
    for column in Column::ALL.into_iter().filter(|c| c.is_in_flat_file()) {
        let word = column.word();
        let title = word[..1].to_uppercase() + &word[1..];
        let (rate, time) = (format!("{title}_rate"), format!("{title}_resp"));
        of_operation(&rate, &time, &format!("{word} operations"), &mut all);
    }
    all.extend([
        named("Compratio", "compression ratio asked for"),
        named("Dedupratio", "deduplication ratio asked for"),
        named("cpu_used", "percent of all CPUs, user and kernel"),
        named("cpu_user", "the same in user mode"),
        named("cpu_kernel", "the same in the kernel"),
        named("cpu_wait", "the same waiting for I/O"),
        named("cpu_idle", "the same idle"),
    ]);
    all
}

fn of_operation(rate: &str, time: &str, what: &str, all: &mut Vec<Title>) {
    for (name, unit) in [(rate, "per second"), (time, "service time, ms")] {
        all.push((name.to_owned(), format!("{what}, {unit}")));
        all.push((format!("{name}_std"), "its standard deviation".to_owned()));
        all.push((format!("{name}_max"), "its maximum".to_owned()));
    }
}

/// Comment lines that name the columns, then the line of their titles.
pub(in crate::vdbench) fn heading() -> Vec<String> {
    let titles = titles();
    let mut lines = vec![
        "* Written by Plimsoll in the layout of Vdbench 5.04.07: one line for each interval and average,".to_owned(),
        "* one blank between columns; n/a where a value is not known.".to_owned(),
        "*".to_owned(),
    ];
    lines.extend(
        titles
            .iter()
            .map(|(title, what)| format!("* {title:<16}: {what}")),
    );
    lines.push("*".to_owned());
    // Vdbench's own reader knows the titles by the blank before them.
    let words: Vec<String> = titles.into_iter().map(|(title, _)| title).collect();
    lines.push(format!(" {}", words.join(" ")));
    lines
}

/// Standard deviations and maxima of a line: of a column, or of what was requested for `None`.
pub(super) type SpreadOf<'s> = &'s dyn Fn(Option<Column>) -> [Spread; 2];

/// One line.
pub(super) fn line(
    now: &Zoned,
    run: &RunDefinition,
    label: &str,
    f: &Figures,
    mb: f64,
    spread: SpreadOf<'_>,
) -> String {
    let [read, write] = f.mb_per_s(mb);
    let mut words = vec![
        time_of_day(now),
        timestamp(now),
        word(&run.name),
        label.to_owned(),
        number(f.transfer_size() as f64),
        known(run.looped("threads")),
        known(run.rate.column()),
    ];
    let operation = |rate: f64, time: f64, [std, max]: [Spread; 2]| {
        [rate, std.rate, max.rate, time, std.time_ms, max.time_ms].map(number)
    };
    let requested = f.tally.requested.mean_ms();
    words.extend(operation(f.requested_rate(), requested, spread(None)));
    words.extend([read + write, read, write].map(number));
    for column in Column::ALL.into_iter().filter(|c| c.is_in_flat_file()) {
        let time = f.tally.of(column).mean_ms();
        words.extend(operation(f.rate(column), time, spread(Some(column))));
    }
    words.push(known(run.requested.compratio));
    words.push(known(run.requested.dedupratio));
    let cpu = f
        .cpu
        .map(|c| [c.used(), c.user, c.kernel, c.wait, c.idle()]);
    words.extend((0..5).map(|at| known(cpu.map(|cpu| cpu[at]))));
    words.join(" ")
}
