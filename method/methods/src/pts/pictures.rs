//! The specification's tables and plots: the matrix, convergence by rounds, the window, and the matrix by block size.

use super::WINDOW;
use super::judged::Judged;
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartMark, ChartPoint, ChartSeries, MethodChart, MethodTable,
    Quantity, TableCell, TableColumn,
};
use plimsoll_measure::Line;
use plimsoll_plan::method::pts::Cell;
use plimsoll_plan::{Bytes, PtsTest};

/// The window's limits around its mean (SNIA PTS 2.0).
const AROUND: f64 = 0.10;

/// All plots of a test.
pub(super) fn charts(judged: &Judged<'_, '_>) -> Vec<MethodChart> {
    if judged.state.rounds.is_empty() {
        return Vec::new();
    }
    let mut charts = Vec::new();
    if judged.pts.spec.test != PtsTest::Wsat && judged.window.len() == WINDOW {
        // The smallest blocks first: what 4 KiB do is what one asks for.
        let cells = judged.pts.tracked();
        charts.extend(cells.iter().rev().map(|cell| window(judged, *cell)));
    }
    charts.push(convergence(judged));
    if judged.pts.cells().len() > 1 {
        charts.push(by_size(judged));
    }
    charts
}

fn y_axis(judged: &Judged<'_, '_>) -> ChartAxis {
    match judged.pts.spec.test {
        PtsTest::Throughput => ChartAxis::of("throughput", AxisUnit::BytesPerSecond),
        PtsTest::Latency => ChartAxis::of("response time", AxisUnit::Ns),
        PtsTest::Iops | PtsTest::Wsat => ChartAxis::of("rate", AxisUnit::PerSecond),
    }
}

/// Value as it is drawn: in the chart's unit.
fn scaled(judged: &Judged<'_, '_>, cell: usize, value: f64) -> f64 {
    value * judged.quantity(cell, value).1
}

fn name(judged: &Judged<'_, '_>, cell: usize) -> String {
    let of = Cell::of(&judged.pts.cells()[cell]);
    format!("{} {}/{}", of.block, of.read, 100 - of.read)
}

/// A value of a step with its interval.
fn point(judged: &Judged<'_, '_>, x: f64, round: usize, cell: usize) -> ChartPoint {
    let step = judged.state.rounds[round][cell];
    let estimate = match judged.pts.spec.test {
        PtsTest::Latency => step.response_mean_ns,
        _ => step.rate,
    };
    let at = |value: f64| scaled(judged, cell, value);
    ChartPoint::new(
        x,
        at(estimate.mean),
        estimate
            .half_width
            .map(|half| (at(estimate.mean - half), at(estimate.mean + half))),
    )
}

/// Each block size's writes (of the write saturation the rate) by round.
fn convergence(judged: &Judged<'_, '_>) -> MethodChart {
    let rounds = judged.state.rounds.len();
    let cells = 0..judged.pts.cells().len();
    let is_write = |cell: &usize| Cell::of(&judged.pts.cells()[*cell]).read == 0;
    let tracked = judged.pts.tracked();
    let drawn = cells.filter(|cell| is_write(cell) || tracked.contains(cell));
    let series = drawn.map(|cell| {
        ChartSeries::new(
            name(judged, cell),
            (0..rounds)
                .map(|r| point(judged, r as f64 + 1.0, r, cell))
                .collect(),
        )
    });
    let first = judged.window.first().map_or(1, |r| r + 1);
    let marks = judged
        .steady
        .then(|| ChartMark::new(first as f64, "steady"));
    MethodChart {
        title: "convergence".into(),
        kind: ChartKind::Lines,
        x: ChartAxis::of("round", AxisUnit::Number),
        y: y_axis(judged).with_intervals(
            "95 % interval of a round's own mean; a round that is too short for one has none",
        ),
        z: None,
        series: series.collect(),
        marks: marks.into_iter().collect(),
    }
}

/// A tracked value in the window, with its mean, the limits around it and the line through it.
fn window(judged: &Judged<'_, '_>, cell: usize) -> MethodChart {
    let x = |round: usize| round as f64 + 1.0;
    let values: Vec<(f64, f64)> = judged
        .window
        .iter()
        .map(|r| (x(*r), scaled(judged, cell, judged.value(*r, cell))))
        .collect();
    let (first, last) = (values[0].0, values[values.len() - 1].0);
    let mean = values.iter().map(|v| v.1).sum::<f64>() / values.len() as f64;
    let flat = |name: &str, from: f64, to: f64| {
        ChartSeries::new(
            name,
            [(first, from), (last, to)]
                .iter()
                .map(|(x, y)| ChartPoint {
                    x: *x,
                    y: *y,
                    ..ChartPoint::default()
                })
                .collect(),
        )
    };
    let measured = ChartSeries::new(
        name(judged, cell),
        judged
            .window
            .iter()
            .map(|r| point(judged, x(*r), *r, cell))
            .collect(),
    );
    let mut level = flat("mean", mean, mean);
    for end in &mut level.points {
        let at = |value: f64| scaled(judged, cell, value);
        end.interval = judged.level(cell).interval.map(|(a, b)| (at(a), at(b)));
    }
    let mut series = vec![
        measured,
        level,
        flat("mean + 10%", mean * (1.0 + AROUND), mean * (1.0 + AROUND)),
        flat("mean - 10%", mean * (1.0 - AROUND), mean * (1.0 - AROUND)),
    ];
    if let Some(line) = Line::through(&values) {
        let at = |x: f64| line.intercept + line.slope * x;
        series.push(flat("slope", at(first), at(last)));
    }
    MethodChart {
        title: format!("steady-state window, {}", name(judged, cell)),
        kind: ChartKind::Lines,
        x: ChartAxis::of("round", AxisUnit::Number),
        y: y_axis(judged).with_intervals(
            "95 % interval: of the mean over the rounds, and of a round's own mean where it is long enough for one",
        ),
        z: None,
        series,
        marks: Vec::new(),
    }
}

