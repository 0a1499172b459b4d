//! One line of Vdbench's console, summary and logfile. Which columns it has is told by how many: 5.04.07 has the largest times of
//! reads and of writes, 5.04.06 and 5.03 one for both; where Vdbench knows no CPU figures the last two are missing.

use crate::model::{Cpu, CpuOf, InputPlace, Latency, Pair, Row, Scope, Side};
use crate::text;
use plimsoll_plan::Rate;

/// Rate by which Vdbench names its largest rate in the flat file.
pub const MAX_RATE: f64 = 9_999_988.0;

/// A line that could be one: the time of day in s, its label, and its numbers, of which some are none (`NaN`).
#[derive(Debug, Clone, PartialEq)]
pub struct Words {
    /// Seconds since midnight.
    pub time_s: Option<f64>,
    /// `3`, `avg_2-5`.
    pub label: String,
    /// The columns behind it.
    pub numbers: Vec<Option<f64>>,
}

/// Splits a line; `None` of one that is no interval and no average.
pub fn words(line: &str) -> Option<Words> {
    words_of(line).filter(|w| w.time_s.is_some() || w.label.starts_with("avg_"))
}

/// The same of a text whose lines have no time.
pub fn untimed(line: &str) -> Option<Words> {
    words_of(line).filter(|w| WHOLE.contains(&w.numbers.len()))
}

fn words_of(line: &str) -> Option<Words> {
    let first = line.split_whitespace().next()?;
    // A long range has no room before it.
    let (first, glued) = match first.find("avg_") {
        Some(at) if at > 0 => first.split_at(at),
        _ => (first, ""),
    };
    let time_s = time_of_day(first);
    let mut tokens = line.split_whitespace().skip(usize::from(time_s.is_some()));
    let label = match glued {
        "" => tokens.next()?,
        glued => glued,
    };
    scope(label)?;
    let numbers = tokens.enumerate().map(|(at, token)| match at {
        BYTES => cell(&token.replace(',', "")),
        _ => cell(token),
    });
    let numbers: Option<Vec<Option<f64>>> = numbers.collect();
    let numbers = numbers?;
    (!numbers.is_empty()).then(|| Words {
        time_s,
        label: label.to_string(),
        numbers,
    })
}

/// The column of the bytes of an I/O, which have no decimals.
const BYTES: usize = 2;

/// The numbers of a line that has nothing else: the rest of one that a mail broke in two.
pub fn rest(line: &str) -> Option<Vec<Option<f64>>> {
    let cells: Option<Vec<_>> = line.split_whitespace().map(cell).collect();
    cells.filter(|c| !c.is_empty())
}

fn cell(token: &str) -> Option<Option<f64>> {
    match token {
        "NaN" | "n/a" | "-nan" | "nan" => Some(None),
        _ => text::number(token).map(|n| Some(n).filter(|n| *n >= 0.0)),
    }
}

/// Seconds since midnight of `17:46:35.163`.
pub fn time_of_day(token: &str) -> Option<f64> {
    let mut parts = token.split(':');
    let (h, m, s) = (parts.next()?, parts.next()?, parts.next()?);
    let short = |t: &str| t.len() <= 2 && t.bytes().all(|b| b.is_ascii_digit());
    if parts.next().is_some() || !short(h) || !short(m) {
        return None;
    }
    let (h, m): (f64, f64) = (h.parse().ok()?, m.parse().ok()?);
    Some(h * 3600.0 + m * 60.0 + text::amount(s).filter(|s| *s < 61.0)?)
}

/// Bytes of a megabyte, where Vdbench was not told to count in powers of 1000.
pub const MEGABYTE: f64 = 1_048_576.0;

/// Scope of a label: an interval, or an average and which intervals it covers.
fn scope(label: &str) -> Option<(Scope, Option<(u32, u32)>)> {
    if let Some(range) = label.strip_prefix("avg_") {
        let (first, last) = range.split_once('-')?;
        return Some((
            Scope::Whole,
            Some((first.parse().ok()?, last.parse().ok()?)),
        ));
    }
    let number: u32 = label.parse().ok().filter(|n| *n > 0)?;
    Some((Scope::Interval(number), None))
}

/// Count of numbers in whole lines, behind the label.
pub const WHOLE: std::ops::RangeInclusive<usize> = 10..=13;

