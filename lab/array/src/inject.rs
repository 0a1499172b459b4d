//! Faults, as they take effect.

pub(crate) mod errors;

use crate::agenda::{Due, Event, Part};
use crate::array::Array;
use crate::fault::{Fault, FaultError, ScheduledFault};
use crate::gateways::Gateways;
use crate::io::Io;
use crate::path::PathCondition;
use crate::span::Span;
use errors::Errors;

/// Kinds of errors at a time: each request is compared with all of them.
const MOST_ERRORS: usize = 64;
/// Faults that are to happen, or to end, at a time.
const MOST_DUE: usize = 1024;

impl Array {
    /// Something happens now. Requests that are inside already are answered as they would have been.
    pub fn inject(&mut self, now_ns: u64, fault: &Fault) -> Result<(), FaultError> {
        self.catch_up(now_ns);
        self.check(fault)?;
        self.apply(now_ns, fault);
        Ok(())
    }

    /// Enters what is to happen later; the times count from the array's start. Either all of it is entered or nothing.
    pub fn schedule(&mut self, faults: &[ScheduledFault]) -> Result<(), FaultError> {
        faults.iter().try_for_each(|f| self.check(&f.fault))?;
        for f in faults {
            self.agenda.enter(f.at.0, Due::Inject(f.fault.clone()));
        }
        Ok(())
    }

    /// Takes back what [`Array::schedule`] entered and has not happened yet; false where it has, or was never entered.
    pub fn withdraw(&mut self, fault: &ScheduledFault) -> bool {
        self.agenda
            .withdraw(fault.at.0, &Due::Inject(fault.fault.clone()))
    }

    /// Lets everything happen that is due by `now_ns`: faults and their ends, and the journal's drain. Each request does
    /// that first, so it's only needed where nobody asks for anything.
    pub fn catch_up(&mut self, now_ns: u64) {
        while let Some((at, due)) = self.agenda.take(now_ns) {
            match due {
                Due::Inject(fault) => self.apply(at, &fault),
                Due::Undo(part, change) => self.undo(at, part, change),
            }
        }
        self.drain(now_ns);
    }

