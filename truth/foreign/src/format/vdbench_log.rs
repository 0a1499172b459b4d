//! Vdbench's lines one after the other: announcements, titles, intervals, averages.

use super::vdbench_page;
use super::vdbench_row::{self, MAX_RATE, MEGABYTE, WHOLE, Words};
use crate::model::{AskedSettings, InputPlace, Load, Pace, Remark, Row, Run, Scope};
use crate::text;
use plimsoll_plan::{Bytes, Rate};
use std::borrow::Cow;
use std::iter::Peekable;

/// Remarks that are kept of one text.
const MOST_REMARKS: usize = 50;

/// Line that Vdbench prints above a row before which it reported no interval, while the load went on.
const RUNS_BEHIND: &str = "Detailed reporting is running behind";

/// Words that announce a run, and those that stand last in the announcement.
const STARTING: &str = "Starting RD=";
const LOOPS: &str = "For loops:";

/// The runs of a text, and what was odd in it.
pub fn read(text: &str, source: usize) -> (Vec<Run>, Vec<Remark>) {
    let megabyte = if text.contains("1000**2") {
        1e6
    } else {
        MEGABYTE
    };
    let mut log = Log {
        megabyte,
        ..Log::default()
    };
    let mut untimed = false;
    let width = text.lines().map(|line| line.chars().count()).max();
    let mut lines = text::lines(text).peekable();
    while let Some((line, content)) = lines.next() {
        let at = InputPlace { source, line };
        let next = lines.peek().map_or("", |(_, next)| *next);
        if let Some(two) = vdbench_row::two_maxima(content, next) {
            (log.titles, log.columns) = (Some(two), None);
        }
        let is_broken = content.contains(STARTING) && !content.contains(LOOPS);
        let heading = match is_broken && next.contains(LOOPS) {
            // A terminal breaks at its last column, and a mail at a blank.
            true if Some(content.chars().count()) == width => {
                Cow::Owned(format!("{content}{next}"))
            }
            true => Cow::Owned(format!("{content} {next}")),
            false => Cow::Borrowed(content),
        };
        if let Some(run) = starting(&heading, at) {
            log.announced = true;
            log.begin(run);
            log.begun = content
                .split_whitespace()
                .next()
                .and_then(vdbench_row::time_of_day);
        } else if content.contains(RUNS_BEHIND) {
            log.runs_behind = true;
        } else if vdbench_row::begins_with_interval(content) {
            untimed = true;
        } else if let Some(words) = mended(content, untimed, log.titles, &mut lines) {
            let cut = lines.peek().is_none() && !text.ends_with('\n');
            log.row(at, &words, cut);
        }
    }
    let (runs, mut remarks) = log.finish();
    remarks.extend(vdbench_page::remarks(text, source, &runs));
    (runs, remarks)
}

/// The words of a line, with the rest of it where a mail or a terminal broke it in two, perhaps within a number: with the titles' columns it
/// is told which.
fn mended<'t>(
    content: &str,
    untimed: bool,
    titles: Option<bool>,
    lines: &mut Peekable<impl Iterator<Item = (u32, &'t str)> + Clone>,
) -> Option<Words> {
    let read = |line: &str| {
        let without_time = || vdbench_row::untimed(line).filter(|_| untimed);
        vdbench_row::words(line).or_else(without_time)
    };
    let words = read(content);
    let own = words.as_ref().map_or(0, |words| words.numbers.len());
    let fits = |columns: usize| {
        WHOLE.contains(&columns)
            && columns > own
            && titles.map_or(!WHOLE.contains(&own), |two| (columns % 2 == 1) == two)
    };
    let begins = own > 0 || content.starts_with(|c: char| c.is_ascii_digit());
    // Of rows without a time the next one has numbers alone, too.
    let most = match begins {
        true if untimed => 1,
        true => 3,
        false => 0,
    };
    let is_rest = |line: &&str| {
        let rest = vdbench_row::rest(line);
        rest.is_some_and(|rest| rest.len() < *WHOLE.start())
    };
    let ahead = lines.clone().map(|(_, line)| line);
    let rest: Vec<&str> = ahead.take_while(is_rest).take(most).collect();
    let joined = [" ", ""].map(|glue| [&[content], &rest[..]].concat().join(glue));
    let mut whole = joined.iter().filter_map(|line| read(line));
    match whole.find(|whole| fits(whole.numbers.len())) {
        Some(whole) => {
            lines.nth(rest.len().saturating_sub(1));
            Some(whole)
        }
        None => words,
    }
}

