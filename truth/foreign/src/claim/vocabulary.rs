//! Words of claims: those for depths and sizes, and those that say nothing that could be judged.

use super::fact::direction;
use super::factor::{DEPTHS, HOSTS, JOBS, TARGETS};

pub(super) const BLOCKS: [&str; 4] = ["block", "blocksize", "bs", "xfersize"];
/// Words that say nothing that could be judged.
const FILLERS: &str = "a an the with of on in to for from over at is are was we it got get gets reached reach reaches delivers \
    delivered does did up about only using max maximum peak total result results latency response time average avg mean array \
    storage io ios workload measured each per by than mix mixed size under below above within less most least gave us our \
    through via iops across as bandwidth throughput bw performance speed between while";

/// True of a word that says nothing that could be judged.
pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.split_whitespace().any(|filler| filler == word)
}

/// True of a word that is understood, a unit among them.
pub(super) fn is_known(word: &str) -> bool {
    const UNITS: &str = "k m g b kb mb gb tb kib mib gib tib ns us µs μs ms s sec min h th x random rand sequential seq rw r w lat \
        limited throttled p99 p95 p50 p reads writes ops million thousand blocks block";
    let counted = [&JOBS[..], &HOSTS, &TARGETS, &DEPTHS, &BLOCKS];
    is_filler(word)
        || direction(word).is_some()
        || UNITS.split_whitespace().any(|unit| unit == word)
        || counted.iter().any(|all| all.contains(&word))
}
