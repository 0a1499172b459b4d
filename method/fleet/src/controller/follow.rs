//! A step from its beginning to its end: the common instant on each host's clock, who is heard, who is behind, who is lost.

use super::course::{FleetStep, HostEnd, ReportEffect};
use super::crew::Crew;
use super::outcome::{Known, outcome};
use super::team::{Away, OnLost};
use crate::message::{Order, Report};
use crate::now_ns;
use plimsoll_evidence::StartTogether;
use plimsoll_plan::{Step, Stream};
use plimsoll_rig::{CrewEvent, CrewOutcome, CrewStep, RigError};

/// From the last round trips to the common instant: it takes an agent that long to have its workers at the gate.
const LEAD_NS: u64 = 700_000_000;
/// Round trips before a start.
const CLOSE_LOOKS: usize = 12;
/// A start whose instant is not known better than this is none.
const WIDEST_NS: u64 = 250_000_000;
/// Delay at which a straggler is named, ns.
const STRAGGLING_NS: u64 = 5_000_000_000;

impl Crew {
    /// The targets that each host has for itself, by the step's streams.
    pub(super) fn apart(&self, step: &Step) -> Vec<bool> {
        let shared = |s: &Stream| {
            let plan = self.plan.as_ref();
            plan.is_some_and(|p| p.target(s.target).shared)
        };
        step.streams.iter().map(|s| !shared(s)).collect()
    }

