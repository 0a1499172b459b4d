//! The failover report: its sentence, its figures over the repeats, and its tables.

use super::repeat::{Class, Repeat, SeenDisturbance};
use plimsoll_evidence::wording::time;
use plimsoll_evidence::{
    Counted, Figure, MethodTable, PathState, Quantity, Section, TableCell, TableColumn,
};

/// With so many repeats their range is an interval for the median that holds it in 96.9 of 100 cases: 1 - 2 (1/2)^6.
const ENOUGH: usize = 6;

/// The answer in one sentence.
pub fn sentence(repeats: &[&Repeat], worst: Option<Class>, asked: usize) -> String {
    let Some(worst) = worst else {
        return "It cannot be said what the disturbance did, for the reasons below.".into();
    };
    let of = |class: Class| repeats.iter().filter(|r| r.class() == Some(class)).count();
    let count = match (asked, of(worst)) {
        (1, _) => String::new(),
        (all, n) if n == all => format!(" in all {all} repeats"),
        (all, n) => format!(" in {n} of {all} repeats"),
    };
    let seen = || repeats.iter().filter_map(|r| r.seen.as_ref());
    let longest = |of: fn(&SeenDisturbance) -> f64| time(seen().map(of).fold(0.0, f64::max) * 1e9);
    let errors: u64 = repeats.iter().map(|r| r.errors()).sum();
    let counted = Counted::of(repeats.iter().map(|r| r.step.counted));
    let (one, several) = (counted.one(), counted.several());
    let failed = match errors {
        0 => format!("no {one} failed"),
        1 => format!("1 {one} failed"),
        n => format!("{n} {several} failed"),
    };
    let dark = match seen().any(|s| s.blackout_s() > 0.0) {
        true => format!(
            "at worst no {one} completed for {}",
            longest(|s| s.blackout_s())
        ),
        false => format!("{several} completed all the time"),
    };
    format!(
        "The disturbance was {}{count}: {dark}, one {one} took up to {}, and {failed}.",
        worst.name(),
        longest(|s| s.longest_s)
    )
}

/// A number of each repeat, as one figure: the median, with the range.
fn spread(
    name: &str,
    label: &str,
    values: Vec<Option<f64>>,
    unit: fn(f64) -> Quantity,
    absent: &str,
) -> Figure {
    let all = values.len();
    let mut known: Vec<f64> = values.into_iter().flatten().collect();
    known.sort_by(f64::total_cmp);
    let (Some(low), Some(high)) = (known.first().copied(), known.last().copied()) else {
        return Figure::unknown(name, label, absent);
    };
    let middle = known.len() / 2;
    let median = match known.len() % 2 {
        0 => (known[middle - 1] + known[middle]) / 2.0,
        _ => known[middle],
    };
    let figure = Figure::new(name, label, unit(median));
    let missing = match all - known.len() {
        0 => String::new(),
        n => format!("; in {n} of {all} repeats {absent}"),
    };
    match known.len() {
        1 => figure.remarked_if(missing.trim_start_matches("; ")),
        n if n >= ENOUGH => figure
            .within(low, high)
            .remarked(format!("median of {n} repeats{missing}")),
        n => {
            let (low, high) = (shown(&unit(low)), shown(&unit(high)));
            figure.remarked(format!("median of {n} repeats, {low} to {high}{missing}"))
        }
    }
}

trait RemarkedIf {
    fn remarked_if(self, remark: &str) -> Self;
}

impl RemarkedIf for Figure {
    fn remarked_if(self, remark: &str) -> Self {
        match remark.is_empty() {
            true => self,
            false => self.remarked(remark),
        }
    }
}

fn shown(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Seconds(s) => time(s * 1e9),
        Quantity::Ns(ns) => time(*ns),
        Quantity::Share(share) => format!("{:.0} %", share * 100.0),
        Quantity::Count(n) => n.to_string(),
        Quantity::PerSecond(n) => format!("{n:.0}"),
        Quantity::Number(n) => format!("{n:.1}"),
        _ => String::new(),
    }
}

