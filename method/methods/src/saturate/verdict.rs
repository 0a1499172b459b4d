//! What a campaign came to: a table and two charts for each profile, and what was not tested.

use super::ceiling::Ceiling;
use super::table::{COLUMNS, addresses, column, content, in_flight, interval, profile, row};
use super::{Cell, NEARLY, Point, Saturate};
use plimsoll_evidence::wording::{plural, rate};
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartPoint, ChartSeries, Estimate, Figure, Finding,
    MethodChart, MethodTable, MethodVerdict, Quantity, Severity, StepEvidence, TableCell,
};
use plimsoll_plan::{Bytes, MORE_WORKERS, Stream};

/// How many other combinations may carry as much as the best: their intervals reach into its own, or one of both has none.
fn alike(full: &[(usize, &Point)], best: usize) -> String {
    let of = |at: usize| {
        full.iter()
            .find(|(a, _)| *a == at)
            .map(|(_, p)| p.evidence.rate)
    };
    let low = of(best)
        .as_ref()
        .and_then(interval)
        .map_or(0.0, |(low, _)| low);
    let reaches = |(at, point): &&(usize, &Point)| {
        *at != best && interval(&point.evidence.rate).is_none_or(|(_, high)| high >= low)
    };
    match (full.iter().filter(reaches).count(), full.len() - 1) {
        (0, _) => String::new(),
        (n, others) if n == others => {
            " (which has the most cannot be told: the intervals of all overlap)".into()
        }
        (n, _) => format!(
            " ({} cannot be told from it by their intervals)",
            plural(n, "other")
        ),
    }
}

/// The points, in the order of the tables.
const POINTS: [&str; 4] = ["full", "half", "quarter", "synchronous"];

/// A value and its interval.
type Read = (f64, Option<(f64, f64)>);

impl Cell<'_> {
    /// All points of it, in the order of the tables.
    fn points(&self) -> impl Iterator<Item = &Point<'_>> {
        self.full.iter().chain(&self.parts).chain(&self.synchronous)
    }
}

impl Saturate {
    /// The verdict on these cells; `None` where no point was measured.
    pub(super) fn verdict(&self, cells: &[Cell], complete: bool) -> Option<MethodVerdict> {
        let full: Vec<(usize, &Point)> = cells
            .iter()
            .enumerate()
            .filter_map(|(at, cell)| Some((at, cell.full.as_ref()?)))
            .collect();
        let best = full
            .iter()
            .max_by(|a, b| a.1.evidence.rate.mean.total_cmp(&b.1.evidence.rate.mean))?;
        let depth_short = cells.iter().any(|c| c.at_limit);
        let workers_short = cells.iter().any(|c| c.workers_at_limit);
        let profiles = || self.spec.reads.iter().enumerate();
        Some(MethodVerdict {
            method: "saturate".into(),
            run: self.cells[0].run.clone(),
            class: match (complete, depth_short, workers_short) {
                (false, ..) => "cut-short",
                (true, true, _) => "depth-short",
                (true, false, true) => "workers-short",
                (true, false, false) => "complete",
            }
            .into(),
            decided: complete && !depth_short && !workers_short,
            sentence: self.sentence(cells, &full, *best),
            figures: self.figures(cells, &full),
            tables: profiles()
                .map(|(p, read)| self.table(cells, p, *read))
                .chain([self.not_tested()])
                .collect(),
            charts: profiles()
                .flat_map(|(p, read)| {
                    let by_size = self.charts(cells, p, *read);
                    let several = self.spec.blocks.len() > 1;
                    let by_size = by_size.into_iter().filter(move |_| several);
                    self.by_depth(cells, p, *read).into_iter().chain(by_size)
                })
                .collect(),
            findings: self.doubts(cells, complete),
        })
    }

    /// The place of a cell: its profile and its size.
    fn words(&self, at: usize) -> String {
        let blocks = self.spec.blocks.len();
        format!(
            "{}, {}",
            profile(self.spec.reads[at / blocks]),
            self.spec.blocks[at % blocks]
        )
    }

