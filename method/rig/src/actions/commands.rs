//! Commands at times of a step that runs in real time.

use super::table::{Phase, Planned, Table};
use crate::Event;
use crate::shell::Launcher;
use plimsoll_engine::Control;
use plimsoll_engine::clock::RealClock;
use plimsoll_evidence::ActionEvidence;
use plimsoll_plan::{Action, Command, Nanos, TimedAction};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two looks for an interrupt where something is to be put back.
const LOOK_FOR_STOP: Duration = Duration::from_millis(50);

/// Commands of one step, each in processes of its own at its time, so that none holds up the load or the next one. A thread
/// keeps them while the step runs. What they are is shared, so that whoever ends the step can go on from there, whatever
/// became of the thread.
pub(super) struct Commands {
    table: Arc<Mutex<Table>>,
    control: Control,
    keeper: Option<JoinHandle<()>>,
    wishes: Option<Sender<Command>>,
    /// Reason why nobody keeps the commands, if so.
    alone: Option<String>,
}

impl Commands {
    /// Waits for the step that begins next under `control`, and for each command's time. None runs longer than `limit`.
    pub fn begin(
        timed: &[TimedAction],
        control: &Control,
        limit: Nanos,
        launcher: &Launcher,
    ) -> Self {
        control.forget_beginning();
        let planned = timed.iter().filter_map(|t| match &t.action {
            Action::Command(command) => Some(Planned {
                at_ns: t.at.0,
                puts_back: t.puts_back,
                command: command.clone(),
                owed: false,
            }),
            Action::Fault(_) => None,
        });
        let table = Table::new(planned.collect(), limit, launcher.clone());
        let table = Arc::new(Mutex::new(table));
        let (wishes, wanted) = channel();
        let (kept, looked_at) = (Arc::clone(&table), control.clone());
        let keeper = std::thread::Builder::new()
            .name("actions".into())
            .spawn(move || keep(&mut lock(&kept), &looked_at, &wanted));
        let (keeper, alone) = match keeper {
            Ok(keeper) => (Some(keeper), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Commands {
            table,
            control: control.clone(),
            keeper,
            wishes: Some(wishes),
            alone,
        }
    }

    /// Runs it now. False where nobody is there to do it.
    pub fn act(&self, command: Command) -> bool {
        self.wishes
            .as_ref()
            .is_some_and(|w| w.send(command).is_ok())
    }

    /// The step is over: what has not begun does not begin, unless it puts back what was done, and what runs is ended.
    pub fn finish(mut self, watch: &mut dyn FnMut(Event)) -> Vec<ActionEvidence> {
        self.close();
        let mut all = Vec::new();
        for done in lock(&self.table).take() {
            if done.evidence.began_ns.is_some() {
                watch(Event::CommandOutput {
                    line: &done.evidence.what,
                    output: done.wrote,
                    to: &done.to,
                });
            }
            for note in done.notes {
                watch(Event::Note(note));
            }
            all.push(done.evidence);
        }
        all
    }

    /// Ends what runs and puts back what was done, in the caller's thread.
    fn close(&mut self) {
        self.wishes = None;
        let Some(keeper) = self.keeper.take() else {
            if let Some(why) = self.alone.take() {
                lock(&self.table).refuse(&format!("no thread could be begun for it: {why}"));
            }
            return;
        };
        // One that panicked has left the table as it was.
        let _ = keeper.join();
        let mut table = lock(&self.table);
        let over = Phase::Over {
            since_ns: RealClock::monotonic_ns(),
        };
        loop {
            let left = table.turn(self.control.began_ns(), over);
            if table.is_over() {
                return;
            }
            table.wait(left);
        }
    }
}

impl Drop for Commands {
    /// Puts back what was done, also where the step has panicked.
    fn drop(&mut self) {
        self.close();
    }
}

fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins each command at its time, and looks after those that run, until the step is over.
fn keep(table: &mut Table, control: &Control, wanted: &Receiver<Command>) {
    loop {
        let phase = match control.stopped() {
            true => Phase::Stopped,
            false => Phase::Goes,
        };
        let left = table.turn(control.began_ns(), phase);
        let wish = if table.is_at_work() {
            table.wait(left);
            wanted.try_recv().map_err(|e| match e {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            })
        } else {
            match left {
                Some(left) => wanted.recv_timeout(match table.owes() {
                    true => left.min(LOOK_FOR_STOP),
                    false => left,
                }),
                None => wanted.recv().map_err(RecvTimeoutError::from),
            }
        };
        match wish {
            Ok(command) => table.begin_now(control.began_ns(), phase, command),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
