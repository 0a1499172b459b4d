//! Backlogs that came and went: when, how long, how many I/Os they held up.

use crate::growth::Flow;
use plimsoll_evidence::Stretch;

/// Backlog that is a stall: as much as comes due in this time, s, above the step's usual backlog…
const HELD_S: f64 = 0.05;
/// …and so many I/Os…
const HELD_IOS: f64 = 4.0;
/// …and this many times the distance from the lower quartile to the median: a busy queue goes up and down by chance. Of
/// an exponential distribution one value in a million lies there.
const SPREADS: f64 = 32.0;
/// …and half as much again as the median.
const MEDIANS: f64 = 1.5;
/// Offered rates are taken over so many samples before and after.
const AROUND: usize = 10;
/// Stalls so many samples apart are one.
const GAP: usize = 2;

/// The stalls of a step that carried its load, but for a backlog at its end in which something was still done. `flows` are its samples,
/// of which the first begins at `start_ns`. A stretch that the host spoiled for more than half is the host's, and told apart.
pub fn stalls(start_ns: u64, flows: &[Flow]) -> Vec<Stretch> {
    let outstanding = Outstanding::of(flows);
    let over = outstanding.over();
    let mut stalls = Vec::new();
    let mut k = 0;
    while k < over.len() {
        if !over[k] {
            k += 1;
            continue;
        }
        let mut last = k;
        let mut next = k + 1;
        while next < over.len() && next - last <= GAP + 1 {
            if over[next] {
                last = next;
            }
            next += 1;
        }
        // Where it asked late, and nothing came back all the same, the target answered nothing.
        let is_the_hosts = |f: &&Flow| f.absent || f.spoiled && f.done > 0.0;
        let spoiled = flows[k..=last].iter().filter(is_the_hosts).count();
        // A backlog that still stands at the end did not go away: nobody knows whether it would have. One in which nothing came back any
        // more is none of a busy target; it may begin amid its first sample.
        let is_at_end = last + 1 == flows.len();
        let is_still = flows[last.min(k + 1)..=last].iter().all(|f| f.done == 0.0);
        let is_the_targets =
            spoiled * 2 <= last - k + 1 && !outstanding.was_sent_late(flows, k, last);
        if is_the_targets && (is_still || !is_at_end) {
            stalls.push(outstanding.stretch(start_ns, flows, k, last));
        }
        k = last + 1;
    }
    stalls
}

/// Backlog at the end of each sample.
struct Outstanding {
    /// I/Os above the least that was out.
    out: Vec<f64>,
    /// The offered rate there, I/Os per second.
    rate: Vec<f64>,
    /// The median of `out` over `rate`, s.
    usual_s: f64,
    /// Backlog that makes a stall, s.
    limit_s: f64,
}

impl Outstanding {
    fn of(flows: &[Flow]) -> Self {
        let mut level = 0.0;
        let mut out: Vec<f64> = flows
            .iter()
            .map(|f| {
                level += f.due - f.done;
                level
            })
            .collect();
        let least = out.iter().copied().fold(0.0, f64::min);
        out.iter_mut().for_each(|o| *o -= least);
        let rate = rates(flows);
        let mut waits: Vec<f64> = out.iter().zip(&rate).map(|(o, r)| o / r).collect();
        waits.sort_by(f64::total_cmp);
        let quantile = |q: f64| waits.get((q * waits.len() as f64) as usize).copied();
        let usual_s = quantile(0.5).unwrap_or(0.0);
        let spread = usual_s - quantile(0.25).unwrap_or(0.0);
        Outstanding {
            out,
            rate,
            usual_s,
            limit_s: (usual_s + HELD_S)
                .max(usual_s + SPREADS * spread)
                .max(MEDIANS * usual_s),
        }
    }

    /// True for each sample that ends in a stall.
    fn over(&self) -> Vec<bool> {
        let samples = self.out.iter().zip(&self.rate);
        samples
            .map(|(out, rate)| out / rate > self.limit_s && out - self.usual_s * rate >= HELD_IOS)
            .collect()
    }

    /// True where most of what gathered had not gone out: a worker that gets no CPU takes nothing, asks nothing, and is seen to be late
    /// only when it goes on. What goes out late while nothing comes back waits for the target all the same.
    fn was_sent_late(&self, flows: &[Flow], first: usize, last: usize) -> bool {
        let most = (first..=last).map(|k| self.out[k] - self.usual_s * self.rate[k]);
        let gathered = most.fold(0.0, f64::max);
        let until = flows.len().min(last + 2);
        let answered = flows[first..until].iter().filter(|f| f.done > 0.0);
        answered.map(|f| f.late).sum::<f64>() * 2.0 >= gathered
    }

    /// From when what is out at the end of sample `first` began to gather until the middle of the sample after `last`,
    /// in which it went away, or until the end.
    fn stretch(&self, start_ns: u64, flows: &[Flow], first: usize, last: usize) -> Stretch {
        let until = |n: usize| flows[..n].iter().map(|f| f.seconds).sum::<f64>();
        let (rate, end_of_first) = (self.rate[first], until(first + 1));
        let gathered = (self.out[first] - self.usual_s * rate).max(0.0);
        let from = (end_of_first - gathered / rate).max(0.0);
        let after = flows.get(last + 1);
        let to = until(last + 1) + after.map_or(0.0, |f| f.seconds / 2.0);
        let came: f64 = flows[first + 1..=last].iter().map(|f| f.due).sum();
        let ios = gathered + came + after.map_or(0.0, |f| f.due / 2.0);
        Stretch {
            start_ns: start_ns + (from * 1e9) as u64,
            length_ns: ((to - from) * 1e9) as u64,
            ios: ios.round() as u64,
        }
    }
}

/// The offered rate about each sample; where nothing came due about it, that of the step. Never 0.
fn rates(flows: &[Flow]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0)];
    let (mut due, mut seconds) = (0.0, 0.0);
    for f in flows {
        due += f.due;
        seconds += f.seconds;
        sums.push((due, seconds));
    }
    let whole = (due / seconds.max(1e-9)).max(1e-9);
    (0..flows.len())
        .map(|k| {
            let (from, to) = (
                sums[k.saturating_sub(AROUND)],
                sums[(k + 1 + AROUND).min(flows.len())],
            );
            match to.0 > from.0 && to.1 > from.1 {
                true => (to.0 - from.0) / (to.1 - from.1),
                false => whole,
            }
        })
        .collect()
}