    fn sentence(&self, cells: &[Cell], full: &[(usize, &Point)], best: (usize, &Point)) -> String {
        let e = best.1.evidence;
        let known: Vec<f64> = full
            .iter()
            .filter(|(at, _)| !cells[*at].at_limit)
            .map(|(_, p)| in_flight(p.evidence))
            .collect();
        let (low, high) = (
            known.iter().copied().fold(f64::INFINITY, f64::min),
            known.iter().copied().fold(0.0, f64::max),
        );
        let range = match low.round() == high.round() {
            true => format!("{low:.0}"),
            false => format!("{low:.0} to {high:.0}"),
        };
        let nearly = NEARLY * 100.0;
        let depths = match (known.len(), full.len() - known.len()) {
            (1, 0) => String::new(),
            (n, 0) => format!(
                " Of {n} combinations each takes {range} in flight for {nearly:.0} % of its most."
            ),
            (0, n) => format!(
                " How many in flight {} needs for {nearly:.0} % of its most is not known: the greatest depth that was tried ended the search.",
                plural(n, "combination")
            ),
            (n, short) => format!(
                " Of {n} combinations each takes {range} in flight for {nearly:.0} % of its most; of {short} it is not known: the greatest \
                 depth that was tried ended the search."
            ),
        };
        format!(
            "{} carries the most, {}, with {:.0} in flight at a mean response of {}{}.{depths}",
            self.words(best.0),
            rate(e.rate.mean),
            in_flight(e),
            plimsoll_evidence::wording::time(e.response_mean_ns.mean),
            alike(full, best.0),
        ) + &self.ceilings(cells)
    }

    /// The ceiling in bytes of each profile that shows one, as sentences.
    fn ceilings(&self, cells: &[Cell]) -> String {
        let profiles = self.spec.reads.iter().enumerate();
        let said = profiles.filter_map(|(p, read)| {
            let ceiling = self.ceiling(cells, p)?;
            Some(format!(
                " {}: from {} on rate times size is constant: the link, the host or the back end carries {:.0} MB/s.",
                profile(*read),
                ceiling.from,
                ceiling.bytes_per_s / 1e6
            ))
        });
        said.collect()
    }

    /// Ceiling of a profile's bytes a second, whatever the size of the I/Os.
    fn ceiling(&self, cells: &[Cell], profile_at: usize) -> Option<Ceiling> {
        let blocks = self.spec.blocks.len();
        let sizes = self.spec.blocks.iter().enumerate().map(|(b, block)| {
            let full = cells.get(profile_at * blocks + b)?.full.as_ref()?;
            Some((*block, full.evidence.rate.mean * block.0 as f64))
        });
        Ceiling::of(sizes.collect::<Option<_>>()?)
    }

    /// Of each cell the rate at its least sufficient concurrency, and that concurrency.
    fn figures(&self, cells: &[Cell], full: &[(usize, &Point)]) -> Vec<Figure> {
        let blocks = self.spec.blocks.len();
        full.iter()
            .flat_map(|(at, point)| {
                let read = self.spec.reads[at / blocks];
                let key = format!("read{read}_{}", self.spec.blocks[at % blocks]).to_lowercase();
                let e = point.evidence;
                let iops = Figure::new(
                    &format!("{key}_iops"),
                    &format!("{}: rate", self.words(*at)),
                    Quantity::PerSecond(e.rate.mean),
                );
                let (name, label) = (
                    format!("{key}_in_flight"),
                    format!("{}: in flight", self.words(*at)),
                );
                let depth = match cells[*at].at_limit {
                    false => Figure::new(&name, &label, Quantity::Number(in_flight(e))),
                    true => Figure::unknown(
                        &name,
                        &label,
                        format!(
                            "not known: the rate still grew at the greatest depth, {} on each target",
                            cells[*at].looks.greatest()
                        ),
                    ),
                };
                [
                    match interval(&e.rate) {
                        Some((low, high)) => iops.within(low, high),
                        None => iops,
                    },
                    depth,
                ]
            })
            .chain(self.spec.reads.iter().enumerate().filter_map(|(p, read)| {
                let ceiling = self.ceiling(cells, p)?;
                Some(Figure::new(
                    &format!("read{read}_ceiling"),
                    &format!("{}: bytes a second from {} on", profile(*read), ceiling.from),
                    Quantity::BytesPerSecond(ceiling.bytes_per_s),
                ))
            }))
            .collect()
    }

