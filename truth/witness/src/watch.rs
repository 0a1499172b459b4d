//! What everyone else sees while a step runs: one look after the other, and what has changed between two of them.
//!
//! A look reads a few small files of the kernel's, most of which stay open. What it cannot see is not in what it gives.

mod caches;
mod cgroup;
mod clocks;
mod cpus;
mod devices;
mod frequency;
mod kept;
mod links;
mod media;
mod own;
mod paths;
mod pressure;
mod resident;
mod round_trips;
mod smart;
mod watched;
mod zrams;

pub(crate) use media::{captured, now as drive};
pub use watched::Watched;

use crate::Root;
use caches::CachesSampler;
use cgroup::CgroupSampler;
use clocks::ClocksSampler;
use cpus::CpusSampler;
use devices::DevicesSampler;
use frequency::FrequencySampler;
use links::LinksSampler;
use media::MediaSampler;
use own::OwnSampler;
use paths::PathsSampler;
use plimsoll_evidence::Witnessed;
use plimsoll_evidence::witnessed::CgroupUse;
use pressure::PressureSampler;
use round_trips::RoundTripsSampler;
use rustix::time::{ClockId, clock_gettime};
use zrams::ZramsSampler;

/// What control groups keep this process to now, on these devices; `None` where no group can be seen.
pub(crate) fn control_group(root: &Root, devices: Vec<String>) -> Option<CgroupUse> {
    let all = Watched {
        devices,
        ..Watched::default()
    };
    CgroupSampler::new(root, &[all]).look()
}

/// Looks at the host, the targets' devices and this process.
#[derive(Debug)]
pub struct Watch {
    root: Root,
    /// When the last look was, s.
    last_s: f64,
    cpus: CpusSampler,
    pressure: PressureSampler,
    cgroup: CgroupSampler,
    frequency: FrequencySampler,
    clocks: ClocksSampler,
    devices: DevicesSampler,
    paths: PathsSampler,
    zrams: ZramsSampler,
    caches: CachesSampler,
    media: MediaSampler,
    links: LinksSampler,
    round_trips: RoundTripsSampler,
    own: OwnSampler,
}

impl Watch {
    /// Watch that begins with a look at the host and at what these targets lie on, from which the next one counts.
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        Watch {
            root: root.clone(),
            last_s: seconds(root),
            cpus: CpusSampler::new(root),
            pressure: PressureSampler::new(root),
            cgroup: CgroupSampler::new(root, what),
            frequency: FrequencySampler::new(root),
            clocks: ClocksSampler::new(root),
            devices: DevicesSampler::new(root, what),
            paths: PathsSampler::new(root, what),
            zrams: ZramsSampler::new(root, what),
            caches: CachesSampler::new(root, what),
            media: MediaSampler::new(root, what),
            links: LinksSampler::new(root, what),
            round_trips: RoundTripsSampler::new(root, what),
            own: OwnSampler::new(root),
        }
    }

    /// What was seen since the last look. Of this process's threads and of its record, whoever works with them knows more.
    pub fn look(&mut self) -> Witnessed {
        let now_s = seconds(&self.root);
        let observed_s = (now_s - std::mem::replace(&mut self.last_s, now_s)).max(0.0);
        Witnessed {
            observed_s,
            devices: self.devices.look(),
            own: self.own.look(),
            cpus: self.cpus.look(),
            pressure: self.pressure.look(),
            clocks: self.clocks.look(),
            cgroup: self.cgroup.look(),
            frequency: self.frequency.look(),
            paths: self.paths.look(),
            zrams: self.zrams.look(),
            links: self.links.look(),
            tcp: self.links.tcp(),
            round_trips: self.round_trips.look(),
            caches: self.caches.look(),
            // A drive may not answer for long, so it is asked last.
            media: self.media.look(),
            ..Witnessed::default()
        }
    }

    /// At a step's end, what is asked so seldom that it may have been some time ago.
    pub fn end(&mut self) -> Witnessed {
        Witnessed {
            caches: self.caches.end(),
            media: self.media.ask(),
            ..Witnessed::default()
        }
    }
}

/// The time since the host began, as far as it did not sleep; under a captured tree, what the tree says of it.
fn seconds(root: &Root) -> f64 {
    if root.is_system() {
        let now = clock_gettime(ClockId::Monotonic);
        return now.tv_sec as f64 + now.tv_nsec as f64 / 1e9;
    }
    let uptime = root.text("/proc/uptime").unwrap_or_default();
    let first = uptime.split_ascii_whitespace().next();
    first.and_then(|s| s.parse().ok()).unwrap_or(0.0)
}
