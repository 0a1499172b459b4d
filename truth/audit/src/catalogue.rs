//! The catalogue of pitfalls: the ways in which storage results come out false, and why some of them have no rule.

use crate::{RULES, Rule};

/// One way in which a result comes out false.
#[derive(Debug)]
pub struct Pitfall {
    /// Its number in the catalogue.
    pub number: u8,
    /// What it is.
    pub title: &'static str,
    /// Why no rule finds it; empty where one does.
    pub no_rule: &'static str,
}

impl Pitfall {
    /// The rules that find it.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> + use<> {
        let number = self.number;
        RULES
            .iter()
            .copied()
            .filter(move |rule| rule.pitfalls.contains(&number))
    }
}

const fn pitfall(number: u8, title: &'static str, no_rule: &'static str) -> Pitfall {
    Pitfall {
        number,
        title,
        no_rule,
    }
}

/// All of them. Groups: did the I/O reach the medium (1 to 13), the device's state (14 to 26), the load generator (27 to 48),
/// host and environment (49 to 61), targeting, analysis and reporting (62 to 66).
pub static PITFALLS: [Pitfall; 66] = [
    pitfall(1, "The page cache serves reads", ""),
    pitfall(2, "Unwritten extents are read", ""),
    pitfall(3, "Holes of a sparse file are read", ""),
    pitfall(4, "Deallocated blocks, thin LUNs", ""),
    pitfall(5, "Zeros, compressible or repeating data", ""),
    pitfall(6, "The working set lies in a cache", ""),
    pitfall(7, "O_DIRECT is ignored by the file system", ""),
    pitfall(8, "tmpfs, RAM disk, loop device", ""),
    pitfall(9, "A volatile write cache counts as durable", ""),
    pitfall(10, "Buffered writes are still dirty at the end", ""),
    pitfall(11, "The write cache of a controller takes a burst", ""),
    pitfall(12, "Errors, short or retried I/O", ""),
    pitfall(
        13,
        "Data is never checked",
        "a workload with `verify` checks all that it reads; without it nothing is checked",
    ),
    pitfall(14, "The window of an SLC cache", ""),
    pitfall(15, "Fresh out of the box, no preconditioning", ""),
    pitfall(16, "Not steady", ""),
    pitfall(17, "History: the last test is in the result", ""),
    pitfall(18, "Recovery while idle", ""),
    pitfall(19, "Thermal throttling", ""),
    pitfall(20, "Power states", ""),
    pitfall(21, "An aged file system", ""),
    pitfall(22, "A nearly full file system or SSD", ""),
    pitfall(23, "A worn or failing drive", ""),
    pitfall(24, "Burst credits of cloud volumes", ""),
    pitfall(25, "A cap of the provider", ""),
    pitfall(26, "The wrong device class", ""),
    pitfall(27, "The generator is bound by its CPU", ""),
    pitfall(28, "Coordinated omission", ""),
    pitfall(29, "The offered rate is missed", ""),
    pitfall(30, "The wrong arrival process", ""),
    pitfall(31, "A limiter that sends square waves", ""),
    pitfall(32, "The queue depth is not reached", ""),
    pitfall(33, "Errors of the latency clock", ""),
    pitfall(34, "A throttle inside of the latency", ""),
    pitfall(35, "A coarse or clipping histogram", ""),
    pitfall(36, "A percentile beyond the data", ""),
    pitfall(37, "Averaged percentiles", ""),
    pitfall(
        38,
        "A weak random stream",
        "cannot happen: each stream is seeded by itself, and its spread is tested",
    ),
    pitfall(39, "Streams repeat the same range", ""),
    pitfall(40, "I/Os are merged or split on the way", ""),
    pitfall(41, "The journal of a file system", ""),
    pitfall(42, "Misalignment", ""),
    pitfall(43, "The asynchronous engine blocks", ""),
    pitfall(44, "One file is bound by its lock", ""),
    pitfall(45, "Ramp or tail inside of the window", ""),
    pitfall(46, "Too short", ""),
    pitfall(47, "The tool's own overhead", ""),
    pitfall(48, "The tool's bugs and defaults", ""),
    pitfall(49, "The hypervisor steals CPU time", ""),
    pitfall(50, "Somebody else's I/O on the device", ""),
    pitfall(51, "CPU contention", ""),
    pitfall(52, "The CPU's frequency changes", ""),
    pitfall(53, "Limits of a cgroup", ""),
    pitfall(54, "Memory pressure, swapping", ""),
    pitfall(55, "Memory of another NUMA node", ""),
    pitfall(56, "Interrupts and queues meet on one CPU", ""),
    pitfall(57, "Queue settings differ", ""),
    pitfall(58, "Hidden layers", ""),
    pitfall(59, "The network is the limit", ""),
    pitfall(60, "A bad clock", ""),
    pitfall(
        61,
        "Another kernel or microcode",
        "`plimsoll compare` shows what differs between the hosts of two runs",
    ),
    pitfall(62, "A hot region, or lopsided targets", ""),
    pitfall(63, "The best of several, or a single run", ""),
    pitfall(
        64,
        "Significance is ignored",
        "`plimsoll compare` gives no verdict without repeats, and corrects for many tests",
    ),
    pitfall(65, "Means of ratios, MB for MiB", ""),
    pitfall(
        66,
        "A record is missing",
        "cannot happen: each run leaves one, unless --no-record says otherwise",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pitfall_has_rules_or_a_reason_and_not_both() {
        for (number, pitfall) in (1..).zip(&PITFALLS) {
            assert_eq!(pitfall.number, number);
            let rules = pitfall.rules().count();
            assert_eq!(
                rules > 0,
                pitfall.no_rule.is_empty(),
                "{pitfall:?}: {rules} rules"
            );
        }
        for rule in RULES.iter() {
            assert!(
                rule.pitfalls.iter().all(|p| (1..=66).contains(p)),
                "{}",
                rule.code()
            );
        }
    }
}
