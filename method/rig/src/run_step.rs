//! Carries out one step: the engine, with the witness beside it, into the record.

use crate::actions::{Doer, doer};
use crate::lab_paths::{array_paths, paths_now, since};
use crate::path_courses::PathCourses;
use crate::session::{Carrier, Session};
use crate::simulated_run::{Carried, OfAll};
use crate::step_arrays::{self, StepArrays};
use crate::step_facts::{Failed, Measured, SAMPLES_KEPT, facts, nothing_known, unfinished};
use crate::witness::{IntervalSeen, Witness};
use crate::{Event, RigError, SimulatedHosts, commands, crew_run, faults, paths, settle};
use plimsoll_audit::{LimitView, limit};
use plimsoll_engine::layout::layout;
use plimsoll_engine::trace::StepTrace;
use plimsoll_engine::{Control, MergedInterval, Options, run_step, seed_for};
use plimsoll_evidence::{ErrorSample, Interval, Phase, StepEvidence};
use plimsoll_methods::{Judge, Observed, Observer};
use plimsoll_plan::{Purpose, Step};
use plimsoll_sim::Look;
use std::sync::Arc;

/// Runs a step and adds what it came to to the session.
pub(crate) fn carry_out(
    session: &mut Session,
    step: &Step,
    watch: &mut dyn FnMut(Event),
) -> Result<StepEvidence, RigError> {
    if step.pause.0 > 0 {
        settle::pause(step.pause, session);
    }
    let (control, launcher) = (session.control.clone(), session.launcher.clone());
    let command_limit = session.options.command_limit;
    commands::run(
        &step.start_commands,
        &control,
        &launcher,
        command_limit,
        watch,
    )?;
    session.step_number += 1;
    let number = session.step_number;
    let (workers, targets_bytes) = match &session.carrier {
        Carrier::Here => {
            let workers = layout(whole(session, step), &session.kinds, session.cpus()).len();
            (workers as u32, targets_bytes(session, step))
        }
        Carrier::Simulated(_, hosts) => {
            let workers = hosts.as_ref().map_or(1, SimulatedHosts::count);
            (workers, targets_bytes(session, step))
        }
        Carrier::Hosts(crew) => (0, crew.targets_bytes(step)),
    };
    let together = session.carrier.together(step);
    watch(Event::StepStarting {
        number,
        step: together.as_ref().unwrap_or(step),
        workers,
    });
    session.record(watch, |r| {
        let json = serde_json::to_string(step).unwrap_or_default();
        r.begin_step(number, &step.name, &step.run, &json)
    });
    let limits = match session.is_divided {
        true => step.limits,
        false => step.limits.resolved(targets_bytes),
    };
    let resolved = Step {
        limits,
        ..step.clone()
    };
    let mut carrier = std::mem::take(&mut session.carrier);
    let measured = match &mut carrier {
        Carrier::Hosts(crew) => crew_run::measure(session, crew.as_mut(), &resolved, number, watch),
        of_one => Ok(measure(session, of_one, &resolved, number, watch)),
    };
    session.carrier = carrier;
    let Measured {
        mut evidence,
        failed,
    } = measured?;
    evidence.targets_bytes = targets_bytes;
    let targets = step.streams.iter().map(|s| s.target.0 as usize);
    evidence.counted = session.environment.counted_on(targets);
    // What is known only now: whether less or more in flight had done as much before.
    evidence.limit = limit(&LimitView {
        step: &evidence,
        environment: &session.environment,
        planned: &session.planned,
        others: &session.steps,
        streams: &step.streams,
    });
    session.record(watch, |r| {
        r.finish_step(&evidence).and_then(|()| r.between_steps())
    });
    if let Some(error) = failed {
        return Err(error);
    }
    if evidence.set_aside.is_none() {
        watch(Event::StepDone {
            step,
            evidence: &evidence,
        });
    }
    commands::run(
        &step.end_commands,
        &control,
        &launcher,
        command_limit,
        watch,
    )?;
    Ok(evidence)
}