    /// Has the clocks looked at closely, and gives each host the common instant on its own clock.
    pub(super) fn starts(
        &mut self,
        course: &mut FleetStep,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<Vec<StartTogether>, RigError> {
        self.team.look_closely(true);
        let began = now_ns();
        let mut looked = began;
        while looked - began < CLOSE_LOOKS as u64 * 12_000_000 {
            for (host, report) in self.turn()? {
                self.hear(course, host, report, sink);
            }
            looked = now_ns();
        }
        self.team.look_closely(false);
        let hosts = 0..self.names.len();
        let longest = hosts
            .clone()
            .map(|h| self.team.clock(h).longest_trip_ns())
            .max();
        let start = now_ns() + LEAD_NS + 2 * longest.unwrap_or(0).min(1_000_000_000);
        hosts
            .map(|host| {
                if self.team.is_gone(host) {
                    return Ok(StartTogether::default());
                }
                let clock = self.team.clock(host);
                let known = clock.there(start).filter(|(_, bound)| *bound < WIDEST_NS);
                let (at_ns, bound_ns) = known.ok_or_else(|| {
                    RigError::Hosts(format!(
                        "the clock of {} cannot be told well enough to begin together: its round trips take up to {} ms, or it was \
                         set while it was looked at",
                        self.names[host],
                        clock.longest_trip_ns() / 1_000_000
                    ))
                })?;
                Ok(StartTogether {
                    at_ns,
                    bound_ns,
                    late_ns: 0,
                    drift_ppm: clock.drift_ppm(),
                })
            })
            .collect()
    }

    pub(super) fn hear(
        &self,
        course: &mut FleetStep,
        host: usize,
        report: Report,
        sink: &mut dyn FnMut(CrewEvent),
    ) {
        for seen in course.on_report(host, report) {
            sink(match seen {
                ReportEffect::OfHost(interval) => CrewEvent::OfHost(interval),
                ReportEffect::Merged(interval) => CrewEvent::Merged(interval),
                ReportEffect::Note(host, note) => {
                    CrewEvent::Note(format!("{}: {note}", self.names[host]))
                }
            });
        }
    }

    /// Takes in what came, and gives up whoever is not heard.
    pub(super) fn listen(
        &mut self,
        course: &mut FleetStep,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<(), RigError> {
        for (host, report) in self.turn()? {
            // It was not told to.
            if matches!(report, Report::Finished { .. }) && self.options.on_lost == OnLost::Repeat {
                self.team.miss(host, Away::Ended, now_ns());
            }
            self.hear(course, host, report, sink);
        }
        for host in self.team.lost(now_ns()) {
            match self.options.on_lost {
                OnLost::Repeat => self.team.miss(host, Away::Silent, now_ns()),
                OnLost::Stop | OnLost::Continue => self.team.give_up(host),
            }
            let why = format!(
                "it was not heard for {} s",
                self.options.lost_ns() / 1_000_000_000
            );
            sink(CrewEvent::Note(format!("{}: {why}", self.names[host])));
            for seen in course.end(host, HostEnd::Lost(why)) {
                if let ReportEffect::Merged(interval) = seen {
                    sink(CrewEvent::Merged(interval));
                }
            }
        }
        Ok(())
    }

    pub(super) fn is_broken(&self, course: &FleetStep) -> bool {
        self.options.on_lost != OnLost::Continue && course.broken().next().is_some()
    }

    /// True where a step that is not whole is measured again: once, and where it lacks nothing but lost hosts.
    pub(super) fn repeats(&self, course: &FleetStep, step: &CrewStep<'_>) -> bool {
        let wanted = self.options.on_lost == OnLost::Repeat && !self.is_repetition(step);
        wanted && course.only_lost() && !step.control.stopped()
    }

    /// True where hosts were lost before any was told to begin a repetition: of those that had just come back one has gone again, or had
    /// ended the run by then. Nothing was measured, and they are waited for once more.
    pub(super) fn is_gone_again(&self, course: &FleetStep, step: &CrewStep<'_>) -> bool {
        let waits = self.options.on_lost == OnLost::Repeat && self.is_repetition(step);
        waits && course.only_lost() && !step.control.stopped()
    }

    fn is_repetition(&self, step: &CrewStep<'_>) -> bool {
        self.set_aside.is_some_and(|n| n + 1 == step.number)
    }

    /// Lets the step run to its end, and stops it where it has to be.
    pub(super) fn follow(
        &mut self,
        course: &mut FleetStep,
        step: &CrewStep<'_>,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<bool, RigError> {
        let (mut stopped, mut cut_short) = (false, false);
        let mut behind: Option<u64> = None;
        while !course.is_over() {
            self.listen(course, sink)?;
            let too_many = course.errors() >= step.max_errors;
            let repeats = self.repeats(course, step);
            let broken = self.is_broken(course) && !repeats;
            if !stopped && (step.control.stopped() || too_many || broken) {
                stopped = true;
                self.team.order_all(&Order::Stop);
            }
            let enough = step.control.take_step_end();
            if enough || (repeats && !cut_short) {
                cut_short |= repeats;
                let number = step.number;
                self.team.order_all(&Order::EndStep { number });
            }
            behind = self.name_stragglers(course, behind, sink);
        }
        Ok(step.control.stopped())
    }

    /// Lets the step run to its end; what it came to.
    pub(super) fn see_out(
        &mut self,
        mut course: FleetStep,
        step: &CrewStep<'_>,
        starts: &[StartTogether],
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<CrewOutcome, RigError> {
        let stopped = self.follow(&mut course, step, sink)?;
        let outcome = outcome(
            &course,
            &Known {
                names: &self.names,
                starts,
                stopped,
                max_errors: step.max_errors,
                continues: self.options.on_lost == OnLost::Continue,
                repeats: self.repeats(&course, step),
            },
        );
        self.set_aside = outcome.set_aside.is_some().then_some(step.number);
        Ok(outcome)
    }

    /// Says once who has been behind for long. Since when somebody is, ns.
    pub(super) fn name_stragglers(
        &self,
        course: &FleetStep,
        since: Option<u64>,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Option<u64> {
        let behind = course.stragglers();
        if behind.is_empty() {
            return None;
        }
        let since = since.unwrap_or_else(now_ns);
        if since != u64::MAX && now_ns().saturating_sub(since) > STRAGGLING_NS {
            let names: Vec<&str> = behind.iter().map(|h| self.names[*h].as_str()).collect();
            sink(CrewEvent::Note(format!(
                "intervals are waited for from {}",
                names.join(", ")
            )));
            return Some(u64::MAX);
        }
        Some(since)
    }
}