/// True where the second line of titles has the largest times of reads and writes apart; `None` of what is no such line, nor its first
/// part, of which the rest is in the next one.
pub fn two_maxima(line: &str, next: &str) -> Option<bool> {
    let of = |line: &str| {
        let maxima = line.split_whitespace().filter(|w| *w == "max").count();
        (line.contains("depth") && line.contains("stddev")).then_some(maxima > 1)
    };
    if !line.contains("rate") || !line.contains("pct") {
        return None;
    }
    of(line).or_else(|| {
        // Put together wrongly it has fewer words.
        let joined = [format!("{line} {next}"), format!("{line}{next}")];
        joined.iter().filter_map(|line| of(line)).max()
    })
}

/// True where the first line of titles stands at the beginning of its line, so that the rows below have no time.
pub fn begins_with_interval(line: &str) -> bool {
    line.trim_start().starts_with("interval") && line.contains("MB/sec")
}

/// The row; `None` where it hasn't as many columns as any version prints, or not those of the titles above it.
pub fn row(words: &Words, at: InputPlace, megabyte: f64, titles: Option<bool>) -> Option<Row> {
    let (scope, covers) = scope(&words.label)?;
    let n = &words.numbers;
    // Largest times of reads and writes apart, and CPU.
    let (two_maxima, cpu) = match n.len() {
        13 => (true, true),
        12 => (false, true),
        11 => (true, false),
        10 => (false, false),
        _ => return None,
    };
    // One that was cut off looks like one of another version.
    if titles.is_some_and(|two| two != two_maxima) {
        return None;
    }
    let get = |i: usize| n.get(i).copied().flatten();
    let ms = |i: usize| get(i).and_then(text::millis);
    let mut row = Row::new(scope, words.label.clone(), at);
    row.covers = covers;
    let rate = get(0).and_then(text::rate);
    row.bandwidth = get(1).and_then(|mb| text::bytes(mb * megabyte));
    let share = get(3)
        .filter(|p| (0.0..=100.0).contains(p))
        .map(|p| p / 100.0);
    let part = |of: f64| rate.map(|r| Rate(r.0 * of));
    row.all.iops = rate;
    row.all.latency.mean = ms(4).filter(|m| m.0 > 0);
    let max = |i| ms(i).filter(|m| m.0 > 0);
    let (read_max, write_max) = if two_maxima {
        (max(7), max(8))
    } else {
        (None, None)
    };
    row.all.latency.max = if two_maxima {
        read_max.max(write_max)
    } else {
        max(7)
    };
    let spread = if two_maxima { 9 } else { 8 };
    row.all.latency.sd = ms(spread);
    row.queue_depth = get(spread + 1);
    let side = |share: Option<f64>, mean: usize, max| Side {
        seconds: None,
        iops: share.and_then(part),
        ios: None,
        latency: Latency {
            mean: ms(mean).filter(|m| m.0 > 0),
            max,
            ..Latency::default()
        },
        completion: None,
    };
    row.reads = side(share, 5, read_max);
    row.writes = side(share.map(|s| 1.0 - s), 6, write_max);
    let figures = [get(0), get(2), get(1).map(|mb| mb * megabyte)];
    row.pairs
        .extend(bandwidth_pair(["i/o rate", "bytes i/o"], figures));
    row.cpu = cpu
        .then(|| host_cpu(get(spread + 2), get(spread + 3)))
        .flatten();
    Some(row)
}

/// Rate, bytes of an I/O and bytes each second, by the names of the first two.
pub fn bandwidth_pair(names: [&str; 2], figures: [Option<f64>; 3]) -> Option<Pair> {
    let [Some(rate), Some(size), Some(said)] = figures else {
        return None;
    };
    // A megabyte of the other kind is 5 % off, and nobody tells which it is where the titles are missing.
    let slack = 0.05 * said + 0.01 * MEGABYTE + 0.01 * size + rate;
    let what = names.join(" times ");
    Some(Pair::same(what, rate * size, "MB/sec", said, slack))
}

/// The host's CPU, from percents; Vdbench has NaN where it knows none.
pub fn host_cpu(busy: Option<f64>, system: Option<f64>) -> Option<Cpu> {
    let share = |p: Option<f64>| p.filter(|p| (0.0..=100.5).contains(p)).map(|p| p / 100.0);
    Some(Cpu {
        of: CpuOf::Host,
        busy: share(busy)?,
        system: share(system),
    })
}
