//! One host's part of a run whose steps somebody else asks for: all checks of a run here, and a record of its own.

use crate::audit::Courses;
use crate::run::close;
use crate::session::Session;
use crate::uses::{self, Use};
use crate::{Event, RigError, RunOptions, RunResult, marks, prepare, run_step, settle};
use plimsoll_engine::Control;
use plimsoll_engine::layout::layout;
use plimsoll_engine::ranks::{Rank, Ranks};
use plimsoll_evidence::{End, Environment, EnvironmentTarget, StepEvidence};
use plimsoll_plan::{Bytes, Load, Location, Nanos, Plan, Rate, Step};
use plimsoll_record::RunStatus;
use plimsoll_witness::{Root, host, target};
use std::os::unix::fs::MetadataExt;

/// What a step of one host has in common with those of the others.
#[derive(Debug, Clone)]
pub struct InCommon {
    /// The step's number in the record of all hosts: its traffic is drawn of it.
    pub number: u32,
    /// What all hosts do together.
    pub whole: Step,
    /// When all begin, on this host's CLOCK_MONOTONIC, ns.
    pub start_at: u64,
    /// The place of this host's workers among all.
    pub ranks: Ranks,
    /// Where the step is this host's own part already: the host's number, of which its traffic is drawn too.
    pub own: Option<u32>,
}

/// How many workers a host has for a step, and how many of them share each stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerPlaces {
    /// Worker threads.
    pub workers: u32,
    /// Those that share each of the step's streams.
    pub sharers: Vec<u32>,
}

/// A target as a host finds it, before anything is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// Bytes; `None` where it is not there yet, or does not tell without being asked.
    pub size: Option<u64>,
    /// What it is, wherever it is seen from: a WWN, a serial number, a file of a host, an address.
    pub identity: Vec<String>,
}

/// What each target of a plan is here; of one that no step uses nothing is said. Nothing is opened for writing, made or changed.
pub fn look(plan: &Plan) -> Vec<LookedAt> {
    let root = Root::system();
    let key = kernel(&root);
    let uses = uses::uses(plan);
    plan.targets
        .iter()
        .zip(uses)
        .map(|(t, used)| match &t.location {
            _ if used == Use::default() => LookedAt {
                size: None,
                identity: Vec::new(),
            },
            Location::Nbd(nbd) => LookedAt {
                size: None,
                identity: nbd.paths.iter().map(ToString::to_string).collect(),
            },
            Location::Null(size) => LookedAt {
                size: Some(size.0),
                identity: Vec::new(),
            },
            Location::Lab(_) => LookedAt {
                size: None,
                identity: Vec::new(),
            },
            Location::Path(_) | Location::Concat(_) => joined(&root, &key, t.location.paths()),
        })
        .collect()
}

/// Which kernel gives numbers to devices and files here: containers of one host may have names of their own, and have one kernel.
fn kernel(root: &Root) -> String {
    match root.word("/proc/sys/kernel/random/boot_id") {
        Some(boot) if !boot.is_empty() => format!("kernel booted as {boot},"),
        _ => host::facts(root).key,
    }
}

fn joined(root: &Root, key: &str, paths: &[std::path::PathBuf]) -> LookedAt {
    let mut size = Some(0);
    let mut identity = Vec::new();
    for path in paths {
        let Ok(facts) = target::facts(root, "", path) else {
            size = None;
            continue;
        };
        size = size.map(|all: u64| all.saturating_add(facts.size_bytes));
        identity.extend(identities(key, path, &facts));
    }
    LookedAt { size, identity }
}

/// A device's names that other hosts would see too, else its number here; a file's is its inode here.
fn identities(key: &str, path: &std::path::Path, facts: &EnvironmentTarget) -> Vec<String> {
    let Ok(metadata) = std::fs::metadata(path) else {
        return Vec::new();
    };
    if facts.kind != "block device" {
        return vec![format!("{key} file {}:{}", metadata.dev(), metadata.ino())];
    }
    let mut found = vec![format!("{key} device {}", metadata.rdev())];
    let own = facts.stack.first().into_iter();
    found.extend(own.flat_map(|l| l.wwn.iter().map(|w| format!("WWN {w}"))));
    found
}

/// A run whose steps are asked for from elsewhere.
pub struct Part {
    session: Session,
    plan: Plan,
    courses: Courses,
}