    fn table(&self, cells: &[Cell], profile_at: usize, read: f64) -> MethodTable {
        let mut rows = Vec::new();
        for (b, block) in self.spec.blocks.iter().enumerate() {
            let Some(cell) = cells.get(profile_at * self.spec.blocks.len() + b) else {
                break;
            };
            for point in cell.points() {
                rows.push(row(block.0, point));
            }
        }
        MethodTable {
            // What the points are of stands where they are read.
            title: format!(
                "{}: full is the least in flight that carries {:.0} % of the most; half and quarter carry half and a quarter of full's \
                 rate; synchronous has one in flight",
                profile(read),
                NEARLY * 100.0
            ),
            columns: COLUMNS.iter().map(|(n, l)| column(n, l)).collect(),
            rows,
        }
    }

    /// Rate, and response, against the I/Os in flight: a line for each size, through all that was looked at for its most.
    fn by_depth(&self, cells: &[Cell], profile_at: usize, read: f64) -> [MethodChart; 2] {
        let blocks = &self.spec.blocks;
        let series = |y: fn(&StepEvidence) -> f64| -> Vec<ChartSeries> {
            let of_block = |(b, block): (usize, &Bytes)| {
                let cell = cells.get(profile_at * blocks.len() + b)?;
                let looks = cell.looks.steps();
                let of_steps = |steps: &[&StepEvidence]| {
                    let count = steps.len().max(1) as f64;
                    let mean = |of: fn(&StepEvidence) -> f64| {
                        steps.iter().map(|s| of(s)).sum::<f64>() / count
                    };
                    ChartPoint {
                        x: mean(in_flight),
                        y: mean(y),
                        ..ChartPoint::default()
                    }
                };
                Some(ChartSeries {
                    name: match blocks.len() {
                        1 => String::new(),
                        _ => block.to_string(),
                    },
                    points: looks.map(of_steps).collect(),
                })
            };
            blocks.iter().enumerate().filter_map(of_block).collect()
        };
        let chart = |what: &str, unit, series| MethodChart {
            title: format!("{what} by I/Os in flight, {}", profile(read)),
            kind: ChartKind::Lines,
            x: ChartAxis {
                logarithmic: true,
                ..ChartAxis::of("in flight", AxisUnit::Number)
            },
            y: ChartAxis::of(what, unit)
                .with_intervals("No intervals: each depth was looked at for a short time"),
            z: None,
            series,
            marks: Vec::new(),
        };
        [
            chart(
                "I/Os per second",
                AxisUnit::PerSecond,
                series(|s| s.rate.mean),
            ),
            chart(
                "mean response",
                AxisUnit::Ns,
                series(|s| s.response_mean_ns.mean),
            ),
        ]
    }

    /// Rate, and response, against the size: a line for each point.
    fn charts(&self, cells: &[Cell], profile_at: usize, read: f64) -> [MethodChart; 2] {
        let blocks = &self.spec.blocks;
        let series = |y: &dyn Fn(&StepEvidence) -> Read| -> Vec<ChartSeries> {
            let of_point = |name: &&str| {
                let points = blocks.iter().enumerate().filter_map(|(b, block)| {
                    let cell = cells.get(profile_at * blocks.len() + b)?;
                    let point = cell.points().find(|p| p.name == *name)?;
                    let (y, interval) = y(point.evidence);
                    Some(ChartPoint {
                        x: block.0 as f64,
                        y,
                        interval,
                        z: None,
                    })
                });
                ChartSeries {
                    name: (*name).to_owned(),
                    points: points.collect(),
                }
            };
            POINTS.iter().map(of_point).collect()
        };
        let chart = |what: &str, unit, series| MethodChart {
            title: format!("{what} by transfer size, {}", profile(read)),
            kind: ChartKind::Lines,
            x: ChartAxis {
                logarithmic: true,
                ..ChartAxis::of("transfer size", AxisUnit::Bytes)
            },
            y: ChartAxis {
                logarithmic: true,
                ..ChartAxis::of(what, unit)
            },
            z: None,
            series,
            marks: Vec::new(),
        };
        let of = |e: &Estimate| (e.mean, interval(e));
        [
            chart(
                "I/Os per second",
                AxisUnit::PerSecond,
                series(&|s| of(&s.rate)),
            ),
            chart(
                "mean response",
                AxisUnit::Ns,
                series(&|s| of(&s.response_mean_ns)),
            ),
        ]
    }

