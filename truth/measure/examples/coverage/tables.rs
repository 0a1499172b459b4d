//! One table for each statistic, in Markdown.

use crate::series::{Marginal, autoregressive, correlation_time, distributed, seeded};
use std::thread;

use plimsoll_measure::{
    Confidence, Decision, Stopping, WarmUp, mean_confidence, segments, steady_episodes, theil_sen,
    warm_up,
};

/// Prints a table from so many repetitions of each cell; of one correlation alone, where that is said.
type Table = fn(u64, Option<f64>);

/// The tables by name.
pub const ALL: [(&str, Table); 6] = [
    ("mean", means),
    ("trend", trends),
    ("change", changes),
    ("steady", steadiness),
    ("stopping", stops),
    ("warm-up", warm_ups),
];

const PHIS: [f64; 6] = [0.0, 0.5, 0.8, 0.9, 0.95, 0.99];
/// Those that are asked for.
fn phis(all: &[f64], only: Option<f64>) -> Vec<f64> {
    let asked = |phi: &&f64| only.is_none_or(|only| only == **phi);
    all.iter().filter(asked).copied().collect()
}

/// As many as run at once.
const THREADS: usize = 2;
/// Fewer intervals than this share of the repetitions say nothing of their coverage.
const SHOWN: f64 = 0.01;

/// How many of the repetitions gave an answer, and how many of those were right.
#[derive(Default)]
struct Tally {
    asked: u64,
    given: u64,
    right: u64,
}

impl Tally {
    fn add(&mut self, right: Option<bool>) {
        self.asked += 1;
        self.given += u64::from(right.is_some());
        self.right += u64::from(right == Some(true));
    }

    /// By two threads, each with every second seed: the same seeds whatever it runs on.
    fn of(repetitions: u64, answer: impl Fn(u64) -> Option<bool> + Sync) -> Self {
        let part = &|first: u64| {
            let mut tally = Tally::default();
            let seeds = (first..repetitions).step_by(THREADS);
            seeds.for_each(|seed| tally.add(answer(seed)));
            tally
        };
        let mut all = Tally::default();
        thread::scope(|scope| {
            let parts: Vec<_> = (0..THREADS as u64)
                .map(|first| scope.spawn(move || part(first)))
                .collect();
            for part in parts {
                let part = part.join().expect("no answer panics");
                all.asked += part.asked;
                all.given += part.given;
                all.right += part.right;
            }
        });
        all
    }

    /// The share that was right, and that of answers where it is not all.
    fn cell(&self) -> String {
        let given = self.given as f64 / self.asked as f64;
        let right = 100.0 * self.right as f64 / self.given.max(1) as f64;
        if given < SHOWN {
            let wrong = self.given - self.right;
            return format!("too short ({} given, {wrong} wrong)", self.given);
        }
        match self.given == self.asked {
            true => format!("{right:.1} %"),
            false => format!("{right:.1} % ({:.0} % given)", 100.0 * given),
        }
    }
}

