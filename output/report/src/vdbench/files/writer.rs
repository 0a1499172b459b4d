//! The report of a run on files: its lines and pages.

use super::FileColumns;
use super::columns::{self, Column, Figures};
use super::flatfile;
use super::tally::{FileTally, Rates, Spread, add_times};
use crate::vdbench::columns::{Megabyte, time_of_day};
use crate::vdbench::cpu::Cpu;
use crate::vdbench::error::VdbenchError;
use crate::vdbench::pages::Pages;
use crate::vdbench::run::{RunDefinition, StreamLabel};
use crate::vdbench::running::names;
use crate::vdbench::{histogram, notice};
use jiff::Zoned;
use plimsoll_measure::{Histogram, IntervalStats};
use std::collections::BTreeMap;

/// Title of the histograms, as Vdbench has it.
const TIMES: &str = "Total of all requested operations since warmup";

/// Intervals between two headers.
const HEADER_EVERY: u32 = 30;

/// Counts of a run on files so far.
#[derive(Debug)]
pub(in crate::vdbench) struct FileRun {
    columns: FileColumns,
    /// Counted operations of each stream, and service times of those that were asked for.
    counted: Vec<(FileTally, Histogram)>,
    /// Rates of the counted intervals, by the name of a page; those of all together have none.
    rates: BTreeMap<String, [Rates; Column::COUNT]>,
}

/// Facts that are the same for all lines of an interval or an average.
pub(in crate::vdbench) struct Moment<'m> {
    pub run: &'m RunDefinition,
    pub now: &'m Zoned,
    pub mb: Megabyte,
    /// Configured length of what is counted, s.
    pub seconds: f64,
    pub cpu: Option<Cpu>,
}

impl FileRun {
    /// Nothing is counted yet.
    pub(in crate::vdbench) fn new(columns: FileColumns, streams: usize) -> Self {
        FileRun {
            columns,
            counted: (0..streams).map(|_| Default::default()).collect(),
            rates: BTreeMap::new(),
        }
    }

    /// An interval has ended, the `before`-th of its run; the lines for the console.
    pub(in crate::vdbench) fn interval(
        &mut self,
        stats: &IntervalStats,
        (label, before, counts): (&str, u32, bool),
        m: &Moment<'_>,
        pages: &mut Pages,
    ) -> Result<Vec<String>, VdbenchError> {
        let is_format = m.run.is_format();
        let of = |stream| FileTally::of_stream(stream, is_format);
        let streams: Vec<FileTally> = stats.streams.iter().map(of).collect();
        let all = sum(&streams);
        if counts {
            self.count(&streams, &all, stats, m);
        }
        let titles = match before % HEADER_EVERY {
            0 => columns::header(m.now, &self.columns),
            _ => Vec::new(),
        };
        let line =
            |tally: &FileTally| columns::line(m.now, label, &m.figures(tally), m.mb, &self.columns);
        let parts = parts(m.run, &streams).into_iter();
        let parts = parts.map(|(name, tally)| (name, line(&tally)));
        let lines = pages.interval(titles, line(&all), parts)?;
        // One interval's rate has no deviation.
        let spread = |column: Option<Column>| {
            let tally = column.map_or(&all.requested, |c| all.of(c));
            [(0.0, tally.std_ms()), (0.0, tally.max_ms())]
                .map(|(rate, time_ms)| Spread { rate, time_ms })
        };
        let flat = flatfile::line(m.now, m.run, label, &m.figures(&all), m.mb.bytes(), &spread);
        pages.flatfile.line(&flat)?;
        Ok(lines)
    }

    fn count(
        &mut self,
        streams: &[FileTally],
        all: &FileTally,
        stats: &IntervalStats,
        m: &Moment<'_>,
    ) {
        let is_format = m.run.is_format();
        let both = self.counted.iter_mut().zip(streams).zip(&stats.streams);
        for (((sum, times), stream), stats) in both {
            sum.add(stream);
            add_times(stats, is_format, times);
        }
        let parts = parts(m.run, streams);
        let every = parts.iter().map(|(name, tally)| (name.as_str(), tally));
        for (name, tally) in every.chain([("", all)]) {
            let rates = self.rates.entry(name.to_owned()).or_default();
            for (rates, column) in rates.iter_mut().zip(Column::ALL) {
                rates.add(m.figures(tally).rate(column));
            }
        }
    }

    /// The averages of a run that has ended, its histograms and its shares; the lines for the console.
    pub(in crate::vdbench) fn averages(
        &self,
        label: &str,
        m: &Moment<'_>,
        edges_us: &[u64],
        pages: &mut Pages,
    ) -> Result<Vec<String>, VdbenchError> {
        let streams: Vec<FileTally> = self.counted.iter().map(|(tally, _)| *tally).collect();
        let all = sum(&streams);
        let mut lines = self.average_lines("", &all, label, m);
        let average = lines[0].clone();
        lines.extend(notice::busy(m.cpu, m.now));
        lines.extend(notice::limited(m.run, m.now));
        for page in [&mut pages.logfile, &mut pages.summary] {
            page.lines(&lines)?;
        }
        for page in [&mut pages.host, &mut pages.slave] {
            page.line(&average)?;
        }
        pages.totals.lines(&columns::header(m.now, &self.columns))?;
        pages.totals.line(&average)?;
        pages.totals.line("")?;
        for (name, tally) in parts(m.run, &streams) {
            let lines = self.average_lines(&name, &tally, label, m);
            pages.part(&name)?.lines(&lines)?;
        }
        let rates = self.rates.get("").copied().unwrap_or_default();
        let single = m.run.single_operation();
        let spread = |column: Option<Column>| {
            let (tally, rates) = match column.or(single) {
                Some(c) => (all.of(c), rates[c.at()]),
                None => (&all.requested, Rates::default()),
            };
            [(rates.std(), tally.std_ms()), (rates.max(), tally.max_ms())]
                .map(|(rate, time_ms)| Spread { rate, time_ms })
        };
        let flat = flatfile::line(m.now, m.run, label, &m.figures(&all), m.mb.bytes(), &spread);
        pages.flatfile.line(&flat)?;
        self.histograms(m.run, edges_us, pages)?;
        self.shares(&streams, m, pages)?;
        Ok(lines)
    }