fn counted(n: f64) -> Quantity {
    Quantity::Count(n.max(0.0).round() as u64)
}

/// The numbers of the report, each over the repeats.
pub fn figures(repeats: &[&Repeat]) -> Vec<Figure> {
    let seen: Vec<&SeenDisturbance> = repeats.iter().filter_map(|r| r.seen.as_ref()).collect();
    if seen.is_empty() {
        return Vec::new();
    }
    let mut all = of_dip(&seen);
    let errors = repeats.iter().map(|r| Some(r.errors() as f64)).collect();
    all.push(spread("errors", "failed", errors, counted, ""));
    let reissued = repeats
        .iter()
        .map(|r| (!r.step.paths.is_empty()).then(|| r.reissued() as f64));
    all.push(spread(
        "reissued",
        "sent again",
        reissued.collect(),
        counted,
        "no paths are known",
    ));
    all.push(spread(
        "recovery_time",
        "rate back after",
        each(&seen, |s| s.recovered_s),
        Quantity::Seconds,
        "it was not seen to come back",
    ));
    if seen.iter().any(|s| s.undo_s.is_some()) {
        all.extend(of_failback(&seen));
    }
    all
}

/// A number of each repeat.
fn each(seen: &[&SeenDisturbance], of: fn(&SeenDisturbance) -> Option<f64>) -> Vec<Option<f64>> {
    seen.iter().map(|s| of(s)).collect()
}

/// Figures as lines: key, name, the number of a repeat, its unit, and what is said where no repeat has one.
macro_rules! spreads {
    ($seen:expr; $($name:literal $label:literal $of:expr, $unit:expr, $missing:expr;)*) => {
        vec![$(spread($name, $label, each($seen, $of), $unit, $missing)),*]
    };
}

/// What the disturbance did, until it was over.
fn of_dip(seen: &[&SeenDisturbance]) -> Vec<Figure> {
    let seconds = Quantity::Seconds;
    spreads! { seen;
        "rate_before" "rate before" |s| Some(s.cells.rate), Quantity::PerSecond, "";
        "detection_time" "path given up after" |s| s.detection_s(), seconds,
            "no path was seen to be given up (multipath NBD targets and simulated arrays tell)";
        "blackout" "no completion for" |s| Some(s.dip.blackout_s), seconds, "";
        "first_completion" "first completion after" |s| Some(s.first_completion_s), seconds, "";
        "last_completion" "last of those out after" |s| s.last_completion_s, seconds, "none that was out at the instant was seen to complete";
        "longest_response" "longest response" |s| Some(s.longest_s), seconds, "";
        "brownout" "further below 90 %" |s| Some(s.dip.brownout_s), seconds, "";
        "lowest_rate" "lowest rate" |s| s.dip.lowest, Quantity::Share, "the rate never left the band of 90 %";
        "dip_ios" "not done in time" |s| Some(s.dip.lost), counted, "";
        "in_flight" "in flight at the instant" |s| Some(s.in_flight), Quantity::Number, "";
    }
}

/// What putting it back did.
fn of_failback(seen: &[&SeenDisturbance]) -> Vec<Figure> {
    let seconds = Quantity::Seconds;
    let undone = "nothing was put back";
    spreads! { seen;
        "failback_time" "path carries again after" |s| s.carried_again_s, seconds, "no path that was given up was seen to carry its part again";
        "failback_blackout" "no completion, put back" |s| s.failback.map(|d| d.blackout_s), seconds, undone;
        "failback_dip_ios" "not done in time, put back" |s| s.failback.map(|d| d.lost), counted, undone;
        "failback_recovery_time" "rate back, put back" |s| s.failback_recovered_s, seconds, "it was not seen to come back";
    }
}

