//! `plimsoll compare RESULT lab:PERSONA`: a result beside what a simulated array does under the same load.

use crate::cli::CompareArgs;
use crate::failure::Failure;
use crate::fitted::{Found, of_step, points};
use crate::out::{self, say, tell};
use plimsoll_array::fit::{MeasuredPoint, slots};
use plimsoll_array::{Array, Expected, Persona, expected};
use plimsoll_evidence::StepEvidence;
use plimsoll_plan::{LabTarget, Location};
use plimsoll_printable::{Printable, human};
use plimsoll_sim::find_persona;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// An array's figures within so much of the measured ones are as that array's, as a share.
const ALIKE: f64 = 0.1;
/// Share of an array's figures below which measured ones are far from them.
const FAR: f64 = 0.5;

/// One load, measured and simulated.
#[derive(Serialize)]
struct Beside {
    name: String,
    in_flight: f64,
    /// True where the rate was limited, so that response times are what is compared.
    limited: bool,
    iops: f64,
    response_us: f64,
    array_iops: f64,
    array_response_us: f64,
    /// The measured rate over the array's; of a limited rate the array's response time over the measured one.
    share: f64,
    verdict: &'static str,
}

/// The array, where the side after the change is one.
pub fn persona_of(after: &[PathBuf]) -> Result<Option<LabTarget>, Failure> {
    let [one] = after else { return Ok(None) };
    let text = one.to_str().filter(|text| text.starts_with("lab:"));
    let Some(text) = text.filter(|_| !one.exists()) else {
        return Ok(None);
    };
    match Location::parse(text) {
        Ok(Location::Lab(lab)) => Ok(Some(lab)),
        Ok(_) => Ok(None),
        Err(e) => Err(Failure::usage(e.to_string())),
    }
}

/// Shows each of a result's loads beside the array.
pub fn compare(
    args: &CompareArgs,
    before: &[PathBuf],
    lab: &LabTarget,
) -> Result<ExitCode, Failure> {
    let [result] = before else {
        return Err(Failure::usage(
            "one result is compared with a simulated array at a time",
        ));
    };
    if !args.fail_if.is_empty() || args.html.is_some() {
        return Err(Failure::usage(
            "a comparison with a simulated array has no gates and no page: the array is a model, and nothing is shown of its runs' spread",
        ));
    }
    let rows = beside(result, args, lab)?;
    if args.json {
        out::json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    say!("A: {}", Printable(&result.display().to_string()));
    say!("B: {lab}, a model at full size; nothing real was measured there");
    show(&rows);
    Ok(ExitCode::SUCCESS)
}

/// Shows each step of a run beside the array that its target is to be like.
pub fn steps(steps: &[StepEvidence], lab: &LabTarget) -> Result<(), Failure> {
    let found: Vec<Found> = steps.iter().filter_map(of_step).collect();
    let slots = slots(&found.iter().map(|f| f.point).collect::<Vec<_>>());
    say!();
    say!("beside {lab}, a model at full size:");
    show(&rows(found.into_iter(), slots, lab)?);
    Ok(())
}

fn show(rows: &[Beside]) {
    for row in rows {
        say!(
            "{}: {} in flight, {}/s and {} here, {}/s and {} there: {}",
            Printable(&row.name),
            human::number(row.in_flight),
            human::number(row.iops),
            human::time(row.response_us * 1e3),
            human::number(row.array_iops),
            human::time(row.array_response_us * 1e3),
            row.verdict,
        );
    }
}

fn beside(result: &Path, args: &CompareArgs, lab: &LabTarget) -> Result<Vec<Beside>, Failure> {
    let all = points(result)?;
    let slots = slots(&all.iter().map(|f| f.point).collect::<Vec<_>>());
    let wanted = |f: &Found| args.step.is_empty() || args.step.contains(&f.name);
    let rows = rows(all.into_iter().filter(wanted), slots, lab)?;
    match rows.is_empty() {
        true => Err(Failure::usage(format!(
            "{}: nothing in it has a rate, a mean time and a size of I/O",
            Printable(&result.display().to_string())
        ))),
        false => Ok(rows),
    }
}

/// Measured loads beside what the array does under each.
fn rows(
    measured: impl Iterator<Item = Found>,
    slots: usize,
    lab: &LabTarget,
) -> Result<Vec<Beside>, Failure> {
    let (persona, scale) = find_persona(&lab.array).map_err(|e| Failure::usage(e.to_string()))?;
    let mut rows = Vec::new();
    for found in measured {
        let mut array =
            Array::new(&persona, scale, 1).map_err(|e| Failure::usage(format!("{lab}: {e}")))?;
        let bytes = found.bytes.round() as u32;
        let there = match bytes {
            0 => None,
            _ => expected(&mut array, &found.point, slots, bytes),
        };
        match there {
            Some(there) => {
                let most = most(&persona, scale, &found.point, slots, bytes);
                rows.push(row(found, there, most));
            }
            None => tell!(
                "note: {}: how large its I/Os are is not told, or the array fails them: it is left out",
                Printable(&found.name)
            ),
        }
    }
    Ok(rows)
}

/// The rate of the array with as many in flight as a limited point had: near an array's maximum a small difference of it makes a large one of
/// the times.
fn most(
    persona: &Persona,
    scale: f64,
    point: &MeasuredPoint,
    slots: usize,
    bytes: u32,
) -> Option<f64> {
    let full = MeasuredPoint {
        is_limited: false,
        ..*point
    };
    let mut array = Array::new(persona, scale, 1).ok()?;
    let there = point
        .is_limited
        .then(|| expected(&mut array, &full, slots, bytes))??;
    Some(there.rate)
}

fn row(found: Found, there: Expected, most: Option<f64>) -> Beside {
    let point = found.point;
    let share = match point.is_limited {
        true => there.mean_us / point.mean_us().max(f64::MIN_POSITIVE),
        false => point.rate / there.rate,
    };
    Beside {
        name: found.name,
        in_flight: point.in_flight(),
        limited: point.is_limited,
        iops: point.rate,
        response_us: point.mean_us(),
        array_iops: there.rate,
        array_response_us: there.mean_us,
        share,
        verdict: match (share, point.is_limited) {
            _ if most.is_some_and(|most| point.rate > (1.0 + ALIKE) * most) => {
                "more than that array"
            }
            (s, _) if (s - 1.0).abs() <= ALIKE => "as that array",
            _ if most.is_some_and(|most| (point.rate / most - 1.0).abs() <= ALIKE) => {
                "that array's rate; at it, times vary a lot by chance"
            }
            (s, false) if s > 1.0 => "more than that array",
            (s, true) if s > 1.0 => "faster than that array",
            (s, false) if s < FAR => "very low for that array",
            (_, false) => "low for that array",
            (s, true) if s < FAR => "very slow for that array",
            (_, true) => "slow for that array",
        },
    }
}
