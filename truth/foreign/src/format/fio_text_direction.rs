//! One direction of a job in fio's text for people: its rates, its times, and what the line of a group says of it.

use super::fio_node::{CARRIED, Filling, GROUP_BANDWIDTH, GROUP_RUNTIME, ROUNDED, ROUNDED_BYTES};
use super::fio_text_words::{amount, carried, count, last_digit, number, told_or_carried, value};

/// Directions by the words of their lines.
pub const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];
/// Times by the words of their lines, and their keys.
pub const TIMES: [(&str, &str); 3] = [("slat", "slat_ns"), ("clat", "clat_ns"), ("lat", "lat_ns")];
/// Percentiles of one list; fio has at most 20.
const MOST_PERCENTILES: usize = 64;

/// Most words of a label.
const MOST_WORDS: usize = 64;

/// Times of one kind.
#[derive(Debug, Default)]
pub struct Times {
    line: u32,
    /// All but its percentiles.
    pub of: Filling,
    /// Percentiles of these times.
    pub percentiles: Filling,
}

impl Times {
    /// `min=…, max=…, avg=…, stdev=…`, in a unit.
    pub fn moments(&mut self, line: u32, content: &str, unit_ns: f64) {
        self.line = line;
        let content = uncut(content);
        for (key, word) in [("min", "min"), ("max", "max")] {
            let reported = value(content, word).and_then(count);
            self.of.number(key, line, reported.map(|v| v * unit_ns));
        }
        for (key, word) in [("mean", "avg"), ("stddev", "stdev")] {
            let reported = value(content, word).and_then(number);
            self.of.number(key, line, reported.map(|v| v * unit_ns));
        }
        self.rounded(line, unit_ns);
    }

    /// `|  1.00th=[    131],  5.00th=[    141]`, in a unit.
    pub fn percentiles(&mut self, line: u32, content: &str, unit_ns: f64) {
        for part in content.split_inclusive(']').take(MOST_PERCENTILES) {
            // Without its bracket it is cut off, perhaps within its figure.
            let part = part
                .strip_suffix(']')
                .and_then(|part| part.split_once("th=["));
            let Some((percent, time)) = part else {
                continue;
            };
            let percent = percent.trim_start_matches(['|', ' ', ',', '_']);
            let time = number(time.trim().trim_start_matches('>'));
            let (Some(percent), Some(time)) = (number(percent), time) else {
                continue;
            };
            let key = format!("{percent:.6}");
            // Another list's, whose title was left out.
            if self.percentiles.has(&key) {
                return;
            }
            self.percentiles.number(&key, line, Some(time * unit_ns));
        }
        self.rounded(line, unit_ns);
    }

    /// The coarsest unit of all that is told.
    fn rounded(&mut self, line: u32, unit_ns: f64) {
        if unit_ns > 1.0 {
            let most = self.of.get(ROUNDED).unwrap_or(0.0).max(unit_ns);
            self.of.number(ROUNDED, line, Some(most));
        }
    }

    /// All of it, with its line.
    pub fn finish(mut self) -> (u32, Filling) {
        let line = self.line;
        self.of.object("percentile", line, self.percentiles);
        (line, self.of)
    }
}

/// One direction.
#[derive(Debug, Default)]
pub struct Direction {
    /// First line of the direction.
    pub line: u32,
    /// Figures of the direction.
    pub of: Filling,
    /// Rate as it may be where a carry was lost in the text.
    carried: Option<f64>,
    /// Unit of the rate's last digit.
    digit: f64,
    /// Times of the direction, in the order of [`TIMES`].
    pub times: [Times; 3],
}

impl Direction {
    /// One of which nothing is told yet.
    pub fn new(line: u32) -> Self {
        Direction {
            line,
            ..Direction::default()
        }
    }

    /// Takes the line of a group that is this direction's alone: `WRITE: bw=290MiB/s (304MB/s), …, io=8200MiB (8598MB), run=28321-28321msec`;
    /// before 3.0 `READ: io=1024KB, aggrb=3413KB/s, …, mint=300msec, maxt=300msec`. Of other bytes it is another's.
    pub fn group(&mut self, line: u32, content: &str, newer: bool) {
        let kib = if newer { 1000.0 } else { 1024.0 };
        let of = &mut self.of;
        let io = value(content, "io")
            .and_then(|word| Some((amount(word, kib)?, last_digit(word, kib)?)));
        let own = of.get("io_bytes").zip(of.get(ROUNDED_BYTES));
        let is_own = io
            .zip(own)
            .is_some_and(|((io, digit), (own, rounded))| (io - own).abs() <= digit + rounded);
        if !is_own {
            return;
        }
        let run = value(content, "run").or(value(content, "maxt"));
        let run = run.and_then(|ms| number(ms.rsplit('-').next()?.trim_end_matches("msec")));
        of.number(GROUP_RUNTIME, line, run);
        let bandwidth = value(content, "bw").or(value(content, "aggrb"));
        let own: Vec<f64> = of.get("bw_bytes").into_iter().collect();
        let bandwidth = bandwidth.and_then(|word| {
            Some(told_or_carried(
                amount(word, kib)?,
                carried(word, kib),
                &own,
            ))
        });
        of.number(GROUP_BANDWIDTH, line, bandwidth);
    }
}

