//! Slices and their owners: where two places that are read at once hinder each other, they have one owner.
//!
//! Half of the reads go to a few blocks at the target's start, the other half to as many at a distance, in a closed loop that
//! saturates. The number of blocks is the same for each distance, so caches and media see the same. What differs is who
//! serves: near places have one owner and far ones two, until a distance comes round to the first owner again. The first
//! distance with two owners is where the first slice ends; the next with one is the owner's next slice, and its length is
//! the size of a slice.

use super::levels::{Levels, Rounds, Side};
use super::script::{Order, Probe, ReadArea, Script, Stop};
use crate::average::mean;
use plimsoll_plan::Bytes;

/// The bytes of each of two groups. Slices that are not larger than two of them are not told apart.
pub(crate) const GROUP: u64 = 32 << 10;
/// The farthest that is looked at first: slices that are larger are not found.
const FARTHEST: u64 = 64 << 20;
/// Rounds of all distances: at least, at most, and how many of the last count.
const ROUNDS: (usize, usize, usize) = (4, 14, 10);
/// After so many rounds without a sign nothing is expected any more…
const HOPELESS_AFTER: usize = 8;
/// Repeats of one probe until it must be decided.
const REPEATS: usize = 14;
/// The most slices among which the owner's next one is looked for.
const MOST_OWNERS: u64 = 128;

/// Dealing of the target to owners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dealing {
    /// Bytes of a slice.
    pub slice: u64,
    /// Start of the second slice: less than a slice where the target begins inside of one.
    pub first_end: u64,
    /// Number of owners that take turns.
    pub owners: u64,
}

/// Result of reads, or the reason why nothing is known.
pub(crate) type ReadResult<T> = Result<Result<T, String>, Stop>;

/// Result of reads at several distances.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Distances {
    pub bytes: Vec<u64>,
    /// Mean rate of each, I/Os per second.
    pub rates: Vec<f64>,
    /// The 95 % interval of each over its rounds.
    pub intervals: Vec<Option<(f64, f64)>>,
}

/// Reads at once at the target's start and at a distance.
fn pair(script: &mut Script<'_>, distance: u64) -> Result<f64, Stop> {
    let place = |from| ReadArea::new(from, from + GROUP, Order::Random);
    let probe = Probe::reads(
        format!("start and {} on", Bytes(distance)),
        vec![place(0), place(distance)],
        script.depth,
    );
    Ok(script.measure(&probe)?.log())
}

/// Heats the first owner: an array that gives what is bound to nobody to the idle ones does so only for a while, and until
/// then a hot owner is less of a limit.
fn heat(script: &mut Script<'_>) -> Result<(), Stop> {
    let mut seen: Vec<f64> = Vec::new();
    while seen.len() < 12 {
        seen.push(pair(script, GROUP)?);
        let n = seen.len();
        if n >= 6 && (mean(&seen[n - 3..]) - mean(&seen[n - 6..n - 3])).abs() < 0.05 {
            break;
        }
    }
    Ok(())
}

/// The two levels, and the first distance on the upper one.
fn levels(script: &mut Script<'_>, seen: &mut Option<Distances>) -> ReadResult<(Levels, Vec<u64>)> {
    let distances: Vec<u64> = (0..)
        .map(|j| GROUP << j)
        .take_while(|d| *d <= FARTHEST && d * 2 <= script.size)
        .collect();
    if distances.len() < 4 {
        return Ok(Err(format!("the target has only {}", Bytes(script.size))));
    }
    heat(script)?;
    let mut rounds = Rounds::default();
    let (least, most, last) = ROUNDS;
    while rounds.0.len() < most {
        let mut row = Vec::new();
        for distance in &distances {
            row.push(pair(script, *distance)?);
        }
        rounds.0.push(row);
        let lately = rounds.last(last);
        *seen = Some(Distances {
            bytes: distances.clone(),
            rates: lately.means().iter().map(|m| m.exp()).collect(),
            intervals: lately.intervals(),
        });
        if rounds.0.len() < least {
            continue;
        }
        if let Some(parted) = lately.parted() {
            let near = parted.low.iter().take_while(|low| **low).count();
            return Ok(Ok((parted.levels, distances[near - 1..=near].to_vec())));
        }
        if rounds.0.len() >= HOPELESS_AFTER && !spread(&lately) {
            break;
        }
    }
    Ok(Err(
        "no place hinders a near one more than a far one: nothing is bound to an owner, or something else is slower".into(),
    ))
}