/// Lengths from 30 samples to a thousand correlation times. 100 times are counted both by the integrated correlation time
/// and by that in which a correlation falls to 1/e, which is half as long.
fn lengths(phi: f64) -> Vec<usize> {
    let time = correlation_time(phi);
    let mut lengths: Vec<usize> = [10.0, 20.0, 30.0, 40.0, 50.0, 100.0, 300.0, 1000.0]
        .iter()
        .map(|times| (times * time).round() as usize)
        .chain([30, 100])
        .filter(|length| *length >= 30)
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn row(phi: f64, length: usize, cells: &[String]) {
    let times = length as f64 / correlation_time(phi);
    println!("| {phi} | {length} | {times:.1} | {} |", cells.join(" | "));
}

fn means(repetitions: u64, only: Option<f64>) {
    println!(
        "| phi | samples | times | normal | exponential | lognormal |\n|---:|---:|---:|---:|---:|---:|"
    );
    for phi in phis(&PHIS, only) {
        for length in lengths(phi) {
            let cells = Marginal::ALL.map(|marginal| {
                let tally = Tally::of(repetitions, |seed| {
                    let series = distributed(seed, phi, length, marginal);
                    let c = mean_confidence(&series, 0.95).ok()?;
                    Some((c.low..=c.high).contains(&marginal.mean()))
                });
                tally.cell()
            });
            row(phi, length, &cells);
        }
    }
}

fn trends(repetitions: u64, only: Option<f64>) {
    println!(
        "| phi | samples | times | no trend: none seen | lognormal | slope of 4 standard errors: seen |"
    );
    println!("|---:|---:|---:|---:|---:|---:|");
    for phi in phis(&PHIS, only) {
        for length in lengths(phi) {
            let time = correlation_time(phi);
            // The standard error of a least-squares slope, with as many values as the series is worth.
            let slope = 4.0 * (12.0 * time / length as f64).sqrt() / length as f64;
            let none = |marginal: Marginal| {
                Tally::of(repetitions, |seed| {
                    let series = distributed(seed, phi, length, marginal);
                    Some(theil_sen(&series, 0.95).ok()?.p > 0.05)
                })
            };
            let seen = Tally::of(repetitions, |seed| {
                let mut series = distributed(seed, phi, length, Marginal::Normal);
                let slanted = series.iter_mut().enumerate();
                slanted.for_each(|(i, v)| *v += slope * i as f64);
                Some(theil_sen(&series, 0.95).ok()?.p <= 0.05)
            });
            let none = [Marginal::Normal, Marginal::Lognormal].map(none);
            row(phi, length, &[none[0].cell(), none[1].cell(), seen.cell()]);
        }
    }
}

fn changes(repetitions: u64, only: Option<f64>) {
    println!(
        "| phi | samples | times | false alarms, normal | exponential | lognormal | one change of 8 standard errors: one seen | and within 5 % of the samples |\n|---:|---:|---:|---:|---:|---:|---:|---:|"
    );
    for phi in phis(&PHIS, only) {
        for length in lengths(phi) {
            let mut cells: Vec<String> = Marginal::ALL
                .iter()
                .map(|marginal| {
                    let tally = Tally::of(repetitions, |seed| {
                        let found = segments(&distributed(seed, phi, length, *marginal))?;
                        Some(found.parts.len() == 1)
                    });
                    let alarms = tally.given - tally.right;
                    format!("{:.1} %", 100.0 * alarms as f64 / tally.asked as f64)
                })
                .collect();
            // At two thirds, by eight standard errors of the difference of both means.
            let at = length * 2 / 3;
            let shift = 8.0 * (correlation_time(phi) * 4.5 / length as f64).sqrt();
            let changed = |seed: u64| {
                let mut series = distributed(seed, phi, length, Marginal::Normal);
                series[at..].iter_mut().for_each(|v| *v -= shift);
                Some(
                    segments(&series)?
                        .changes()
                        .map(|c| c.at)
                        .collect::<Vec<_>>(),
                )
            };
            cells.push(Tally::of(repetitions, |seed| changed(seed).map(|c| c.len() == 1)).cell());
            let near = |c: Vec<usize>| c.len() == 1 && c[0].abs_diff(at) * 20 <= length;
            cells.push(Tally::of(repetitions, |seed| changed(seed).map(near)).cell());
            row(phi, length, &cells);
        }
    }
}

fn steadiness(repetitions: u64, _: Option<f64>) {
    println!(
        "| round's deviation | rounds | round, in correlation times | still to the end: reached and kept | falls by 30 % at half: lost | and within two rounds |\n|---:|---:|---:|---:|---:|---:|"
    );
    for deviation in [0.01, 0.03, 0.05] {
        for rounds in [20, 100, 1000] {
            for (phi, times) in [(0.0, 10.0), (0.9, 20.0)] {
                let size = (times * correlation_time(phi)) as usize;
                let length = rounds * size;
                let scale = deviation * (times).sqrt();
                let series = |seed: u64, drop: f64| {
                    let z = autoregressive(&mut seeded(seed), phi, length);
                    let level = |i: usize| if i >= length / 2 { 1.0 - drop } else { 1.0 };
                    let at: Vec<f64> = z
                        .iter()
                        .enumerate()
                        .map(|(i, z)| level(i) + scale * z)
                        .collect();
                    steady_episodes(&at, 1.0, size as f64)
                };
                let kept = Tally::of(repetitions, |seed| {
                    let found = series(seed, 0.0);
                    Some(found.len() == 1 && found[0].lost_at_s.is_none())
                });
                let half = length as f64 / 2.0;
                let near = |at: f64| (at - half).abs() <= 2.0 * size as f64;
                let lost = |seed: u64| -> Vec<f64> {
                    series(seed, 0.3)
                        .iter()
                        .filter_map(|e| e.lost_at_s)
                        .collect()
                };
                let any = Tally::of(repetitions, |seed| Some(!lost(seed).is_empty()));
                let near = Tally::of(repetitions, |seed| {
                    Some(matches!(lost(seed)[..], [at] if near(at)))
                });
                println!(
                    "| {:.0} % | {rounds} | {times:.0} | {} | {} | {} |",
                    100.0 * deviation,
                    kept.cell(),
                    any.cell(),
                    near.cell()
                );
            }
        }
    }
}

fn stops(repetitions: u64, only: Option<f64>) {
    println!(
        "| phi | distribution | asked | right where it stops | mean samples | first narrow 95 % interval: right | mean samples |"
    );
    println!("|---:|---|---:|---:|---:|---:|---:|");
    for phi in phis(&[0.0, 0.5, 0.9], only) {
        let time = correlation_time(phi);
        let (first, most) = ((50.0 * time) as usize, (5_000.0 * time) as usize);
        for (marginal, relative) in [
            (Marginal::Normal, 0.02),
            (Marginal::Normal, 0.01),
            (Marginal::Exponential, 0.2),
            (Marginal::Exponential, 0.1),
            (Marginal::Lognormal, 0.2),
        ] {
            let rule = Stopping::new(relative, 0.95, first, most);
            let (mut planned, mut peeked) = (Stopped::default(), Stopped::default());
            for seed in 0..repetitions {
                let series = distributed(seed, phi, most, marginal);
                let right = |c: &Confidence| (c.low..=c.high).contains(&marginal.mean());
                let (answer, samples) = by_plan(&rule, &series);
                planned.add(answer.as_ref().map(right), samples);
                let (answer, samples) = by_peeking(&series, relative, first);
                peeked.add(answer.as_ref().map(right), samples);
            }
            println!(
                "| {phi} | {marginal:?} | {:.0} % | {} | {} |",
                100.0 * relative,
                planned.cells(),
                peeked.cells()
            );
        }
    }
}

/// Intervals that were stopped at, and how many samples it took.
#[derive(Default)]
struct Stopped {
    tally: Tally,
    samples: usize,
}

impl Stopped {
    fn add(&mut self, right: Option<bool>, samples: usize) {
        self.tally.add(right);
        self.samples += samples;
    }

    fn cells(&self) -> String {
        let mean = self.samples as u64 / self.tally.asked.max(1);
        format!("{} | {mean}", self.tally.cell())
    }
}

fn by_plan(rule: &Stopping, series: &[f64]) -> (Option<Confidence>, usize) {
    let mut have = 0;
    loop {
        match rule.decide(&series[..have]) {
            Decision::Until(more) => have = more,
            Decision::Narrow(c) => return (Some(c), have),
            Decision::Last(_) => return (None, have),
        }
    }
}

/// A look every tenth more, at plain 95 % intervals, until the first that is narrow enough.
fn by_peeking(series: &[f64], relative: f64, first: usize) -> (Option<Confidence>, usize) {
    let mut have = first;
    while have <= series.len() {
        if let Ok(c) = mean_confidence(&series[..have], 0.95)
            && c.relative_half_width() <= relative
        {
            return (Some(c), have);
        }
        have += have.div_ceil(10);
    }
    (None, series.len())
}

fn warm_ups(repetitions: u64, only: Option<f64>) {
    println!(
        "| phi | samples | warm-up | found | cut, mean | bias of the mean before | after |\n|---:|---:|---|---:|---:|---:|---:|"
    );
    for phi in phis(&[0.0, 0.5, 0.9], only) {
        for length in [300, 3000] {
            for (name, depth, decay) in [
                ("none", 0.0, 1.0),
                ("half the level, dying away over 3 %", 5.0, 0.03),
                ("over 10 %", 5.0, 0.1),
                ("over all of it", 5.0, 2.0),
            ] {
                let (mut found, mut cut, mut before, mut after) = (0, 0, 0.0, 0.0);
                for seed in 0..repetitions {
                    let mut series = distributed(seed, phi, length, Marginal::Normal);
                    for (i, v) in series.iter_mut().enumerate() {
                        *v -= depth * (-(i as f64) / (decay * length as f64)).exp();
                    }
                    let mean = |s: &[f64]| s.iter().sum::<f64>() / s.len() as f64 - 10.0;
                    if let WarmUp::Ends(at) = warm_up(&series) {
                        found += 1;
                        cut += at;
                        before += mean(&series);
                        after += mean(&series[at..]);
                    }
                }
                let n = f64::from(found.max(1));
                println!(
                    "| {phi} | {length} | {name} | {:.0} % | {:.0} | {:.3} | {:.3} |",
                    100.0 * f64::from(found) / repetitions as f64,
                    cut as f64 / n,
                    before / n,
                    after / n
                );
            }
        }
    }
}
