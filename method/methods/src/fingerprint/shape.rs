//! How the target wants its I/O: at which multiples, and in which order.

use super::ratio::{Ratio, rounds};
use super::script::{Order, Probe, ReadArea, Script};
use super::slices::ReadResult;
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
pub(crate) fn alignment(script: &mut Script<'_>) -> ReadResult<(u64, Ratio)> {
    let sector = script.sector;
    let mut best: Option<(u64, Ratio)> = None;
    let mut after: Option<Ratio> = None;
    // What has pieces of two sizes, as a core's and a disk's, gains at both and not in between.
    let mut smaller: Option<u64> = None;
    for unit in UNITS {
        if !(unit / 2).is_multiple_of(sector) || script.size < unit * 4096 {
            continue;
        }
        let probes = [half_off(script, unit), aligned(script, unit)];
        let ratio = rounds(script, &probes, ROUNDS, |r| r.rate)?.ratio(1, 0);
        if ratio.clear && ratio.ratio > 1.0 {
            if let (Some((before, gain)), Some(between)) = (&best, &after)
                && sharp(gain, between)
            {
                smaller = smaller.or(Some(*before));
            }
            (best, after) = (Some((unit, ratio)), None);
        } else if after.is_none() {
            after = Some(ratio);
        }
    }
    if let (Some((larger, _)), Some(smaller)) = (&best, smaller) {
        return Ok(Err(format!(
            "reads of {} are faster at their multiples, and so are those of {}, but not those between: there are two units",
            Bytes(smaller),
            Bytes(*larger)
        )));
    }
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
    let place = ReadArea::new(0, script.size / unit * unit, Order::Every(stride));
    Probe {
        block: unit,
        warmup_ms: 50,
        elapsed_ms: 150,
        ..Probe::reads(format!("{} {how}", Bytes(unit)), vec![place], script.depth)
    }
}

/// Reads of twice the true unit touch as many pieces half between as at multiples.
fn sharp(gain: &Ratio, next: &Ratio) -> bool {
    next.high < 1.0 + SHARP * (gain.ratio - 1.0)
}

/// Larger than a line of most caches.
const LINE: u64 = 1 << 20;
/// A run of reads, ms.
const RUN_MS: u64 = 200;

/// Speed of small reads one after the other, of what was not read before, as a ratio to the same number of reads as near to each other in
/// any order. A read that finds its data in the line of a cache that an earlier one brought does so in either order.
pub(crate) fn read_ahead(script: &mut Script<'_>) -> ReadResult<Ratio> {
    const BLOCK: u64 = 4096;
    let quarter = script.size / 4 / BLOCK * BLOCK;
    if quarter < 64 << 20 {
        return Ok(Err(format!("the target has only {}", Bytes(script.size))));
    }
    let probe = |name: &str, from, bytes, order| Probe {
        warmup_ms: 0,
        elapsed_ms: RUN_MS,
        ..Probe::reads(
            format!("one at a time, {name}"),
            vec![ReadArea::new(from, from + bytes, order)],
            1,
        )
    };
    let half = quarter / ROUNDS as u64 / 2 / LINE * LINE;
    let mut all = super::levels::Rounds::default();
    for round in 0..ROUNDS as u64 {
        // Parts that no round before has read, each from a line's start.
        let from = (2 * quarter).next_multiple_of(LINE) + 2 * half * round;
        let in_order = script.measure(&probe("in order", from, half, Order::Sequential))?;
        // As many blocks as were read in order, each of them once.
        let blocks = (in_order.rate * RUN_MS as f64 / 1e3).ceil() as u64;
        let bytes = (blocks.max(8) * BLOCK).min(half);
        let near = probe("close by in any order", from + half, bytes, Order::Shuffled);
        let any_order = script.measure(&near)?;
        all.0.push(vec![any_order.log(), in_order.log()]);
    }
    let ratio = all.ratio(1, 0);
    Ok(match ratio.clear && ratio.ratio > 1.0 {
        true => Ok(ratio),
        false => Err(
            "reads one after the other are not faster than as many close by in any order".into(),
        ),
    })
}