/// The tails by section, what happened when, and what each path carried.
pub fn tables(repeats: &[&Repeat]) -> Vec<MethodTable> {
    let mut all = vec![each_repeat(repeats), tails(repeats), events(repeats)];
    all.extend(shares(repeats));
    all
}

fn number(n: usize) -> TableCell {
    TableCell::of(Quantity::Count(n as u64))
}

fn text(text: &str) -> TableCell {
    TableCell::of(Quantity::Text(text.into()))
}

fn each_repeat(repeats: &[&Repeat]) -> MethodTable {
    let seconds = |s: f64| TableCell::of(Quantity::Seconds(s));
    let row = |(i, repeat): (usize, &&Repeat)| {
        let seen = repeat.seen.as_ref()?;
        let class = repeat.class().map_or("", Class::name);
        Some(vec![
            number(i + 1),
            text(class),
            TableCell::maybe(seen.detection_s().map(Quantity::Seconds)),
            seconds(seen.dip.blackout_s),
            seconds(seen.dip.brownout_s),
            seconds(seen.longest_s),
            TableCell::of(counted(seen.dip.lost)),
            TableCell::of(Quantity::Count(repeat.errors())),
            TableCell::maybe(seen.recovered_s.map(Quantity::Seconds)),
            TableCell::maybe(seen.carried_again_s.map(Quantity::Seconds)),
        ])
    };
    MethodTable {
        title: "Each repeat".into(),
        columns: vec![
            TableColumn::new("repeat", "repeat"),
            TableColumn::new("class", "class"),
            TableColumn::new("detection_time", "path given up after"),
            TableColumn::new("blackout", "no completion for"),
            TableColumn::new("brownout", "further below 90 %"),
            TableColumn::new("longest_response", "longest response"),
            TableColumn::new("dip_ios", "not done in time"),
            TableColumn::new("errors", "failed"),
            TableColumn::new("recovery_time", "rate back after"),
            TableColumn::new("failback_time", "path carries again after"),
        ],
        rows: repeats.iter().enumerate().filter_map(row).collect(),
    }
}

fn tails(repeats: &[&Repeat]) -> MethodTable {
    let names = ["before", "during", "after"];
    let row = |number_of: usize, name: &str, s: &Section| {
        let ns = |of: Option<u64>| TableCell::maybe(of.map(|ns| Quantity::Ns(ns as f64)));
        vec![
            number(number_of),
            text(name),
            TableCell::of(Quantity::Count(s.ios)),
            TableCell::of(Quantity::Count(s.read_errors + s.write_errors)),
            TableCell::maybe(s.response_mean_ns.map(Quantity::Ns)),
            ns(s.response_p99_ns),
            ns(s.response_p999_ns),
            ns(s.response_max_ns),
        ]
    };
    let rows = repeats.iter().enumerate().flat_map(|(i, r)| {
        let sections = r.seen.as_ref().map_or(&[][..], SeenDisturbance::sections);
        let named = sections.iter().zip(names);
        named.map(move |(s, name)| row(i + 1, name, s))
    });
    MethodTable {
        title: "Response times before, during and after".into(),
        columns: vec![
            TableColumn::new("repeat", "repeat"),
            TableColumn::new("section", "section"),
            TableColumn::new("ios", "completed"),
            TableColumn::new("errors", "failed"),
            TableColumn::new("response_mean", "mean"),
            TableColumn::new("response_p99", "p99"),
            TableColumn::new("response_p999", "p99.9"),
            TableColumn::new("response_max", "longest"),
        ],
        rows: rows.collect(),
    }
}

