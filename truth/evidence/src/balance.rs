//! Whether hosts that carried out a step together did alike: what their sum hides. Pure.

use crate::{End, Estimate, HostPart};
use plimsoll_printable::human;

/// Hosts that did so different parts of what was asked of them are said to have: a share of the mean.
const RATES_APART: f64 = 0.1;

/// Mean responses so far apart are said to be: a share of the shorter one.
const RESPONSES_APART: f64 = 0.5;

/// Difference between two mean responses, ns, below which it is the hosts' own kernels and CPUs.
const LEAST_NS: f64 = 20_000.0;

/// Differences between hosts that their sum hides, a sentence each; none where the hosts did alike.
pub fn uneven(hosts: &[HostPart]) -> Vec<String> {
    uneven_rates(hosts)
        .into_iter()
        .chain(uneven_responses(hosts))
        .collect()
}

/// Remarks on the hosts of a step, of which there were `all`: who was saturated or late, and what their sum hides.
pub fn said_of(hosts: &[HostPart], all: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let saturated: Vec<&str> = hosts
        .iter()
        .filter(|h| h.is_saturated())
        .map(|h| h.name.as_str())
        .collect();
    if !saturated.is_empty() {
        notes.push(format!(
            "the load is past what {} of {all} hosts carry: {}",
            saturated.len(),
            saturated.join(", ")
        ));
    }
    let late: Vec<String> = hosts
        .iter()
        .filter(|h| h.late_by_host > 0 || h.start.late_ns > 0)
        .map(|h| format!("{} ({} I/Os)", h.name, h.late_by_host))
        .collect();
    if !late.is_empty() {
        notes.push(format!(
            "the generator itself was late on {}",
            late.join(", ")
        ));
    }
    notes.extend(uneven(hosts));
    notes
}

/// Hosts that stand out, `most` at most, in their order: those that failed, were saturated or had errors before the others, and of the
/// others those whose rate is the farthest from the mean, as [`uneven`] counts it.
pub fn standing_out(hosts: &[HostPart], most: usize) -> Vec<&HostPart> {
    let done = done_by(hosts);
    let mean = hosts.iter().map(&done).sum::<f64>() / hosts.len().max(1) as f64;
    let sound = |h: &HostPart| {
        let ended = matches!(h.end, End::Elapsed | End::Limit);
        ended && !h.is_saturated() && h.errors == 0
    };
    let mut all: Vec<&HostPart> = hosts.iter().collect();
    all.sort_by(|a, b| {
        let far = |h: &HostPart| (done(h) - mean).abs();
        let order = sound(a).cmp(&sound(b));
        order.then_with(|| far(b).total_cmp(&far(a)))
    });
    all.truncate(most);
    all.sort_by_key(|h| h.host);
    all
}

/// Rate that each host did, I/Os per second; where every host was asked for a rate, the share of it that was done.
fn done_by(hosts: &[HostPart]) -> impl Fn(&HostPart) -> f64 + use<> {
    let scheduled = is_scheduled(hosts);
    move |h: &HostPart| match h.offered {
        Some(offered) if scheduled => h.rate.mean / offered,
        _ => h.rate.mean,
    }
}

fn is_scheduled(hosts: &[HostPart]) -> bool {
    hosts.iter().all(|h| h.offered.is_some_and(|o| o > 0.0))
}

/// Sentence on rates that are apart. In a load with a schedule each host's rate counts against its own share, which follows its workers.
fn uneven_rates(hosts: &[HostPart]) -> Option<String> {
    let (scheduled, done) = (is_scheduled(hosts), done_by(hosts));
    let (least, most) = ends(hosts.iter(), &done)?;
    let mean = hosts.iter().map(&done).sum::<f64>() / hosts.len() as f64;
    let words = |h: &HostPart| match h.offered {
        Some(offered) if scheduled => format!("{:.0} of {offered:.0}", h.rate.mean),
        _ => format!("{:.0}", h.rate.mean),
    };
    (mean > 0.0 && done(most) - done(least) > RATES_APART * mean).then(|| {
        format!(
            "the hosts did not do alike: {} did {} I/Os per second and {} {}",
            least.name,
            words(least),
            most.name,
            words(most)
        )
    })
}

