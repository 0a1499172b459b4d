//! What a campaign came to: a table and two charts for each profile, and what was not tested.

use super::ceiling::Ceiling;
use super::table::{columns, in_flight, interval, profile, row};
use super::{Cell, NEARLY, Point, Saturate};
use plimsoll_evidence::wording::{estimate, plural};
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartPoint, ChartSeries, Counted, Estimate, Figure, Finding,
    MethodChart, MethodTable, MethodVerdict, Quantity, Severity, StepEvidence,
};
use plimsoll_plan::{Bytes, Stream};

/// Sentence on the number of other combinations that may carry as much as the best: their intervals reach into its own, or one of both has
/// none.
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
        let profiles = 0..self.spec.profiles();
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
            tables: profiles
                .clone()
                .map(|p| self.table(cells, p))
                .chain([self.not_tested()])
                .collect(),
            charts: profiles
                .flat_map(|p| {
                    let by_size = self.charts(cells, p);
                    let several = self.spec.blocks.len() > 1;
                    let by_size = by_size.into_iter().filter(move |_| several);
                    self.by_depth(cells, p).into_iter().chain(by_size)
                })
                .collect(),
            findings: self.doubts(cells, complete),
        })
    }

    /// The place of a cell: its profile, and its size where the campaign has sizes.
    fn words(&self, at: usize) -> String {
        let (profile_at, size_at) = (at / self.spec.sizes(), at % self.spec.sizes());
        let profile = self.profile(profile_at);
        match self.spec.blocks.get(size_at) {
            Some(block) => format!("{profile}, {block}"),
            None => profile,
        }
    }

    /// A profile: its percentage of reads, or the operations of the workloads.
    pub(super) fn profile(&self, at: usize) -> String {
        match self.spec.reads.get(at) {
            Some(read) => profile(*read),
            None => self.of_streams(|s| s.mix.words()),
        }
    }

    /// Words of the streams, each once.
    pub(super) fn of_streams(&self, words: fn(&Stream) -> String) -> String {
        let mut all: Vec<String> = self.cells[0].streams.iter().map(words).collect();
        all.dedup();
        all.join(", ")
    }

    /// The cells of a profile as far as they go, each with its size.
    fn of_profile<'c, 'a>(
        &self,
        cells: &'c [Cell<'a>],
        at: usize,
    ) -> impl Iterator<Item = (Option<Bytes>, &'c Cell<'a>)> {
        let sizes = self.spec.sizes();
        let of = cells.iter().skip(at * sizes).take(sizes);
        of.enumerate()
            .map(|(size, cell)| (self.spec.blocks.get(size).copied(), cell))
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
            format_args!("{}/s", estimate(e.rate.mean, e.rate.half_width)),
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
        // Not every operation on a tree moves a block.
        self.spec.reads.get(profile_at)?;
        let blocks = self.spec.blocks.len();
        let sizes = self.spec.blocks.iter().enumerate().map(|(b, block)| {
            let full = cells.get(profile_at * blocks + b)?.full.as_ref()?;
            Some((*block, full.evidence.rate.mean * block.0 as f64))
        });
        Ceiling::of(sizes.collect::<Option<_>>()?)
    }

    /// Of each cell the rate at its least sufficient concurrency, and that concurrency.
    fn figures(&self, cells: &[Cell], full: &[(usize, &Point)]) -> Vec<Figure> {
        full.iter()
            .flat_map(|(at, point)| {
                let key = self.key(*at);
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

    /// Name of a cell among the figures.
    fn key(&self, at: usize) -> String {
        let (profile_at, size_at) = (at / self.spec.sizes(), at % self.spec.sizes());
        let profile = match self.spec.reads.get(profile_at) {
            Some(read) => format!("read{read}"),
            None => "operations".to_string(),
        };
        let size = self.spec.blocks.get(size_at);
        let size = size.map_or(String::new(), |block| format!("_{block}"));
        (profile + &size).to_lowercase()
    }

    fn table(&self, cells: &[Cell], profile_at: usize) -> MethodTable {
        let of = self.of_profile(cells, profile_at);
        let rows = of.flat_map(|(block, cell)| cell.points().map(move |point| row(block, point)));
        MethodTable {
            // What the points are of stands where they are read.
            title: format!(
                "{}: full is the least in flight that carries {:.0} % of the most; half and quarter carry half and a quarter of full's \
                 rate; synchronous has one in flight",
                self.profile(profile_at),
                NEARLY * 100.0
            ),
            rows: rows.collect(),
            columns: columns(&self.spec, counted(cells)),
        }
    }

    /// Rate, and response, against the I/Os in flight: a line for each size, through all that was looked at for its most.
    fn by_depth(&self, cells: &[Cell], profile_at: usize) -> [MethodChart; 2] {
        let series = |y: fn(&StepEvidence) -> f64| -> Vec<ChartSeries> {
            let of_block = |(block, cell): (Option<Bytes>, &Cell)| {
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
                ChartSeries::new(
                    match block {
                        Some(block) if self.spec.blocks.len() > 1 => block.to_string(),
                        _ => String::new(),
                    },
                    looks.map(of_steps).collect(),
                )
            };
            self.of_profile(cells, profile_at).map(of_block).collect()
        };
        let (counted, profile) = (counted(cells), self.profile(profile_at));
        let chart = |what: &str, unit, series| MethodChart {
            title: format!("{what} by {} in flight, {profile}", counted.several()),
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
                counted.per_second(),
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
    fn charts(&self, cells: &[Cell], profile_at: usize) -> [MethodChart; 2] {
        let series = |y: &dyn Fn(&StepEvidence) -> Read| -> Vec<ChartSeries> {
            let of_point = |name: &&str| {
                let cells = self.of_profile(cells, profile_at);
                let points = cells.filter_map(|(block, cell)| {
                    let point = cell.points().find(|p| p.name == *name)?;
                    let (y, interval) = y(point.evidence);
                    Some(ChartPoint::new(block?.0 as f64, y, interval))
                });
                ChartSeries::new((*name).to_owned(), points.collect())
            };
            POINTS.iter().map(of_point).collect()
        };
        let chart = |what: &str, unit, series| MethodChart {
            title: format!("{what} by transfer size, {}", self.profile(profile_at)),
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
                counted(cells).per_second(),
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
}

/// Word for what the cells count.
fn counted(cells: &[Cell]) -> Counted {
    let points = cells.iter().flat_map(Cell::points);
    Counted::of(points.map(|point| point.evidence.counted))
}