/// The step of all hosts, where the session's is a part of one.
fn whole<'s>(session: &'s Session, step: &'s Step) -> &'s Step {
    session.in_common.as_ref().map_or(step, |c| &c.whole)
}

fn measure(
    session: &mut Session,
    carrier: &mut Carrier,
    step: &Step,
    number: u32,
    watch: &mut dyn FnMut(Event),
) -> Measured {
    let options = options(session, step, number);
    let carried_out = whole(session, step).clone();
    let together = carrier.together(step);
    let mut judge = Judge::new(together.as_ref().unwrap_or(step), number);
    let mut samples: Vec<ErrorSample> = Vec::new();
    let mut in_intervals = Failed::default();
    // This may take a moment, which is not the witness's.
    let mut arrays = StepArrays::begin(session, carrier.lab(), step);
    // In virtual time a CPU's share of it says nothing.
    let mut witness = carrier.lab().is_none().then(|| Witness::new(session, step));
    let first_is_warm_up = options.leaves_out_first && step.warmup.0 == 0;
    let control = session.control.clone();
    let targets = session.targets.clone();
    let mut doer = doer(
        step,
        carrier.lab(),
        &control,
        &session.launcher,
        session.options.command_limit,
    );
    let mut observer = session.observer.take();
    let mut courses = PathCourses::default();
    let paths_at_start = carrier.lab().map(paths_now);
    let mut sink = |came: Came, looks: &[Look]| {
        let (mut interval, failures, own) = match came {
            Came::OfOne(mut merged) => {
                let phase = phase(step, &merged, first_is_warm_up);
                let seen = match &mut witness {
                    Some(witness) => witness.look(&merged, &session.record_writes),
                    None => IntervalSeen::default(),
                };
                let failures = std::mem::take(&mut merged.failures);
                let carried = std::mem::take(&mut merged.carried);
                (interval_of(number, *merged, phase, seen), failures, carried)
            }
            Came::OfAll(all) => {
                for own in &all.of_hosts {
                    session.record(watch, |r| r.append_interval(own));
                }
                (all.interval, all.failures, Vec::new())
            }
        };
        let (errors, known) = (interval.stats.errors(), samples.len());
        in_intervals.all += errors;
        in_intervals.fsyncs += interval.stats.failed_syncs();
        let kept = failures.iter().take(SAMPLES_KEPT - known);
        samples.extend(kept.map(faults::sample));
        if errors > 0 || samples.len() > known {
            watch(Event::Failed {
                step,
                samples: &samples[known..],
                by_ns: interval.start_ns + interval.length_ns,
                so_far: in_intervals.all,
            });
        }
        let phase = interval.phase;
        let carried = match &paths_at_start {
            Some(before) => since(before, looks),
            None => own,
        };
        if let Some(witness) = &mut witness {
            witness.add(&interval);
        }
        courses.add(step, &interval, carried);
        interval.arrays = arrays.interval(looks, phase);
        session.record(watch, |r| r.append_interval(&interval));
        watch(Event::Interval {
            step,
            interval: &interval,
        });
        judge.add(&interval);
        observe(observer.as_deref_mut(), &interval, &control, &mut doer);
    };
    let mut parts = None;
    let outcome = match carrier {
        Carrier::Simulated(lab, Some(hosts)) => {
            let carried = Carried {
                hosts,
                step,
                number,
                targets: &targets,
                options: &options,
                control: &control,
                phase: &|merged| phase(step, merged, first_is_warm_up),
            };
            let (outcome, own) = carried.run(lab, &mut |all, looks| {
                sink(Came::OfAll(Box::new(all)), looks)
            });
            parts = Some((own, hosts.goes_on));
            outcome
        }
        Carrier::Simulated(lab, None) => {
            lab.run_step(step, &targets, &options, &control, &mut |merged, looks| {
                sink(Came::OfOne(Box::new(merged)), &looks);
            })
        }
        Carrier::Here | Carrier::Hosts(_) => {
            run_step(&carried_out, &targets, &options, &control, |merged| {
                sink(Came::OfOne(Box::new(merged)), &[])
            })
        }
    };
    let actions = doer.finish(watch);
    let (outcome, mut failed) = match outcome {
        Ok(outcome) => (outcome, None),
        Err(error) => (nothing_known(&control), Some(error.into())),
    };
    session.late_start = outcome.late_start;
    let paths = paths::evidence(&outcome.volumes);
    let names = match carrier.lab() {
        Some(lab) => array_paths(lab),
        None => paths.iter().map(paths::names).collect(),
    };
    let mut facts = facts(number, &outcome, samples, in_intervals);
    facts.findings.extend(paths::findings(number, &paths));
    let (arrays, of_arrays) = arrays.finish(session, watch);
    let mut evidence = StepEvidence {
        paths,
        arrays,
        unfinished: outcome.unfinished,
        actions,
        witnessed: witness.and_then(Witness::finish),
        timeline: observer.and_then(|mut o| o.timeline()),
        ..judge.finish(&facts)
    };
    let unfinished = unfinished(step, &evidence);
    evidence.findings.extend(unfinished);
    evidence.notes.extend(of_arrays);
    if carrier.lab().is_none() {
        step_arrays::disbelieve(session, &mut evidence, watch);
    }
    if let Some(series) = &mut evidence.series {
        courses.finish(names, series);
    }
    if let Some((parts, goes_on)) = parts {
        failed = failed.or(parts.into_evidence(&mut evidence, goes_on));
    }
    Measured { evidence, failed }
}