    /// What happened, the oldest first: the last thousand faults and their ends.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.agenda.events()
    }

    /// True when a request meets an injected error.
    #[cold]
    pub(crate) fn meets_error(&mut self, io: &Io) -> bool {
        let concerned = self.errors.iter().filter(|e| e.concern(io));
        let spared: f64 = concerned.map(|e| 1.0 - e.rate).product();
        (self.contents.draw() >> 11) as f64 / (1_u64 << 53) as f64 >= spared
    }

    /// Whether a fault can happen to this array, which has the parts that it names and room for it.
    pub fn check(&self, fault: &Fault) -> Result<(), FaultError> {
        let paths = self.front_end.paths().len() as u32;
        let controllers = self.controllers() as u32;
        match *fault {
            Fault::PathDown { path, .. }
            | Fault::PathSlow { path, .. }
            | Fault::PathUp { path }
                if path >= paths =>
            {
                Err(FaultError::NoPath { path, paths })
            }
            Fault::ControllerFailover { controller, .. } | Fault::ControllerBack { controller }
                if controller >= controllers =>
            {
                Err(FaultError::NoController {
                    controller,
                    controllers,
                })
            }
            Fault::IoErrors { rate, .. } if !(0.0..=1.0).contains(&rate) => {
                Err(FaultError::Share("rate"))
            }
            Fault::IoErrors {
                from, to: Some(to), ..
            } if from >= to => Err(FaultError::Range { from, to }),
            Fault::IoErrors { lun: Some(lun), .. } if lun as usize >= self.contents.luns.len() => {
                Err(FaultError::NoLun {
                    lun,
                    luns: self.contents.luns.len() as u32,
                })
            }
            Fault::JournalFull { drain, .. } if !(drain > 0.0 && drain <= 1.0) => {
                Err(FaultError::Share("drain"))
            }
            Fault::JournalFull { .. } | Fault::JournalFreed {} if self.journal.is_none() => {
                Err(FaultError::NoJournal)
            }
            Fault::CacheLoss {} if self.cache.is_none() => Err(FaultError::NoCache),
            Fault::SnapshotStorm { of_each } if !(1..=FaultError::STORM).contains(&of_each) => {
                Err(FaultError::NoStorm(of_each))
            }
            Fault::SnapshotCopy { .. }
            | Fault::SnapshotCopied {}
            | Fault::Neighbours { .. }
            | Fault::NeighboursGone {}
                if self.cores.is_none() =>
            {
                Err(FaultError::NoCores)
            }
            Fault::SnapshotCopy { copy, .. } if copy.0 == 0 || copy > FaultError::LONGEST_COPY => {
                Err(FaultError::Copy)
            }
            Fault::Neighbours { taken, .. } if !(0.0..=FaultError::MOST_TAKEN).contains(&taken) => {
                Err(FaultError::Taken)
            }
            Fault::IoErrors { .. } if self.errors.len() >= MOST_ERRORS => Err(FaultError::Full {
                what: "kinds of errors",
                most: MOST_ERRORS,
            }),
            _ if self.agenda.len() >= MOST_DUE => Err(FaultError::Full {
                what: "faults that are to happen or to end",
                most: MOST_DUE,
            }),
            _ => Ok(()),
        }
    }

    fn apply(&mut self, at: u64, fault: &Fault) {
        let outcome = match *fault {
            Fault::PathDown {
                path,
                silent,
                lasts,
            } => {
                let state = if silent {
                    PathCondition::Silent
                } else {
                    PathCondition::Down
                };
                self.change_path(at, path, state, lasts)
            }
            Fault::PathSlow { path, by, lasts } => {
                self.change_path(at, path, PathCondition::Slow(by.0), lasts)
            }
            Fault::PathUp { path } => self.change_path(at, path, PathCondition::Up, None),
            Fault::ControllerFailover {
                controller,
                pause,
                lasts,
            } => {
                self.change(at, Part::Controller(controller), lasts);
                self.change_controller(controller, Some(at + pause.0))
            }
            Fault::ControllerBack { controller } => {
                self.change(at, Part::Controller(controller), None);
                self.change_controller(controller, None)
            }
            Fault::IoErrors {
                rate,
                lun,
                from,
                to,
                op,
                lasts,
            } => {
                let number = self.errors.last().map_or(0, |e| e.number) + 1;
                self.change(at, Part::Errors(number), lasts);
                self.errors.push(Errors {
                    number,
                    rate,
                    lun,
                    from,
                    to: to.unwrap_or(u64::MAX),
                    op,
                });
                true
            }
            Fault::IoErrorsOver {} => self.forgive_all(),
            Fault::JournalFull { drain, lasts } => {
                self.change(at, Part::Journal, lasts);
                self.journal.as_mut().map(|j| j.stuff(drain)).is_some()
            }
            Fault::JournalFreed {} => {
                self.change(at, Part::Journal, None);
                self.journal.as_mut().map(|j| j.free()).is_some()
            }
            Fault::CacheLoss {} => {
                self.lose_cache();
                true
            }
            Fault::SnapshotStorm { of_each } => self.storm(at, of_each),
            Fault::SnapshotCopy { copy, lasts } => {
                self.change(at, Part::Copy, lasts);
                self.begin_copies(at, copy.0)
            }
            Fault::SnapshotCopied {} => {
                self.change(at, Part::Copy, None);
                self.end_copies(at)
            }
            Fault::Neighbours { taken, lasts } => {
                self.change(at, Part::Neighbours, lasts);
                self.leave_of_cores(1.0 - taken)
            }
            Fault::NeighboursGone {} => {
                self.change(at, Part::Neighbours, None);
                self.leave_of_cores(1.0)
            }
        };
        let effect = if outcome { "" } else { " (without effect)" };
        self.agenda.note(at, format!("{fault}{effect}"));
    }

    /// Requests succeed again; false where they did already.
    fn forgive_all(&mut self) -> bool {
        let any = !self.errors.is_empty();
        for errors in self.errors.drain(..) {
            self.agenda.forget(Part::Errors(errors.number));
        }
        any
    }

    /// This share of each core is left from now on; false where there are none.
    fn leave_of_cores(&mut self, share: f64) -> bool {
        let cores = self.cores.as_mut();
        cores.map(|c| c.leave(share)).is_some()
    }

    /// Takes snapshots of each LUN, as many as the array takes; false where it takes none.
    fn storm(&mut self, at: u64, of_each: u32) -> bool {
        let luns = self.contents.luns.len() as u32;
        let mut taken = 0;
        for lun in 0..luns {
            taken += (0..of_each)
                .take_while(|_| self.snapshot(at, lun).is_ok())
                .count();
        }
        taken > 0
    }

    fn undo(&mut self, at: u64, part: Part, change: u64) {
        if !self.agenda.is_latest(part, change) {
            return;
        }
        match part {
            Part::Path(path) => self.apply(at, &Fault::PathUp { path }),
            Part::Controller(controller) => self.apply(at, &Fault::ControllerBack { controller }),
            Part::Journal => self.apply(at, &Fault::JournalFreed {}),
            Part::Copy => self.apply(at, &Fault::SnapshotCopied {}),
            Part::Neighbours => self.apply(at, &Fault::NeighboursGone {}),
            Part::Errors(number) => {
                let before = self.errors.len();
                self.errors.retain(|e| e.number != number);
                self.agenda.forget(Part::Errors(number));
                if self.errors.len() < before {
                    self.agenda.note(at, "requests succeed again".to_owned());
                }
            }
        }
    }

    /// Notes who changed a part, and when that is over.
    fn change(&mut self, at: u64, part: Part, lasts: Option<Span>) {
        let change = self.agenda.change(part);
        if let Some(Span(ns)) = lasts {
            self.agenda.enter(at + ns, Due::Undo(part, change));
        }
    }

    /// Number of controllers: of the cores, or gateways.
    fn controllers(&self) -> usize {
        match (&self.cores, &self.gateways) {
            (Some(cores), _) => cores.controllers(),
            (None, gateways) => gateways.as_ref().map_or(0, Gateways::count),
        }
    }

    /// A controller goes out, and what it owns waits until then, or it comes back; its ports with it. False where it makes no difference.
    fn change_controller(&mut self, controller: u32, out_until: Option<u64>) -> bool {
        let number = controller as usize;
        let changed = match (&mut self.cores, &mut self.gateways, out_until) {
            (Some(cores), _, Some(until)) => cores.fail(number, until),
            (Some(cores), _, None) => cores.restore(number),
            (None, Some(gateways), Some(until)) => gateways.fail(number, until),
            (None, Some(gateways), None) => gateways.restore(number),
            (None, None, _) => false,
        };
        if changed {
            let count = self.controllers();
            self.front_end
                .set_controller(number, count, out_until.is_some());
        }
        changed
    }

    fn change_path(
        &mut self,
        at: u64,
        path: u32,
        state: PathCondition,
        lasts: Option<Span>,
    ) -> bool {
        self.change(at, Part::Path(path), lasts);
        self.front_end.set(path, state)
    }
}