/// True where rate, mean and depth don't belong together, as in a row whose columns are taken for others.
fn doubtful(row: &Row) -> bool {
    let (by_law, counted) = (
        row.in_flight().unwrap_or(0.0),
        row.queue_depth.unwrap_or(0.0),
    );
    (by_law - counted).abs() > 0.25 * counted + 0.2
}

/// Log, as far as it was read.
#[derive(Default)]
struct Log {
    megabyte: f64,
    runs: Vec<Run>,
    remarks: Vec<Remark>,
    /// True where any run was announced: then all were.
    announced: bool,
    /// True where the titles have the largest times of reads and writes apart.
    titles: Option<bool>,
    /// Number of columns of the rows.
    columns: Option<usize>,
    /// The last interval's number; more than any behind an average.
    last: u32,
    /// True where Vdbench said since the last row that it reports no interval until it has caught up.
    runs_behind: bool,
    /// Numbers and times of day of the run's intervals, s.
    times: Vec<(u32, f64)>,
    /// Time at which the run was announced, s of the day.
    begun: Option<f64>,
}

impl Log {
    fn begin(&mut self, run: Run) {
        self.end();
        (self.last, self.begun) = (0, None);
        // A log page has the same announcement as a line and as a heading.
        if self
            .runs
            .last()
            .is_some_and(|last| last.rows.is_empty() && last.name == run.name)
        {
            self.runs.pop();
        }
        self.runs.push(run);
    }

    /// True where an average comes so long after its run was announced that it is another's: lines between were cut out.
    fn is_late(&self, words: &Words) -> bool {
        let asked = self.runs.last().map(|run| &run.asked);
        let planned = asked.and_then(|a| Some(a.duration_s? + a.warm_up_s.unwrap_or(0.0)));
        let (Some(planned), Some(begun), Some(now)) = (planned, self.begun, words.time_s) else {
            return false;
        };
        // What is out at the end is waited for.
        (now - begun).rem_euclid(86_400.0) > 1.05 * planned + 60.0
    }

    /// True where the run that is read has its average.
    fn has_average(&self) -> bool {
        self.runs.last().is_some_and(|run| run.whole().is_some())
    }

    /// Ends the run that is read.
    fn end(&mut self) {
        if let Some(done) = self.runs.last_mut() {
            interval_length(done, &self.times);
            self.remarks.extend(without_short_end(done, &self.times));
        }
        self.times.clear();
    }

    /// A row, which may be `cut` off within a number.
    fn row(&mut self, at: InputPlace, words: &Words, cut: bool) {
        let columns = words.numbers.len();
        let like_others = self.columns.is_none_or(|c| c == columns);
        let row = vdbench_row::row(words, at, self.megabyte, self.titles)
            .filter(|row| like_others && !(cut && self.columns.is_none() && doubtful(row)));
        let Some(row) = row else {
            if columns >= 4 && self.remarks.len() < MOST_REMARKS {
                let text = format!(
                    "{columns} columns: cut off, or of a version that is not known; left out"
                );
                self.remarks.push(Remark { at, text });
            }
            return;
        };
        self.columns = Some(columns);
        let interval = match row.scope {
            Scope::Interval(number) => Some(number),
            _ => None,
        };
        // Copied without its beginning, a run begins where the numbers do again.
        let again =
            interval.is_some_and(|n| n <= self.last) && (!self.announced || self.last == u32::MAX);
        let late = interval.is_none() && self.is_late(words);
        let second = interval.is_none() && !late && self.announced && self.has_average();
        if late || second {
            let why = match late {
                true => "this average comes long after the run above should have ended",
                false => "the run above has its average",
            };
            let text = format!("{why}: this is another run's, whose beginning is missing");
            self.remarks.push(Remark { at, text });
        }
        if self.runs.is_empty() || again || late || second {
            let name = format!("run {}", self.runs.len() + 1);
            self.begin(Run {
                name,
                at,
                ..Run::default()
            });
        }
        self.missing(at, interval);
        (self.last, self.runs_behind) = (interval.unwrap_or(u32::MAX), false);
        if let Some(number) = interval {
            self.times.extend(words.time_s.map(|at| (number, at)));
        }
        if let Some(run) = self.runs.last_mut() {
            run.rows.push(row);
        }
    }

