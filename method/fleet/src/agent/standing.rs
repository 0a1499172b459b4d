//! How far an agent's work is, and what it did of its last step: for a controller that goes on where another was killed.

use crate::message::Report;
use plimsoll_evidence::StartTogether;
use plimsoll_record::Record;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};

/// Progress of the work.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Report about the workers of the last step that was made ready.
    pub prepared: Option<Report>,
    /// The last step that was begun.
    pub begun: Option<Begun>,
    /// Report of that step's end.
    pub ended: Option<Report>,
}

/// A step that was begun.
#[derive(Debug, Clone)]
pub struct Begun {
    /// Number of the step in the controller's record.
    pub number: u32,
    /// Time at which the step was to begin.
    pub start: StartTogether,
    /// Number of the step in this host's own record.
    pub own: u32,
    /// Path of the record that this host itself keeps.
    pub record: Option<PathBuf>,
}

/// Intervals that are read and not sent yet, at most.
const AHEAD: usize = 16;

/// Reads a step's intervals from this host's own record. What is measured while it reads is told as ever.
#[derive(Debug)]
pub struct Retelling {
    number: u32,
    read: Receiver<Report>,
    /// Reports from the step's end on, which are told after everything before it.
    held: Vec<Report>,
}

impl Retelling {
    /// Of the step that was begun, as it is in the record now.
    pub fn of(begun: &Begun) -> Self {
        let (tell, read) = sync_channel(AHEAD);
        let (number, own, record) = (begun.number, begun.own, begun.record.clone());
        // It ends when all was taken, or nobody takes it any more.
        std::thread::spawn(move || {
            let told = match &record {
                Some(record) => intervals(record, own, number, &tell),
                None => Err("the agent keeps no record".into()),
            };
            if let Err(why) = told {
                let _ = tell.send(Report::Failed { number, why });
            }
        });
        Retelling {
            number,
            read,
            held: Vec::new(),
        }
    }

    /// Takes what is to be said, or hands it back: the step's end, and all after it, wait until all of the step is told.
    pub fn hold(&mut self, report: Report) -> Option<Report> {
        let is_end = match &report {
            Report::Done { number, .. } | Report::Failed { number, .. } => *number == self.number,
            _ => false,
        };
        if !is_end && self.held.is_empty() {
            return Some(report);
        }
        self.held.push(report);
        None
    }

    /// The next that it tells.
    ///
    /// # Errors
    /// What was held, where all is told.
    pub fn next(&mut self) -> Result<Option<Report>, Vec<Report>> {
        match self.read.try_recv() {
            Ok(report) => Ok(Some(report)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(std::mem::take(&mut self.held)),
        }
    }
}

fn intervals(
    record: &Path,
    own: u32,
    number: u32,
    tell: &SyncSender<Report>,
) -> Result<(), String> {
    let unread = |e| format!("its own record cannot be read again: {e}");
    let record = Record::open(record).map_err(unread)?;
    record
        .each_interval(own, |interval| {
            let interval = Box::new(interval);
            let _ = tell.send(Report::Interval { number, interval });
        })
        .map_err(unread)
}
