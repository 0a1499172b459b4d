//! Where a rising response crosses its limit, with an interval.
//!
//! Rates and responses are taken as logarithms: a queue's response grows like `1 / (1 - u)`, which is nearly straight there
//! over a few percent of the rate. Between the points the curve is a smoothing spline.

use super::sight::{Seen, Sight};
use super::spline::{Knot, root};
use plimsoll_measure::batch::student_t_95;
use plimsoll_measure::isotonic::isotonic;

/// Between two points whose responses differ by more than this factor (as a logarithm) no curve is believed.
const JUMP: f64 = 0.7;
/// Points further off than this (as a logarithm of the rate) have no part in the curve.
const NEAR: f64 = 0.35;
/// The interval has the degrees of freedom of the least certain of so many points about it.
const NEAREST: usize = 3;

/// Where the limit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Crossing {
    /// Below all points: none of them keeps it.
    Below,
    /// Above all points: all of them keep it. The logarithm of the greatest rate.
    Above(f64),
    /// Between two points with nothing to be drawn between: logarithms of the rates of the one that keeps it and the one that
    /// does not.
    Between(f64, f64),
    /// On a line through the points about it.
    Line(Line),
}

/// A crossing on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    /// Logarithm of the rate.
    pub x: f64,
    /// Half of its 95 % interval.
    pub half_width: f64,
    /// How the response grows there, as an exponent of the rate.
    pub slope: f64,
}

/// One point of the line.
#[derive(Debug, Clone, Copy)]
struct At {
    x: f64,
    seen: Seen,
}

/// Finds it; `None` where there is no point that says anything.
pub(crate) fn crossing(sights: &[Sight]) -> Option<Crossing> {
    let full = sights
        .iter()
        .filter(|s| s.seen.is_none())
        .map(|s| s.x)
        .fold(f64::INFINITY, f64::min);
    let mut points: Vec<At> = sights
        .iter()
        .filter(|s| s.x < full)
        .filter_map(|s| {
            Some(At {
                x: s.x,
                seen: s.seen?,
            })
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let ys: Vec<f64> = points.iter().map(|p| p.seen.y).collect();
    let fitted = isotonic(&ys);
    let broken = fitted.iter().position(|y| *y > 0.0);
    let (at, last) = match (broken, points.last()) {
        (Some(0), _) => return Some(Crossing::Below),
        (None, None) => return full.is_finite().then_some(Crossing::Below),
        (None, Some(last)) if full.is_finite() => return Some(Crossing::Between(last.x, full)),
        (None, Some(last)) => return Some(Crossing::Above(last.x)),
        (Some(at), Some(last)) => (at, last),
        (Some(_), None) => return None,
    };
    debug_assert!(last.x < full);
    let (low, high) = (points[at - 1].x, points[at].x);
    let rise = fitted[at] - fitted[at - 1];
    if rise > JUMP {
        return Some(Crossing::Between(low, high));
    }
    let start = low + (high - low) * (-fitted[at - 1] / rise).clamp(0.0, 1.0);
    Some(line(&points, start).map_or(Crossing::Between(low, high), Crossing::Line))
}

/// The place where the curve through the points near it crosses the limit.
fn line(points: &[At], start: f64) -> Option<Line> {
    let mut near: Vec<&At> = points
        .iter()
        .filter(|p| (p.x - start).abs() <= NEAR)
        .collect();
    let knots: Vec<Knot> = near
        .iter()
        .map(|p| Knot {
            x: p.x,
            y: p.seen.y,
            error: p.seen.error,
        })
        .collect();
    let root = root(&knots, start).filter(|r| (r.x - start).abs() <= NEAR)?;
    near.sort_by(|a, b| (a.x - root.x).abs().total_cmp(&(b.x - root.x).abs()));
    let degrees = near.iter().take(NEAREST).map(|p| p.seen.degrees);
    let degrees = degrees.fold(f64::INFINITY, f64::min).clamp(1.0, 1e6);
    Some(Line {
        x: root.x,
        half_width: student_t_95(degrees as usize) * root.error,
        slope: root.slope,
    })
}

#[cfg(test)]
mod tests {
    use super::super::sight::Leg;
    use super::*;

    fn sight(rate: f64, y: Option<f64>, error: f64) -> Sight {
        Sight {
            x: rate.ln(),
            seen: y.map(|y| Seen {
                y,
                error,
                degrees: 30.0,
            }),
            seconds: 4.0,
            leg: Leg::Up,
        }
    }

    #[test]
    fn a_queues_limit_is_found_between_its_points() {
        // M/M/1 of 10000/s: 1 ms is kept up to 9000/s.
        let at = |rate: f64| sight(rate, Some((1000.0 / (10_000.0 - rate)).ln()), 0.01);
        let sights: Vec<Sight> = [5000.0, 7000.0, 8200.0, 8900.0, 9080.0, 9300.0]
            .map(at)
            .into();
        let Some(Crossing::Line(line)) = crossing(&sights) else {
            panic!("it crosses");
        };
        let rate = line.x.exp();
        assert!((rate / 9000.0 - 1.0).abs() < 0.002, "{rate}");
        // y grows by 9 times the rate's share; two points of 1 % each are nearest.
        assert!((0.001..0.006).contains(&line.half_width), "{line:?}");
        assert!((line.slope / 9.0 - 1.0).abs() < 0.3, "{line:?}");
    }

    #[test]
    fn what_no_line_can_be_drawn_through_lies_between() {
        let low = |rate: f64| sight(rate, Some(-1.0), 0.01);
        let full = |rate: f64| sight(rate, None, 0.0);
        assert_eq!(
            crossing(&[low(900.0), low(980.0), full(1000.0)]),
            Some(Crossing::Between(980f64.ln(), 1000f64.ln()))
        );
        let jump = sight(990.0, Some(2.0), 0.01);
        assert_eq!(
            crossing(&[low(900.0), low(980.0), jump]),
            Some(Crossing::Between(980f64.ln(), 990f64.ln()))
        );
        assert_eq!(crossing(&[low(900.0)]), Some(Crossing::Above(900f64.ln())));
        assert_eq!(crossing(&[jump]), Some(Crossing::Below));
        assert_eq!(crossing(&[full(5.0)]), Some(Crossing::Below));
        assert_eq!(crossing(&[]), None);
    }
}