    /// Says which intervals are missing above a line, and keeps those that Vdbench itself skipped.
    fn missing(&mut self, at: InputPlace, interval: Option<u32>) {
        let Some(number) = interval.filter(|n| self.last < n - 1) else {
            return;
        };
        let (first, last) = (self.last + 1, number - 1);
        let why = match self.runs_behind {
            true => "Vdbench's reporting ran behind and skipped them, while the load went on",
            false => "cut out above this line",
        };
        if let Some(run) = self.runs.last_mut().filter(|_| self.runs_behind) {
            run.unreported.push((first, last));
        }
        if self.remarks.len() < MOST_REMARKS {
            let text = match first == last {
                true => format!(
                    "interval {first} is not there: {}",
                    why.replace("them", "it")
                ),
                false => format!("intervals {first} to {last} are not there: {why}"),
            };
            self.remarks.push(Remark { at, text });
        }
    }

    fn finish(mut self) -> (Vec<Run>, Vec<Remark>) {
        self.end();
        if let Some(last) = self
            .runs
            .last()
            .filter(|r| self.announced && r.whole().is_none())
        {
            let text = format!(
                "`{}` ends without an average: cut off, or interrupted",
                last.name
            );
            self.remarks.push(Remark { at: last.at, text });
        }
        self.runs.iter_mut().for_each(spans);
        let behind = self.runs.split_last().map_or(&[][..], |(_, before)| before);
        let silent = behind.iter().filter(|r| r.rows.is_empty()).map(|run| Remark {
            at: run.at,
            text: format!("`{}` was announced, and no line of its figures is there: it failed, or they were cut out", run.name),
        });
        let room = MOST_REMARKS.saturating_sub(self.remarks.len());
        self.remarks.extend(silent.take(room));
        // Announced, and cut off before its first interval.
        self.runs.retain(|r| !r.rows.is_empty());
        (self.runs, self.remarks)
    }
}

/// `Starting RD=name; I/O rate: X; elapsed=N warmup=M; For loops: threads=8`.
fn starting(line: &str, at: InputPlace) -> Option<Run> {
    let (_, rest) = line.split_once(STARTING)?;
    let rest = rest.split('<').next().unwrap_or(rest);
    let (name, rest) = rest.split_once(';').unwrap_or((rest, ""));
    let mut asked = AskedSettings::default();
    let mut loops = String::new();
    for word in rest.split([';', ' ']).map(str::trim) {
        let Some((key, value)) = word.split_once('=') else {
            continue;
        };
        let value = value.trim_end_matches('.');
        match key {
            "elapsed" => asked.duration_s = text::amount(value),
            "warmup" => asked.warm_up_s = text::amount(value),
            "threads" => asked.depth = text::amount(value).map(|n| n as u64),
            "xfersize" => asked.block = text::size(value).map(|s| (Bytes(s), Bytes(s))),
            "rdpct" => asked.read_share = text::amount(value).map(|p| (p / 100.0).min(1.0)),
            _ => {}
        }
    }
    if let Some((_, listed)) = rest.split_once(LOOPS) {
        loops = listed.trim().trim_end_matches('.').to_string();
    }
    if let Some((_, rate)) = rest.split_once("I/O rate:") {
        let rate = rate.split(';').next().unwrap_or("").trim();
        asked.load = load(rate);
    }
    let name = match loops.as_str() {
        "" | "None" => name.trim().to_string(),
        loops => format!("{} ({loops})", name.trim()),
    };
    Some(Run {
        name,
        at,
        asked,
        ..Run::default()
    })
}