/// An interval that has ended.
enum Came {
    /// Of the host that carries the step out.
    OfOne(Box<MergedInterval>),
    /// Of all hosts of the lab that do.
    OfAll(Box<OfAll>),
}

/// Options of the engine for a step of the session.
fn options(session: &Session, step: &Step, number: u32) -> Options {
    let in_common = session.in_common.as_ref();
    let common = step_seed(session.seed, in_common.map_or(number, |c| c.number));
    Options {
        // Hosts whose steps are their own would all draw the same.
        seed: match in_common.and_then(|c| c.own) {
            Some(host) => seed_for(common, &[u64::from(host)]),
            None => common,
        },
        run_seed: session.seed,
        submit_batch: session.options.submit_batch,
        reap_batch: session.options.reap_batch,
        max_errors: session.errors_left(),
        drain: session.options.drain,
        leaves_out_first: session.vdbench && step.purpose == Purpose::Measure,
        cpus: session.cpus(),
        kinds: session.kinds.clone(),
        start_at: session.in_common.as_ref().map(|c| c.start_at),
        ranks: session.in_common.as_ref().map(|c| c.ranks.clone()),
        trace: match (&session.options.trace, step.purpose) {
            (Some(trace), Purpose::Measure) => Some(StepTrace {
                trace: Arc::clone(trace),
                step: number,
            }),
            _ => None,
        },
    }
}

/// Phase of the step that an interval belongs to.
fn phase(step: &Step, merged: &MergedInterval, first_is_warm_up: bool) -> Phase {
    // A step that ended inside its first interval has no other.
    let first = first_is_warm_up && merged.number == 1 && merged.length_ns >= step.interval.0;
    if merged.drain {
        Phase::Drain
    } else if first || merged.start_ns < step.warmup.0 {
        Phase::WarmUp
    } else {
        Phase::Counted
    }
}

/// The size of all of a step's targets together.
fn targets_bytes(session: &Session, step: &Step) -> u64 {
    let size = |d: &plimsoll_plan::Depth| session.targets[d.target.0 as usize].size;
    step.depths.iter().map(size).fold(0, u64::saturating_add)
}

