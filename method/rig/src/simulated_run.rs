//! Steps of simulated hosts: several of them carry one out on one array, in one virtual time.

use crate::crew::saturate_where_one_is;
use crate::faults;
use crate::in_common::{InCommon, WorkerPlaces, caps, own_part};
use crate::step_facts::{Failed, SAMPLES_KEPT, facts, nothing_known};
use crate::uses::Use;
use crate::{RigError, SimulatedHosts};
use plimsoll_engine::worker::Failure;
use plimsoll_engine::{Control, EngineError, MergedInterval, OpenTarget, Options, Outcome};
use plimsoll_evidence::balance::said_of;
use plimsoll_evidence::merge::Merger;
use plimsoll_evidence::{
    Environment, ErrorSample, HostFacts, HostPart, Interval, LostHost, Phase, StartTogether,
    StepEvidence,
};
use plimsoll_methods::Judge;
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Nanos, Plan, Step};
use plimsoll_sim::{Lab, Look, SeenOfHosts, ranks_of};
use std::sync::Arc;

/// Problems that keep a plan from being carried out by hosts of the lab: targets that are none of it.
pub(crate) fn none_of(plan: &Plan, uses: &[Use]) -> Vec<Problem> {
    let used = plan.targets.iter().zip(uses);
    let real = used.filter(|(t, used)| **used != Use::default() && !t.location.is_simulated());
    let problem = |(target, _): (&plimsoll_plan::Target, &Use)| Problem {
        message: format!(
            "{} is not simulated, and the hosts are: they have no time in common",
            target.name
        ),
        remedy: "take a lab: target, or name hosts that are there (--hosts a,b)".into(),
        span: target.origins.of("path"),
    };
    real.map(problem).collect()
}

impl SimulatedHosts {
    /// Name of a host.
    fn name(number: usize) -> String {
        format!("sim{}", number + 1)
    }

    /// Refuses a plan that these hosts could not carry out.
    pub(crate) fn check(&self, plan: &Plan) -> Result<(), RigError> {
        let verifies = |s: &plimsoll_plan::Stream| s.verify.is_some();
        let what = match plan.steps().flat_map(|s| &s.streams).any(verifies) {
            true => "to verify what is read",
            false if plan.targets.iter().any(|t| t.location.tree().is_some()) => "a tree",
            false => return Ok(()),
        };
        Err(RigError::NotByHosts(format!(
            "{what}; run that on one host"
        )))
    }

    /// Says who they are.
    pub(crate) fn describe(&self, environment: &mut Environment) {
        let facts = |number| HostFacts {
            hostname: SimulatedHosts::name(number),
            ..HostFacts::default()
        };
        let mut all = (0..self.hosts.len()).map(facts);
        environment.host = all.next().unwrap_or_default();
        environment.more_hosts = all.collect();
        for (number, host) in self.hosts.iter().enumerate() {
            let name = SimulatedHosts::name(number);
            if host.link > Nanos(0) {
                let note = format!("{name} has a link that takes {} of each I/O", host.link);
                environment.notes.push(note);
            }
            if let Some(after) = host.gone_after {
                let note = format!("{name} is gone {after} after a step's beginning");
                environment.notes.push(note);
            }
        }
    }

