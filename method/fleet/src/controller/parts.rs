//! What each host has of a plan and of its steps: all of them the same, or its own part where the plan says what each host does.

use super::course::{FleetStep, HostEnd, Streams};
use super::crew::Crew;
use crate::message::{Join, Order};
use plimsoll_plan::{Depth, HostId, Plan, Step, Stream, Undividable, divide, who_does};
use plimsoll_rig::{CrewStep, RigError};

impl Crew {
    /// True where the plan says what each host does.
    pub(super) fn is_divided(&self) -> bool {
        self.plan.as_ref().is_some_and(|p| !p.hosts.is_empty())
    }

    /// Question that is put to each host before the first step. A host of the plan that has no part in it is none of the crew.
    ///
    /// # Errors
    /// [`RigError::Hosts`] where a step cannot be divided, or the crew's hosts are not those of the plan.
    pub(super) fn joins(&self, join: &Join) -> Result<Vec<Join>, RigError> {
        if join.plan.hosts.is_empty() {
            let all = self.names.len() as u32;
            let dealt = |place| {
                let mut own = join.clone();
                own.plan.targets.iter_mut().for_each(|t| t.deal(place, all));
                own
            };
            return Ok((0..all).map(dealt).collect());
        }
        let plans = join.plan.divided().map_err(undividable)?;
        let numbered = plans.into_iter().zip(1..);
        let own = |(plan, number)| Join {
            plan,
            own: Some(number),
            ..join.clone()
        };
        let with_a_part = numbered.filter(|(plan, _)| !plan.items.is_empty());
        let joins: Vec<Join> = with_a_part.map(own).collect();
        match joins.len() == self.names.len() {
            true => Ok(joins),
            false => Err(RigError::Hosts(format!(
                "the definition has work for {} hosts, and {} are there",
                joins.len(),
                self.names.len()
            ))),
        }
    }

    /// Each host's part of a step; `None` of one that has none in it.
    ///
    /// # Errors
    /// [`RigError::Hosts`] where the step cannot be divided.
    pub(super) fn parts(&self, step: &Step) -> Result<Vec<Option<Step>>, RigError> {
        let Some(plan) = self.plan.as_ref().filter(|_| self.is_divided()) else {
            return Ok(vec![Some(step.clone()); self.names.len()]);
        };
        let here = plan.hosts_with_a_part().map_err(undividable)?;
        let parts = divide(plan, step).map_err(undividable)?;
        Ok(here.iter().map(|h| parts[h.0 as usize].clone()).collect())
    }

    /// Streams of each host in a step, by their place among all of its streams; `None` where each host has all of them.
    ///
    /// # Errors
    /// [`RigError::Hosts`] where the step cannot be divided.
    pub(super) fn streams(&self, step: &Step) -> Result<Option<Streams>, RigError> {
        let Some(plan) = self.plan.as_ref().filter(|_| self.is_divided()) else {
            return Ok(None);
        };
        let here = plan.hosts_with_a_part().map_err(undividable)?;
        let who = who_does(plan, step).map_err(undividable)?;
        let of_host = |host: &HostId| {
            let streams = who.iter().enumerate();
            let own = streams.filter(|(_, hosts)| hosts.contains(host));
            own.map(|(n, _)| n).collect()
        };
        Ok(Some(Streams {
            of_hosts: here.iter().map(of_host).collect(),
            count: step.streams.len(),
        }))
    }

    /// Has every host that has a part in a step make ready for it.
    ///
    /// # Errors
    /// [`RigError::Hosts`] where the step cannot be divided.
    pub(super) fn prepared(&mut self, step: &CrewStep<'_>) -> Result<FleetStep, RigError> {
        let parts = self.parts(step.step)?;
        let is_gone = |h: &usize| parts[*h].is_some() && self.team.is_gone(*h);
        let gone: Vec<usize> = (0..parts.len()).filter(is_gone).collect();
        let streams = self.streams(step.step)?;
        let mut course = FleetStep::new(step.number, parts.len(), &gone).of_parts(streams);
        for (host, part) in parts.into_iter().enumerate() {
            let Some(own) = part else {
                course.end(host, HostEnd::NoPart);
                continue;
            };
            let order = Order::Prepare {
                number: step.number,
                step: Box::new(own),
                settle: step.settle,
            };
            self.team.order(host, order);
        }
        Ok(course)
    }

    /// The size of all of a step's targets together, on all hosts: what they share counts once.
    pub(super) fn bytes_of(&self, step: &Step) -> u64 {
        let parts = self.parts(step).unwrap_or_default();
        let of = |d: &Depth| {
            let having = |p: &&Step| p.depths.iter().any(|own| own.target == d.target);
            let own = parts.iter().flatten().filter(having).count() as u64;
            let plan = self.plan.as_ref();
            let is_one = |p: &Plan| !p.target(d.target).is_each_hosts_own();
            let times = match plan.is_some_and(is_one) {
                true => own.min(1),
                false => own,
            };
            self.joined.size(d.target.0 as usize).saturating_mul(times)
        };
        step.depths.iter().map(of).fold(0, u64::saturating_add)
    }

    /// The step with what all hosts together have in flight.
    pub(super) fn in_flight_together(&self, step: &Step) -> Step {
        let parts = self.parts(step).unwrap_or_default();
        let mut all = step.clone();
        for depth in &mut all.depths {
            let target = depth.target;
            let own = parts.iter().flatten().flat_map(|p| &p.depths);
            let slots = own.filter(|d| d.target == target).map(|d| d.slots);
            depth.slots = slots.fold(0, u32::saturating_add);
        }
        for stream in &mut all.streams {
            let same = |s: &&Stream| s.workload == stream.workload && s.target == stream.target;
            let own = parts.iter().flatten().flat_map(|p| &p.streams).filter(same);
            let slots = own.filter_map(|s| s.depth).fold(0, u32::saturating_add);
            stream.depth = stream.depth.map(|_| slots);
        }
        all
    }
}

fn undividable(why: Undividable) -> RigError {
    RigError::Hosts(format!("{why}: {}", why.remedy()))
}
