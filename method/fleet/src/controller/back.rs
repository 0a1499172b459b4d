//! A host that was lost comes back: the same agent, whose network is there again, or another one in its place, which is asked all
//! that the first was asked.

use super::crew::Crew;
use super::team::Away;
use crate::message::{Order, Packet, Report};
use crate::wire::ALL;
use crate::{drawn_id, now_ns};
use plimsoll_printable::one_line;
use plimsoll_rig::{Control, CrewEvent, RigError};

/// Time between two questions for who is there, ns; an agent that this run has started is started again as often.
const ASK_NS: u64 = 1_000_000_000;

/// Stage of a host's return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The host is back.
    There,
    /// Nothing is heard of it.
    Away,
    /// Another agent in its place looks at the plan.
    Looks,
    /// The agent opens its targets.
    Opens,
}

impl Crew {
    /// Waits for the hosts that were lost, as long as a lease; nothing where none was, or where the run is stopped.
    ///
    /// # Errors
    /// [`RigError::Hosts`] where one does not come back, or would not do what the one before it did.
    pub(super) fn bring_back(
        &mut self,
        control: &Control,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<(), RigError> {
        let mut stages = vec![Stage::There; self.names.len()];
        let mut until = 0;
        let mut ask = 0;
        loop {
            for host in self.team.away() {
                if stages[host] == Stage::There {
                    let lease = self.options.lease;
                    sink(CrewEvent::Note(format!(
                        "{} is waited for, {} s at most",
                        self.names[host],
                        lease.as_secs()
                    )));
                    until = now_ns().saturating_add(lease.as_nanos() as u64);
                    stages[host] = Stage::Away;
                }
            }
            if control.stopped() || stages.iter().all(|s| *s == Stage::There) {
                return Ok(());
            }
            if now_ns() >= ask {
                ask = now_ns() + ASK_NS;
                self.call(&stages)?;
            }
            for (host, report) in self.turn()? {
                self.hear_back(host, report, &mut stages[host], sink)?;
            }
            self.meet(&mut stages, sink)?;
            for host in self.team.lost(now_ns()) {
                // One that had come back as another agent is as far as it was at first.
                stages[host] = Stage::There;
                self.team.miss(host, Away::Silent, now_ns());
            }
            let missing = stages.iter().position(|s| *s == Stage::Away);
            if let Some(host) = missing.filter(|_| now_ns() > until) {
                return Err(RigError::Hosts(format!(
                    "{} was lost, and did not come back within {} s: its step was set aside and could not be measured again; \
                     look whether its agent runs, and its network",
                    self.names[host],
                    self.options.lease.as_secs()
                )));
            }
        }
    }

    /// Asks who is there, and starts again what this run had started and what has ended.
    fn call(&mut self, stages: &[Stage]) -> Result<(), RigError> {
        self.here.clear();
        let reply = self.team.reply().to_string();
        self.send(ALL, &Packet::Who { reply })?;
        if let Some(launched) = &mut self.launched {
            let away = |(host, stage): (usize, &Stage)| (*stage == Stage::Away).then_some(host);
            let all = stages.iter().enumerate();
            for host in all.filter_map(away) {
                launched.start_again(host);
            }
        }
        Ok(())
    }

    /// Takes back a host that is heard again, and puts an agent that answers by a lost one's name in its place.
    fn meet(
        &mut self,
        stages: &mut [Stage],
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<(), RigError> {
        let here = std::mem::take(&mut self.here);
        let joins = match &self.joined.join {
            Some(join) if !here.is_empty() => self.joins(join)?,
            _ => Vec::new(),
        };
        for (host, stage) in stages.iter_mut().enumerate() {
            if *stage != Stage::Away {
                continue;
            }
            let name = &self.names[host];
            let is_away = self.team.away().contains(&host);
            let other = here.iter().find(|h| h.name == *name && h.busy.is_none());
            if !is_away {
                sink(CrewEvent::Note(format!("{name} is heard again")));
                *stage = Stage::There;
            } else if let (Some(hello), Some(join)) = (other, joins.get(host)) {
                sink(CrewEvent::Note(format!(
                    "an agent answers by the name {name}, and takes its place"
                )));
                // No other part of the run has that word, and none of an earlier controller.
                let again = drawn_id().to_lowercase();
                self.team.replace(host, &hello.agent, &again[..6], now_ns());
                let join = Box::new(join.clone());
                self.team.order(host, Order::Join(join));
                *stage = Stage::Looks;
            }
        }
        Ok(())
    }

    fn hear_back(
        &mut self,
        host: usize,
        report: Report,
        stage: &mut Stage,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<(), RigError> {
        let name = &self.names[host];
        match (report, *stage) {
            (Report::Note(note), _) => sink(CrewEvent::Note(format!("{name}: {note}"))),
            (Report::Fits { targets, meant }, Stage::Looks) => {
                self.joined.fits[host] = (targets, meant);
                self.fit_together()?;
                self.team.order(host, Order::Open);
                *stage = Stage::Opens;
            }
            (Report::Ready { targets, .. }, Stage::Opens) => {
                if targets != self.joined.found[host] {
                    return Err(RigError::Hosts(format!(
                        "{name} came back with targets of other sizes: what was measured so far was not on these; run it again"
                    )));
                }
                *stage = Stage::There;
            }
            (Report::Refuses { why }, Stage::Looks | Stage::Opens) => {
                return Err(RigError::Hosts(format!(
                    "{name} came back, and: {}",
                    one_line(&why)
                )));
            }
            // It was without a controller for longer than its lease: it is free, and may be asked as another is.
            (Report::Finished { .. }, Stage::There | Stage::Away) => {
                self.team.miss(host, Away::Ended, now_ns());
            }
            (Report::Finished { .. }, Stage::Looks | Stage::Opens) => {
                return Err(RigError::Hosts(format!(
                    "{name} came back, and its agent ended the run again"
                )));
            }
            // The rest of a step that was set aside.
            _ => {}
        }
        Ok(())
    }
}
