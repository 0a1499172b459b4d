//! One step by several hosts in one virtual time: a worker each, in the caller's thread, in the order of time.

use crate::EngineError;
use crate::alone::{Given, Solo};
use crate::backend::{Backend, Wait};
use crate::clock::Clock;
use crate::control::Control;
use crate::options::Options;
use crate::outcome::{MergedInterval, Outcome};
use crate::target::OpenTarget;
use crate::worker::Pause;
use plimsoll_plan::Step;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// A host that carries out its part of a step.
#[derive(Debug)]
pub struct Hosted {
    /// Step that all hosts carry out, with the limits of this host's part.
    pub step: Step,
    /// Options of this host, with its place among the hosts ([`Options::ranks`]).
    pub options: Options,
    /// Control that ends this host's part alone.
    pub control: Control,
    /// Time at which the host is gone without a word, on the clock, ns; `None`: it stays.
    pub gone_at_ns: Option<u64>,
}

/// Time at which the next of a host's I/Os comes back, on the clock, ns; [`u64::MAX`] where none is out. The host's backend keeps it true.
pub type NextBack = Rc<Cell<u64>>;

/// Event while hosts carry out a step.
#[derive(Debug)]
pub enum Scene {
    /// Time goes on to this, ns. Since the last of these nothing was submitted but at that time.
    Time(u64),
    /// A host's interval has ended.
    Interval(usize, Box<MergedInterval>),
    /// A host is gone.
    Gone(usize),
    /// A host is through.
    Done(usize),
}

/// Has hosts carry out a step together from the clock's now on. `backend` makes each host's: it must not move the clock, nor
/// wait. What each host's part came to; `None` of one that is gone.
///
/// Whoever has something to do first goes on, and of several at one instant the first host: what comes out depends on the plan and
/// the seed alone.
///
/// # Errors
/// As [`crate::run_step_alone`] has them.
pub fn run_step_together<B: Backend, C: Clock + Clone>(
    targets: &[Arc<OpenTarget>],
    hosts: &[Hosted],
    clock: &C,
    mut backend: impl FnMut(usize, &Given<'_>) -> (B, NextBack),
    stage: &mut dyn FnMut(Scene),
) -> Result<Vec<Option<Outcome>>, EngineError> {
    let mut players = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let next = NextBack::default();
        let mut back = Rc::clone(&next);
        let make = |given: &Given<'_>| {
            let (backend, own) = backend(number, given);
            back = own;
            backend
        };
        let solo = Solo::new(
            &host.step,
            targets,
            &host.options,
            &host.control,
            clock.clone(),
            make,
        )?;
        let look_ns = solo.timeline.start_ns;
        players.push(Player {
            solo: Some(solo),
            back,
            goes_on: None,
            look_ns,
        });
    }
    let mut outcomes: Vec<Option<Outcome>> = hosts.iter().map(|_| None).collect();
    let mut now_ns = clock.clone().now_ns();
    for (number, player) in players.iter_mut().enumerate() {
        outcomes[number] = player.begin(now_ns, number, &hosts[number], stage)?;
    }
    while let Some((at_ns, number)) = first(&players) {
        now_ns = now_ns.max(at_ns);
        let host = &hosts[number];
        if let Some(gone_ns) = host.gone_at_ns.filter(|gone| *gone <= now_ns) {
            stage(Scene::Time(gone_ns));
            players[number].goes_on = None;
            players[number].solo = None;
            stage(Scene::Gone(number));
            continue;
        }
        stage(Scene::Time(now_ns));
        outcomes[number] = players[number].pass(now_ns, number, host, stage)?;
        if outcomes[number].is_some() {
            stage(Scene::Done(number));
        }
    }
    Ok(outcomes)
}

/// Who goes on first, and when.
fn first<B: Backend, C: Clock>(players: &[Player<B, C>]) -> Option<(u64, usize)> {
    let going = |(number, p): (usize, &Player<B, C>)| Some((p.goes_on?.0, number));
    players.iter().enumerate().filter_map(going).min()
}

/// A host's worker, and when it goes on.
struct Player<B: Backend, C: Clock> {
    /// `None`: it is through.
    solo: Option<Solo<B, C>>,
    back: NextBack,
    goes_on: Option<(u64, Pause)>,
    look_ns: u64,
}

impl<B: Backend, C: Clock + Clone> Player<B, C> {
    fn begin(
        &mut self,
        now_ns: u64,
        number: usize,
        host: &Hosted,
        stage: &mut dyn FnMut(Scene),
    ) -> Result<Option<Outcome>, EngineError> {
        let Some(solo) = &mut self.solo else {
            return Ok(None);
        };
        let put_out = solo.worker.begin().and_then(|()| solo.worker.put_out());
        self.pause(now_ns, put_out, number, host, stage)
    }

    /// What came back is taken in, and what may be issued goes out. What all of it came to, where it is through.
    fn pass(
        &mut self,
        now_ns: u64,
        number: usize,
        host: &Hosted,
        stage: &mut dyn FnMut(Scene),
    ) -> Result<Option<Outcome>, EngineError> {
        let (Some(solo), Some((_, pause))) = (&mut self.solo, self.goes_on.take()) else {
            return Ok(None);
        };
        let taken_in = solo.worker.take_in(pause);
        let put_out = taken_in.and_then(|()| solo.worker.put_out());
        if now_ns >= self.look_ns {
            solo.reports
                .gather(&mut |merged| stage(Scene::Interval(number, Box::new(merged))));
            self.look_ns = self.look_ns.saturating_add(solo.timeline.interval_ns);
        }
        self.pause(now_ns, put_out, number, host, stage)
    }

    fn pause(
        &mut self,
        now_ns: u64,
        put_out: std::io::Result<Option<Pause>>,
        number: usize,
        host: &Hosted,
        stage: &mut dyn FnMut(Scene),
    ) -> Result<Option<Outcome>, EngineError> {
        let error = match put_out {
            Ok(Some(pause)) => {
                let until_ns = match pause.wait {
                    Wait::None => now_ns,
                    Wait::For { ns, .. } => now_ns.saturating_add(ns),
                };
                self.goes_on = Some((until_ns.min(self.back.get()), pause));
                return Ok(None);
            }
            Ok(None) => None,
            Err(error) => Some(error),
        };
        let Some(solo) = self.solo.take() else {
            return Ok(None);
        };
        let mut sink = |merged| stage(Scene::Interval(number, Box::new(merged)));
        solo.end(error, &host.control, &host.options, &mut sink)
            .map(Some)
    }
}