/// The first line of a direction that stands behind something: at the end of a header, as fio 2.6 prints it on Windows, or behind the label that
/// somebody put before it, as `grep` does the name of a file.
pub fn behind(content: &str) -> Option<(&str, &str)> {
    let blanks = content.match_indices([' ', '\t']).take(MOST_WORDS);
    let mut parts = blanks.map(|(at, _)| (&content[..at], &content[at + 1..]));
    let (label, rest) = parts.find(|(_, rest)| direction(rest).is_some())?;
    // A string of JSON is no line of a text.
    let is_text = !label.contains('"');
    is_text.then(|| (label.trim_end_matches([' ', '\t', ':']), rest))
}

/// The direction whose first line it is, and whether that is of 3.x.
pub fn direction(content: &str) -> Option<(usize, bool)> {
    let (word, rest) = content.split_once(':')?;
    let at = DIRECTIONS.iter().position(|d| *d == word.trim_end())?;
    let rest = rest.trim_start();
    (rest.starts_with("IOPS=") || rest.starts_with("io=")).then(|| (at, rest.starts_with('I')))
}

/// `read: IOPS=1629k, BW=6362MiB/s (6671MB/s)(63.6MiB/10msec)`; before 3.0 `read : io=1024KB, bw=3413KB/s, iops=853, runt= 300msec`.
pub fn rates(line: u32, content: &str, newer: bool) -> Direction {
    let mut direction = Direction::new(line);
    let of = &mut direction.of;
    let words = match newer {
        true => ("IOPS", "BW", 1000.0),
        false => ("iops", "bw", 1024.0),
    };
    let rate = value(content, words.0);
    of.number("iops", line, rate.and_then(count));
    direction.carried = rate.and_then(|r| carried(r, 1000.0));
    direction.digit = rate.and_then(|r| last_digit(r, 1000.0)).unwrap_or(1.0);
    let (bytes, runtime) = done(content, newer);
    let runtime = runtime.and_then(number);
    let seconds = runtime.filter(|ms| *ms > 0.0).map(|ms| ms / 1e3);
    let both = |word: &str| Some((amount(word, words.2)?, carried(word, words.2)));
    let each = |(reported, carried): (f64, Option<f64>)| [Some(reported), carried];
    // 3.x tells the bandwidth in powers of 1000, too.
    let again = content
        .split_once("/s (")
        .and_then(|(_, rest)| rest.split_once(')'));
    let again = again
        .and_then(|(word, _)| both(word))
        .map(each)
        .unwrap_or_default();
    let io = bytes.and_then(both);
    let made = io.map(each).unwrap_or_default();
    let made = made.map(|io| io.zip(seconds).map(|(io, s)| io / s));
    let others: Vec<f64> = again.into_iter().chain(made).flatten().collect();
    let bandwidth = value(content, words.1).and_then(both);
    let bandwidth =
        bandwidth.map(|(reported, carried)| told_or_carried(reported, carried, &others));
    of.number("bw_bytes", line, bandwidth);
    let moved: Vec<f64> = bandwidth
        .zip(seconds)
        .map(|(b, s)| b * s)
        .into_iter()
        .collect();
    let io = io.map(|(reported, carried)| told_or_carried(reported, carried, &moved));
    of.number("io_bytes", line, io);
    let rounded = bytes.and_then(|b| last_digit(b, words.2));
    of.number(ROUNDED_BYTES, line, rounded);
    of.number("runtime", line, runtime);
    direction
}

/// Figures of a line, but for the last one where the line may be cut within it: means and standard deviations have two decimals.
pub fn uncut(content: &str) -> &str {
    let last = content
        .rsplit('=')
        .next()
        .and_then(|last| last.trim().split_once(['.', ',']));
    match last.is_some_and(|(_, decimals)| decimals.len() >= 2) {
        true => content,
        false => content.rsplit_once(", ").map_or("", |(whole, _)| whole),
    }
}

/// Amount that a direction's first line says was done, and the time for it in ms.
fn done(content: &str, newer: bool) -> (Option<&str>, Option<&str>) {
    if !newer {
        let runtime =
            value(content, "runt").map(|r| r.trim_end_matches("msec").trim_end_matches("ms"));
        return (value(content, "io"), runtime);
    }
    let reported = content.split('(').find_map(|part| {
        let (inside, _) = part.split_once(')')?;
        inside.strip_suffix("msec")?.split_once('/')
    });
    reported.map_or((None, None), |(bytes, ms)| (Some(bytes), Some(ms)))
}

/// A direction's figures. A rate of which only some digits are told is what its count and its time make, where these digits say that; without a
/// count, what its bytes make, all of one size.
pub fn exact(direction: Direction, size: Option<f64>) -> Filling {
    let mut of = direction.of;
    if let (Some(reported), Some(ios), Some(ms)) =
        (of.get("iops"), of.get("total_ios"), of.get("runtime"))
        && ms > 0.0
    {
        let made = ios / ms * 1e3;
        let reported = told_or_carried(reported, direction.carried, &[made]);
        if (reported - made).abs() <= (0.006 * made).max(direction.digit) {
            of.number("iops", direction.line, Some(made));
        }
    } else {
        of.number(CARRIED, direction.line, direction.carried);
        // fio cuts decimals off.
        let by_bytes = |of: &Filling| Some(of.get("io_bytes")? / size? / of.get("runtime")? * 1e3);
        let cut_off = of.get("iops").zip(by_bytes(&of));
        let cut_off = cut_off.filter(|(reported, made)| {
            (*reported..reported + direction.digit.min(1.0)).contains(made)
        });
        of.number("iops", direction.line, cut_off.map(|(_, made)| made));
    }
    for ((_, key), times) in TIMES.into_iter().zip(direction.times) {
        let (line, times) = times.finish();
        of.object(key, line, times);
    }
    of
}