    fn doubts(&self, cells: &[Cell], complete: bool) -> Vec<Finding> {
        let mut found = Vec::new();
        if !complete {
            found.push(Finding::of_method(
                "campaign-cut-short",
                Severity::Suspect,
                [
                    (
                        "done",
                        Quantity::Count(
                            cells.iter().filter(|c| c.synchronous.is_some()).count() as u64
                        ),
                    ),
                    ("planned", Quantity::Count(self.cells.len() as u64)),
                ],
            ));
        }
        for (at, cell) in cells.iter().enumerate() {
            if cell.at_limit {
                found.push(Finding::of_method(
                    "depth-at-limit",
                    Severity::Suspect,
                    [
                        ("cell", Quantity::Text(self.words(at))),
                        ("depth", Quantity::Count(u64::from(cell.looks.greatest()))),
                    ],
                ));
            }
            if let Some(workers) = cell.workers.filter(|_| cell.workers_at_limit) {
                found.push(Finding::of_method(
                    "workers-at-limit",
                    Severity::Suspect,
                    [
                        ("cell", Quantity::Text(self.words(at))),
                        ("workers", Quantity::Count(u64::from(workers))),
                    ],
                ));
            }
            let Some(full) = &cell.full else { continue };
            let reached = full.evidence.rate.mean;
            if reached < NEARLY * NEARLY * cell.most {
                found.push(Finding::of_method(
                    "less-than-in-search",
                    Severity::Suspect,
                    [
                        ("cell", Quantity::Text(self.words(at))),
                        ("searched", Quantity::PerSecond(cell.most)),
                        ("reached", Quantity::PerSecond(reached)),
                    ],
                ));
            }
        }
        found
    }

    /// The map of what nobody has looked at.
    fn not_tested(&self) -> MethodTable {
        let row = |dimension: &str, tested: String, not: &str| {
            [dimension.to_owned(), tested, not.to_owned()]
                .map(|text| TableCell::of(Quantity::Text(text)))
                .to_vec()
        };
        let join = |all: Vec<String>| all.join(", ");
        let first = &self.cells[0];
        let streams = &first.streams;
        let of_streams = |words: fn(&Stream) -> String| {
            let mut all: Vec<String> = streams.iter().map(words).collect();
            all.dedup();
            join(all)
        };
        let seconds = first.elapsed.as_secs_f64();
        MethodTable {
            title: "What was tested, and what was not".into(),
            columns: vec![
                column("dimension", ""),
                column("tested", "tested"),
                column("not_tested", "not tested"),
            ],
            rows: vec![
                row(
                    "mix",
                    join(self.spec.reads.iter().map(|r| profile(*r)).collect()),
                    "mixes between them; trims",
                ),
                row(
                    "transfer size",
                    join(self.spec.blocks.iter().map(ToString::to_string).collect()),
                    "sizes between them, several sizes at once, addresses off their boundaries",
                ),
                row(
                    "addresses",
                    of_streams(|s| addresses(&s.address)),
                    "other orders and working sets: a cache, or one hot owner, gives other numbers",
                ),
                row(
                    "content",
                    of_streams(|s| content(&s.content).into()),
                    "other content: an array that reduces data writes it at another speed",
                ),
                row(
                    "time",
                    format!("{seconds:.0} s a point"),
                    "what comes later: a cache that fills, garbage collection (plimsoll soak)",
                ),
                row(
                    "workers",
                    match first.workers.count {
                        Some(n) => plural(n as usize, "worker"),
                        None => format!("up to {} times as many as usual", 1 << MORE_WORKERS),
                    },
                    "more of them, and other numbers at each depth",
                ),
                row(
                    "load",
                    "closed loop at each depth".into(),
                    "a steady rate, with its waiting (plimsoll curve)",
                ),
                row("hosts", "this one".into(), "several at once"),
            ],
        }
    }
}
