//! What drop would have been seen, tried out.
//!
//! How well a change is found follows from no formula: it has to be placed, told from what wanders, and be past the least that
//! counts. So it is put into the course that was measured, with all its noise, and looked for by what looks for cliffs. The
//! course is turned round for that, by another part of its length each time, so that the drop meets other noise.

use super::drop::lasting_drop;
use super::shape::block_means;
use super::still::expected_drop;

/// More values than this are averaged first: each is looked at many times over, and a fall takes none of them alone.
const VALUES: usize = 1024;
/// The course is turned so many times.
const TURNS: usize = 20;
/// The drop is missed in so many of them at most: it is found 95 times in a hundred.
const MISSED: usize = 1;
/// Each drop that is tried is so many times the one before.
const NEXT: f64 = 1.15;

/// For how much of the end the drop lasts, a share; a longer part where it would not be seen in a shorter one.
const LASTS: [(f64, &str); 3] = [(0.1, "tenth"), (0.2, "fifth"), (1.0 / 3.0, "third")];

/// A drop that would have been seen 95 times in a hundred.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visible {
    /// The share that is lost.
    pub drop: f64,
    /// For which part of the time it lasts, at the end.
    pub last: &'static str,
}

/// Least drop that would have been seen. `None`: not even the greatest drop that is asked for, or that cannot be told. `oscillates`: the
/// series has an oscillation.
pub fn visible_drop(
    values: &[f64],
    oscillates: bool,
    (least, greatest): (f64, f64),
) -> Option<Visible> {
    let first = expected_drop(values, oscillates)?.max(least);
    let values = &block_means(values, values.len().div_ceil(VALUES));
    LASTS.into_iter().find_map(|(share, last)| {
        let tried = std::iter::successors(Some(first), |drop| Some(drop * NEXT));
        let mut tried = tried.take_while(|d| *d < greatest).chain([greatest]);
        let seen = tried.find(|drop| is_seen(values, *drop, share, least))?;
        // The least of several that are seen in 20 turns is seen a little less often in other noise: one step more.
        let drop = (seen * NEXT).min(greatest);
        Some(Visible { drop, last })
    })
}

fn is_seen(values: &[f64], drop: f64, share: f64, least: f64) -> bool {
    let n = values.len();
    let from = n - (n as f64 * share) as usize;
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
