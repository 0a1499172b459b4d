//! What the disturbance looks like over time.

use super::repeat::{Repeat, Seen};
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartMark, ChartPoint, ChartSeries, MethodChart, PathState,
};

/// Repeats that a chart draws, at most: more are a thicket.
const DRAWN: usize = 5;

/// The rate, the response times and the paths' shares, from the instant on.
pub fn charts(repeats: &[&Repeat]) -> Vec<MethodChart> {
    let drawn: Vec<(usize, &Seen)> = repeats
        .iter()
        .enumerate()
        .filter_map(|(i, r)| Some((i + 1, r.seen.as_ref()?)))
        .take(DRAWN)
        .collect();
    let Some((_, first)) = drawn.first() else {
        return Vec::new();
    };
    let marks = marks(repeats[0], first);
    let mut all = vec![rate(&drawn, marks.clone()), response(&drawn, marks.clone())];
    all.extend(shares(first, marks));
    all
}

fn time_axis() -> ChartAxis {
    ChartAxis::of("time from the disturbance", AxisUnit::Seconds)
}

/// What happened in the first repeat.
fn marks(repeat: &Repeat, seen: &Seen) -> Vec<ChartMark> {
    let mark = |x: f64, label: &str| ChartMark {
        x,
        label: label.into(),
    };
    let mut all = vec![mark(0.0, "disturbed")];
    if seen.dip.blackout_s > 0.0 {
        let begin = seen.dip.blackout_at_s - seen.cut_s;
        all.push(mark(begin, "blackout begins"));
        all.push(mark(begin + seen.dip.blackout_s, "blackout ends"));
    }
    all.extend(
        seen.recovered_s
            .filter(|s| *s > 0.0)
            .map(|s| mark(s, "recovered")),
    );
    all.extend(seen.undo_s.map(|s| mark(s - seen.cut_s, "put back")));
    for event in repeat.step.paths.iter().flat_map(|t| &t.events) {
        let what = match event.state {
            PathState::Up => "up",
            PathState::Down => "down",
        };
        let at = event.at_ns as f64 / 1e9 - seen.cut_s;
        all.push(mark(at, &format!("path {} {what}", event.path)));
    }
    all.sort_by(|a, b| a.x.total_cmp(&b.x));
    all
}

fn middle_s(seen: &Seen, bin: usize) -> f64 {
    let half = seen.series.bin_length_ns(bin) / 2;
    (seen.series.bin_start_ns(bin) + half) as f64 / 1e9 - seen.cut_s
}

fn points(seen: &Seen, y: impl Fn(usize) -> Option<f64>) -> Vec<ChartPoint> {
    let bins = 0..seen.series.bins.len();
    let point = |bin: usize| {
        Some(ChartPoint {
            x: middle_s(seen, bin),
            y: y(bin)?,
            ..ChartPoint::default()
        })
    };
    bins.filter_map(point).collect()
}

fn rate(drawn: &[(usize, &Seen)], marks: Vec<ChartMark>) -> MethodChart {
    let series = drawn.iter().map(|(number, seen)| ChartSeries {
        name: format!("repeat {number}"),
        points: points(seen, |bin| {
            let seconds = seen.series.bin_length_ns(bin) as f64 / 1e9;
            (seconds > 0.0).then(|| seen.series.bins[bin].ios as f64 / seconds)
        }),
    });
    MethodChart {
        title: "Rate".into(),
        kind: ChartKind::Lines,
        x: time_axis(),
        y: ChartAxis::of("I/Os completed", AxisUnit::PerSecond),
        z: None,
        series: series.collect(),
        marks,
    }
}

fn response(drawn: &[(usize, &Seen)], marks: Vec<ChartMark>) -> MethodChart {
    let mut series = Vec::new();
    for (number, seen) in drawn {
        let bins = &seen.series.bins;
        series.push(ChartSeries {
            name: format!("mean, repeat {number}"),
            points: points(seen, |bin| {
                bins[bin].response_mean_ns().filter(|ns| *ns > 0.0)
            }),
        });
        let longest = |bin: usize| {
            (bins[bin].response_max_ns > 0).then_some(bins[bin].response_max_ns as f64)
        };
        series.push(ChartSeries {
            name: format!("longest, repeat {number}"),
            points: points(seen, longest),
        });
    }
    MethodChart {
        title: "Response time".into(),
        kind: ChartKind::Lines,
        x: time_axis(),
        y: ChartAxis {
            logarithmic: true,
            ..ChartAxis::of("response time", AxisUnit::Ns)
        },
        z: None,
        series,
        marks,
    }
}

/// The paths' shares of the first repeat, a chart for each target that has several paths.
fn shares(seen: &Seen, marks: Vec<ChartMark>) -> Vec<MethodChart> {
    let chart = |paths: &plimsoll_evidence::PathSeries| {
        let at = |path: &Vec<u64>, bin: usize| path.get(bin).copied().unwrap_or(0) as f64;
        let all = |bin: usize| paths.ios.iter().map(|p| at(p, bin)).sum::<f64>();
        let series = paths
            .paths
            .iter()
            .zip(&paths.ios)
            .map(|(name, ios)| ChartSeries {
                name: name.clone(),
                points: points(seen, |bin| {
                    (all(bin) > 0.0).then(|| at(ios, bin) / all(bin))
                }),
            });
        MethodChart {
            title: format!("Share of each path to {}", paths.of),
            kind: ChartKind::Lines,
            x: time_axis(),
            y: ChartAxis::of("share of the I/Os", AxisUnit::Share),
            z: None,
            series: series.collect(),
            marks: marks.clone(),
        }
    };
    seen.series.paths.iter().map(chart).collect()
}
