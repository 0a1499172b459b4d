//! Before the first step: the agents that were named, what they see, and whether they fit together.

use super::crew::Crew;
use super::fit;
use super::joined::Joined;
use crate::message::{Join, Order, Report, WireOptions};
use plimsoll_evidence::Environment;
use plimsoll_plan::Plan;
use plimsoll_rig::{CrewReady, Event, RigError, RunOptions};

impl Crew {
    pub(super) fn make_ready(
        &mut self,
        plan: &Plan,
        options: &RunOptions,
        seed: u64,
        watch: &mut dyn FnMut(Event),
    ) -> Result<CrewReady, RigError> {
        let join = Join {
            key: self.key.public_key(),
            version: env!("CARGO_PKG_VERSION").into(),
            lease_ns: u64::try_from(self.options.lease.as_nanos()).unwrap_or(u64::MAX),
            plan: plan.clone(),
            own: None,
            options: wire_options(options, seed),
        };
        for (host, own) in self.joins(&join)?.into_iter().enumerate() {
            self.team.order(host, Order::Join(Box::new(own)));
        }
        let fits = self.all_answer(watch, |report| match report {
            Report::Fits { targets, meant } => Some((targets, meant)),
            _ => None,
        })?;
        self.joined = Joined {
            join: Some(join),
            fits,
            ..Joined::default()
        };
        self.fit_together()?;
        self.team.order_all(&Order::Open);
        let found = self.all_answer(watch, |report| match report {
            Report::Ready {
                environment,
                targets,
            } => Some((*environment, targets)),
            _ => None,
        })?;
        self.joined.found = found.iter().map(|(_, targets)| targets.clone()).collect();
        let found = found.into_iter().map(|(e, _)| e);
        Ok(CrewReady {
            environment: self.environment(found.collect(), options),
            targets: self.joined.targets(),
        })
    }

    /// Refuses hosts whose views do not fit together: what `--destroy` means there, and the targets.
    pub(super) fn fit_together(&self) -> Result<(), RigError> {
        let Some(Join { plan, options, .. }) = &self.joined.join else {
            return Ok(());
        };
        let fits = &self.joined.fits;
        let is_meant = |name: &&String| fits.iter().any(|(_, meant)| meant.contains(name));
        if let Some(name) = options.destroy.iter().find(|n| !is_meant(n)) {
            return Err(RigError::Hosts(format!(
                "--destroy {name} names no target of this plan on any host; `plimsoll ls` there prints the name of each"
            )));
        }
        let seen = self.names.iter().zip(fits);
        let seen: Vec<_> = seen
            .map(|(name, (targets, _))| (name.clone(), targets.clone()))
            .collect();
        match fit::refusal(plan, &seen) {
            Some(why) => Err(RigError::Hosts(why)),
            None => Ok(()),
        }
    }

    /// All hosts' environments as one: the hosts by the names that they have in the fleet, each target as the first that uses it has it.
    fn environment(&self, found: Vec<Environment>, options: &RunOptions) -> Environment {
        let hosts = self.names.iter().zip(&found).map(|(name, e)| {
            let mut host = e.host.clone();
            host.hostname.clone_from(name);
            host
        });
        let mut hosts = hosts.collect::<Vec<_>>().into_iter();
        let notes = self.names.iter().zip(&found);
        let notes = notes.flat_map(|(name, e)| e.notes.iter().map(move |n| format!("{name}: {n}")));
        let notes = notes.collect();
        let of = |t: usize| {
            found
                .get(self.joined.first_with(t))?
                .targets
                .get(t)
                .cloned()
        };
        let all = found.first().map_or(0, |e| e.targets.len());
        let targets = (0..all).filter_map(of).collect();
        let first = found.into_iter().next().unwrap_or_default();
        Environment {
            command: options.command.clone(),
            host: hosts.next().unwrap_or_default(),
            more_hosts: hosts.collect(),
            targets,
            notes,
            ..first
        }
    }
}

fn wire_options(options: &RunOptions, seed: u64) -> WireOptions {
    WireOptions {
        seed,
        destroy: options.destroy.clone(),
        fill: options.fill,
        allow_unwritten: options.allow_unwritten,
        backend: options.backend.map(|b| b.to_string()),
        submit_batch: options.submit_batch,
        reap_batch: options.reap_batch,
        max_errors: options.max_errors,
        drain_ns: options.drain.0,
        no_settle: options.no_settle,
    }
}
