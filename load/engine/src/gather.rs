//! What the workers of a step report, put together.

use crate::EngineError;
use crate::control::Control;
use crate::merge::{Merger, Part};
use crate::outcome::{MergedInterval, Outcome};
use crate::worker::{Failure, Report};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::Nanos;
use std::io;

/// A step's intervals and its end, as far as they are known.
pub(crate) struct Gathering {
    merger: Merger,
    outcome: Outcome,
    /// The first worker to which the kernel refused to go on.
    refused: Option<(usize, io::Error)>,
}

impl Gathering {
    /// Nothing is known yet.
    pub fn new(merger: Merger) -> Self {
        Gathering {
            outcome: Outcome {
                workers: merger.running(),
                late_start: Nanos(0),
                limit: false,
                stopped: false,
                too_many_errors: false,
                lost: Vec::new(),
                unfinished: 0,
                stuck_workers: 0,
                errors: 0,
                fsync_errors: 0,
                standstills: Vec::new(),
                volumes: Vec::new(),
            },
            merger,
            refused: None,
        }
    }

    /// Workers that go on.
    pub fn running(&self) -> u32 {
        self.merger.running()
    }

    /// True where a worker could not go on, so that the others need not.
    pub fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Takes a report in, and hands on every interval that all workers have ended. Returns an interval's memory,
    /// cleared, and the worker that it came from.
    pub fn take(
        &mut self,
        report: Report,
        sink: &mut impl FnMut(MergedInterval),
    ) -> Option<(usize, Box<IntervalStats>)> {
        let mut used = None;
        match report {
            Report::Interval {
                worker,
                number,
                length_ns,
                drain,
                waited_ns,
                stats,
                failures,
            } => {
                let part = Part {
                    number,
                    length_ns,
                    drain,
                    waited_ns,
                    stats,
                    failures,
                };
                used = Some((worker, self.merger.add(worker, part)));
            }
            Report::Done {
                worker,
                limit,
                lost,
                unfinished,
                error,
            } => {
                self.merger.done(worker);
                self.outcome.limit |= limit;
                self.outcome.lost.extend(lost);
                self.outcome.unfinished += unfinished;
                if let Some(source) = error {
                    self.refused.get_or_insert((worker, source));
                }
            }
        }
        self.merger.emit(sink);
        used
    }

    /// Nothing more is expected of anyone; `failure` says what a worker that still ran was in.
    pub fn give_up(
        &mut self,
        failure: impl FnMut(usize) -> Option<Failure>,
        sink: &mut impl FnMut(MergedInterval),
    ) {
        let stuck = self.merger.give_up();
        self.outcome.stuck_workers = stuck.len() as u32;
        let lost: Vec<Failure> = stuck.into_iter().filter_map(failure).collect();
        let ios = lost.iter().filter(|f| !f.action.is_sync());
        self.outcome.unfinished += ios.count() as u64;
        self.outcome.lost.extend(lost);
        self.merger.emit(sink);
    }

    /// Outcome of the step, where so many errors end it.
    pub fn finish(self, control: &Control, max_errors: u64) -> Result<Outcome, EngineError> {
        if let Some((worker, source)) = self.refused {
            return Err(EngineError::Submit {
                name: self.merger.backend_name(worker),
                source,
            });
        }
        Ok(Outcome {
            limit: self.outcome.limit || control.step_ended(),
            stopped: control.stopped(),
            too_many_errors: control.too_many_errors(),
            errors: control.errors().min(max_errors),
            fsync_errors: control.fsync_errors(),
            ..self.outcome
        })
    }
}