    /// Number of hosts.
    pub(crate) fn count(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// The step as it is to be judged: what all of them have in flight.
    pub(crate) fn together(&self, step: &Step) -> Step {
        let mut all = step.clone();
        for depth in &mut all.depths {
            depth.slots = depth.slots.saturating_mul(self.count());
        }
        for stream in &mut all.streams {
            stream.depth = stream.depth.map(|d| d.saturating_mul(self.count()));
        }
        all
    }
}

/// An interval of all hosts, and what came with it.
pub(crate) struct OfAll {
    pub interval: Interval,
    pub failures: Vec<Failure>,
    /// The hosts' own that came since the last one.
    pub of_hosts: Vec<Interval>,
}

/// Results of the hosts' parts of a step.
#[derive(Default)]
pub(crate) struct Parts {
    hosts: Vec<HostPart>,
    lost: Vec<LostHost>,
    all: usize,
}

impl Parts {
    /// Puts them into the evidence of all; why the run does not go on, if so.
    pub fn into_evidence(self, evidence: &mut StepEvidence, goes_on: bool) -> Option<RigError> {
        let names: Vec<String> = self
            .lost
            .iter()
            .map(|l| format!("{}: {}", l.name, l.why))
            .collect();
        evidence.notes.extend(said_of(&self.hosts, self.all));
        let missing = names.iter().map(|n| format!("its part is missing: {n}"));
        evidence.notes.extend(missing);
        evidence.hosts = self.hosts;
        evidence.lost_hosts = self.lost;
        saturate_where_one_is(evidence);
        (!names.is_empty() && !goes_on).then(|| {
            RigError::Hosts(format!(
                "the step is not whole, {}; its load was given to no other host. Let the others go on with --on-lost continue",
                names.join("; ")
            ))
        })
    }
}

/// Way in which a step is carried out.
pub(crate) struct Carried<'a> {
    pub hosts: &'a SimulatedHosts,
    pub step: &'a Step,
    pub number: u32,
    pub targets: &'a [Arc<OpenTarget>],
    pub options: &'a Options,
    pub control: &'a Control,
    /// Phase of the step that an interval of a host belongs to.
    pub phase: &'a dyn Fn(&MergedInterval) -> Phase,
}

impl Carried<'_> {
    /// Has the hosts carry it out; `sink` gets the intervals of all of them, with a look at the arrays.
    pub fn run(
        &self,
        lab: &mut Lab,
        sink: &mut dyn FnMut(OfAll, &[Look]),
    ) -> (Result<Outcome, EngineError>, Parts) {
        let steps = self.steps();
        let judged: Vec<&Step> = steps.iter().map(|(_, own)| own).collect();
        let mut course = HostsProgress {
            merger: Merger::new(judged.len()),
            hosts: judged.iter().map(|s| Host::new(s, self.number)).collect(),
            failures: Vec::new(),
            of_hosts: Vec::new(),
            lost: Vec::new(),
            errors: 0,
        };
        let controls: Vec<Control> = judged.iter().map(|_| Control::default()).collect();
        self.control.take_step_end();
        let whole: Vec<Step> = steps.iter().map(|(whole, _)| whole.clone()).collect();
        let outcomes = lab.run_step_by(
            &self.hosts.hosts,
            &whole,
            self.targets,
            self.options,
            &controls,
            &mut |seen| {
                course.see(self, seen, sink);
                self.pass_on(&course, &controls);
            },
        );
        let outcomes = match outcomes {
            Ok(outcomes) => outcomes,
            Err(error) => return (Err(error), Parts::default()),
        };
        let parts = course.parts(self.number, &outcomes);
        (Ok(self.of_all(outcomes)), parts)
    }

    /// Of each host: what all do, with what it does at most of it, and its own part alone.
    fn steps(&self) -> Vec<(Step, Step)> {
        let count = self.hosts.hosts.len();
        let ranks = ranks_of(self.step, self.targets.len(), count);
        let of = |ranks: plimsoll_engine::Ranks| {
            let place = WorkerPlaces {
                workers: 1,
                sharers: vec![1; self.step.streams.len()],
            };
            let mut in_common = InCommon {
                number: self.number,
                whole: self.step.clone(),
                start_at: 0,
                ranks,
                own: None,
            };
            caps(&mut in_common, &place);
            let own = own_part(&in_common, &place);
            (in_common.whole, own)
        };
        ranks.into_iter().map(of).collect()
    }

    /// Ends the step on all hosts where something ended it.
    fn pass_on(&self, course: &HostsProgress<'_>, controls: &[Control]) {
        let too_many = course.errors >= self.options.max_errors;
        let broken = !course.lost.is_empty() && !self.hosts.goes_on;
        for control in controls {
            if self.control.stopped() || too_many {
                control.stop();
            }
            if self.control.step_ended() || broken {
                control.end_step();
            }
        }
    }

    fn of_all(&self, outcomes: Vec<Option<Outcome>>) -> Outcome {
        let done = outcomes.into_iter().flatten();
        let none = Outcome {
            too_many_errors: false,
            ..nothing_known(self.control)
        };
        let mut all = done.fold(none, |mut all, own| {
            all.workers += own.workers;
            all.limit |= own.limit;
            all.too_many_errors |= own.too_many_errors;
            all.lost.extend(own.lost);
            all.unfinished += own.unfinished;
            all.errors += own.errors;
            all.fsync_errors += own.fsync_errors;
            all.volumes.extend(own.volumes);
            all
        });
        all.too_many_errors |= all.errors >= self.options.max_errors;
        all.stopped = self.control.stopped();
        all
    }
}

