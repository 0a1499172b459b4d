//! elbencho's file of `--livecsv`: a line each interval of a phase, of writes and of reads where both go on. The phase's own figures are
//! those of its intervals together.

use super::elbencho_csv::cells;
use super::elbencho_table::{COMMANDS, command_of, settings};
use crate::command;
use crate::model::{Cpu, CpuOf, InputPlace, Remark, Row, Run, Scope, Side};
use crate::text;

/// True where a line is that of the titles.
pub fn is_titles(line: &str) -> bool {
    line.contains("Phase") && line.contains("RuntimeMS") && line.contains("IOPS")
}

/// The phases of a text, and what was odd in it.
pub fn runs(text: &str) -> (Vec<Run>, Vec<Remark>) {
    let (mut runs, mut remarks): (Vec<Run>, Vec<Remark>) = (Vec::new(), Vec::new());
    let mut titles: Vec<String> = Vec::new();
    let (mut command, mut commands) = (String::new(), Vec::new());
    let mut last_ms = f64::MAX;
    for (line, content) in command::joined(text::whole_lines(text), COMMANDS) {
        let content = &*content;
        let at = InputPlace { source: 0, line };
        if is_titles(content) {
            titles = cells(content, ',');
            last_ms = f64::MAX;
            continue;
        }
        if let Some(given) = command_of(content) {
            command = given;
            continue;
        }
        let cells = cells(content, ',');
        if titles.is_empty() || content.trim().is_empty() {
            continue;
        }
        if let Some(odd) = Remark::other_columns(at, cells.len(), titles.len()) {
            remarks.push(odd);
            continue;
        }
        let word = |title: &str| {
            let at = titles.iter().position(|t| t == title);
            at.and_then(|at| cells.get(at)).map_or("", String::as_str)
        };
        // Those of each thread have no rate.
        let Some(ms) = text::amount(word("RuntimeMS")).filter(|_| word("Rank") == "Total") else {
            continue;
        };
        let name = [word("Label"), word("Phase")].join(" ").trim().to_string();
        let is_same = runs.last().is_some_and(|run| run.name == name);
        if ms == last_ms && is_same {
            // Its reads stand below its writes.
            if let Some(row) = runs.last_mut().and_then(|run| run.rows.last_mut()) {
                add(row, side(&word), word("MixType") == "Read");
            }
            continue;
        }
        if ms < last_ms || !is_same {
            runs.push(Run {
                name,
                at,
                ..Run::default()
            });
            commands.push(command.clone());
            last_ms = 0.0;
        }
        let Some(run) = runs.last_mut() else { continue };
        let number = run.rows.len() as u32 + 1;
        run.rows
            .push(interval(number, (ms - last_ms) / 1e3, at, &word));
        last_ms = ms;
    }
    for (run, command) in runs.iter_mut().zip(&commands) {
        let whole = whole(run).filter(|whole| whole.iops() > Some(0.0));
        if let Some(whole) = &whole {
            let rate = |side: &Side| side.iops.map_or(0.0, |rate| rate.0);
            let (reads, writes) = (rate(&whole.reads), rate(&whole.writes));
            run.asked = settings(command, reads / (reads + writes));
        }
        run.rows.extend(whole);
    }
    // What does no I/O, as making folders, has a rate of nothing.
    runs.retain(|run| run.rows.iter().any(|row| row.iops() > Some(0.0)));
    remarks.truncate(50);
    (runs, remarks)
}

/// All intervals of a phase together; `None` where one does not say how long it was.
fn whole(run: &Run) -> Option<Row> {
    let seconds: Option<f64> = run.rows.iter().map(|row| row.seconds).sum();
    let seconds = seconds.filter(|s| *s > 0.0)?;
    let mut all = Row::new(Scope::Whole, "all", run.rows.first()?.at);
    all.seconds = Some(seconds);
    let over_time = |of: &dyn Fn(&Row) -> Option<f64>| -> Option<f64> {
        let sums = run.rows.iter().map(|row| Some(of(row)? * row.seconds?));
        Some(sums.sum::<Option<f64>>()? / seconds)
    };
    let direction = |of: fn(&Row) -> &Side| {
        let mut side = Side::default();
        let rate = over_time(&|row| of(row).iops.map(|r| r.0)).filter(|r| *r > 0.0);
        let out = over_time(&|row| {
            let rate = of(row).iops?.0;
            match of(row).latency.mean {
                Some(mean) => Some(rate * mean.0 as f64),
                None => (rate == 0.0).then_some(0.0),
            }
        });
        side.iops = rate.and_then(text::rate);
        side.latency.mean = rate
            .zip(out.filter(|o| *o > 0.0))
            .and_then(|(r, o)| text::nanos(o / r));
        side
    };
    all.all = direction(|row| &row.all);
    all.reads = direction(|row| &row.reads);
    all.writes = direction(|row| &row.writes);
    let busy = over_time(&|row| row.cpu.map(|cpu| cpu.busy));
    all.cpu = busy.map(|busy| Cpu {
        of: CpuOf::Host,
        busy,
        system: None,
    });
    Some(all)
}

/// The interval of a line.
fn interval<'c>(number: u32, seconds: f64, at: InputPlace, word: &impl Fn(&str) -> &'c str) -> Row {
    let mut row = Row::new(Scope::Interval(number), number.to_string(), at);
    row.seconds = Some(seconds).filter(|s| *s > 0.0);
    let percent = text::amount(word("CPU")).filter(|p| *p <= 100.0);
    row.cpu = percent.map(|p| Cpu {
        of: CpuOf::Host,
        busy: p / 100.0,
        system: None,
    });
    let reads = word("MixType") == "Read" || word("Phase") == "READ";
    add(&mut row, side(word), reads);
    row
}

fn side<'c>(word: &impl Fn(&str) -> &'c str) -> Side {
    let mut side = Side {
        iops: text::amount(word("IOPS")).and_then(text::rate),
        ..Side::default()
    };
    let mean = text::amount(word("Lat IO us")).filter(|us| *us > 0.0);
    side.latency.mean = mean.and_then(|us| text::nanos(us * 1e3));
    side
}

/// Puts a direction into a row, and all of it anew.
fn add(row: &mut Row, side: Side, reads: bool) {
    *(if reads {
        &mut row.reads
    } else {
        &mut row.writes
    }) = side;
    row.all = match (row.reads.iops, row.writes.iops) {
        (Some(_), Some(_)) => super::elbencho_csv::both(&row.reads, &row.writes),
        (Some(_), None) => row.reads.clone(),
        _ => row.writes.clone(),
    };
}
