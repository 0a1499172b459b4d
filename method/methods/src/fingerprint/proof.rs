//! Whether a dealing that was found near the target's start holds all over it.
//!
//! A dealing foretells of any two places whether they have one owner. So places are picked by chance, far from those that it
//! was found with, and read at once: those that should have one owner must all be as slow as each other, and those that should
//! have two clearly faster. A hash, or a turn of groups, foretells neither. Last, half of the owners at a time, in so many
//! halves that any two owners are together in one: where two slices of a turn had one owner, that half would be slower.

use super::chance::Chance;
use super::levels::Rounds;
use super::script::{Order, Probe, ReadArea, Script, Stop};
use super::slices::{Dealing, GROUP, ReadResult};
use crate::average::mean;
use plimsoll_plan::{Bytes, FINGERPRINT_BLOCK, FINGERPRINT_DEPTH};

const BLOCK: u64 = FINGERPRINT_BLOCK.0;
/// Slices that are looked at from end to end.
const PIECES: u64 = 5;
/// Sets of each sort.
const SETS: usize = 6;
/// Slices of a set of one or two owners.
const SLICES: u64 = 4;
/// Bytes of a set, over all of its slices: each sort has as many, so that a cache sees no difference.
const BYTES: u64 = 4 << 20;
/// Rounds of sets of owners: at least, and at most.
const ROUNDS: (usize, usize) = (4, 9);
/// Distance in standard errors from which a value is on a side.
const CLEAR: f64 = 3.5;
/// Two levels are one where they are nearer than this: 3 %.
const GAP_LEAST: f64 = 0.03;
/// Sets of one level are nearer to it than this part of the distance to the other: with one slice of four elsewhere, a set
/// would be about half of the way there.
const TIGHT: f64 = 0.36;

/// The same of halves: where two owners are one, the whole distance is seen only once the queues before it are full.
const HALVES_TIGHT: f64 = 0.3;

/// Answer of the rounds about a dealing so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Yes,
    No,
    /// More rounds may tell.
    Unsure,
}

/// Slices by their number, from the target's start.
struct Slices<'d> {
    dealing: &'d Dealing,
    /// Number of whole turns.
    turns: u64,
}

impl<'d> Slices<'d> {
    fn new(dealing: &'d Dealing, size: u64) -> Self {
        let whole = size.saturating_sub(dealing.first_end) / dealing.slice;
        Slices {
            dealing,
            turns: whole / dealing.owners,
        }
    }

    /// First byte of a slice that is not the first.
    fn begin(&self, number: u64) -> u64 {
        self.dealing.first_end + (number - 1) * self.dealing.slice
    }

    /// A slice of an owner in a turn that is not the first.
    fn of(&self, owner: u64, turn: u64) -> u64 {
        self.begin(owner + (1 + turn) * self.dealing.owners)
    }

    /// Turns that are picked from.
    fn pick(&self, chance: &mut Chance, count: u64) -> Vec<u64> {
        chance.some(count, self.turns.saturating_sub(2))
    }

    /// Blocks somewhere in a slice that begins there.
    fn part(&self, chance: &mut Chance, begin: u64, bytes: u64) -> ReadArea {
        let bytes = (bytes.min(self.dealing.slice) / BLOCK * BLOCK).max(BLOCK);
        let left = (self.dealing.slice - bytes) / BLOCK;
        let from = begin.next_multiple_of(BLOCK) + chance.below(left + 1) * BLOCK;
        let from = from.min((begin + self.dealing.slice - bytes) / BLOCK * BLOCK);
        place(from, bytes)
    }
}

fn place(from: u64, bytes: u64) -> ReadArea {
    ReadArea::new(from, from + bytes, Order::Random)
}

fn probe(script: &Script<'_>, name: &str, places: Vec<ReadArea>, owners: u64) -> Probe {
    let depth = script.depth.max(FINGERPRINT_DEPTH.min(32 * owners as u32));
    Probe {
        elapsed_ms: 200,
        ..Probe::reads(name.into(), places, depth)
    }
}

/// Measures rounds of the probes, at least and at most so many, until they say yes or no.
fn until_said(
    script: &mut Script<'_>,
    probes: &[Probe],
    (least, most): (usize, usize),
    says: impl Fn(&Rounds) -> Says,
) -> Result<(Says, Rounds), Stop> {
    let mut rounds = Rounds::default();
    loop {
        let mut row = Vec::new();
        for probe in probes {
            row.push(script.measure(probe)?.log());
        }
        rounds.0.push(row);
        if rounds.0.len() < least {
            continue;
        }
        match says(&rounds) {
            Says::Unsure if rounds.0.len() < most => {}
            said => return Ok((said, rounds)),
        }
    }
}

