//! The catalogue of pitfalls: the ways in which storage results come out false, and why some of them have no rule.

use crate::{RULES, Rule};

/// One way in which a result comes out false.
#[derive(Debug)]
pub struct Pitfall {
    /// Number in the catalogue.
    pub number: u8,
    /// Title of the pitfall.
    pub title: &'static str,
    /// Reason why no rule finds it; empty where one does.
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

/// Pitfalls as lines: number, title, and why no rule finds it.
macro_rules! pitfalls {
    ($($number:literal $title:literal $($no_rule:literal)?;)*) => {
        [$(Pitfall { number: $number, title: $title, no_rule: concat!($($no_rule)?) }),*]
    };
}

/// All of them. Groups: did the I/O reach the medium (1 to 13), the device's state (14 to 26), the load generator (27 to 48),
/// host and environment (49 to 61), targeting, analysis and reporting (62 to 66).
pub static PITFALLS: [Pitfall; 66] = pitfalls! {
    1 "The page cache serves reads";
    2 "Unwritten extents are read";
    3 "Holes of a sparse file are read";
    4 "Deallocated blocks, thin LUNs";
    5 "Zeros, compressible or repeating data";
    6 "The working set lies in a cache";
    7 "O_DIRECT is ignored by the file system";
    8 "tmpfs, RAM disk, loop device";
    9 "A volatile write cache counts as durable";
    10 "Buffered writes are still dirty at the end";
    11 "The write cache of a controller takes a burst";
    12 "Errors, short or retried I/O";
    13 "Data is never checked" "a workload with `verify` checks all that it reads; without it nothing is checked";
    14 "The window of an SLC cache";
    15 "Fresh out of the box, no preconditioning";
    16 "Not steady";
    17 "History: the last test is in the result";
    18 "Recovery while idle";
    19 "Thermal throttling";
    20 "Power states";
    21 "An aged file system";
    22 "A nearly full file system or SSD";
    23 "A worn or failing drive";
    24 "Burst credits of cloud volumes";
    25 "A cap of the provider";
    26 "The wrong device class";
    27 "The generator is bound by its CPU";
    28 "Coordinated omission";
    29 "The offered rate is missed";
    30 "The wrong arrival process";
    31 "A limiter that sends square waves";
    32 "The queue depth is not reached";
    33 "Errors of the latency clock";
    34 "A throttle inside of the latency";
    35 "A coarse or clipping histogram";
    36 "A percentile beyond the data";
    37 "Averaged percentiles";
    38 "A weak random stream" "cannot happen: each stream is seeded by itself, and its spread is tested";
    39 "Streams repeat the same range";
    40 "I/Os are merged or split on the way";
    41 "The journal of a file system";
    42 "Misalignment";
    43 "The asynchronous engine blocks";
    44 "One file is bound by its lock";
    45 "Ramp or tail inside of the window";
    46 "Too short";
    47 "The tool's own overhead";
    48 "The tool's bugs and defaults";
    49 "The hypervisor steals CPU time";
    50 "Somebody else's I/O on the device";
    51 "CPU contention";
    52 "The CPU's frequency changes";
    53 "Limits of a cgroup";
    54 "Memory pressure, swapping";
    55 "Memory of another NUMA node";
    56 "Interrupts and queues meet on one CPU";
    57 "Queue settings differ";
    58 "Hidden layers";
    59 "The network is the limit";
    60 "A bad clock";
    61 "Another kernel or microcode" "`plimsoll compare` shows what differs between the hosts of two runs";
    62 "A hot region, or lopsided targets";
    63 "The best of several, or a single run";
    64 "Significance is ignored" "`plimsoll compare` gives no verdict without repeats, and corrects for many tests";
    65 "Means of ratios, MB for MiB";
    66 "A record is missing" "cannot happen: each run leaves one, unless --no-record says otherwise";
};

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
