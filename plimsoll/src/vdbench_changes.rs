//! What flags and words on the command line change in a Vdbench file.

use crate::cli::{DirectArgs, PointsArgs};
use crate::definition::Typed;
use crate::failure::Failure;
use plimsoll_dialects::vdbench::Overrides;
use plimsoll_plan::Nanos;

/// Flags, and the parameter that says the same where it stands after a `+`.
const SAME_AFTER_PLUS: [(&str, &str); 6] = [
    ("--depth", "forthreads=8"),
    ("--block", "forxfersize=8k"),
    ("--read", "forrdpct=70"),
    ("--rate", "iorate=5000"),
    ("--hits", "forrhpct=75"),
    ("--percents", "iorate=curve curve=(10,50,100)"),
];

/// The times of all runs, where flags give them. Other flags are refused, each with what does the same.
pub fn overrides(typed: &Typed<'_>) -> Result<Overrides, Failure> {
    let rest = DirectArgs {
        duration: None,
        warmup: None,
        interval: None,
        ..typed.direct.clone()
    };
    let times = times(typed.direct)?;
    let points = match typed.points {
        PointsArgs {
            percents: Some(_), ..
        } => Some("--percents"),
        PointsArgs { slo, .. } if !slo.is_empty() => Some("--slo"),
        _ => None,
    };
    let method = typed.of_method.first().map(|(flag, _, _)| *flag);
    match rest.first_given().or(points).or(method) {
        None => Ok(times),
        Some(flag) => Err(refused(flag)),
    }
}

/// The times of all runs that flags give.
pub fn times(direct: &DirectArgs) -> Result<Overrides, Failure> {
    Ok(Overrides {
        elapsed: seconds("--for", direct.duration.clone())?,
        warmup: seconds("--warmup", direct.warmup.clone())?,
        interval: seconds("--interval", direct.interval.clone())?,
    })
}

fn seconds(flag: &str, given: Option<String>) -> Result<Option<f64>, Failure> {
    let parse = |text: String| -> Result<f64, Failure> {
        let time: Nanos = text
            .parse()
            .map_err(|e| Failure::usage(format!("{flag}: {e}")))?;
        Ok(time.as_secs_f64())
    };
    given.map(parse).transpose()
}

fn refused(flag: &str) -> Failure {
    let example = SAME_AFTER_PLUS
        .iter()
        .find(|(known, _)| *known == flag)
        .map_or("keyword=value", |(_, same)| same);
    Failure::usage(format!(
        "{flag} goes with a target or a definition in TOML; a Vdbench file says it itself. Parameters after a + are added \
         to each of its runs: `plimsoll run -f FILE + {example}`. Where the file says $NAME, the word NAME=VALUE replaces \
         it; --for, --warmup and --interval change all of its runs"
    ))
}
