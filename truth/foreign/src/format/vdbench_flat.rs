//! Vdbench's flat file: a line of titles, then one line an interval or average, with a blank between the words.

use super::vdbench_row::{MAX_RATE, MEGABYTE, bandwidth_pair, host_cpu};
use crate::model::{
    AskedSettings, Hits, InputPlace, Latency, Load, Pace, Remark, Row, Run, Scope, Side,
};
use crate::text;
use plimsoll_plan::{Bytes, Rate};

/// Rate by which Vdbench names the maximum of a curve.
const CURVE_RATE: f64 = 9_999_977.0;
/// The same of both in 5.04.03 and before.
const OLD_RATES: (f64, f64) = (999_988.0, 999_977.0);

/// True where a line is that of the titles.
fn is_titles(line: &str) -> bool {
    let has = |title: &str| line.split_whitespace().any(|w| w == title);
    has("Run") && has("Interval") && has("rate")
}

/// True where a text is a flat file.
pub fn is_one(text: &str) -> bool {
    text.lines()
        .take(400)
        .any(|l| l.contains("reqrate") && is_titles(l))
}

/// The runs of a flat file, and what was odd in it.
pub fn runs(text: &str, source: usize) -> (Vec<Run>, Vec<Remark>) {
    let (mut runs, mut remarks): (Vec<Run>, Vec<Remark>) = (Vec::new(), Vec::new());
    let mut titles: Vec<&str> = Vec::new();
    let mut ended = true;
    for (line, content) in text::lines(text) {
        let at = InputPlace { source, line };
        if is_titles(content) {
            titles = content.split_whitespace().collect();
            continue;
        }
        let cells: Vec<&str> = content.split_whitespace().collect();
        if titles.is_empty() || content.starts_with(['*', '<']) || cells.is_empty() {
            continue;
        }
        if let Some(odd) = Remark::other_columns(at, cells.len(), titles.len()) {
            remarks.push(odd);
            continue;
        }
        let line = Line {
            titles: &titles,
            cells: &cells,
        };
        let (Some(name), Some(row)) = (line.word("Run"), line.row(at)) else {
            continue;
        };
        let same = runs.last().is_some_and(|r| r.name == name) && !ended;
        if !same {
            runs.push(Run {
                name: name.into(),
                at,
                asked: line.asked(),
                ..Run::default()
            });
        }
        ended = row.scope == Scope::Whole;
        if let Some(run) = runs.last_mut() {
            // Of a mix of sizes it names the first.
            run.asked.block = run.asked.block.filter(|_| !line.has_other_sizes());
            run.rows.push(row);
        }
    }
    remarks.truncate(50);
    runs.iter_mut().for_each(lengths);
    (runs, remarks)
}

/// Sets the lengths of intervals. The average's I/Os are not there, so the lengths come from the time stamps.
fn lengths(run: &mut Run) {
    let stamps: Vec<f64> = run
        .rows
        .iter()
        .filter(|r| r.scope != Scope::Whole)
        .filter_map(|r| r.seconds)
        .collect();
    let mut gaps: Vec<f64> = stamps
        .windows(2)
        .map(|p| (p[1] - p[0]).rem_euclid(86_400.0))
        .collect();
    gaps.sort_by(f64::total_cmp);
    let length = gaps.get(gaps.len() / 2).map(|g| g.round().max(1.0));
    for row in &mut run.rows {
        row.seconds = length.filter(|_| row.scope != Scope::Whole);
    }
}

struct Line<'t> {
    titles: &'t [&'t str],
    cells: &'t [&'t str],
}