fn load(rate: &str) -> Option<Load> {
    let lower = rate.to_ascii_lowercase();
    if lower.contains("curve") {
        return Some(Load::CurveMax);
    }
    if lower.contains("max") {
        return Some(Load::Max);
    }
    // A whole number: a comma in it parts thousands.
    let number = text::amount(&rate.replace(',', "")).filter(|r| *r > 0.0)?;
    // Gaps are exponential unless the definition says otherwise.
    (number < MAX_RATE).then_some(Load::Limited {
        rate: Rate(number),
        pace: Pace::Random,
    })
}

/// Length of an interval, from the times of the lines: Vdbench's are whole seconds, and its lines come up to half of one late.
fn interval_length(run: &mut Run, times: &[(u32, f64)]) {
    // Lines may be missing: by the numbers.
    let gap = |pair: &[(u32, f64)]| {
        let ((from, begin), (to, end)) = (pair[0], pair[1]);
        let seconds = (end - begin).rem_euclid(86_400.0);
        (to > from).then(|| seconds / f64::from(to - from))
    };
    let mut gaps: Vec<f64> = times.windows(2).filter_map(gap).collect();
    gaps.sort_by(f64::total_cmp);
    let planned = run
        .asked
        .duration_s
        .map(|d| d + run.asked.warm_up_s.unwrap_or(0.0));
    // By the last interval's number, for lines may be missing.
    let last = run
        .whole()
        .and_then(|w| w.covers)
        .map(|(_, last)| f64::from(last.max(1)));
    let length = match (gaps.get(gaps.len() / 2), planned.zip(last)) {
        (Some(gap), _) => gap.round().max(1.0),
        (None, Some((planned, last))) => planned / last,
        (None, None) => return,
    };
    for row in run
        .rows
        .iter_mut()
        .filter(|r| matches!(r.scope, Scope::Interval(_)))
    {
        row.seconds = Some(length);
    }
}

/// Takes the last interval out of a run that ended within it, as where `maxdata=` is reached: Vdbench counts its I/Os as those of a whole one.
fn without_short_end(run: &mut Run, times: &[(u32, f64)]) -> Option<Remark> {
    const SHORT: f64 = 0.6;
    let [.., (before, begin), (last, end)] = times else {
        return None;
    };
    let is_last = |row: &Row| row.scope == Scope::Interval(*last);
    let row = run.rows.iter().position(is_last)?;
    let (at, length) = (run.rows[row].at, run.rows[row].seconds?);
    let took = (end - begin).rem_euclid(86_400.0);
    // Lines of intervals of a second come up to half of one late.
    if *last != before + 1 || length < 2.0 || took > SHORT * length {
        return None;
    }
    run.rows.remove(row);
    let text = format!(
        "interval {last} ended after {took:.0} of {length:.0} s, and its rate is printed as that of all {length:.0}: left out; the average has it in it"
    );
    Some(Remark { at, text })
}

/// Sets the lengths of averages, from the intervals that they cover; without these from the length that the run was to have.
pub(super) fn spans(run: &mut Run) {
    let length = run.intervals().find_map(|(_, r)| r.seconds);
    let asked = &run.asked;
    let planned = asked.duration_s.map(|d| d + asked.warm_up_s.unwrap_or(0.0));
    for row in &mut run.rows {
        let Some((first, last)) = row.covers.filter(|(_, last)| *last > 0) else {
            continue;
        };
        let length = length.or(planned.map(|p| p / f64::from(last)));
        let covered = f64::from(last.saturating_add(1).saturating_sub(first));
        row.seconds = length.map(|l| l * covered);
    }
}
