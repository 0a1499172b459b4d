//! What everyone else saw while a step ran: the kernel's own counters of the host, of the whole block stack, of caches,
//! networks and this process.
//!
//! Counters are differences between two looks, so what was seen of consecutive stretches of time adds up ([`Witnessed::append`]). What is
//! absent was not observable; a zero was observed.

mod device;
mod health;
mod host;
mod own;

pub use device::{CacheUse, DeviceUse, MapPath, MediaState, PathSeen, ZramUse};
pub use health::{DiskHealth, DriveHealth};
pub use host::{
    CgroupUse, ClockSteps, CpuUse, Frequency, LinkUse, Pressure, RoundTrip, TcpUse, ThreadUse,
};
pub use own::{OwnIo, RecordKeeping};

use serde::{Deserialize, Serialize};

/// Observations of the kernel and the host over one interval, or over consecutive ones as one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Witnessed {
    /// Time between the two looks, s.
    pub observed_s: f64,
    /// Each CPU of the host, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<CpuUse>,
    /// Worker threads of this process, in the engine's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadUse>,
    /// Pressure stall information of the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Pressure>,
    /// The control group of this process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<CgroupUse>,
    /// The CPUs' frequency and heat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency: Option<Frequency>,
    /// Steps of the clocks, and the time that the host slept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<ClockSteps>,
    /// Every block device of the targets' stacks, by kernel name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceUse>,
    /// The paths that the kernel has to the targets' devices, by kernel name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathSeen>,
    /// Contents of the stacks' zram devices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub zrams: Vec<ZramUse>,
    /// The page cache of each target that is a file or a device, by the plan's name of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<CacheUse>,
    /// State of the drives below the stacks, as they tell it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediaState>,
    /// The network interfaces that carry I/O to the targets, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkUse>,
    /// Round trips to each server without the server's own work, by address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub round_trips: Vec<RoundTrip>,
    /// TCP of the whole host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpUse>,
    /// Bytes that this process read and wrote, as the kernel counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnIo>,
    /// Bytes that the keeping of the record wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordKeeping>,
}

/// Observation with a name by which it is found again in the next stretch of time.
trait Named {
    fn name(&self) -> &str;
    /// Adds what was seen of it afterwards.
    fn append(&mut self, next: Self);
}

impl Witnessed {
    /// Adds what was seen directly afterwards.
    pub fn append(&mut self, next: Witnessed) {
        self.observed_s += next.observed_s;
        by_place(&mut self.cpus, next.cpus, CpuUse::append);
        by_place(&mut self.threads, next.threads, ThreadUse::append);
        maybe(&mut self.pressure, next.pressure, Pressure::append);
        maybe(&mut self.cgroup, next.cgroup, CgroupUse::append);
        maybe(&mut self.frequency, next.frequency, Frequency::append);
        maybe(&mut self.clocks, next.clocks, ClockSteps::append);
        by_name(&mut self.devices, next.devices);
        by_name(&mut self.paths, next.paths);
        by_name(&mut self.zrams, next.zrams);
        by_name(&mut self.caches, next.caches);
        by_name(&mut self.media, next.media);
        by_name(&mut self.links, next.links);
        by_name(&mut self.round_trips, next.round_trips);
        maybe(&mut self.tcp, next.tcp, TcpUse::append);
        maybe(&mut self.own, next.own, OwnIo::append);
        maybe(&mut self.record, next.record, RecordKeeping::append);
    }

    /// A device by its kernel name.
    pub fn device(&self, name: &str) -> Option<&DeviceUse> {
        self.devices.iter().find(|d| d.name == name)
    }

    /// A count as a rate over the observed time, per second; `None` where no time was observed.
    pub fn per_second(&self, count: u64) -> Option<f64> {
        (self.observed_s > 0.0).then(|| count as f64 / self.observed_s)
    }
}

