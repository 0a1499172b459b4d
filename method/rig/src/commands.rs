//! Commands before and after steps: run only when allowed.

use crate::shell::{self, GRACE, Job, LOOK_AFTER, Launcher, Tail};
use crate::{Event, RigError};
use plimsoll_engine::Control;
use plimsoll_plan::{Command, Nanos};
use std::time::{Duration, Instant};

/// Time between two looks for whether a command was stopped.
const LOOK_FOR_STOP: Duration = Duration::from_secs(1);

/// Runs commands through the shell, one after the other; a failure ends all, as in Vdbench. They have as long as they want,
/// but an interrupt ends the one that runs, and so does `limit` where it was stopped (SIGSTOP) and nobody has it go on. What one leaves
/// behind goes on until the run is over, but what that writes is read no longer: its output has to go elsewhere.
pub(crate) fn run(
    commands: &[Command],
    control: &Control,
    launcher: &Launcher,
    limit: Nanos,
    watch: &mut dyn FnMut(Event),
) -> Result<(), RigError> {
    for command in commands {
        let failed = |reason: String| RigError::Command {
            line: command.line.clone(),
            reason,
        };
        let mut wrote = Tail::default();
        let mut job = Job::begin(&command.line, launcher).map_err(|e| failed(e.to_string()))?;
        let ended = wait(&mut job, control, launcher, limit, &mut wrote);
        launcher.leave(job);
        watch(Event::CommandOutput {
            line: &command.line,
            output: wrote.text(),
            to: &command.output,
        });
        ended.map_err(failed)?;
    }
    Ok(())
}

/// Waits for a command; an error where it failed or was ended.
fn wait(
    job: &mut Job,
    control: &Control,
    launcher: &Launcher,
    limit: Nanos,
    wrote: &mut Tail,
) -> Result<(), String> {
    // Those after a run that was interrupted run, too.
    let heeds = !control.stopped();
    let mut stop = Stop::new(limit);
    let mut asked: Option<(Instant, String)> = None;
    loop {
        job.read(wrote);
        if job.ended().is_some() {
            break;
        }
        let why = match heeds && control.stopped() {
            true => Some("it was interrupted".to_string()),
            false => stop.look(job),
        };
        match (&asked, why) {
            (None, Some(why)) => {
                job.ask_to_end();
                asked = Some((Instant::now(), why));
            }
            (Some((at, _)), _) if at.elapsed() >= 2 * GRACE => break,
            (Some((at, _)), _) if at.elapsed() >= GRACE => job.kill(),
            _ => {}
        }
        shell::wait(std::iter::once(&*job), LOOK_AFTER);
    }
    job.read(wrote);
    if let Some((_, why)) = asked {
        job.kill();
        return Err(why);
    }
    match job.ended() {
        Some(Ok(status)) if status.success() => Ok(()),
        Some(Ok(status)) => Err(launcher.failure(*status)),
        Some(Err(error)) => Err(format!("how it ended is not known: {error}")),
        None => Err("it did not end".into()),
    }
}

/// A stop of a command (SIGSTOP), as far as it was seen.
struct Stop {
    limit: Nanos,
    looked: Instant,
    since: Option<Instant>,
}

impl Stop {
    fn new(limit: Nanos) -> Self {
        Stop {
            limit,
            looked: Instant::now(),
            since: None,
        }
    }

    /// Reason why the command has to end; `None` where it goes on, or may yet.
    fn look(&mut self, job: &Job) -> Option<String> {
        if self.looked.elapsed() >= LOOK_FOR_STOP.min(Duration::from_nanos(self.limit.0)) {
            self.looked = Instant::now();
            self.since = match job.is_stopped() {
                true => self.since.or(Some(self.looked)),
                false => None,
            };
        }
        let is_over = |since: Instant| since.elapsed().as_nanos() >= u128::from(self.limit.0);
        self.since.is_some_and(is_over).then(|| {
            format!(
                "somebody stopped it (SIGSTOP), and it did not go on for {}, the limit of a command (--command-limit)",
                self.limit
            )
        })
    }
}