/// True where the distances differ by more than noise at all.
fn spread(rounds: &Rounds) -> bool {
    let means = rounds.means();
    let all = mean(&means);
    let error = rounds.sd().unwrap_or(0.0) / (rounds.0.len() as f64).sqrt();
    means.iter().any(|m| (m - all).abs() > 3.0 * error)
}

/// Side that the place at a distance is on: the owner of the start, or another; `None` where repeats cannot decide. `lightly`: two owners
/// are believed sooner.
fn side(
    script: &mut Script<'_>,
    levels: &mut Levels,
    distance: u64,
    lightly: bool,
) -> Result<Option<Side>, Stop> {
    let apart = if lightly {
        Levels::LIKELY
    } else {
        Levels::SURE
    };
    let (mut sum, mut seen) = (0.0, Vec::new());
    for _ in 0..REPEATS {
        let rate = pair(script, distance)?;
        sum += levels.evidence(rate);
        seen.push(rate);
        let side = match sum {
            s if s >= Levels::SURE => Side::Same,
            s if s <= -apart => Side::Apart,
            _ => continue,
        };
        levels.follow(side, mean(&seen));
        return Ok(Some(side));
    }
    Ok(None)
}

/// The border between a distance that is on one side and one, higher, that is on the other, to a group's size. `guess` is
/// tried first.
fn border(
    script: &mut Script<'_>,
    levels: &mut Levels,
    (mut low, mut high): (u64, u64),
    below: Side,
    guess: u64,
) -> Result<Option<u64>, Stop> {
    let mut next = (guess > low && guess <= high).then_some(guess - GROUP);
    while high - low > GROUP {
        let middle = next
            .take()
            .filter(|m| *m > low)
            .unwrap_or((low + (high - low) / 2) / GROUP * GROUP);
        match side(script, levels, middle, false)? {
            Some(found) if found == below => low = middle,
            Some(_) => high = middle,
            None => return Ok(None),
        }
    }
    Ok(Some(high))
}

/// Dealing of the target, as far as pairs of places tell.
pub(crate) fn dealing(
    script: &mut Script<'_>,
    seen: &mut Option<Distances>,
) -> ReadResult<Dealing> {
    let (mut levels, near_far) = match levels(script, seen)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let blurred = || Ok(Err("where a slice ends is not sharp".to_string()));
    let ends = (near_far[0], near_far[1]);
    let Some(first_end) = border(script, &mut levels, ends, Side::Same, ends.1)? else {
        return blurred();
    };
    let Some(again) = comes_again(script, &mut levels, first_end)? else {
        return Ok(Err(format!(
            "the first slice ends at {}, and none of those looked at after it has the same owner: there are more owners \
             than that, or they do not take turns",
            Bytes(first_end)
        )));
    };
    let before = (again - first_end, again);
    let Some(from) = border(script, &mut levels, before, Side::Apart, again)? else {
        return blurred();
    };
    let Some(to) = end_of(script, &mut levels, again, first_end)? else {
        return blurred();
    };
    let slice = to - from;
    if slice < first_end || !(from - first_end).is_multiple_of(slice) {
        return Ok(Err("slices are not all of one size".into()));
    }
    Ok(Ok(Dealing {
        slice,
        first_end,
        owners: (from - first_end) / slice + 1,
    }))
}

/// The next place, in steps of the first slice, that has the owner of the start.
fn comes_again(
    script: &mut Script<'_>,
    levels: &mut Levels,
    first_end: u64,
) -> Result<Option<u64>, Stop> {
    for turn in 2..=MOST_OWNERS {
        let at = first_end * turn;
        if at + GROUP > script.size {
            break;
        }
        if side(script, levels, at, true)? == Some(Side::Same) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// End of the slice that a place is in.
fn end_of(
    script: &mut Script<'_>,
    levels: &mut Levels,
    inside: u64,
    step: u64,
) -> Result<Option<u64>, Stop> {
    let mut low = inside;
    loop {
        let high = low + step;
        if high + GROUP > script.size {
            return Ok(None);
        }
        match side(script, levels, high, false)? {
            Some(Side::Same) => low = high,
            Some(Side::Apart) => return border(script, levels, (low, high), Side::Same, high),
            None => return Ok(None),
        }
    }
}
