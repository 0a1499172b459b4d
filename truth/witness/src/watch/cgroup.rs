//! What control groups keep this process to: its own and those above it, as far as they can be seen from here.

mod place;

use super::Watched;
use crate::{Root, block};
use place::{Version, folders};
use plimsoll_evidence::witnessed::CgroupUse;

/// Version 1 has a file for each kind of limit; these are version 2's words for them.
const BLKIO: [(&str, &str); 4] = [
    ("read_bps_device", "rbps"),
    ("write_bps_device", "wbps"),
    ("read_iops_device", "riops"),
    ("write_iops_device", "wiops"),
];

/// Looks at control groups.
#[derive(Debug)]
pub(super) struct CgroupSampler {
    root: Root,
    groups: Vec<Group>,
    /// The devices of the stacks: as `major:minor`, and by name.
    devices: Vec<(String, String)>,
}

/// One group of one hierarchy.
#[derive(Debug)]
struct Group {
    folder: String,
    version: Version,
    last: Option<Throttled>,
}

/// How long a group was held up, and how often; the longer is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Throttled {
    ns: u64,
    periods: u64,
}

impl CgroupSampler {
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        let numbers = what.iter().flat_map(|w| &w.devices).filter_map(|name| {
            let number = block::number_of_name(root, name)?;
            Some((number.to_string(), name.clone()))
        });
        let groups = folders(root).into_iter().map(|(version, folder)| {
            let mut group = Group {
                folder,
                version,
                last: None,
            };
            group.last = group.throttled(root);
            group
        });
        CgroupSampler {
            devices: numbers.collect(),
            groups: groups.collect(),
            root: root.clone(),
        }
    }

    /// `None` where no group can be seen.
    pub fn look(&mut self) -> Option<CgroupUse> {
        if self.groups.is_empty() {
            return None;
        }
        let mut seen = CgroupUse::default();
        // A group's time passes for those in it too: the sum would count it once for each.
        let mut most = Throttled { ns: 0, periods: 0 };
        for group in &mut self.groups {
            let limit = group.cpu_limit(&self.root);
            seen.cpu_limit = [seen.cpu_limit, limit]
                .into_iter()
                .flatten()
                .reduce(f64::min);
            let now = group.throttled(&self.root);
            if let (Some(before), Some(now)) = (std::mem::replace(&mut group.last, now), now) {
                most = most.max(now.since(before));
            }
            for limit in group.io_limits(&self.root, &self.devices) {
                if !seen.io_limits.contains(&limit) {
                    seen.io_limits.push(limit);
                }
            }
        }
        seen.throttled_periods = most.periods;
        seen.throttled_s = most.ns as f64 / 1e9;
        Some(seen)
    }
}

impl Throttled {
    fn since(self, before: Throttled) -> Throttled {
        Throttled {
            ns: self.ns.saturating_sub(before.ns),
            periods: self.periods.saturating_sub(before.periods),
        }
    }
}

impl Group {
    fn text(&self, root: &Root, file: &str) -> Option<String> {
        root.text(format!("{}/{file}", self.folder))
    }

    /// CPUs' worth of time.
    fn cpu_limit(&self, root: &Root) -> Option<f64> {
        let (quota, period) = match self.version {
            // `50000 100000`, or `max 100000`.
            Version::Two => {
                let text = self.text(root, "cpu.max")?;
                let (quota, period) = text.split_once(' ')?;
                (quota.to_string(), period.to_string())
            }
            // -1 is no limit.
            Version::OneCpu => (
                self.text(root, "cpu.cfs_quota_us")?,
                self.text(root, "cpu.cfs_period_us")?,
            ),
            Version::OneBlkio => return None,
        };
        let (quota, period): (u64, u64) = (quota.parse().ok()?, period.parse().ok()?);
        (period > 0).then(|| quota as f64 / period as f64)
    }

    fn throttled(&self, root: &Root) -> Option<Throttled> {
        let text = self.text(root, "cpu.stat")?;
        let named = |name: &str| -> Option<u64> {
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(n, _)| *n == name)?.1.parse().ok()
        };
        Some(Throttled {
            periods: named("nr_throttled")?,
            ns: match self.version {
                Version::Two => named("throttled_usec")?.saturating_mul(1_000),
                _ => named("throttled_time")?,
            },
        })
    }

    /// The limits on these devices, a line for each, with the device's name for its number: what else is known of it goes by that.
    fn io_limits(&self, root: &Root, devices: &[(String, String)]) -> Vec<String> {
        let named = |line: &str| {
            let (number, limits) = line.split_once(' ')?;
            let (_, name) = devices.iter().find(|(n, _)| n == number)?;
            Some((name.clone(), limits.trim().to_string()))
        };
        match self.version {
            Version::Two => {
                let text = self.text(root, "io.max").unwrap_or_default();
                let lines = text.lines().filter_map(named);
                lines
                    .map(|(name, limits)| format!("{name} {limits}"))
                    .collect()
            }
            Version::OneBlkio => {
                let of_kind = |(file, word): &(&str, &str)| {
                    let text = self.text(root, &format!("blkio.throttle.{file}"));
                    let text = text.unwrap_or_default();
                    let lines = text.lines().filter_map(named);
                    lines
                        .map(|(name, most)| format!("{name} {word}={most}"))
                        .collect::<Vec<_>>()
                };
                BLKIO.iter().flat_map(of_kind).collect()
            }
            Version::OneCpu => Vec::new(),
        }
    }
}
