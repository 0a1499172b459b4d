//! What drop would have been seen, tried out.
//!
//! How well a change is found follows from no formula: it has to be placed, told from what wanders, and be past the least that
//! counts. So it is put into the course that was measured, with all its noise, and looked for by what looks for cliffs. The
//! course is turned round for that, by another part of its length each time, so that the drop meets other noise.

use super::drop::lasting_drop;
use super::shape::block_means;
use super::still::{LAST, expected_drop};

/// More values than this are averaged first: each is looked at many times over, and a fall takes none of them alone.
const VALUES: usize = 1024;
/// The course is turned so many times.
const TURNS: usize = 20;
/// The drop is missed in so many of them at most: it is found 95 times in a hundred.
const MISSED: usize = 1;
/// Each drop that is tried is so many times the one before.
const NEXT: f64 = 1.15;

/// The drop, as a share, that would have been seen 95 times in a hundred if it had lasted for the last tenth of a series. `None`:
/// not even the greatest that is asked for, or that cannot be told. `oscillates`: the series has an oscillation.
pub fn visible_drop(
    values: &[f64],
    oscillates: bool,
    (least, greatest): (f64, f64),
) -> Option<f64> {
    let mut drop = expected_drop(values, oscillates)?.max(least);
    let values = &block_means(values, values.len().div_ceil(VALUES));
    while drop < greatest {
        if is_seen(values, drop, least) {
            return Some(drop);
        }
        drop *= NEXT;
    }
    is_seen(values, greatest, least).then_some(greatest)
}

fn is_seen(values: &[f64], drop: f64, least: f64) -> bool {
    let n = values.len();
    let from = n - (n as f64 * LAST) as usize;
    let mut missed = 0;
    for turn in 0..TURNS {
        let mut turned = values.to_vec();
        turned.rotate_left(turn * n / TURNS);
        turned[from..].iter_mut().for_each(|v| *v *= 1.0 - drop);
        missed += usize::from(lasting_drop(&turned, least).is_none());
        if missed > MISSED {
            return false;
        }
    }
    true
}
