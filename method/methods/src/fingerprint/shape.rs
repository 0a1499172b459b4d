//! How the target wants its I/O: at which multiples, and in which order.

use super::ratio::{Ratio, rounds};
use super::script::{Order, Place, Probe, Script};
use super::slices::Answer;
use plimsoll_plan::Bytes;

/// Rounds of each comparison.
const ROUNDS: usize = 6;
/// Units that are looked for.
const UNITS: [u64; 8] = [
    1 << 10,
    2 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
];
/// Of the unit found, so much of its gain must be missing at the next larger one, or the true one may be larger.
const SHARP: f64 = 0.5;

/// From one read to the next, in units, and in half units where every other one is half between. Both are prime, so that
/// neither meets some of an array's owners more often than others, and about equally long.
const STRIDES: (u64, u64) = (31, 61);

/// The largest unit at whose multiples reads of its size are faster than between them.
///
/// Reads of a unit's size either all begin at its multiples, or every other one begins half a unit further. Of smaller
/// units than the true one few reads cross a border either way, of larger ones all touch as many pieces either way.
pub(crate) fn alignment(script: &mut Script<'_>) -> Answer<(u64, Ratio)> {
    let sector = script.sector;
    let mut best: Option<(u64, Ratio)> = None;
    let mut after: Option<Ratio> = None;
    for unit in UNITS {
        if !(unit / 2).is_multiple_of(sector) || script.size < unit * 4096 {
            continue;
        }
        let probes = [half_off(script, unit), aligned(script, unit)];
        let ratio = rounds(script, &probes, ROUNDS, |r| r.rate)?.ratio(1, 0);
        if ratio.clear && ratio.ratio > 1.0 {
            (best, after) = (Some((unit, ratio)), None);
        } else if after.is_none() {
            after = Some(ratio);
        }
    }
    // Reads of twice the true unit touch as many pieces half between as at multiples.
    let sharp = |gain: &Ratio, next: &Ratio| next.high < 1.0 + SHARP * (gain.ratio - 1.0);
    if let Some((unit, gain)) = &best
        && !after.as_ref().is_some_and(|next| sharp(gain, next))
    {
        return Ok(Err(format!(
            "reads of {} are faster at their multiples than between them, and those of larger ones do not differ \
             clearly enough to tell which unit it is",
            Bytes(*unit)
        )));
    }
    Ok(best.ok_or_else(|| {
        format!(
            "reads of up to {} are as fast between their multiples as at them",
            Bytes(UNITS[UNITS.len() - 1])
        )
    }))
}

fn aligned(script: &Script<'_>, unit: u64) -> Probe {
    strided(script, unit, unit * STRIDES.0, "at its multiples")
}

fn half_off(script: &Script<'_>, unit: u64) -> Probe {
    strided(script, unit, unit / 2 * STRIDES.1, "half between")
}

fn strided(script: &Script<'_>, unit: u64, stride: u64, how: &str) -> Probe {
    let place = Place {
        from: 0,
        to: script.size / unit * unit,
        order: Order::Every(stride),
    };
    Probe {
        block: unit,
        warmup_ms: 50,
        elapsed_ms: 150,
        ..Probe::reads(format!("{} {how}", Bytes(unit)), vec![place], script.depth)
    }
}

/// How many times as fast small reads come one after the other, of what was not read before, as in any order.
pub(crate) fn read_ahead(script: &mut Script<'_>) -> Answer<Ratio> {
    let quarter = script.size / 4 / 4096 * 4096;
    if quarter < 64 << 20 {
        return Ok(Err(format!("the target has only {}", Bytes(script.size))));
    }
    let mut all = super::levels::Rounds::default();
    for round in 0..ROUNDS as u64 {
        // A part that no round before has read.
        let from = 2 * quarter + quarter / ROUNDS as u64 / 4096 * 4096 * round;
        let place = |order| Place {
            from,
            to: from + quarter / ROUNDS as u64 / 4096 * 4096,
            order,
        };
        let probe = |name: &str, order| Probe {
            warmup_ms: 0,
            elapsed_ms: 200,
            ..Probe::reads(format!("one at a time, {name}"), vec![place(order)], 1)
        };
        let probes = [
            probe("any order", Order::Random),
            probe("in order", Order::Sequential),
        ];
        all.0.extend(rounds(script, &probes, 1, |r| r.rate)?.0);
    }
    let ratio = all.ratio(1, 0);
    Ok(match ratio.clear && ratio.ratio > 1.0 {
        true => Ok(ratio),
        false => Err("reads one after the other are not faster than those in any order".into()),
    })
}