fn error(rounds: &Rounds) -> f64 {
    rounds.sd().unwrap_or(f64::INFINITY).max(0.004) / (rounds.0.len() as f64).sqrt()
}

fn too_small<T>() -> Result<T, String> {
    Err("the target is too small to confirm it with places all over it".into())
}

/// True where slices picked by chance have one owner from their first to their last block, and another one after it. False where that is
/// not sure: storage that gives work to idle owners first hides for a while that another one is hot.
pub(crate) fn pieces(script: &mut Script<'_>, dealing: &Dealing) -> ReadResult<bool> {
    let slices = Slices::new(dealing, script.size);
    if slices.turns < 2 + SLICES {
        return Ok(too_small());
    }
    let mut chance = Chance::new(dealing.slice ^ 0x51CE);
    let mut probes = Vec::new();
    for turn in slices.pick(&mut chance, PIECES) {
        let owner = chance.below(dealing.owners);
        let begin = slices.of(owner, turn);
        let end = begin + dealing.slice;
        let both = |a, b| vec![place(a, GROUP), place(b, GROUP)];
        let head = both(begin, begin + GROUP);
        probes.push(probe(script, "where a slice begins", head, 1));
        let ends = both(begin, end - GROUP);
        probes.push(probe(script, "a slice's two ends", ends, 1));
        let border = both(end - GROUP, end);
        probes.push(probe(script, "where a slice ends", border, 2));
    }
    let (said, _) = until_said(script, &probes, (4, 6), of_pieces)?;
    Ok(match said {
        Says::No => Err(format!(
            "near its start the target looks dealt in slices of {}, but elsewhere these have several owners",
            Bytes(dealing.slice)
        )),
        said => Ok(said == Says::Yes),
    })
}

/// The columns are, for each slice, its first blocks, both of its ends, and its end with what follows. Each slice is compared with
/// itself, as owners may be of different speeds. A hash may deal the same owner twice running, so most borders suffice.
fn of_pieces(rounds: &Rounds) -> Says {
    let means = rounds.means();
    let error = error(rounds) * 2f64.sqrt();
    let faster = |at: usize| -> Vec<f64> { means.chunks(3).map(|m| m[at] - m[0]).collect() };
    let (within, mut across) = (faster(1), faster(2));
    across.sort_by(f64::total_cmp);
    let half = across.len() / 2;
    let gap = mean(&across[half..]);
    let clear = CLEAR * error;
    if gap < GAP_LEAST.max(2.0 * clear) {
        return Says::Unsure;
    }
    if within.iter().any(|x| *x > gap / 2.0 + clear) {
        return Says::No;
    }
    let sure = within.iter().all(|x| *x < gap / 2.0 - clear / 2.0);
    match sure && across[half] > gap / 2.0 + clear / 2.0 {
        true => Says::Yes,
        false => Says::Unsure,
    }
}

/// Checks that the owners take turns, each with one slice of a turn.
pub(crate) fn turns(script: &mut Script<'_>, dealing: &Dealing) -> ReadResult<()> {
    let slices = Slices::new(dealing, script.size);
    if slices.turns < 2 + 2 * SLICES {
        return Ok(too_small());
    }
    let mut chance = Chance::new(dealing.slice ^ dealing.owners << 40);
    let others = dealing.owners - 1;
    let order = chance.some(others, others);
    let mut probes = Vec::new();
    for i in 0..SETS {
        let other = 1 + order[i % order.len()];
        let mut set = |owners: [u64; SLICES as usize]| -> Vec<ReadArea> {
            let picked = slices.pick(&mut chance, SLICES);
            let each = owners.into_iter().zip(picked);
            each.map(|(owner, turn)| {
                let begin = slices.of(owner, turn);
                slices.part(&mut chance, begin, BYTES / SLICES)
            })
            .collect()
        };
        let (same, apart) = (set([0; 4]), set([0, other, 0, other]));
        probes.push(probe(script, "slices of one owner", same, 1));
        probes.push(probe(script, "slices of two owners", apart, 2));
    }
    let (said, rounds) = until_said(script, &probes, ROUNDS, as_foretold)?;
    Ok(match said {
        Says::Yes => return halves(script, &slices, &mut chance, &rounds),
        Says::No => Err(format!(
            "slices that are {} of them apart should have one owner, and others two, but slices picked by chance do not: \
             owners are dealt by a hash or another rule, or are not alike",
            dealing.owners
        )),
        Says::Unsure => Err(
            "the rates of slices picked by chance are not clear enough to confirm a turn".into(),
        ),
    })
}

