//! Hosts: `hd=`, and which of them `host=` in an sd, a wd or a fwd means.
//!
//! Where all of them are this one, there are none in the plan. A sequential workload is carried out by one host, as Vdbench
//! leaves it to one slave; any other by all that have its storage.

use super::support;
use crate::vdbench::Parsed;
use crate::vdbench::codes;
use crate::vdbench::model::{FileWorkload, Host, Reference, Storage, Workload};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{HostId, Hosts, Location, Pattern, Shell, TargetId};

/// A host of the plan, and what the file calls it.
struct Known {
    host: plimsoll_plan::Host,
    /// The label of its hd; those of an hd with `clients=` share one.
    label: String,
}

/// All hosts of a plan.
#[derive(Default)]
pub(super) struct Fleet(Vec<Known>);

impl Fleet {
    /// The hosts that the runs use, where one of them is not this one.
    pub(super) fn of(parsed: &Parsed) -> Self {
        let used = support::hosts_used(parsed);
        if used.iter().all(|h| h.is_local()) {
            return Fleet::default();
        }
        Fleet(used.into_iter().flat_map(known).collect())
    }

    /// As the plan has them.
    pub(super) fn into_hosts(self) -> Hosts {
        Hosts {
            // threads= are an sd's, dealt to all slaves that use it.
            depth_is_of_all: !self.0.is_empty(),
            list: self.0.into_iter().map(|k| k.host).collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The hosts that have all of some storage; empty: all of them.
    pub(super) fn that_have(&self, storages: &[&Storage]) -> Vec<HostId> {
        let has = |known: &Known, storage: &Storage| {
            let named = storage.luns.iter().filter_map(|l| l.host.as_deref());
            let mut named = named.peekable();
            let by_lun = named.peek().is_none() || named.any(|name| known.is(name));
            by_lun && known.is_one_of(&storage.hosts)
        };
        self.chosen(|known| storages.iter().all(|s| has(known, s)))
    }

    /// The hosts that carry a workload out on storage that these hosts have.
    pub(super) fn that_run(
        &self,
        workload: &Workload,
        pattern: &Pattern,
        having: &[HostId],
        at: Span,
    ) -> Result<Vec<HostId>, Box<Diagnostic>> {
        let mut hosts = self.chosen(|known| known.is_one_of(&workload.hosts));
        let all = (0..self.0.len() as u32).map(HostId);
        let has = |list: &[HostId], h: &HostId| list.is_empty() || list.contains(h);
        let both: Vec<HostId> = all.filter(|h| has(&hosts, h) && has(having, h)).collect();
        if !self.0.is_empty() && both.is_empty() {
            return Err(Box::new(
                Diagnostic::error(
                    codes::CANNOT_RUN,
                    format!("wd={}: no host of it has its storage", workload.name),
                )
                .at(at, "used by others")
                .help("name a host in the wd that the sd has too"),
            ));
        }
        if matches!(pattern, Pattern::Sequential { .. } | Pattern::Streams(_)) {
            hosts = both.into_iter().take(1).collect();
        }
        Ok(hosts)
    }

    /// The hosts that work on a file system's tree for a workload, of which several share it; none where all is done here.
    pub(super) fn that_work_on(&self, workload: &FileWorkload) -> Vec<HostId> {
        let hosts = (0..).map(HostId).zip(&self.0);
        let chosen = hosts.filter(|(_, known)| known.is_one_of(&workload.hosts));
        chosen.map(|(host, _)| host).collect()
    }

    /// Notes what a target is on each host that knows its storage by another name.
    pub(super) fn learn(
        &mut self,
        target: TargetId,
        storage: &Storage,
        read: impl Fn(&str, Span) -> Result<Location, Box<Diagnostic>>,
    ) -> Result<(), Box<Diagnostic>> {
        for lun in &storage.luns {
            let Some(name) = lun.host.as_deref() else {
                continue;
            };
            let location = read(&lun.path, lun.span)?;
            for known in self.0.iter_mut().filter(|k| k.is(name)) {
                known.host.paths.push((target, location.clone()));
            }
        }
        Ok(())
    }

    fn chosen(&self, is: impl Fn(&Known) -> bool) -> Vec<HostId> {
        let all = self.0.iter().zip(0..).filter(|(known, _)| is(known));
        let chosen: Vec<HostId> = all.map(|(_, n)| HostId(n)).collect();
        match chosen.len() == self.0.len() {
            true => Vec::new(),
            false => chosen,
        }
    }
}

impl Known {
    fn is(&self, name: &str) -> bool {
        self.host.name == name || self.label == name
    }

    fn is_one_of(&self, references: &[Reference]) -> bool {
        let means = |r: &Reference| r.matches(&self.host.name) || r.matches(&self.label);
        references.is_empty() || references.iter().any(means)
    }
}

/// The hosts that an hd makes: with `clients=` several, which are on one.
fn known(host: &Host) -> Vec<Known> {
    let one = |name: String| Known {
        label: host.label.clone(),
        host: plimsoll_plan::Host {
            address: host.system.clone(),
            user: host.user.clone(),
            // Vdbench takes rsh where nothing is said; ssh is what was meant, unless the file asks for the other.
            shell: match host.shell.as_deref() {
                Some("vdbench") => Shell::Agent,
                Some("rsh") => Shell::Rsh,
                _ => Shell::Ssh,
            },
            origins: host.origins.clone(),
            ..plimsoll_plan::Host::new(name)
        },
    };
    match host.clients {
        Some(clients) => (0..clients)
            .map(|n| one(format!("{}_cl{n}", host.label)))
            .collect(),
        None => vec![one(host.label.clone())],
    }
}