    /// Averages, standard deviations and maxima, a line each.
    fn average_lines(
        &self,
        name: &str,
        tally: &FileTally,
        label: &str,
        m: &Moment<'_>,
    ) -> Vec<String> {
        let rates = self.rates.get(name).copied().unwrap_or_default();
        let single = m.run.single_operation();
        let std = |column: Column| Spread {
            rate: rates[column.at()].std(),
            time_ms: tally.of(column).std_ms(),
        };
        let max = |column: Column| Spread {
            rate: rates[column.at()].max(),
            time_ms: tally.of(column).max_ms(),
        };
        let of = |word: &str| label.replacen("avg", word, 1);
        vec![
            columns::line(m.now, label, &m.figures(tally), m.mb, &self.columns),
            columns::spread_line(m.now, &of("std"), &self.columns, single, std),
            columns::spread_line(m.now, &of("max"), &self.columns, single, max),
        ]
    }

    fn histograms(
        &self,
        run: &RunDefinition,
        edges_us: &[u64],
        pages: &mut Pages,
    ) -> Result<(), VdbenchError> {
        let times = |is_own: &dyn Fn(&StreamLabel) -> bool| {
            let mut sum = Histogram::new();
            let own = run.streams.iter().zip(&self.counted);
            own.filter(|(label, _)| is_own(label))
                .for_each(|(_, (_, times))| sum.merge(times));
            histogram::block(TIMES, &sum, edges_us)
        };
        pages.histogram.own_lines(&times(&|_| true))?;
        for name in names(run) {
            let block = times(&|label| label.sd == name || label.wd == name);
            pages.part_histogram(name)?.own_lines(&block)?;
        }
        Ok(())
    }

    /// The skew report.
    fn shares(
        &self,
        streams: &[FileTally],
        m: &Moment<'_>,
        pages: &mut Pages,
    ) -> Result<(), VdbenchError> {
        let [first, second] = columns::titles(&self.columns, false);
        let time = time_of_day(m.now);
        for (title, parts) in [
            ("FSD:", by_name(m.run, streams, |s| &s.sd)),
            ("FWD:", by_name(m.run, streams, |s| &s.wd)),
        ] {
            if title == "FWD:" && m.run.is_format() {
                continue;
            }
            let width = parts.iter().map(|(name, _)| name.chars().count()).max();
            let width = width.unwrap_or(0).max(12);
            let mut lines = vec![
                String::new(),
                format!("{:width$}{first}", ""),
                format!("{title:width$}{second}"),
            ];
            let row = |name: &str, tally: &FileTally| {
                let cells = columns::short_line(&m.figures(tally), m.mb, &self.columns);
                format!("{name:width$}{cells}")
            };
            lines.extend(parts.iter().map(|(name, tally)| row(name, tally)));
            if parts.len() > 1 {
                lines.push(row("Total", &sum(streams)));
            }
            for line in lines {
                pages.skew.line(&format!("{time} {line}"))?;
            }
        }
        Ok(())
    }
}

impl Moment<'_> {
    fn figures<'f>(&self, tally: &'f FileTally) -> Figures<'f> {
        Figures {
            tally,
            seconds: self.seconds,
            cpu: self.cpu,
        }
    }
}

fn sum(streams: &[FileTally]) -> FileTally {
    let mut all = FileTally::default();
    streams.iter().for_each(|s| all.add(s));
    all
}

/// Streams added up by a name of theirs, in order of first appearance.
fn by_name(
    run: &RunDefinition,
    streams: &[FileTally],
    name: impl Fn(&StreamLabel) -> &str,
) -> Vec<(String, FileTally)> {
    let mut parts: Vec<(String, FileTally)> = Vec::new();
    for (label, tally) in run.streams.iter().zip(streams) {
        match parts.iter_mut().find(|(known, _)| known == name(label)) {
            Some((_, sum)) => sum.add(tally),
            None => parts.push((name(label).to_owned(), *tally)),
        }
    }
    parts
}

/// File systems, then workloads; a name that is both stands for the file system.
fn parts(run: &RunDefinition, streams: &[FileTally]) -> Vec<(String, FileTally)> {
    let mut parts = by_name(run, streams, |s| &s.sd);
    for (name, tally) in by_name(run, streams, |s| &s.wd) {
        if !parts.iter().any(|(known, _)| *known == name) {
            parts.push((name, tally));
        }
    }
    parts
}
