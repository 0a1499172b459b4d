//! Simulated hosts, as words say them.

use plimsoll_plan::Nanos;
use plimsoll_sim::SimulatedHost;
use std::str::FromStr;

/// The most that are simulated.
const MOST: u32 = 1_000;

/// Hosts of the lab, in their words: `4`, or `4?slow=2:1ms&lost=3:5s`, of which the second has a link that takes a millisecond of each
/// I/O, and the third is gone five seconds after each step's beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedHosts {
    /// Each of them.
    pub hosts: Vec<SimulatedHost>,
    /// True where the others go on with their own parts when one host is gone.
    pub goes_on: bool,
}

/// Reason why words are no hosts of the lab.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; write sim:4, or sim:4?slow=2:1ms&lost=3:5s")]
pub struct SimulatedHostsError(String);

impl FromStr for SimulatedHosts {
    type Err = SimulatedHostsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |why: String| SimulatedHostsError(why);
        let (count, words) = text.split_once('?').unwrap_or((text, ""));
        let count = count.parse().ok().filter(|n| (1..=MOST).contains(n));
        let count = count.ok_or_else(|| wrong(format!("the number of hosts is 1 to {MOST}")))?;
        let mut hosts = vec![SimulatedHost::default(); count as usize];
        for word in words.split('&').filter(|w| !w.is_empty()) {
            let parts = word.split_once('=').and_then(|(what, rest)| {
                let (host, time) = rest.split_once(':')?;
                Some((
                    what,
                    host.parse::<usize>().ok()?,
                    time.parse::<Nanos>().ok()?,
                ))
            });
            let (what, host, time) =
                parts.ok_or_else(|| wrong(format!("`{word}` says nothing of a host")))?;
            let known = host.checked_sub(1).and_then(|at| hosts.get_mut(at));
            let host = known.ok_or_else(|| wrong(format!("`{word}`: there are {count} hosts")))?;
            match what {
                "slow" => host.link = time,
                "lost" => host.gone_after = Some(time),
                other => return Err(wrong(format!("`{other}` is nothing that hosts are"))),
            }
        }
        Ok(SimulatedHosts {
            hosts,
            goes_on: false,
        })
    }
}
