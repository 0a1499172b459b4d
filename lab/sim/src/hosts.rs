//! Steps that several hosts carry out on the arrays of one run, in one time.

use crate::Lab;
use crate::door::Door;
use crate::look::Look;
use crate::volumes;
use crate::watch::Watch;
use plimsoll_engine::scripted::ScriptedClock;
use plimsoll_engine::setup::timeline;
use plimsoll_engine::start::Start;
use plimsoll_engine::together::run_step_together;
use plimsoll_engine::{
    Control, EngineError, Hosted, MergedInterval, OpenTarget, Options, Outcome, Ranks, Scene,
    layout_of_one,
};
use plimsoll_plan::{Nanos, Step};
use std::rc::Rc;
use std::sync::Arc;

/// A host of the lab.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SimulatedHost {
    /// What its link takes of each I/O.
    pub link: Nanos,
    /// How long after a step's beginning it is gone without a word; `None`: it stays.
    pub gone_after: Option<Nanos>,
}

/// What is seen of a step of several hosts.
#[derive(Debug)]
pub enum SeenOfHosts {
    /// An interval of one of them, and a look at each array at its end.
    Interval(usize, Box<MergedInterval>, Vec<Look>),
    /// One is gone.
    Gone(usize),
    /// One is through, and how the arrays are then.
    Done(usize, Vec<Look>),
}

impl Lab {
    /// Runs a step from now on by several hosts, each with a worker of its own and its place among all of them. `steps` are what all
    /// do, each with what that host does at most of it. What each one's part came to, and nothing of one that is gone. `volumes` of the
    /// first has the arrays' paths.
    ///
    /// # Errors
    /// As [`Lab::run_step`].
    pub fn run_step_by(
        &mut self,
        hosts: &[SimulatedHost],
        steps: &[Step],
        targets: &[Arc<OpenTarget>],
        options: &Options,
        controls: &[Control],
        sink: &mut dyn FnMut(SeenOfHosts),
    ) -> Result<Vec<Option<Outcome>>, EngineError> {
        let start_ns = Start::at(options.start_at, self.now_ns()).at_ns;
        let Some(step) = steps.first() else {
            return Err(EngineError::Empty);
        };
        let timeline = timeline(step, options, start_ns);
        let ranks = ranks_of(step, targets.len(), hosts.len());
        let all = hosts.iter().zip(controls).zip(steps.iter().zip(ranks));
        let hosted =
            |((host, control), (step, ranks)): ((&SimulatedHost, &Control), (&Step, Ranks))| {
                Hosted {
                    step: step.clone(),
                    options: Options {
                        ranks: Some(ranks),
                        ..options.clone()
                    },
                    control: control.clone(),
                    gone_at_ns: host
                        .gone_after
                        .map(|after| start_ns.saturating_add(after.0)),
                }
            };
        let hosted: Vec<Hosted> = all.map(hosted).collect();
        let paths_before = volumes::begin(&mut self.models.borrow_mut());
        let mut watch = Watch::new(timeline);
        let mut looks = Looks::default();
        let (time, models) = (self.time.clone(), Rc::clone(&self.models));
        let this: &Lab = self;
        let outcomes = run_step_together(
            targets,
            &hosted,
            &ScriptedClock(time.clone()),
            |number, given| {
                let places = given.pools.iter().flat_map(|pool| {
                    let place = this.places[pool.target].expect("a step uses only used targets");
                    std::iter::repeat_n(place, pool.slots as usize)
                });
                let (time, models) = (time.clone(), Rc::clone(&models));
                let link_ns = hosts[number].link.0;
                Door::new(time, models, places.collect(), timeline, link_ns)
            },
            &mut |scene| match scene {
                Scene::Time(ns) => {
                    watch.pass(ns, &models);
                    looks.keep(watch.taken().borrow_mut().drain(..));
                    time.advance_to(ns);
                }
                Scene::Interval(host, merged) => {
                    let end_ns = start_ns + merged.start_ns + merged.length_ns;
                    let seen = looks.at(end_ns).unwrap_or_else(|| this.look());
                    sink(SeenOfHosts::Interval(host, merged, seen));
                }
                Scene::Gone(host) => sink(SeenOfHosts::Gone(host)),
                Scene::Done(host) => sink(SeenOfHosts::Done(host, this.look())),
            },
        );
        let mut outcomes = outcomes?;
        let names: Vec<String> = self.arrays().into_iter().map(|a| a.name).collect();
        let paths = volumes::of_step(
            &mut self.models.borrow_mut(),
            &names,
            &paths_before,
            start_ns,
        );
        if let Some(first) = outcomes.iter_mut().flatten().next() {
            first.volumes = paths;
        }
        Ok(outcomes)
    }
}

/// The places of so many hosts among all, each with one worker.
pub fn ranks_of(step: &Step, targets: usize, hosts: usize) -> Vec<Ranks> {
    let layouts = vec![layout_of_one(step, targets); hosts];
    let of = |host| Ranks::among(step, &layouts, host);
    (0..hosts).map(of).collect()
}

/// Those that were taken in a step: hosts report an interval one after the other.
#[derive(Default)]
struct Looks(Vec<Vec<Look>>);

impl Looks {
    fn keep(&mut self, taken: impl Iterator<Item = Vec<Look>>) {
        self.0.extend(taken);
        // No host is so far behind the others in one time.
        let old = self.0.len().saturating_sub(8);
        self.0.drain(..old);
    }

    fn at(&self, ns: u64) -> Option<Vec<Look>> {
        let is_then = |looks: &&Vec<Look>| looks.iter().all(|l| l.at_ns == ns);
        self.0.iter().rev().find(is_then).cloned()
    }
}
