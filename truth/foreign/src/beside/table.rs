//! The numbers of both, in lines.

use super::{Numbers, Part, QUANTILES, Told};
use plimsoll_measure::Op;
use plimsoll_measure::batch::student_t_95;
use std::fmt::Write;

/// One figure of an operation: its name, its unit, and where it is.
type Figure = (&'static str, FigureKind, fn(&Numbers) -> Option<Told>);

#[derive(Clone, Copy, PartialEq)]
enum FigureKind {
    Count,
    Bandwidth,
    Time,
}

const FIGURES: [Figure; 7] = [
    ("I/Os", FigureKind::Count, |n| Some(Told::of(n.ios as f64))),
    ("IOPS", FigureKind::Count, |n| n.iops.map(Told::of)),
    ("bandwidth", FigureKind::Bandwidth, |n| {
        n.bandwidth.map(Told::of)
    }),
    ("mean", FigureKind::Time, |n| Some(Told::of(n.mean_ns))),
    ("p50", FigureKind::Time, |n| n.quantiles_ns[0]),
    ("p99", FigureKind::Time, |n| n.quantiles_ns[1]),
    ("p99.9", FigureKind::Time, |n| n.quantiles_ns[2]),
];

/// A table for each step: the mean of the runs of both, their difference, and its 95 % interval where there are two runs of
/// each. `peer` is the other tool's name.
pub fn table(peer: &str, ours: &[Vec<Part>], theirs: &[Vec<Part>]) -> String {
    let mut out = String::new();
    let (ours, theirs) = alike(ours, theirs);
    let parts = ours.first().map_or(0, Vec::len);
    for at in 0..parts {
        let of = |runs: &[Vec<Part>]| runs.iter().filter_map(|r| r.get(at).cloned()).collect();
        let (a, b): (Vec<Part>, Vec<Part>) = (of(&ours), of(&theirs));
        let step = a.first().map_or("", |p| p.name.as_str());
        let _ = writeln!(
            out,
            "{step}\n  {:<6} {:<10} {:>14} {:>14} {:>10}  95 %",
            "", "", "Plimsoll", peer, "difference"
        );
        for op in Op::ALL {
            for (figure, kind, value) in FIGURES {
                let of = |runs: &[Part]| -> Vec<Told> {
                    let each = runs
                        .iter()
                        .filter_map(|p| p.ops.iter().find(|n| n.op == op));
                    each.filter_map(value).collect()
                };
                let (a, b) = (of(&a), of(&b));
                if !a.is_empty() || !b.is_empty() {
                    let _ = writeln!(out, "{}", figures(op, figure, kind, &a, &b));
                }
            }
        }
        response(&mut out, &a);
    }
    out
}

/// The difference of all that both did, in a sentence: of their rates, or of what they counted where one of them has no rate.
pub fn difference(peer: &str, ours: &[Vec<Part>], theirs: &[Vec<Part>]) -> String {
    let numbers =
        |run: &[Part]| -> Vec<Numbers> { run.iter().flat_map(|p| p.ops.clone()).collect() };
    let rate = |run: &Vec<Part>| numbers(run).iter().map(|n| n.iops).sum::<Option<f64>>();
    let ios = |run: &Vec<Part>| Some(numbers(run).iter().map(|n| n.ios as f64).sum::<f64>());
    let have_rates = ours.iter().chain(theirs).all(|run| rate(run).is_some());
    let of = |runs: &[Vec<Part>]| -> Vec<f64> {
        let each = runs.iter().filter_map(|run| match have_rates {
            true => rate(run),
            false => ios(run),
        });
        each.collect()
    };
    let what = match have_rates {
        true => "I/Os per second",
        false => "I/Os",
    };
    let (a, b) = (of(ours), of(theirs));
    let (Some(x), Some(y)) = (mean(&a), mean(&b).filter(|y| *y > 0.0)) else {
        return format!("One of plimsoll and {peer} did no I/O: nothing is compared.");
    };
    let relative = (x - y) / y * 100.0;
    let more = if relative < 0.0 { "fewer" } else { "more" };
    let ours = format!(
        "plimsoll did {:.1} % {more} {what} than {peer}",
        relative.abs()
    );
    match half_width(&a, &b).map(|half| half / y * 100.0) {
        None => format!("{ours}; from one run of each nothing tells whether that is chance."),
        Some(half) => {
            let interval = format!("95 %: {:+.1} to {:+.1} %", relative - half, relative + half);
            match relative.abs() <= half {
                true => format!("{ours} ({interval}): the two are not told apart."),
                false => format!("{ours} ({interval}): they differ."),
            }
        }
    }
}

/// Both with the same number of parts: where they do not have as many, all steps of each are one.
fn alike(ours: &[Vec<Part>], theirs: &[Vec<Part>]) -> (Vec<Vec<Part>>, Vec<Vec<Part>>) {
    let count = |runs: &[Vec<Part>]| runs.first().map_or(0, Vec::len);
    match count(ours) == count(theirs) || theirs.is_empty() {
        true => (ours.to_vec(), theirs.to_vec()),
        // Steps of different jobs have no one latency: only what was counted is comparable.
        false => {
            let counts = |runs: &[Vec<Part>]| runs.iter().map(|r| vec![counted(r)]).collect();
            (counts(ours), counts(theirs))
        }
    }
}

/// The I/Os of all parts together.
fn counted(parts: &[Part]) -> Part {
    let each = |op: Op| {
        let own: Vec<&Numbers> = parts
            .iter()
            .flat_map(|p| &p.ops)
            .filter(|n| n.op == op)
            .collect();
        own.first()?;
        let ios: u64 = own.iter().map(|n| n.ios).sum();
        let mean = own.iter().map(|n| n.mean_ns * n.ios as f64).sum::<f64>() / ios as f64;
        Some(Numbers {
            op,
            ios,
            iops: None,
            bandwidth: None,
            mean_ns: mean,
            quantiles_ns: [None; 3],
            response_ns: None,
        })
    };
    Part {
        name: "all steps together".to_string(),
        ops: Op::ALL.into_iter().filter_map(each).collect(),
    }
}

/// A figure of both, which the other tool may know to a bucket only.
fn figures(op: Op, figure: &str, kind: FigureKind, a: &[Told], b: &[Told]) -> String {
    let values = |all: &[Told]| all.iter().filter_map(Told::value).collect::<Vec<f64>>();
    match b.iter().all(|q| q.value().is_some()) {
        true => line(op, figure, kind, &values(a), &values(b)),
        false => bucket(op, figure, kind, &values(a), b),
    }
}

/// One that the other tool knows to a bucket: how far ours lies outside of it.
fn bucket(op: Op, figure: &str, kind: FigureKind, a: &[f64], b: &[Told]) -> String {
    let from = mean(&b.iter().map(|q| q.from).collect::<Vec<_>>()).unwrap_or_default();
    let ends: Option<Vec<f64>> = b.iter().map(|q| q.to).collect();
    let to = ends.and_then(|ends| mean(&ends));
    let ours = mean(a);
    let difference = match (ours, to) {
        (None, _) => "-".to_string(),
        (Some(x), Some(to)) if x > to => format!("> {:+.1} %", (x - to) / to * 100.0),
        (Some(x), _) if x < from => format!("< {:+.1} %", (x - from) / from * 100.0),
        _ => "within".to_string(),
    };
    let theirs = match to {
        Some(to) => between(from, to),
        None => format!("> {}", shown(kind, from)),
    };
    format!(
        "  {:<6} {figure:<10} {:>14} {theirs:>14} {difference:>10}  known to its bucket",
        op.name(),
        ours.map_or("-".to_string(), |x| shown(kind, x)),
    )
}

/// `60-80 us`
fn between(from: f64, to: f64) -> String {
    let (unit, name) = match to >= 1e6 {
        true => (1e6, "ms"),
        false => (1e3, "us"),
    };
    // Two runs may have been in different buckets; no more digits than that shows.
    let round = |ns: f64| (ns / unit * 10.0).round() / 10.0;
    format!("{}-{} {name}", round(from), round(to))
}

fn line(op: Op, figure: &str, kind: FigureKind, a: &[f64], b: &[f64]) -> String {
    let (x, y) = (mean(a), mean(b));
    let show = |value: Option<f64>| value.map_or("-".to_string(), |v| shown(kind, v));
    let relative = match (x, y) {
        (Some(x), Some(y)) if y > 0.0 => Some((x - y) / y * 100.0),
        _ => None,
    };
    let difference = relative.map_or("-".to_string(), |r| format!("{r:+.1} %"));
    let half = y
        .filter(|y| *y > 0.0)
        .and_then(|y| Some(half_width(a, b)? / y * 100.0));
    let interval = match (relative, half) {
        (Some(r), Some(half)) => format!("{:+.1} to {:+.1} %", r - half, r + half),
        _ => "not known from one run".to_string(),
    };
    format!(
        "  {:<6} {figure:<10} {:>14} {:>14} {difference:>10}  {interval}",
        op.name(),
        show(x),
        show(y)
    )
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Half of the difference's interval: Welch's, with whole degrees of freedom; `None` where a side has one run.
fn half_width(a: &[f64], b: &[f64]) -> Option<f64> {
    let part = |values: &[f64]| {
        let n = values.len() as f64;
        let mean = mean(values)?;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (values.len() > 1).then(|| (squares / (n - 1.0) / n, n - 1.0))
    };
    let ((va, da), (vb, db)) = (part(a)?, part(b)?);
    let all = va + vb;
    if all == 0.0 {
        return Some(0.0);
    }
    let degrees = all * all / (va * va / da + vb * vb / db);
    Some(student_t_95((degrees.floor() as usize).max(1)) * all.sqrt())
}

/// Response times of ours, where there was a schedule.
fn response(out: &mut String, ours: &[Part]) {
    for op in Op::ALL {
        let each = ours
            .iter()
            .filter_map(|p| p.ops.iter().find(|n| n.op == op));
        let each: Vec<&Numbers> = each.collect();
        let figures = QUANTILES.iter().enumerate().filter_map(|(at, q)| {
            let of = |n: &&Numbers| n.response_ns.and_then(|r| r[at]);
            let response = mean(&each.iter().filter_map(of).collect::<Vec<_>>())?;
            Some(format!(
                "p{} {}",
                q * 100.0,
                shown(FigureKind::Time, response)
            ))
        });
        let figures: Vec<String> = figures.collect();
        if !figures.is_empty() {
            let _ = writeln!(
                out,
                "  {:<6} response   {}: from the intended start, which the other tool does not know",
                op.name(),
                figures.join(", ")
            );
        }
    }
}

fn shown(kind: FigureKind, value: f64) -> String {
    match kind {
        FigureKind::Count if value >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        FigureKind::Count => format!("{value:.1}"),
        FigureKind::Bandwidth => format!("{:.1} MiB/s", value / f64::from(1 << 20)),
        FigureKind::Time if value >= 1e6 => format!("{:.2} ms", value / 1e6),
        FigureKind::Time => format!("{:.1} us", value / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(iops: f64, p99: Option<f64>) -> Vec<Part> {
        vec![Part {
            name: "oltp".to_string(),
            ops: vec![Numbers {
                op: Op::Read,
                ios: 1000,
                iops: Some(iops),
                bandwidth: Some(iops * 4096.0),
                mean_ns: 100_000.0,
                quantiles_ns: [Some(Told::of(90_000.0)), p99.map(Told::of), None],
                response_ns: Some([Some(90_000.0), Some(900_000.0), None]),
            }],
        }]
    }

    #[test]
    fn differences_have_an_interval_from_two_runs_on() {
        // By hand: means 110 and 100; variances 200 and 200 over two runs each, so 100 + 100; two degrees: 4.3027 * 14.142.
        let a = [run(100.0, Some(3e5)), run(120.0, Some(3e5))];
        let b = [run(90.0, Some(3e5)), run(110.0, Some(3e5))];
        let text = table("fio", &a, &b);
        assert!(text.contains("+10.0 %"), "{text}");
        assert!(text.contains("-50.8 to +70.8 %"), "{text}");
        assert!(text.contains("p99 900.0 us"), "{text}");
        let one = table("fio", &a[..1], &b[..1]);
        assert!(one.contains("not known from one run"), "{one}");
    }

    #[test]
    fn what_only_one_has_is_shown_without_a_difference() {
        let text = table("fio", &[run(100.0, None)], &[run(100.0, Some(2e6))]);
        let p99 = text.lines().find(|l| l.contains("p99 ")).expect("a line");
        assert!(p99.contains(" - ") && p99.contains("2.00 ms"), "{text}");
    }

    #[test]
    fn what_is_known_to_a_bucket_is_compared_with_its_ends() {
        let with = |from, to| {
            let mut part = run(100.0, None);
            part[0].ops[0].quantiles_ns[0] = Some(Told { from, to });
            table("Vdbench", &[run(100.0, None)], &[part])
        };
        // Ours is 90 us.
        let text = with(80_000.0, Some(100_000.0));
        let p50 = text.lines().find(|l| l.contains("p50 ")).expect("a line");
        assert!(p50.contains("80-100 us") && p50.contains("within"), "{p50}");
        assert!(with(20_000.0, Some(60_000.0)).contains("> +50.0 %"));
        assert!(with(100_000.0, Some(200_000.0)).contains("< -10.0 %"));
        let open = with(80_000.0, None);
        assert!(
            open.contains("> 80.0 us") && open.contains("within"),
            "{open}"
        );
    }

    #[test]
    fn steps_that_are_not_the_same_number_are_counted_together() {
        let two = [run(5.0, None), run(5.0, None)].concat();
        let text = table("fio", &[two], &[run(5.0, None)]);
        assert!(text.starts_with("all steps together"), "{text}");
        assert!(text.contains("2000"), "{text}");
        // The rates of one of them are not those of both.
        assert!(
            !text.contains("IOPS") && !text.contains("bandwidth"),
            "{text}"
        );
    }
}