/// Mixes in their order, and block sizes by rising size.
fn axes(judged: &Judged<'_, '_>) -> (Vec<u32>, Vec<Bytes>) {
    let cells: Vec<_> = judged.pts.cells().iter().map(Cell::of).collect();
    let mut reads: Vec<u32> = cells.iter().map(|c| c.read).collect();
    reads.dedup();
    let mut blocks: Vec<Bytes> = cells.iter().map(|c| c.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    (reads, blocks)
}

fn cell_at(judged: &Judged<'_, '_>, read: u32, block: Bytes) -> Option<usize> {
    let is = |step| {
        let cell = Cell::of(step);
        cell.read == read && cell.block == block
    };
    judged.pts.cells().iter().position(is)
}

/// The window's means against the block size, a line for each mix.
fn by_size(judged: &Judged<'_, '_>) -> MethodChart {
    let (reads, blocks) = axes(judged);
    let points = |read: u32| {
        blocks.iter().filter_map(move |block| {
            let cell = cell_at(judged, read, *block)?;
            let level = judged.level(cell);
            let at = |value: f64| scaled(judged, cell, value);
            Some(ChartPoint::new(
                block.0 as f64,
                at(level.mean),
                level.interval.map(|(a, b)| (at(a), at(b))),
            ))
        })
    };
    MethodChart {
        title: "by block size".into(),
        kind: ChartKind::Lines,
        x: ChartAxis {
            logarithmic: true,
            ..ChartAxis::of("block size", AxisUnit::Bytes)
        },
        y: ChartAxis {
            logarithmic: judged.pts.spec.test == PtsTest::Iops,
            ..y_axis(judged).with_intervals("95 % interval of the mean over the window's rounds")
        },
        z: None,
        series: reads
            .iter()
            .map(|read| {
                ChartSeries::new(
                    format!("{read}/{} reads/writes", 100 - read),
                    points(*read).collect(),
                )
            })
            .collect(),
        marks: Vec::new(),
    }
}

/// The matrix: block sizes down, mixes across; of latencies the greatest too.
pub(super) fn tables(judged: &Judged<'_, '_>) -> Vec<MethodTable> {
    if judged.window.is_empty() || judged.pts.cells().len() < 2 {
        return Vec::new();
    }
    let means = matrix(judged, "Means of the window, reads/writes", |cell| {
        let level = judged.level(cell);
        let (quantity, unit) = judged.quantity(cell, level.mean);
        TableCell {
            quantity: Some(quantity),
            interval: level.interval.map(|(a, b)| (a * unit, b * unit)),
        }
    });
    let mut tables = vec![means];
    if judged.pts.spec.test == PtsTest::Latency {
        let greatest = |cell: usize| {
            let rounds = judged.window.iter();
            let most = rounds.filter_map(|r| judged.state.rounds[*r][cell].response.max_ns());
            TableCell {
                quantity: most.max().map(|ns| Quantity::Ns(ns as f64)),
                interval: None,
            }
        };
        tables.push(matrix(
            judged,
            "The greatest response times of the window, reads/writes",
            greatest,
        ));
    }
    tables
}

fn matrix(judged: &Judged<'_, '_>, title: &str, of: impl Fn(usize) -> TableCell) -> MethodTable {
    let (reads, blocks) = axes(judged);
    let block = TableColumn::new("block", "block");
    let mix = |r: &u32| TableColumn::new(format!("read{r}"), format!("{r}/{}", 100 - r));
    let row = |block: &Bytes| {
        let head = TableCell::of(Quantity::Bytes(block.0));
        let cells = reads
            .iter()
            .map(|read| cell_at(judged, *read, *block).map_or_else(TableCell::default, &of));
        std::iter::once(head).chain(cells).collect()
    };
    MethodTable {
        title: title.into(),
        columns: std::iter::once(block)
            .chain(reads.iter().map(mix))
            .collect(),
        rows: blocks.iter().map(row).collect(),
    }
}
