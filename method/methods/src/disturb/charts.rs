//! What the disturbance looks like over time.

use super::lines::Lines;
use super::repeat::{Repeat, SeenDisturbance};
use plimsoll_evidence::{
    AxisUnit, ChartAxis, ChartKind, ChartMark, ChartSeries, MethodChart, PathState,
};

/// A rate is drawn up to so many times the rate before…
const TIMES_DRAWN: f64 = 2.0;
/// …where at most this share of the points lies beyond: what is caught up with in a moment would flatten all else.
const BEYOND: f64 = 0.05;

/// The rate, the response times and the paths' shares, from the instant on.
pub fn charts<'r, 's>(repeats: &[&'r Repeat<'s>]) -> Vec<MethodChart> {
    let seen = |(i, r): (usize, &&'r Repeat<'s>)| Some((i + 1, r.seen.as_ref()?));
    let lines = Lines {
        all: repeats.iter().enumerate().filter_map(seen).collect(),
    };
    let Some((_, first)) = lines.all.first() else {
        return Vec::new();
    };
    let marks = marks(repeats[0], first);
    let mut all = vec![rate(&lines, marks.clone()), response(&lines, marks.clone())];
    all.extend(shares(&lines, &marks));
    all
}

fn time_axis() -> ChartAxis {
    ChartAxis::of("time from the disturbance", AxisUnit::Seconds)
}

/// Marks of what happened in the first repeat.
fn marks(repeat: &Repeat, seen: &SeenDisturbance) -> Vec<ChartMark> {
    let mark = |x: f64, label: &str| ChartMark::new(x, label);
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

fn rate(lines: &Lines<'_, '_>, marks: Vec<ChartMark>) -> MethodChart {
    let series = lines.of("", |seen, bin| {
        let seconds = seen.series.bin_length_ns(bin) as f64 / 1e9;
        (seconds > 0.0).then(|| seen.series.bins[bin].ios as f64 / seconds)
    });
    let before = lines.all.iter().map(|(_, seen)| seen.cells.rate);
    MethodChart {
        title: "Rate".into(),
        kind: ChartKind::Lines,
        x: time_axis(),
        y: ChartAxis {
            cut: cut(&series, before.fold(0.0, f64::max)),
            ..ChartAxis::of("completed", AxisUnit::PerSecond).with_intervals(lines.intervals())
        },
        z: None,
        series,
        marks,
    }
}

/// Up to where a rate is drawn; `None`: all of it.
fn cut(series: &[ChartSeries], before: f64) -> Option<f64> {
    let all = || series.iter().flat_map(|s| &s.points);
    let most = TIMES_DRAWN * before;
    let beyond = all().filter(|p| p.y > most).count();
    let few = beyond > 0 && beyond as f64 <= BEYOND * all().count() as f64;
    few.then_some(most)
}

fn response(lines: &Lines<'_, '_>, marks: Vec<ChartMark>) -> MethodChart {
    let mut series = lines.of("mean", |seen, bin| {
        let mean = seen.series.bins[bin].response_mean_ns();
        mean.filter(|ns| *ns > 0.0)
    });
    series.extend(lines.each("longest", |seen, bin| {
        let longest = seen.series.bins[bin].response_max_ns;
        (longest > 0).then_some(longest as f64)
    }));
    let intervals = format!("{}; a longest time is that of one", lines.intervals());
    MethodChart {
        title: "Response time".into(),
        kind: ChartKind::Lines,
        // Where nothing completed there is no response time, and no line.
        x: ChartAxis {
            gap: Some(lines.gap_s()),
            ..time_axis()
        },
        y: ChartAxis {
            logarithmic: true,
            ..ChartAxis::of("response time", AxisUnit::Ns).with_intervals(&intervals)
        },
        z: None,
        series,
        marks,
    }
}

/// The paths' shares, a chart for each target that has several paths.
fn shares(lines: &Lines<'_, '_>, marks: &[ChartMark]) -> Vec<MethodChart> {
    let Some((_, first)) = lines.all.first() else {
        return Vec::new();
    };
    let share = |seen: &SeenDisturbance, of: usize, path: usize, bin: usize| {
        let ios = &seen.series.paths.get(of)?.ios;
        let at = |path: &Vec<u64>| path.get(bin).copied().unwrap_or(0) as f64;
        let all: f64 = ios.iter().map(at).sum();
        (all > 0.0).then_some(at(ios.get(path)?) / all)
    };
    let chart = |(of, paths): (usize, &plimsoll_evidence::PathSeries)| {
        let line = |(path, name): (usize, &String)| {
            let mut own = lines.mean_of("", |seen, bin| share(seen, of, path, bin));
            own.iter_mut().for_each(|s| s.name = name.clone());
            own
        };
        MethodChart {
            title: format!("Share of each path to {}", paths.of),
            kind: ChartKind::Lines,
            x: ChartAxis {
                gap: Some(lines.gap_s()),
                ..time_axis()
            },
            y: ChartAxis::of("share of the I/Os", AxisUnit::Share)
                .with_intervals(lines.intervals()),
            z: None,
            series: paths.paths.iter().enumerate().flat_map(line).collect(),
            marks: marks.to_vec(),
        }
    };
    first.series.paths.iter().enumerate().map(chart).collect()
}