fn maybe<T>(mine: &mut Option<T>, next: Option<T>, append: impl Fn(&mut T, T)) {
    match (mine.as_mut(), next) {
        (Some(mine), Some(next)) => append(mine, next),
        (None, next) => *mine = next,
        (Some(_), None) => {}
    }
}

fn by_place<T>(mine: &mut Vec<T>, next: Vec<T>, append: impl Fn(&mut T, T)) {
    for (n, next) in next.into_iter().enumerate() {
        match mine.get_mut(n) {
            Some(mine) => append(mine, next),
            None => mine.push(next),
        }
    }
}

fn by_name<T: Named>(mine: &mut Vec<T>, next: Vec<T>) {
    for next in next {
        match mine.iter_mut().find(|m| m.name() == next.name()) {
            Some(mine) => mine.append(next),
            None => mine.push(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(reads: u64, in_flight: u64) -> Witnessed {
        Witnessed {
            observed_s: 1.0,
            devices: vec![DeviceUse {
                name: "sda".into(),
                reads,
                in_flight,
                ..DeviceUse::default()
            }],
            cpus: vec![CpuUse {
                busy_s: 0.5,
                ..CpuUse::default()
            }],
            ..Witnessed::default()
        }
    }

    #[test]
    fn counters_add_up_and_states_are_the_last() {
        let mut sum = seen(10, 3);
        sum.append(seen(5, 7));
        assert_eq!(sum.observed_s, 2.0);
        assert_eq!(sum.cpus[0].busy_s, 1.0);
        let sda = sum.device("sda").unwrap();
        assert_eq!((sda.reads, sda.in_flight), (15, 7));
        assert_eq!(sum.per_second(sda.reads), Some(7.5));
    }

    #[test]
    fn what_appears_later_is_taken_and_what_is_absent_stays_absent() {
        let mut sum = Witnessed::default();
        assert_eq!(sum.per_second(1), None);
        sum.append(seen(10, 3));
        assert_eq!(sum.devices.len(), 1);
        assert_eq!(sum.pressure, None);
        let text = serde_json::to_string(&sum).unwrap();
        assert!(
            !text.contains("pressure") && !text.contains("links"),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Witnessed>(&text).unwrap(), sum);
    }

    #[test]
    fn what_later_versions_see_is_read_back_and_of_earlier_ones_is_absent() {
        let seen = Witnessed {
            paths: vec![PathSeen {
                map: Some(MapPath {
                    state: "active".into(),
                    states_before: vec!["failed".into()],
                    failures: 1,
                    ..MapPath::default()
                }),
                ..PathSeen::default()
            }],
            caches: vec![CacheUse {
                cached_before_bytes: Some(0),
                sampled_bytes: Some(1 << 28),
                ..CacheUse::default()
            }],
            media: vec![MediaState {
                health: Some(DriveHealth {
                    spare: 0.97,
                    written_bytes: (512_000, 1_024_000),
                    ..DriveHealth::default()
                }),
                ..MediaState::default()
            }],
            round_trips: vec![RoundTrip {
                idle_s: Some(0.001),
                answered: 2,
                sum_s: 0.004,
                ..RoundTrip::default()
            }],
            tcp: Some(TcpUse {
                sent_in_vain: Some(1),
                out_of_order: Some(2),
                ..TcpUse::default()
            }),
            ..Witnessed::default()
        };
        let text = serde_json::to_string(&seen).unwrap();
        assert_eq!(serde_json::from_str::<Witnessed>(&text).unwrap(), seen);
        let early = r#"{"paths":[{"name":"sdb","of":"dm-3","state":"running"}],
            "caches":[{"target":"t","cached_bytes":1}],"tcp":{"sent":1,"sent_again":2}}"#;
        let seen: Witnessed = serde_json::from_str(early).unwrap();
        assert_eq!(seen.paths[0].map, None);
        assert_eq!(seen.caches[0].cached_before_bytes, None);
        assert_eq!(seen.tcp.unwrap().lost(), 2);
        assert!(seen.round_trips.is_empty());
    }
}
