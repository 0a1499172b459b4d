//! What the probes showed, as tables and charts.

use super::Found;
use super::paths::Paths;
use super::slices::Distances;
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartMark, ChartPoint, ChartSeries, MethodChart, MethodTable,
    Quantity, TableCell, TableColumn,
};

/// The rates by depth, and by distance.
pub(crate) fn tables(found: &Found) -> Vec<MethodTable> {
    let table = |title: &str, (name, label): (&str, &str), rows: Vec<(Quantity, f64)>| {
        let row = |(x, rate): (Quantity, f64)| {
            vec![TableCell::of(x), TableCell::of(Quantity::PerSecond(rate))]
        };
        MethodTable {
            title: title.into(),
            columns: vec![
                TableColumn::new(name, label),
                TableColumn::new("rate", "reads"),
            ],
            rows: rows.into_iter().map(row).collect(),
        }
    };
    let depths = found.depths.iter();
    let mut tables = vec![table(
        "Reads of the whole target, by depth",
        ("depth", "in flight"),
        depths.map(|d| (Quantity::Count(d.0.into()), d.1)).collect(),
    )];
    if let Some(d) = &found.distances {
        let rows = d.bytes.iter().zip(&d.rates);
        tables.push(table(
            "Reads of two places at once, by their distance",
            ("distance", "distance"),
            rows.map(|(b, r)| (Quantity::Bytes(*b), *r)).collect(),
        ));
    }
    if let Some(Ok(paths)) = &found.paths {
        tables.push(of_paths(paths));
    }
    tables
}

fn of_paths(paths: &Paths) -> MethodTable {
    let row = |(number, ns, rate): &(usize, f64, f64)| {
        vec![
            TableCell::of(Quantity::Count(*number as u64)),
            TableCell::of(Quantity::Ns(*ns)),
            TableCell::of(Quantity::PerSecond(*rate)),
        ]
    };
    MethodTable {
        title: "Each path by itself".into(),
        columns: vec![
            TableColumn::new("path", "path"),
            TableColumn::new("single", "one read at a time"),
            TableColumn::new("rate", "reads, many at once"),
        ],
        rows: paths.each.iter().map(row).collect(),
    }
}

/// A chart for each thing that was looked at.
pub(crate) fn charts(found: &Found) -> Vec<MethodChart> {
    let mut charts = vec![depths(found)];
    charts.extend(found.distances.as_ref().map(|d| distances(found, d)));
    charts.push(owners(found));
    charts.push(working_sets(found));
    charts.retain(|c| c.series[0].points.len() > 1);
    charts
}

fn chart(title: &str, x: ChartAxis, y: ChartAxis, points: Vec<ChartPoint>) -> MethodChart {
    MethodChart {
        title: title.into(),
        kind: ChartKind::Lines,
        x: ChartAxis {
            logarithmic: true,
            ..x
        },
        y,
        z: None,
        series: vec![ChartSeries::new(String::new(), points)],
        marks: Vec::new(),
    }
}

fn point(x: f64, y: f64, interval: Option<(f64, f64)>) -> ChartPoint {
    ChartPoint::new(x, y, interval)
}

fn rates(intervals: &str) -> ChartAxis {
    ChartAxis::of("reads", AxisUnit::PerSecond).with_intervals(intervals)
}

const OF_ROUNDS: &str = "95 % interval of the mean over the rounds";

fn depths(found: &Found) -> MethodChart {
    let points = found.depths.iter();
    chart(
        "Reads of the whole target, by depth",
        ChartAxis::of("in flight", AxisUnit::Number),
        rates("No intervals: each depth was measured once"),
        points.map(|d| point(d.0.into(), d.1, None)).collect(),
    )
}

fn distances(found: &Found, seen: &Distances) -> MethodChart {
    let each = seen.bytes.iter().zip(&seen.rates).zip(&seen.intervals);
    let mark = |slice: u64| ChartMark::new(slice as f64, "slice");
    let slice = found.dealing.iter().flatten().map(|d| mark(d.slice));
    MethodChart {
        marks: slice.collect(),
        ..chart(
            "Reads of two places at once, by their distance",
            ChartAxis::of("distance", AxisUnit::Bytes),
            rates(OF_ROUNDS),
            each.map(|((bytes, rate), interval)| point(*bytes as f64, *rate, *interval))
                .collect(),
        )
    }
}

fn owners(found: &Found) -> MethodChart {
    let mut sets = found.sets.clone();
    sets.sort_by_key(|set| set.owners);
    chart(
        "Reads of blocks all over the target, by how many owners they have",
        ChartAxis::of("owners", AxisUnit::Number),
        rates(OF_ROUNDS),
        sets.iter()
            .map(|s| point(s.owners as f64, s.rate, s.interval))
            .collect(),
    )
}

fn working_sets(found: &Found) -> MethodChart {
    let sets = found.working_sets.iter();
    chart(
        "A read of a working set that was read before",
        ChartAxis::of("working set", AxisUnit::Bytes),
        ChartAxis::of("mean", AxisUnit::Ns)
            .with_intervals("95 % interval of the mean over the repeats"),
        sets.map(|s| point(s.area as f64, s.ns, Some(s.interval())))
            .collect(),
    )
}
