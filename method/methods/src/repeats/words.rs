//! What the repeats of a plan came to, in a sentence and as a table.

use super::figures::Repeated;
use plimsoll_evidence::wording::{list, percent, plural};
use plimsoll_evidence::{Counted, MethodTable, Quantity, StepEvidence, TableCell, TableColumn};
use plimsoll_plan::repeat_of;

/// `5 repeats of rd1: rate 41,200/s ± 310/s, response 634us ± 5us; between repeats the response varies by 0.6%.`
pub(super) fn sentence(
    (whole, times): (u32, u32),
    runs: &[String],
    figures: &[Repeated],
) -> String {
    let what = match runs {
        [run] => run.clone(),
        runs => format!("{} ({})", plural(runs.len(), "run"), list(runs)),
    };
    let mut text = match whole == times {
        true => format!("{times} repeats of {what}"),
        false => format!("{whole} whole of {times} repeats of {what}"),
    };
    let alone = figures
        .iter()
        .all(|f| figures.first().is_some_and(|g| g.of == f.of));
    if alone {
        let words: Vec<String> = figures.iter().filter_map(Repeated::words).take(3).collect();
        if !words.is_empty() {
            text += &format!(": {}", words.join(", "));
        }
    }
    text + &varies(figures, alone) + "."
}

/// `; between repeats the response varies by 0.6%`. A rate that was given varies by nothing that the target does; then its response says it.
fn varies(figures: &[Repeated], alone: bool) -> String {
    let told = figures.iter().filter(|f| f.tells_of_the_target());
    let worst = told
        .filter_map(|f| Some((f.scatter()?, f)))
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let Some((scatter, figure)) = worst else {
        return String::new();
    };
    let (label, by) = (&figure.label, percent(scatter));
    match alone {
        true => format!("; between repeats the {label} varies by {by}"),
        false => format!(
            "; between repeats the {label} varies by {by} at most, at {}",
            figure.of
        ),
    }
}

/// Each repeat of each step.
pub(super) fn table(groups: &[(String, Vec<&StepEvidence>)]) -> Option<MethodTable> {
    let row = |name: &str, step: &StepEvidence| {
        let timed = !step.saturation.is_some_and(|s| s.saturated) && step.ios > 0;
        let of = |value: Option<f64>, unit: fn(f64) -> Quantity| TableCell::maybe(value.map(unit));
        let number = repeat_of(&step.run).map_or(0, |(_, number)| number);
        let p99 = step.response.supported_quantile_ns(0.99);
        vec![
            TableCell::of(Quantity::Text(name.into())),
            TableCell::of(Quantity::Count(number.into())),
            of(
                (step.counted_s > 0.0).then_some(step.rate.mean),
                Quantity::PerSecond,
            ),
            of(timed.then_some(step.response_mean_ns.mean), Quantity::Ns),
            of(p99.filter(|_| timed).map(|ns| ns as f64), Quantity::Ns),
        ]
    };
    let counted = Counted::of(
        groups
            .iter()
            .flat_map(|(_, steps)| steps.iter().map(|s| s.counted)),
    );
    let rows: Vec<_> = groups
        .iter()
        .flat_map(|(name, steps)| steps.iter().map(move |step| row(name, step)))
        .collect();
    (!rows.is_empty()).then(|| MethodTable {
        title: "Each repeat".into(),
        columns: vec![
            TableColumn::new("step", "step"),
            TableColumn::new("repeat", "repeat"),
            TableColumn::new("iops", counted.by_s()),
            TableColumn::new("response_mean", "response"),
            TableColumn::new("response_p99", "p99"),
        ],
        rows,
    })
}
