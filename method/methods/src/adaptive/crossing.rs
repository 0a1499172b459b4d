//! Where a rising response crosses its limit, with an interval.
//!
//! Between the points the curve is a smoothing spline of the logarithm of the response, over the logarithm of what a rate leaves
//! free of the maximum. A queue's response grows like one over that, so that the curve bends little there, and nowhere suddenly. Over
//! the rate itself it would be flat for the most part and bend within the last percents, where a spline that is
//! as stiff as the flat part asks for lies above it, and its root too low.

use super::scale::Scale;
use super::sight::{LimitRatio, Sight};
use super::spline::{Knot, root};
use plimsoll_measure::batch::student_t_95;
use plimsoll_measure::isotonic::isotonic;

/// Between two points whose responses differ by more than this factor (as a logarithm) no curve is believed.
const JUMP: f64 = 0.7;
/// Points further off than this (as a logarithm of the rate) have no part in the curve.
const NEAR: f64 = 0.35;
/// The interval has the degrees of freedom of so many points about it.
const NEAREST: usize = 3;

/// Place of a limit among the rates.
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
    /// Growth of the response there, as an exponent of the rate.
    pub slope: f64,
}

/// One point of the line.
#[derive(Debug, Clone, Copy)]
struct At {
    x: f64,
    seen: LimitRatio,
}

/// Finds it on a target that carries so much at most; `None` where there is no point that says anything.
pub(crate) fn crossing(sights: &[Sight], most: f64) -> Option<Crossing> {
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
    Some(line(&points, start, most).map_or(Crossing::Between(low, high), Crossing::Line))
}

/// The place where the curve through the points near it crosses the limit.
fn line(points: &[At], start: f64, most: f64) -> Option<Line> {
    let mut near: Vec<&At> = points
        .iter()
        .filter(|p| (p.x - start).abs() <= NEAR)
        .collect();
    let scale = Scale::of(most, points.iter().map(|p| p.x));
    let knots: Vec<Knot> = near
        .iter()
        .map(|p| Knot {
            x: scale.place(p.x),
            y: p.seen.y,
            error: p.seen.error,
        })
        .collect();
    let root = root(&knots, scale.place(start)).filter(|r| r.x > 0.0)?;
    let x = scale.x(root.x);
    if (x - start).abs() > NEAR {
        return None;
    }
    near.sort_by(|a, b| (a.x - x).abs().total_cmp(&(b.x - x).abs()));
    let degrees = degrees(&near[..near.len().min(NEAREST)]).clamp(1.0, 1e6);
    let growth = scale.growth(root.x);
    Some(Line {
        x,
        half_width: student_t_95(degrees as usize) * root.error / growth,
        slope: root.slope * growth,
    })
}

/// The degrees of freedom of points together, each by how much it counts.
fn degrees(points: &[&At]) -> f64 {
    let weight = |p: &At| p.seen.error.max(1e-4).powi(-2);
    let all: f64 = points.iter().map(|p| weight(p)).sum();
    let doubt: f64 = points.iter().map(|p| weight(p) / p.seen.degrees).sum();
    all / doubt
}

#[cfg(test)]
mod tests {
    use super::super::noise::noise;
    use super::super::sight::Leg;
    use super::*;

    fn sight(rate: f64, y: Option<f64>, error: f64) -> Sight {
        Sight {
            x: rate.ln(),
            seen: y.map(|y| LimitRatio {
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
        let Some(Crossing::Line(line)) = crossing(&sights, 10_000.0) else {
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
            crossing(&[low(900.0), low(980.0), full(1000.0)], 1000.0),
            Some(Crossing::Between(980f64.ln(), 1000f64.ln()))
        );
        let jump = sight(990.0, Some(2.0), 0.01);
        assert_eq!(
            crossing(&[low(900.0), low(980.0), jump], 1000.0),
            Some(Crossing::Between(980f64.ln(), 990f64.ln()))
        );
        assert_eq!(
            crossing(&[low(900.0)], 1000.0),
            Some(Crossing::Above(900f64.ln()))
        );
        assert_eq!(crossing(&[jump], 1000.0), Some(Crossing::Below));
        assert_eq!(crossing(&[full(5.0)], 1000.0), Some(Crossing::Below));
        assert_eq!(crossing(&[], 1000.0), None);
    }

    /// On a curve that grows with the load by so much, and by so much over what is left free: how many of 400 intervals hold the
    /// truth, the mean error in standard errors, and the mean of half an interval.
    fn tried(linear: f64, queue: f64) -> (u32, f64, f64) {
        const SHARES: [f64; 11] = [
            0.25, 0.5, 0.667, 0.778, 0.852, 0.901, 0.934, 0.956, 0.97, 0.971, 0.985,
        ];
        let response = |u: f64| 0.4 + linear * u + queue * u / (1.0 - u);
        let (mut low, mut high) = (0.3, 0.999);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            match response(middle) > 1.0 {
                true => high = middle,
                false => low = middle,
            }
        }
        let (mut covered, mut bias, mut width) = (0, 0.0, 0.0);
        for seed in 0..400u64 {
            let at = |(n, u): (usize, &f64)| {
                let error = 0.0002 * (1.0 - u).powf(-1.3);
                let y = response(*u).ln() + error * noise(seed * 100 + n as u64);
                sight(u * 10_000.0, Some(y), error)
            };
            let sights: Vec<Sight> = SHARES.iter().enumerate().map(at).collect();
            let Some(Crossing::Line(line)) = crossing(&sights, 10_000.0) else {
                panic!("it crosses");
            };
            let off = line.x - (low * 10_000.0).ln();
            covered += u32::from(off.abs() <= line.half_width);
            bias += 1.96 * off / line.half_width / 400.0;
            width += line.half_width / 400.0;
        }
        (covered, bias, width)
    }

    #[test]
    fn a_curve_that_bends_within_the_last_percents_has_its_root_where_it_is() {
        // 1 ms is kept up to 96.9 % and 89.4 % of the maximum. 380 of 400, give or take 3 standard deviations.
        for (linear, queue, widest) in [(0.3, 0.01, 0.0025), (0.2, 0.05, 0.005)] {
            let (covered, bias, width) = tried(linear, queue);
            assert!(covered >= 367, "{covered} of 400");
            assert!(bias.abs() < 0.4, "{bias}");
            assert!(width < widest, "{width}");
        }
    }
}
