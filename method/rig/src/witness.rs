//! What everyone else sees while a step runs.

use crate::session::Session;
use plimsoll_engine::{MergedInterval, OpenTarget};
use plimsoll_evidence::witnessed::ThreadUse;
use plimsoll_evidence::{CpuInterval, Interval, Witnessed};
use plimsoll_plan::{NbdServer, Step};
use plimsoll_witness::cpu::{CpuSampler, CpuSnapshot, between};
use plimsoll_witness::{Root, Watch, Watched, block};
use std::net::ToSocketAddrs;

/// Looks at host, devices and this process, interval by interval.
pub(crate) struct Witness {
    sampler: CpuSampler,
    last: CpuSnapshot,
    watch: Watch,
    /// What was seen in the counted time.
    counted: Option<Witnessed>,
}

/// What was seen of one interval.
pub(crate) struct Seen {
    pub cpu: Option<CpuInterval>,
    pub witnessed: Option<Box<Witnessed>>,
}

impl Witness {
    /// Beside a step of the session.
    pub fn new(session: &Session, step: &Step) -> Self {
        let root = Root::system();
        let of_step = |target: &usize| step.depths.iter().any(|d| d.target.0 as usize == *target);
        let what: Vec<Watched> = (0..session.watched.len())
            .filter(of_step)
            .map(|target| session.watched[target].clone())
            .collect();
        let sampler = CpuSampler::new(&root);
        let last = sampler.sample();
        Witness {
            sampler,
            last,
            watch: Watch::new(&root, &what, session.record_path.as_deref()),
            counted: None,
        }
    }

    /// What was seen since the last interval.
    pub fn look(&mut self, merged: &MergedInterval) -> Seen {
        let now = self.sampler.sample();
        let last = std::mem::replace(&mut self.last, now);
        let cpu = between(&last, &self.last, &[]).map(|cpu| CpuInterval {
            workers: merged.worker_busy.clone(),
            ..cpu
        });
        let witnessed = Witnessed {
            threads: threads(merged),
            ..self.watch.look()
        };
        Seen {
            cpu,
            witnessed: Some(Box::new(witnessed)),
        }
    }

    /// Keeps what counts.
    pub fn add(&mut self, interval: &Interval) {
        let Some(seen) = interval.witnessed.as_deref().filter(|_| interval.counts()) else {
            return;
        };
        match &mut self.counted {
            Some(counted) => counted.append(seen.clone()),
            None => self.counted = Some(seen.clone()),
        }
    }

    /// What was seen in the counted time.
    pub fn finish(self) -> Option<Witnessed> {
        self.counted
    }
}

fn threads(merged: &MergedInterval) -> Vec<ThreadUse> {
    let times = merged.worker_times.iter().flatten();
    let of_thread = |time: &plimsoll_engine::WorkerTime| ThreadUse {
        ran_s: time.ran_ns as f64 / 1e9,
        waited_s: time.waited_ns as f64 / 1e9,
    };
    times.map(of_thread).collect()
}

/// What can be looked at of a target.
pub(crate) fn watched(target: &OpenTarget) -> Watched {
    let root = Root::system();
    let members = target.opened.members();
    let mut devices: Vec<String> = Vec::new();
    for member in members {
        let device = block::device_of_path(&root, &member.path).ok().flatten();
        let stack = device.map_or_else(Vec::new, |device| block::stack(&root, &device));
        for layer in stack {
            if !devices.contains(&layer.name) {
                devices.push(layer.name);
            }
        }
    }
    let paths = target.opened.volume().map(|volume| &volume.plan.paths);
    let servers = paths.into_iter().flatten().map(|uri| &uri.server);
    let mut addresses = Vec::new();
    for server in servers {
        if let NbdServer::Tcp { host, port } = server
            && let Ok(found) = (host.as_str(), *port).to_socket_addrs()
        {
            addresses.extend(found);
        }
    }
    Watched {
        name: target.name.clone(),
        path: match members {
            [only] => Some(only.path.clone()),
            _ => None,
        },
        devices,
        addresses,
    }
}
