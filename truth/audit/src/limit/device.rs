//! The target as it looks from outside: what it gives when more is asked of it, and how long it has what it was given.

use super::{LimitView, Looked, array, blocks, host, network};
use plimsoll_evidence::{LimitCause, StepEvidence};
use plimsoll_measure::Op;

/// Steps tell something of each other where one has at least so many times as much in flight.
const APART: f64 = 1.3;

/// Operations are alike where their shares and sizes differ by no more.
const ALIKE: f64 = 0.02;

/// The most that a target would do with any number of I/Os in flight.
pub struct Ceiling {
    /// I/Os per second.
    pub most: f64,
    /// Observation that shows the ceiling, as a clause.
    pub seen: String,
}

/// Looks at what more in flight brought. The target is what is left where nothing on the way to it, and no part of it that is
/// told, explains that; where the way was not looked at, it may be that.
pub fn look(view: &LimitView<'_>, others: &Looked) -> Looked {
    let Some(ceiling) = ceiling(view) else {
        return Looked::unseen(&[LimitCause::Target]);
    };
    let used = (view.step.rate.mean / ceiling.most).min(1.0);
    let inside = blocks::in_the_device(view).unwrap_or(1.0);
    let reported = array::busiest(view.step).map_or(0.0, |(busy, _)| busy);
    let explains = others.candidates.iter().map(|c| c.explains);
    let ways = network::ways(view);
    let longest = ways.last().filter(|_| network::over_network(view));
    // What I/Os are on the way for, they are not in the target.
    let there = 1.0 - longest.map_or(0.0, |way| way.share(view.step));
    let share = used.min(inside).min(there) - explains.fold(reported, f64::max);
    let seen = match longest {
        Some(way) => format!("{}, and {}", ceiling.seen, way.seen(view.step)),
        None => ceiling.seen,
    };
    let mut looked = Looked::default();
    // The kernel's threads, and a server on this host, may lack a CPU.
    if view.step.witnessed.as_ref().is_some_and(host::is_full) {
        looked.unseen.push(LimitCause::HostCpu);
    }
    match looked.unseen.is_empty() && way_is_seen(view, others) {
        true => looked.add(LimitCause::Target, share, seen),
        false => {
            looked.unseen.push(LimitCause::Target);
            let doubt = "what else may hold I/Os up was not seen";
            looked.add_possible(LimitCause::Target, share, seen, doubt);
        }
    }
    looked
}

/// Whether all that is between the load and the target was looked at. Of a network that is so where the way to each server and back
/// was timed: of what is behind the first link nothing else is known.
fn way_is_seen(view: &LimitView<'_>, others: &Looked) -> bool {
    const WAY: [LimitCause; 5] = [
        LimitCause::SetLimit,
        LimitCause::HostCpu,
        LimitCause::BlockQueue,
        LimitCause::Network,
        LimitCause::ForeignIo,
    ];
    let is_timed = !network::over_network(view) || !network::ways(view).is_empty();
    !WAY.iter().any(|cause| others.unseen.contains(cause)) && is_timed
}

/// Ceiling by the step that is most like this one, with more or less in flight.
///
/// The response time is taken to grow by the same for each further I/O in flight, R = a + b·N; then by Little's law
/// X = N / (a + b·N), which comes to 1/b at most. Between a target that has all the room (b = 0) and one that is full (a = 0)
/// this is the straight line.
pub fn ceiling(view: &LimitView<'_>) -> Option<Ceiling> {
    let step = view.step;
    let depth = step.depth_mean;
    let apart = |other: &&StepEvidence| {
        let ratio = other.depth_mean / depth;
        alike(step, other) && (ratio >= APART || ratio <= 1.0 / APART)
    };
    // The nearest: further away the line is none.
    let nearest = |a: &&StepEvidence, b: &&StepEvidence| {
        let away = |s: &StepEvidence| (s.depth_mean / depth).ln().abs();
        away(a).total_cmp(&away(b))
    };
    let other: &StepEvidence = view.others.iter().filter(apart).min_by(nearest)?;
    let (n1, n2) = (other.depth_mean, depth);
    let (r1, r2) = (n1 / other.rate.mean, n2 / step.rate.mean);
    let slope = (r2 - r1) / (n2 - n1);
    let most = match slope > 0.0 {
        true => 1.0 / slope,
        false => f64::INFINITY,
    };
    let (less, more) = if n1 < n2 {
        (other, step)
    } else {
        (step, other)
    };
    let seen = format!(
        "{:.1} times as much in flight brought {:.2} times as much, beside {}",
        more.depth_mean / less.depth_mean,
        more.rate.mean / less.rate.mean,
        other.name
    );
    Some(Ceiling { most, seen })
}

/// Whether another step did the same, whatever was in flight.
fn alike(step: &StepEvidence, other: &StepEvidence) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= ALIKE * a.abs().max(b.abs());
    let size = |s: &StepEvidence| s.mean_size().unwrap_or(0.0);
    let share = |s: &StepEvidence, op: Op| {
        let of = s.ops.iter().filter(|o| o.op == op).map(|o| o.ios);
        of.sum::<u64>() as f64 / s.ios.max(1) as f64
    };
    let targets = |s: &StepEvidence| -> Vec<(String, u32)> {
        let each = s.streams.iter();
        each.map(|x| (x.workload.clone(), x.target)).collect()
    };
    let ops = Op::ALL;
    other.number != step.number
        && !other.fill
        && other.ios > 0
        && other.rate.mean > 0.0
        && other.depth_mean > 0.0
        && other.run == step.run
        && targets(step) == targets(other)
        && close(size(step), size(other))
        && ops
            .iter()
            .all(|op| (share(step, *op) - share(other, *op)).abs() <= ALIKE)
}