impl Part {
    /// Checks, makes ready and fills as a run of this host's own would; begins its record.
    pub fn begin(
        plan: &Plan,
        options: &RunOptions,
        control: &Control,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Part, RigError> {
        if let (Some(command), false) = (crate::commands::first(plan), options.allow_commands) {
            return Err(RigError::CommandNotAllowed(command.line.clone()));
        }
        let ready = prepare::prepare(plan, None, options, control, watch)?;
        let mut part = Part {
            session: ready.session,
            plan: plan.clone(),
            courses: Courses::default(),
        };
        for fill in &ready.fills {
            let filled = part.see(watch, |session, watch| {
                run_step::carry_out(session, fill, watch)
            });
            let done = match filled {
                Ok(evidence) => part.keep(fill, evidence).map(|e| e.end == End::Limit),
                Err(error) => Err(error),
            };
            if !matches!(done, Ok(true)) {
                let why = match done {
                    Err(error) => error.to_string(),
                    Ok(_) => "the fill did not come to its end".into(),
                };
                part.finish(RunStatus::Failed(why.clone()), watch);
                return Err(RigError::Hosts(why));
            }
        }
        Ok(part)
    }

    /// What was found here.
    pub fn environment(&self) -> &Environment {
        &self.session.environment
    }

    /// Where its own record lies.
    pub fn record(&self) -> Option<&std::path::Path> {
        self.session.record_path.as_deref()
    }

    /// The number that the next step has in its own record.
    pub fn next_step(&self) -> u32 {
        self.session.step_number + 1
    }

    /// Sizes and logical blocks of the targets as they were opened.
    pub fn targets(&self) -> Vec<(u64, u32)> {
        let of = |t: &std::sync::Arc<plimsoll_engine::OpenTarget>| (t.size, t.logical_block);
        self.session.targets.iter().map(of).collect()
    }

    /// Its workers for a step of all hosts.
    pub fn place(&self, step: &Step) -> WorkerPlaces {
        let workers = layout(step, &self.session.kinds, self.session.cpus());
        let alone = Ranks::alone(step, &workers);
        WorkerPlaces {
            workers: alone.workers.of,
            sharers: alone.streams.iter().map(|r| r.of).collect(),
        }
    }

    /// Waits until the targets have come to rest; false where they had not within the limit.
    pub fn settle(&mut self, step: &Step) -> bool {
        settle::wait(&mut self.session, step)
    }

    /// Carries out this host's part of a step; also says how much later than it was to it began.
    pub fn carry_out(
        &mut self,
        mut in_common: InCommon,
        watch: &mut dyn FnMut(Event),
    ) -> Result<(StepEvidence, Nanos), RigError> {
        let place = self.place(&in_common.whole);
        caps(&mut in_common, &place);
        let own = own_part(&in_common, &place);
        self.session.in_common = Some(in_common);
        let carried = self.see(watch, |session, watch| {
            run_step::carry_out(session, &own, watch)
        });
        self.session.in_common = None;
        let evidence = self.keep(&own, carried?)?;
        Ok((evidence, self.session.late_start))
    }

    fn see<T>(
        &mut self,
        watch: &mut dyn FnMut(Event),
        go: impl FnOnce(&mut Session, &mut dyn FnMut(Event)) -> T,
    ) -> T {
        let courses = &mut self.courses;
        go(&mut self.session, &mut |event| {
            courses.see(&event);
            watch(event);
        })
    }

    fn keep(&mut self, step: &Step, evidence: StepEvidence) -> Result<StepEvidence, RigError> {
        marks::filled(step, &evidence, &self.session.targets)?;
        self.session.steps.push(evidence.clone());
        Ok(evidence)
    }

    /// Judges it and closes the record.
    pub fn finish(self, status: RunStatus, watch: &mut dyn FnMut(Event)) -> RunResult {
        close(self.session, &self.plan, &self.courses, status, watch)
    }
}

/// The names of `--destroy` that mean a target of the plan here.
pub fn meant_here(plan: &Plan, names: &[String]) -> Vec<String> {
    let means = |name: &&String| uses::is_meant(plan, name);
    names.iter().filter(means).cloned().collect()
}

/// Leaves a host its part of what each stream does at most: per second, and in all.
pub(crate) fn caps(in_common: &mut InCommon, place: &WorkerPlaces) {
    let ranks = in_common.ranks.streams.iter().zip(&place.sharers);
    for (stream, (all, own)) in in_common.whole.streams.iter_mut().zip(ranks) {
        let of = f64::from(all.of.max(1));
        let part = f64::from(*own) / of;
        let border = |count: u64, sharers: u32| {
            (u128::from(count) * u128::from(sharers) / u128::from(all.of.max(1))) as u64
        };
        let counted = |count: u64| border(count, all.before + own) - border(count, all.before);
        let (throttle, quota) = (&mut stream.throttle, &mut stream.quota);
        throttle.max_rate = throttle.max_rate.map(|r| Rate(r.0 * part));
        throttle.max_bandwidth = throttle
            .max_bandwidth
            .map(|b| Bytes(((b.0 as f64 * part) as u64).max(1)));
        quota.bytes = quota.bytes.map(|b| Bytes(counted(b.0)));
        quota.ios = quota.ios.map(counted);
    }
}

/// What one host is asked for: its part of the rates. Its depth, its time and its targets are its own.
pub(crate) fn own_part(in_common: &InCommon, place: &WorkerPlaces) -> Step {
    let InCommon { whole, ranks, .. } = in_common;
    let all = ranks.streams.iter().zip(&place.sharers);
    let part = |(all, own): (&Rank, &u32)| f64::from(*own) / f64::from(all.of.max(1));
    let parts: Vec<f64> = all.map(part).collect();
    let weights: f64 = whole.streams.iter().map(|s| s.share).sum();
    let weighted = whole.streams.iter().zip(&parts).map(|(s, p)| s.share * p);
    let mean = match weights > 0.0 {
        true => weighted.sum::<f64>() / weights,
        false => 1.0,
    };
    let mut own = Step {
        // All wait, and then begin together.
        pause: Nanos(0),
        ..whole.clone()
    };
    match &mut own.load {
        Load::Rate { rate, .. } => rate.0 *= mean,
        Load::Schedule { segments, .. } => segments.iter_mut().for_each(|s| s.rate.0 *= mean),
        Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => {}
    }
    for (stream, part) in own.streams.iter_mut().zip(&parts) {
        stream.fixed_rate = stream.fixed_rate.map(|r| Rate(r.0 * part));
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::{AddressSpec, Arrival, Depth, Mix, Pattern, SizeSpec, Stream, TargetId};

    #[test]
    fn a_host_is_asked_for_its_part_of_the_rate_and_does_not_pause() {
        let mix = Mix::READS;
        let size = SizeSpec::Fixed(Bytes(4096));
        let stream = Stream::new(
            "w",
            TargetId(0),
            mix,
            size,
            AddressSpec::whole(Pattern::ONE_PASS),
        );
        let depths = vec![Depth {
            target: TargetId(0),
            slots: 8,
        }];
        let mut whole = Step::new("s", vec![stream], depths, Load::Max, Nanos::secs(1));
        whole.load = Load::Rate {
            rate: Rate(900.0),
            arrival: Arrival::Even,
        };
        whole.pause = Nanos::secs(5);
        let rank = |of| Rank { before: 0, of };
        let in_common = InCommon {
            number: 1,
            whole,
            start_at: 0,
            ranks: Ranks {
                workers: rank(6),
                streams: vec![rank(6)],
                apart: Vec::new(),
            },
            own: None,
        };
        let own = own_part(
            &in_common,
            &WorkerPlaces {
                workers: 2,
                sharers: vec![2],
            },
        );
        assert_eq!(
            own.load,
            Load::Rate {
                rate: Rate(300.0),
                arrival: Arrival::Even
            }
        );
        assert_eq!(own.pause, Nanos(0));
        assert_eq!(own.depths[0].slots, 8);
    }

    #[test]
    fn what_a_stream_does_at_most_is_dealt_out_whole() {
        let mix = Mix::READS;
        let size = SizeSpec::Fixed(Bytes(4096));
        let address = AddressSpec::whole(Pattern::ONE_PASS);
        let mut stream = Stream::new("w", TargetId(0), mix, size, address);
        stream.throttle.max_rate = Some(Rate(90.0));
        stream.quota.ios = Some(100);
        stream.quota.bytes = Some(Bytes(1_000));
        let whole = Step::new("s", vec![stream], Vec::new(), Load::Max, Nanos::secs(1));
        // Hosts with one, two and four workers.
        let parts = [(0, 1), (1, 2), (3, 4)].map(|(before, own)| {
            let ranks = Ranks {
                workers: Rank { before, of: 7 },
                streams: vec![Rank { before, of: 7 }],
                apart: Vec::new(),
            };
            let mut in_common = InCommon {
                number: 1,
                whole: whole.clone(),
                start_at: 0,
                ranks,
                own: None,
            };
            let place = WorkerPlaces {
                workers: own,
                sharers: vec![own],
            };
            caps(&mut in_common, &place);
            in_common.whole.streams.remove(0)
        });
        let ios = parts.each_ref().map(|s| s.quota.ios);
        assert_eq!(ios, [Some(14), Some(28), Some(58)]);
        let bytes = parts.iter().filter_map(|s| s.quota.bytes).map(|b| b.0);
        assert_eq!(bytes.sum::<u64>(), 1_000);
        let rates = parts.iter().filter_map(|s| s.throttle.max_rate);
        let rates: f64 = rates.map(|r| r.0).sum();
        assert!((rates - 90.0).abs() < 1e-9, "{rates}");
    }
}