/// Sentence on response times that are apart, of the hosts whose times are latencies. What chance could make of equal ones is no
/// difference.
fn uneven_responses(hosts: &[HostPart]) -> Option<String> {
    let timed = |h: &&HostPart| h.ios > 0 && !h.is_saturated();
    let mean = |h: &HostPart| h.response_mean_ns.mean;
    let (least, most) = ends(hosts.iter().filter(timed), mean)?;
    let apart = mean(most) - mean(least);
    let half = |e: &Estimate| e.half_width.unwrap_or(0.0);
    let chance = half(&most.response_mean_ns) + half(&least.response_mean_ns);
    (apart > LEAST_NS && apart > chance && apart > RESPONSES_APART * mean(least)).then(|| {
        format!(
            "the hosts' response times are apart: in the mean {} had {} and {} {}",
            most.name,
            human::time_in_text(mean(most)),
            least.name,
            human::time_in_text(mean(least))
        )
    })
}

/// Hosts with the least and the most of a value, in this order; `None` for fewer than two hosts.
fn ends<'a>(
    hosts: impl Iterator<Item = &'a HostPart> + Clone,
    of: impl Fn(&HostPart) -> f64,
) -> Option<(&'a HostPart, &'a HostPart)> {
    let least = hosts.clone().min_by(|a, b| of(a).total_cmp(&of(b)))?;
    let most = hosts.max_by(|a, b| of(a).total_cmp(&of(b)))?;
    (least.host != most.host).then_some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Saturation;

    fn host(number: u32, offered: Option<f64>, rate: f64, response_ns: f64) -> HostPart {
        HostPart {
            offered,
            ios: 1000,
            rate: Estimate::bare(rate),
            response_mean_ns: Estimate {
                half_width: Some(5_000.0),
                ..Estimate::bare(response_ns)
            },
            ..HostPart::new(number, ["a", "b", "c"][number as usize - 1])
        }
    }

    #[test]
    fn hosts_of_a_closed_loop_are_to_have_one_rate() {
        let two = |rate| uneven(&[host(1, None, 100.0, 1e6), host(2, None, rate, 1e6)]);
        assert_eq!(
            two(60.0),
            ["the hosts did not do alike: b did 60 I/Os per second and a 100"]
        );
        assert_eq!(two(95.0), [] as [&str; 0]);
    }

    #[test]
    fn a_host_with_a_smaller_share_of_the_rate_is_not_slower() {
        let shares = |b| {
            uneven(&[
                host(1, Some(800.0), 800.0, 1e6),
                host(2, Some(200.0), b, 1e6),
            ])
        };
        assert_eq!(shares(200.0), [] as [&str; 0]);
        assert_eq!(
            shares(150.0),
            ["the hosts did not do alike: b did 150 of 200 I/Os per second and a 800 of 800"]
        );
    }

    #[test]
    fn response_times_that_are_apart_are_said_to_be_where_that_is_no_chance() {
        let of = |a: f64, b: f64| uneven(&[host(1, None, 9.0, a), host(2, None, 9.0, b)]);
        assert_eq!(
            of(400_000.0, 3_200_000.0),
            ["the hosts' response times are apart: in the mean b had 3.2ms and a 400us"]
        );
        assert_eq!(of(400_000.0, 500_000.0), [] as [&str; 0]);
        // Twice as long, and nothing that storage does.
        assert_eq!(of(2_000.0, 9_000.0), [] as [&str; 0]);
        let wide = |h: HostPart| HostPart {
            response_mean_ns: Estimate {
                half_width: Some(2e6),
                ..h.response_mean_ns
            },
            ..h
        };
        let by_chance = [host(1, None, 9.0, 400_000.0), wide(host(2, None, 9.0, 2e6))];
        assert_eq!(uneven(&by_chance), [] as [&str; 0]);
    }

    #[test]
    fn the_times_of_a_saturated_host_are_no_latency_and_one_host_is_like_itself() {
        let saturated = HostPart {
            saturation: Some(Saturation {
                saturated: true,
                ..Saturation::default()
            }),
            ..host(2, None, 9.0, 5e9)
        };
        assert_eq!(
            uneven(&[host(1, None, 9.0, 1e6), saturated]),
            [] as [&str; 0]
        );
        assert_eq!(uneven(&[host(1, None, 9.0, 1e6)]), [] as [&str; 0]);
        assert_eq!(uneven(&[]), [] as [&str; 0]);
    }
}
