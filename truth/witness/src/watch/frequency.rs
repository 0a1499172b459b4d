//! The CPUs' frequency, and what held it down.

use super::kept::Kept;
use crate::Root;
use plimsoll_evidence::witnessed::Frequency;
use std::collections::HashSet;

const CPUS: &str = "/sys/devices/system/cpu";
/// The frequency of so many CPUs stands for that of all: some kernels (4.13 to 5.17) sleep 10 ms over each.
const MOST_ASKED: usize = 16;

/// Looks at the CPUs' frequency.
#[derive(Debug)]
pub(super) struct FrequencySampler {
    root: Root,
    asked: Vec<Kept>,
    throttles: Vec<Throttle>,
}

/// How often a core, or a package of them, was slowed down because it was hot.
#[derive(Debug)]
struct Throttle {
    count: Kept,
    last: Option<u64>,
}

impl FrequencySampler {
    pub fn new(root: &Root) -> Self {
        let policies = root.names(format!("{CPUS}/cpufreq"));
        let policies: Vec<&String> = policies
            .iter()
            .filter(|name| name.starts_with("policy"))
            .collect();
        let each = policies.len().div_ceil(MOST_ASKED).max(1);
        let asked = policies
            .into_iter()
            .step_by(each)
            .map(|name| Kept::new(root, format!("{CPUS}/cpufreq/{name}/scaling_cur_freq")));
        let asked = asked.collect();
        FrequencySampler {
            root: root.clone(),
            asked,
            throttles: throttles(root),
        }
    }

    /// `None` where nothing of it shows, as in most virtual machines.
    pub fn look(&mut self) -> Option<Frequency> {
        let known = self
            .asked
            .iter_mut()
            .filter_map(|file| number(file.text()?));
        let (sum, count) = known.fold((0u64, 0u64), |(sum, count), khz| {
            (sum.saturating_add(khz), count + 1)
        });
        let mean = sum.checked_div(count);
        let hot = self.throttles.iter_mut().filter_map(Throttle::look);
        let seen = Frequency {
            governor: self
                .root
                .word(format!("{CPUS}/cpu0/cpufreq/scaling_governor")),
            lowest_khz: mean,
            highest_khz: mean,
            throttled: hot.reduce(u64::saturating_add),
            ..Frequency::default()
        };
        (seen != Frequency::default()).then_some(seen)
    }
}

impl Throttle {
    fn look(&mut self) -> Option<u64> {
        let now = self.count.text().and_then(number);
        let before = std::mem::replace(&mut self.last, now)?;
        Some(now?.saturating_sub(before))
    }
}

/// One for each core and each package: the CPUs that share one show the same count.
fn throttles(root: &Root) -> Vec<Throttle> {
    let mut known: HashSet<(&str, String)> = HashSet::new();
    let mut found = Vec::new();
    for cpu in root.names(CPUS) {
        let folder = format!("{CPUS}/{cpu}");
        let id = |of: &str| root.word(format!("{folder}/topology/{of}"));
        let package = id("physical_package_id").unwrap_or_else(|| cpu.clone());
        let core = id("core_id").unwrap_or_else(|| cpu.clone());
        let counters = [
            ("core_throttle_count", format!("{package} {core}")),
            ("package_throttle_count", package),
        ];
        for (file, of) in counters {
            let path = format!("{folder}/thermal_throttle/{file}");
            if root.has(&path) && known.insert((file, of)) {
                let mut count = Kept::opened_each_time(root, path);
                let last = count.text().and_then(number);
                found.push(Throttle { count, last });
            }
        }
    }
    found
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}