/// Events of one repeat, s from the instant.
fn events_of(repeat: &Repeat, seen: &SeenDisturbance) -> Vec<(f64, String)> {
    let mut all = Vec::new();
    let since = |ns: u64| ns as f64 / 1e9 - seen.cut_s;
    for action in &repeat.step.actions {
        let (Some(began), Some(ended)) = (action.began_ns, action.ended_ns) else {
            continue;
        };
        let failed = action.failed.as_ref().map(|why| format!(": {why}"));
        all.push((
            since(began),
            format!("{}{}", action.what, failed.unwrap_or_default()),
        ));
        if ended > began {
            let how = if action.failed.is_some() {
                "ended"
            } else {
                "done"
            };
            all.push((since(ended), format!("{}: {how}", action.what)));
        }
    }
    for target in &repeat.step.paths {
        for event in &target.events {
            let uri = target.paths.get(event.path as usize).map_or("", |p| &p.uri);
            let what = match event.state {
                PathState::Up => format!("{uri} back"),
                PathState::Down => format!("{uri} given up: {}", event.why),
            };
            all.push((since(event.at_ns), what));
        }
    }
    if let Some(first) = repeat.step.error_samples.first() {
        all.push((since(first.at_ns), format!("first failure: {}", first.what)));
    }
    for dip in [Some(seen.dip), seen.failback].into_iter().flatten() {
        if dip.blackout_s > 0.0 {
            let begin = dip.blackout_at_s - seen.cut_s;
            all.push((begin, "no completions from here on".into()));
            all.push((begin + dip.blackout_s, "completions again".into()));
        }
    }
    if let Some(after) = seen.recovered_s.filter(|after| *after > 0.0) {
        all.push((after, "the rate is back".into()));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

fn events(repeats: &[&Repeat]) -> MethodTable {
    let rows = repeats.iter().enumerate().flat_map(|(i, r)| {
        let events = r.seen.as_ref().map(|seen| events_of(r, seen));
        events
            .unwrap_or_default()
            .into_iter()
            .map(move |(at, what)| {
                vec![
                    number(i + 1),
                    TableCell::of(Quantity::Seconds(at)),
                    text(&what),
                ]
            })
    });
    MethodTable {
        title: "What happened, from the instant of the disturbance".into(),
        columns: vec![
            TableColumn::new("repeat", "repeat"),
            TableColumn::new("at", "at"),
            TableColumn::new("event", "event"),
        ],
        rows: rows.collect(),
    }
}

/// Shares of the paths in the sections; `None` where no paths are known.
fn shares(repeats: &[&Repeat]) -> Option<MethodTable> {
    let mut rows = Vec::new();
    for (i, repeat) in repeats.iter().enumerate() {
        let Some(seen) = &repeat.seen else { continue };
        for paths in &seen.series.paths {
            for (path, name) in paths.paths.iter().enumerate() {
                let mut row = vec![number(i + 1), text(&paths.of), text(name)];
                let share = |s: &Section| share_in(seen, &paths.ios, path, s).map(Quantity::Share);
                let mut cells = seen.sections().iter().map(|s| TableCell::maybe(share(s)));
                row.extend((0..3).map(|_| cells.next().unwrap_or_default()));
                rows.push(row);
            }
        }
    }
    (!rows.is_empty()).then(|| MethodTable {
        title: "Share of each path".into(),
        columns: vec![
            TableColumn::new("repeat", "repeat"),
            TableColumn::new("target", "target"),
            TableColumn::new("path", "path"),
            TableColumn::new("before", "before"),
            TableColumn::new("during", "during"),
            TableColumn::new("after", "after"),
        ],
        rows,
    })
}

fn share_in(
    seen: &SeenDisturbance,
    ios: &[Vec<u64>],
    path: usize,
    section: &Section,
) -> Option<f64> {
    let series = seen.series;
    let inside = |bin: &usize| {
        let start = series.bin_start_ns(*bin);
        start >= section.start_ns && start < section.end_ns
    };
    let of = |path: &Vec<u64>| -> f64 {
        let bins = (0..series.bins.len()).filter(inside);
        bins.filter_map(|bin| path.get(bin))
            .map(|n| *n as f64)
            .sum()
    };
    let all: f64 = ios.iter().map(of).sum();
    (all > 0.0).then(|| ios.get(path).map_or(0.0, of) / all)
}
