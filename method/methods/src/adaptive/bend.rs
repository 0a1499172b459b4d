//! Where the curve bends most, with an interval that holds the true place.
//!
//! The knee of a few points is one of them, and its neighbours say no more than how far apart the points are: the true knee may
//! lie beyond them where a point is off by chance. So curves are drawn at random that all agree with the points, as smooth as
//! they say and as uncertain as they are (the posterior of the smoothing spline, as in `spline`), and each has its knee by the
//! same rule: farthest below the straight line from the first point to the last (Satopaa and others 2011). The interval is
//! where 95 of 100 of these lie.

use super::scale::Scale;
use super::sight::{Goal, Leg, Point, sights};
use super::spline::{Knot, curves};
use plimsoll_evidence::{Estimate, SloStatistic};

/// Places between the ends at which the curves are looked at, and how many curves.
const PLACES: usize = 96;
const CURVES: usize = 400;
/// Of these, so many lie outside of the interval on each side.
const OUTSIDE: f64 = 0.025;

/// The knee between these two achieved rates; `None` where no curve can be drawn through the points.
pub(super) fn bend(points: &[Point], most: f64, (low, high): (f64, f64)) -> Option<Estimate> {
    let of_curve = |p: &&Point| !p.is_full() && p.leg != Leg::Confirm;
    let open: Vec<Point> = points.iter().filter(of_curve).copied().collect();
    // Any limit: what counts is how responses differ.
    let goal = Goal {
        statistic: SloStatistic::Mean,
        limit_ns: 1_000_000,
    };
    let seen = sights(&open, &goal, most);
    let scale = Scale::of(most, seen.iter().map(|s| s.x).chain([high.ln()]));
    let knots: Vec<Knot> = seen
        .iter()
        .filter_map(|s| {
            let seen = s.seen?;
            Some(Knot {
                x: scale.place(s.x),
                y: seen.y,
                error: seen.error,
            })
        })
        .collect();
    let rate = |n: usize| low + (high - low) * n as f64 / PLACES as f64;
    let places: Vec<f64> = (0..=PLACES).map(|n| scale.place(rate(n).ln())).collect();
    let mut knees: Vec<f64> = curves(&knots, &places, CURVES)?
        .iter()
        .filter_map(|curve| knee(curve))
        .collect();
    // Where most curves have none, there is none to be told.
    if knees.len() * 2 < CURVES {
        return None;
    }
    knees.sort_by(f64::total_cmp);
    let at = |share: f64| knees[((knees.len() - 1) as f64 * share).round() as usize];
    let step = (high - low) / PLACES as f64;
    let (from, to) = (at(OUTSIDE) - 0.5, at(1.0 - OUTSIDE) + 0.5);
    Some(Estimate {
        mean: low + step * (from + to) / 2.0,
        half_width: Some(step * (to - from) / 2.0),
        batches: 0,
    })
}

/// The place of a curve's knee, counted in places; `None` where it does not bend upwards.
fn knee(curve: &[f64]) -> Option<f64> {
    let response: Vec<f64> = curve.iter().map(|y| y.exp()).collect();
    let (first, last) = (response[0], *response.last()?);
    if last <= first {
        return None;
    }
    let end = (response.len() - 1) as f64;
    let below = |n: usize| n as f64 / end - (response[n] - first) / (last - first);
    let best = (0..response.len()).max_by(|a, b| below(*a).total_cmp(&below(*b)))?;
    (below(best) > 0.0 && best > 0).then_some(best as f64)
}