/// A host's part as it goes on.
struct Host<'a> {
    judge: Judge<'a>,
    samples: Vec<ErrorSample>,
    failed: Failed,
}

impl<'a> Host<'a> {
    fn new(step: &'a Step, number: u32) -> Self {
        Host {
            judge: Judge::new(step, number),
            samples: Vec::new(),
            failed: Failed::default(),
        }
    }
}

/// All hosts' parts as they go on.
struct HostsProgress<'a> {
    merger: Merger,
    hosts: Vec<Host<'a>>,
    /// Failures, and intervals that ended, since the last interval of all hosts.
    failures: Vec<Failure>,
    of_hosts: Vec<Interval>,
    lost: Vec<LostHost>,
    errors: u64,
}

impl HostsProgress<'_> {
    fn see(
        &mut self,
        carried: &Carried<'_>,
        seen: SeenOfHosts,
        sink: &mut dyn FnMut(OfAll, &[Look]),
    ) {
        let (whole, looks) = match seen {
            SeenOfHosts::Interval(host, merged, looks) => {
                let phase = (carried.phase)(&merged);
                (self.interval(carried.number, host, *merged, phase), looks)
            }
            SeenOfHosts::Done(host, looks) => (self.merger.done(host), looks),
            SeenOfHosts::Gone(host) => {
                self.lost.push(LostHost {
                    host: host as u32 + 1,
                    name: SimulatedHosts::name(host),
                    why: "it was gone without a word".into(),
                });
                (self.merger.done(host), Vec::new())
            }
        };
        for interval in whole {
            let of_all = OfAll {
                interval,
                failures: std::mem::take(&mut self.failures),
                of_hosts: std::mem::take(&mut self.of_hosts),
            };
            sink(of_all, &looks);
        }
    }

    fn interval(
        &mut self,
        step: u32,
        number: usize,
        merged: MergedInterval,
        phase: Phase,
    ) -> Vec<Interval> {
        let host = &mut self.hosts[number];
        host.failed.all += merged.stats.errors();
        host.failed.fsyncs += merged.stats.failed_syncs();
        self.errors += merged.stats.errors();
        let room = SAMPLES_KEPT.saturating_sub(host.samples.len());
        let kept = merged.failures.iter().take(room).map(faults::sample);
        host.samples.extend(kept);
        self.failures.extend(merged.failures);
        let time_ns = merged.start_ns..merged.start_ns + merged.length_ns;
        let own = Interval {
            host: number as u32 + 1,
            ..Interval::new(step, merged.number, time_ns, phase, merged.stats)
        };
        host.judge.add(&own);
        self.of_hosts.push(own.clone());
        self.merger.add(number, own)
    }

    fn parts(self, step: u32, outcomes: &[Option<Outcome>]) -> Parts {
        let all = self.hosts.len();
        let done = self.hosts.into_iter().zip(outcomes).enumerate();
        let part = |(number, (host, outcome)): (usize, (Host<'_>, &Option<Outcome>))| {
            let outcome = outcome.as_ref()?;
            let facts = facts(step, outcome, host.samples, host.failed);
            let evidence = StepEvidence {
                unfinished: outcome.unfinished,
                ..host.judge.finish(&facts)
            };
            let name = SimulatedHosts::name(number);
            let start = StartTogether::default();
            Some(HostPart::of(number as u32 + 1, &name, &evidence, start))
        };
        Parts {
            hosts: done.filter_map(part).collect(),
            lost: self.lost,
            all,
        }
    }
}