impl Line<'_> {
    fn word(&self, title: &str) -> Option<&str> {
        let at = self.titles.iter().position(|t| *t == title)?;
        self.cells.get(at).copied().filter(|c| *c != "n/a")
    }

    fn number(&self, title: &str) -> Option<f64> {
        text::amount(self.word(title)?)
    }

    /// True where I/Os had another size on average than the one that is named.
    fn has_other_sizes(&self) -> bool {
        let mean = self.number("bytes/io").filter(|mean| *mean > 0.0);
        let sizes = mean.zip(self.number("xfersize"));
        sizes.is_some_and(|(mean, named)| (mean - named).abs() > 0.01 * named.max(mean))
    }

    fn asked(&self) -> AskedSettings {
        let share = |title| self.number(title).map(|p| (p / 100.0).min(1.0));
        let (reads, writes) = (share("rhpct").unwrap_or(0.0), share("whpct").unwrap_or(0.0));
        let block = self
            .number("xfersize")
            .filter(|b| *b > 0.0)
            .map(|b| Bytes(b as u64));
        AskedSettings {
            block: block.map(|b| (b, b)),
            depth: self
                .number("threads")
                .filter(|t| *t > 0.0)
                .map(|t| t as u64),
            read_share: share("rdpct"),
            random: self.number("seekpct").map(|p| p > 0.0),
            target_size: self
                .number("lunsize")
                .and_then(|gb| text::bytes(gb * 1024.0 * 1024.0 * 1024.0))
                .filter(|b| b.0 > 0),
            load: self.number("reqrate").map(|rate| match rate {
                rate if rate == MAX_RATE || rate == OLD_RATES.0 => Load::Max,
                rate if rate == CURVE_RATE || rate == OLD_RATES.1 => Load::CurveMax,
                rate => Load::Limited {
                    rate: Rate(rate),
                    pace: Pace::Random,
                },
            }),
            hits: (reads > 0.0 || writes > 0.0).then_some(Hits {
                reads,
                writes,
                area: Bytes(1 << 20),
            }),
            ..AskedSettings::default()
        }
    }

    /// The row; until all are there, its seconds are the time of day.
    fn row(&self, at: InputPlace) -> Option<Row> {
        let label = self.word("Interval")?;
        let covers = label.strip_prefix("avg_").and_then(|r| r.split_once('-'));
        let covers = covers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let scope = match label.parse() {
            Ok(number) if number > 0 => Scope::Interval(number),
            _ if label.starts_with("avg_") => Scope::Whole,
            _ => return None,
        };
        let ms = |title: &str| {
            self.number(title)
                .and_then(text::millis)
                .filter(|n| n.0 > 0)
        };
        let rate = self.number("rate").and_then(text::rate);
        let share = self
            .number("read%")
            .filter(|p| *p <= 100.0)
            .map(|p| p / 100.0);
        let side = |share: Option<f64>, name: &str| Side {
            seconds: None,
            iops: share.zip(rate).map(|(s, r)| Rate(s * r.0)),
            ios: None,
            latency: Latency {
                mean: ms(&format!("{name}_resp")),
                sd: ms(&format!("{name}_std")),
                max: ms(&format!("{name}_max")),
                ..Latency::default()
            },
            completion: None,
        };
        let mut row = Row::new(scope, label, at);
        row.covers = covers;
        row.seconds = self.word("tod").and_then(seconds_of_day);
        row.all.iops = rate;
        row.all.latency.mean = ms("resp");
        row.all.latency.max = ms("resp_max");
        row.all.latency.sd = ms("resp_std");
        row.bandwidth = self
            .number("MB/sec")
            .and_then(|mb| text::bytes(mb * MEGABYTE));
        let bytes = row.bandwidth.map(|bytes| bytes.0 as f64);
        let figures = [self.number("rate"), self.number("bytes/io"), bytes];
        row.pairs
            .extend(bandwidth_pair(["rate", "bytes/io"], figures));
        row.reads = side(share, "read");
        row.writes = side(share.map(|s| 1.0 - s), "write");
        row.queue_depth = self.number("queue_depth");
        row.cpu = host_cpu(self.number("cpu_used"), self.number("cpu_kernel"));
        Some(row)
    }
}

fn seconds_of_day(tod: &str) -> Option<f64> {
    let mut parts = tod.splitn(3, ':').map(text::amount);
    Some(parts.next()?? * 3600.0 + parts.next()?? * 60.0 + parts.next()??)
}