fn every_other(means: &[f64], from: usize) -> Vec<f64> {
    means.iter().skip(from).step_by(2).copied().collect()
}

/// Every other column is on the lower level, and the others on the upper one.
fn as_foretold(rounds: &Rounds) -> Says {
    let means = rounds.means();
    let error = error(rounds);
    let (one, two) = (every_other(&means, 0), every_other(&means, 1));
    let (low, high) = (mean(&one), mean(&two));
    let distance = high - low;
    let of_distance = error * (2.0 / one.len() as f64).sqrt();
    if distance < GAP_LEAST || distance < 6.0 * of_distance {
        // Levels that are one after all rounds are no turn; a small difference needs more of them.
        return match distance + 6.0 * of_distance < 2.0 * GAP_LEAST {
            true => Says::No,
            false => Says::Unsure,
        };
    }
    let off = |all: &[f64], own: f64| all.iter().map(|x| (x - own).abs()).fold(0.0, f64::max);
    let most = off(&one, low).max(off(&two, high));
    match (most - 2.5 * error, most) {
        (surely, _) if surely > TIGHT * distance => Says::No,
        (_, most) if most < TIGHT * distance && 4.0 * error < TIGHT * distance => Says::Yes,
        _ => Says::Unsure,
    }
}

/// Checks that no two of the owners are one: they are read half of them at a time.
fn halves(
    script: &mut Script<'_>,
    slices: &Slices<'_>,
    chance: &mut Chance,
    levels: &Rounds,
) -> ReadResult<()> {
    let owners = slices.dealing.owners;
    if owners < 3 {
        return Ok(Ok(()));
    }
    let half = owners.div_ceil(2);
    let mut set = |members: &[u64]| -> Vec<ReadArea> {
        let each = (8 * SLICES / members.len() as u64).max(1);
        let count = each * members.len() as u64;
        let mut places = Vec::new();
        for turn in slices.pick(chance, each) {
            for owner in members {
                let begin = slices.of(*owner, turn);
                places.push(slices.part(chance, begin, BYTES / count));
            }
        }
        places
    };
    let mut probes = vec![probe(script, "slices of one owner", set(&[0]), 1)];
    for members in covering(owners, half) {
        let places = set(&members);
        probes.push(Probe {
            // Who is in use a little more than others holds all up only after a while, which is long with many in flight.
            warmup_ms: 300,
            elapsed_ms: 300,
            depth: script.depth.min(64.max(8 * half as u32)),
            ..probe(script, "slices of half of the owners", places, half)
        });
    }
    let says = |rounds: &Rounds| {
        let (means, error) = (rounds.means(), error(rounds));
        of_halves(&means, error, levels, half as f64)
    };
    let (mut said, rounds) = until_said(script, &probes, (ROUNDS.0, ROUNDS.0), says)?;
    if said != Says::Yes {
        // What gives work to idle owners first does so for a while only, and hides which of them are hot until then.
        let mut means = vec![mean(&every_other(&levels.means(), 0))];
        for probe in &probes[1..] {
            means.push(heated(script, probe)?);
        }
        let error = rounds.sd().unwrap_or(f64::INFINITY) / (HEATED as f64).sqrt();
        said = of_halves(&means, error, levels, half as f64);
    }
    Ok(match said {
        Says::Yes => Ok(()),
        Says::No => Err(
            "the owners take turns, but some have several slices of a turn, or are slower than others".into(),
        ),
        Says::Unsure => Err(
            "the owners take turns, but something else limits reads of many of them: whether each has one slice of a turn is not seen".into(),
        ),
    })
}

/// The last of its probes count where a set is hot.
const HEATED: usize = 3;
/// Probes until then: at least, and at most.
const HEAT: (usize, usize) = (6, 10);

/// Value of a probe once it has gone on for so long that it does not change any more, a logarithm.
fn heated(script: &mut Script<'_>, probe: &Probe) -> Result<f64, Stop> {
    let longer = Probe {
        warmup_ms: 0,
        elapsed_ms: 500,
        ..probe.clone()
    };
    let mut seen = Vec::new();
    loop {
        seen.push(script.measure(&longer)?.log());
        let count = seen.len();
        let lately = mean(&seen[count.saturating_sub(HEATED)..]);
        let before = mean(&seen[count.saturating_sub(2 * HEATED)..count.saturating_sub(HEATED)]);
        let still = count >= HEAT.0 && (lately - before).abs() < GAP_LEAST;
        if still || count >= HEAT.1 {
            return Ok(lately);
        }
    }
}

