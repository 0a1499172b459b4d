//! What the probes showed, as tables and charts.

use super::Found;
use super::paths::Paths;
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartMark, ChartPoint, ChartSeries, MethodChart, MethodTable,
    Quantity, TableCell, TableColumn,
};

/// The rates by depth, and by distance.
pub(crate) fn tables(found: &Found) -> Vec<MethodTable> {
    let table = |title: &str, (name, label): (&str, &str), rows: Vec<(Quantity, f64)>| {
        let column = |name: &str, label: &str| TableColumn {
            name: name.into(),
            label: label.into(),
        };
        let row = |(x, rate): (Quantity, f64)| {
            vec![TableCell::of(x), TableCell::of(Quantity::PerSecond(rate))]
        };
        MethodTable {
            title: title.into(),
            columns: vec![column(name, label), column("rate", "reads")],
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
    let columns = [
        ("path", "path"),
        ("single", "one read at a time"),
        ("rate", "reads, many at once"),
    ];
    let row = |(number, ns, rate): &(usize, f64, f64)| {
        vec![
            TableCell::of(Quantity::Count(*number as u64)),
            TableCell::of(Quantity::Ns(*ns)),
            TableCell::of(Quantity::PerSecond(*rate)),
        ]
    };
    MethodTable {
        title: "Each path by itself".into(),
        columns: columns
            .map(|(name, label)| TableColumn {
                name: name.into(),
                label: label.into(),
            })
            .into(),
        rows: paths.each.iter().map(row).collect(),
    }
}

/// A chart for each thing that was looked at.
pub(crate) fn charts(found: &Found) -> Vec<MethodChart> {
    let mut charts = Vec::new();
    let points = |all: Vec<(f64, f64)>| {
        let point = |(x, y): (f64, f64)| ChartPoint {
            x,
            y,
            ..ChartPoint::default()
        };
        all.into_iter().map(point).collect::<Vec<_>>()
    };
    let mut add =
        |title: &str, x: ChartAxis, y: ChartAxis, all: Vec<(f64, f64)>, marks: Vec<ChartMark>| {
            if all.len() > 1 {
                charts.push(MethodChart {
                    title: title.into(),
                    kind: ChartKind::Lines,
                    x: ChartAxis {
                        logarithmic: true,
                        ..x
                    },
                    y,
                    z: None,
                    series: vec![ChartSeries {
                        name: String::new(),
                        points: points(all),
                    }],
                    marks,
                });
            }
        };
    let rate = || ChartAxis::of("reads", AxisUnit::PerSecond);
    let depths = found.depths.iter().map(|d| (f64::from(d.0), d.1));
    add(
        "Reads of the whole target, by depth",
        ChartAxis::of("in flight", AxisUnit::Number),
        rate(),
        depths.collect(),
        Vec::new(),
    );
    if let Some(d) = &found.distances {
        let mark = |slice: u64| ChartMark {
            x: slice as f64,
            label: "slice".into(),
        };
        let slice = found.dealing.iter().flatten().map(|d| mark(d.slice));
        add(
            "Reads of two places at once, by their distance",
            ChartAxis::of("distance", AxisUnit::Bytes),
            rate(),
            d.bytes
                .iter()
                .map(|b| *b as f64)
                .zip(d.rates.iter().copied())
                .collect(),
            slice.collect(),
        );
    }
    let mut sets: Vec<(f64, f64)> = found.sets.iter().map(|s| (s.0 as f64, s.1)).collect();
    sets.sort_by(|a, b| a.0.total_cmp(&b.0));
    add(
        "Reads of blocks all over the target, by how many owners they have",
        ChartAxis::of("owners", AxisUnit::Number),
        rate(),
        sets,
        Vec::new(),
    );
    let sets = found.working_sets.iter().map(|s| (s.area as f64, s.ns));
    add(
        "A read of a working set that was read before",
        ChartAxis::of("working set", AxisUnit::Bytes),
        ChartAxis::of("mean", AxisUnit::Ns),
        sets.collect(),
        Vec::new(),
    );
    charts
}