/// Asks the method whether it has seen enough.
fn observe(
    observer: Option<&mut (dyn Observer + 'static)>,
    interval: &Interval,
    control: &Control,
    doer: &mut Doer,
) {
    // After the end there is nothing to end, and nothing to act on.
    let Some(observer) = observer.filter(|_| interval.phase != Phase::Drain) else {
        return;
    };
    match observer.observe(interval) {
        Observed::Continue => {}
        Observed::End => control.end_step(),
        Observed::Act(action) => doer.act(action, interval.start_ns + interval.length_ns),
    }
}

fn step_seed(seed: u64, step: u32) -> u64 {
    // Steps differ in their traffic, and the same step of the same seed repeats.
    seed ^ u64::from(step).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn interval_of(step: u32, merged: MergedInterval, phase: Phase, seen: IntervalSeen) -> Interval {
    Interval {
        cpu: seen.cpu,
        witnessed: seen.witnessed,
        ..Interval::new(
            step,
            merged.number,
            merged.start_ns..merged.start_ns + merged.length_ns,
            phase,
            merged.stats,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::Launcher;
    use crate::{AtWork, Enclosure};

    /// Wants these, one after the other.
    struct Wishes(Vec<Observed>);

    impl Observer for Wishes {
        fn observe(&mut self, _: &Interval) -> Observed {
            self.0.remove(0)
        }
    }

    fn interval(phase: Phase) -> Interval {
        Interval::new(1, 1, 0..1_000_000_000, phase, Default::default())
    }

    fn command(line: &str) -> plimsoll_plan::Action {
        plimsoll_plan::Action::Command(plimsoll_plan::Command {
            line: line.into(),
            output: "console".into(),
        })
    }

    #[test]
    fn an_observer_acts_and_ends_the_step_but_not_after_its_end() {
        let control = Control::default();
        let fault = plimsoll_plan::Action::Fault("cache-loss".into());
        let wishes = [
            Observed::Act(command("echo acted")),
            Observed::Act(fault),
            Observed::Continue,
            Observed::End,
        ];
        let mut observer = Wishes(wishes.to_vec());
        let enclosure = Enclosure::without_targets(&Default::default()).unwrap();
        let mut doer = doer_of(&control, Launcher::new(&AtWork::default(), Some(enclosure)));
        let mut look = |phase, doer: &mut Doer| {
            observe(Some(&mut observer), &interval(phase), &control, doer);
        };
        look(Phase::WarmUp, &mut doer);
        look(Phase::Counted, &mut doer);
        look(Phase::Counted, &mut doer);
        assert!(!control.step_ended());
        // Here it would be asked no more.
        look(Phase::Drain, &mut doer);
        assert!(!control.step_ended());
        look(Phase::Counted, &mut doer);
        assert!(control.step_ended());
        let done = doer.finish(&mut |_| {});
        let acted = done.iter().find(|a| a.what == "echo acted").unwrap();
        // No step began, so nothing could run beside it; a real target has no faults.
        assert_eq!(acted.planned_ns, None);
        let refused = done.iter().find(|a| a.what == "cache-loss").unwrap();
        assert_eq!(
            refused.failed.as_deref(),
            Some("only simulated arrays have faults")
        );
    }

    #[test]
    fn an_observer_runs_no_command_that_nobody_allowed() {
        let control = Control::default();
        let mut observer = Wishes(vec![Observed::Act(command("false"))]);
        let mut doer = doer_of(&control, Launcher::default());
        observe(
            Some(&mut observer),
            &interval(Phase::Counted),
            &control,
            &mut doer,
        );
        let done = doer.finish(&mut |_| {});
        assert_eq!(
            done[0].failed.as_deref(),
            Some("commands run only with --allow-commands")
        );
        assert_eq!(done[0].began_ns, None);
    }

    fn doer_of(control: &Control, launcher: Launcher) -> Doer {
        let limit = crate::RunOptions::COMMAND_LIMIT;
        crate::actions::doer(&no_actions(), None, control, &launcher, limit)
    }

    fn no_actions() -> Step {
        let json = serde_json::json!({
            "name": "s", "run": "s", "loops": [], "streams": [], "depths": [], "load": "max", "warmup": 0,
            "elapsed": 1_000_000_000u64, "interval": 1_000_000_000u64, "pause": 0, "limits": {}, "workers": {},
            "purpose": "measure", "start_commands": [], "end_commands": [], "origins": [],
        });
        serde_json::from_value(json).unwrap()
    }
}