/// Halves that are tried for each that is taken.
const TRIES: usize = 16;

/// Halves of so many owners (128 at most), so that any two are together in one at least.
fn covering(owners: u64, half: u64) -> Vec<Vec<u64>> {
    let mut chance = Chance::new(owners);
    let mut order: Vec<u64> = (0..owners).collect();
    // Of each owner, those that it was not together with yet.
    let all = u128::MAX >> (128 - owners);
    let mut left: Vec<u128> = (0..owners).map(|o| all & !(1 << o)).collect();
    let mut halves = Vec::new();
    while let Some(lonely) = left.iter().position(|l| *l != 0) {
        let (mut most, mut best) = (0, 0u128);
        for _ in 0..TRIES {
            chance.shuffle(&mut order);
            let members = order[..half as usize].iter().fold(0, |m, o| m | 1 << o);
            let new = |o: &u64| (left[*o as usize] & members).count_ones();
            let new = order[..half as usize].iter().map(new).sum();
            if new > most {
                (most, best) = (new, members);
            }
        }
        if best == 0 {
            // Only a few pairs are left, which chance does not meet.
            best = 1 << lonely;
            let wanted = (0..owners).filter(|o| left[lonely] >> o & 1 == 1);
            for o in wanted.chain(0..owners) {
                if u64::from(best.count_ones()) < half {
                    best |= 1 << o;
                }
            }
        }
        let members: Vec<u64> = (0..owners).filter(|o| best >> o & 1 == 1).collect();
        members.iter().for_each(|o| left[*o as usize] &= !best);
        halves.push(members);
    }
    halves
}

/// With m owners a read takes a + b/m. Where two of a half's owners are one, it takes a + 2b/m.
fn of_halves(means: &[f64], error: f64, levels: &Rounds, half: f64) -> Says {
    let mut fast: Vec<f64> = means[1..].to_vec();
    fast.sort_by(f64::total_cmp);
    let level = mean(&fast[fast.len() / 2..]);
    let (one, several) = ((-means[0]).exp(), (-level).exp());
    let bound = (one - several) / (1.0 - 1.0 / half);
    let gap = (1.0 + bound / (half * several)).ln();
    if gap.is_nan() || gap < 2.0 * GAP_LEAST {
        return Says::Unsure;
    }
    if fast[0] < level - gap / 2.0 - error {
        return Says::No;
    }
    // What one and two owners say of the half's time: where it takes longer, something else is the limit, and hides owners.
    let of_sets = levels.means();
    let [one, two] = [0, 1].map(|from| (-mean(&every_other(&of_sets, from))).exp());
    let foretold = one - 2.0 * (one - two) * (1.0 - 1.0 / half);
    let doubt = self::error(levels) * (one + 2.0 * two) / several / (SETS as f64).sqrt();
    let hidden = several.ln() - foretold.max(several / 10.0).ln() > gap / 2.0 + 2.5 * doubt;
    match !hidden && fast[0] > level - gap * HALVES_TIGHT {
        true => Says::Yes,
        false => Says::Unsure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_owners_are_together_in_a_half() {
        for owners in 3..=128u64 {
            let half = owners.div_ceil(2);
            let halves = covering(owners, half);
            for a in 0..owners {
                for b in 0..a {
                    let met = |h: &Vec<u64>| h.contains(&a) && h.contains(&b);
                    assert!(halves.iter().any(met), "{a} and {b} of {owners}");
                }
            }
            let distinct = |h: &Vec<u64>| h.iter().collect::<std::collections::HashSet<_>>().len();
            assert!(halves.iter().all(|h| distinct(h) as u64 == half));
            assert!(halves.len() < 24, "{owners}: {}", halves.len());
        }
    }

    #[test]
    fn what_was_foretold_is_confirmed_and_a_set_between_the_levels_refutes_it() {
        let rows = |two: f64, odd: f64| {
            let row = |i: u32| {
                let mut row = [0.0, two].repeat(SETS);
                row[4] = odd;
                row.iter()
                    .enumerate()
                    .map(|(at, x)| x + 0.002 * f64::from((i + at as u32) % 3))
                    .collect()
            };
            Rounds((0..4).map(row).collect())
        };
        assert_eq!(as_foretold(&rows(0.3, 0.0)), Says::Yes);
        assert_eq!(as_foretold(&rows(0.3, 0.15)), Says::No);
        assert_eq!(as_foretold(&rows(0.3, 0.3)), Says::No);
        assert_eq!(as_foretold(&rows(0.0, 0.0)), Says::No);
    }
}
