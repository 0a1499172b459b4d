//! `plimsoll watch`, and `--tui` of what measures, which is the same in the terminal of the run.

use crate::cli::WatchArgs;
use crate::display;
use crate::failure::Failure;
use plimsoll_live::{Source, newest_running};
use plimsoll_rig::Control;
use plimsoll_screen::{Left, View, follow, give_back};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};

/// Exit code of a view that was left as a run is interrupted: as a shell reports SIGINT.
const INTERRUPTED: u8 = 130;
/// Exit code of a view that SIGTERM ended. On the screen Ctrl-C is a key, so a signal comes from elsewhere, and says nothing of the run.
const TERMINATED: i32 = 143;

/// `plimsoll watch`.
pub fn watch(args: &WatchArgs) -> Result<ExitCode, Failure> {
    let given = args.record.as_deref().unwrap_or(Path::new("."));
    let record = match given.is_dir() {
        true => newest(given)?,
        false => given.to_path_buf(),
    };
    let mut source = Source::open(&record)?;
    if !is_terminal() {
        return Err(Failure::usage(format!(
            "watch draws on a terminal, and standard output or input is none; `plimsoll show {}` prints what is measured so far",
            record.display()
        )));
    }
    ctrlc::set_handler(|| {
        give_back();
        std::process::exit(TERMINATED);
    })?;
    let left = follow(&mut source, View::new(display::style()), args.of_run)?;
    Ok(match left {
        Left::Interrupt if args.of_run => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

fn newest(folder: &Path) -> Result<PathBuf, Failure> {
    newest_running(folder)?.ok_or_else(|| {
        Failure::usage(format!(
            "no run writes a record in {} just now; name a record, or the folder that the run was started in (`plimsoll records` lists them)",
            folder.display()
        ))
    })
}

/// Refuses --tui where there is no terminal to draw on.
pub fn check() -> Result<(), Failure> {
    match is_terminal() {
        true => Ok(()),
        false => Err(Failure::usage(
            "--tui draws on a terminal, and standard output or input is none; leave it out, and use `plimsoll watch` on a terminal",
        )),
    }
}

fn is_terminal() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// The view of a run in its own terminal: a process of its own, so that drawing is no part of what is measured, and SQLite's locks on the
/// record, which belong to a process, stay the run's.
pub struct WholeScreen {
    view: Child,
    control: Control,
    /// The terminal as it was before.
    before: Option<Termios>,
}

impl WholeScreen {
    /// Shows a record.
    pub fn show(record: &Path, control: &Control) -> std::io::Result<Self> {
        let before = tcgetattr(std::io::stdin()).ok();
        let view = Command::new(std::env::current_exe()?)
            .args(["watch", "--of-run", "--"])
            .arg(record)
            .spawn()?;
        Ok(WholeScreen {
            view,
            control: control.clone(),
            before,
        })
    }

    /// True until somebody has left it. Left by Ctrl-C, it interrupts the run.
    pub fn is_shown(&mut self) -> bool {
        match self.view.try_wait() {
            Ok(None) => true,
            Ok(Some(status)) => {
                if status.code() == Some(i32::from(INTERRUPTED)) {
                    self.control.stop();
                }
                self.tidy_after(status);
                false
            }
            Err(_) => false,
        }
    }

    /// Waits until it has seen the run's end. One that somebody has stopped (SIGSTOP) would never see it, and is woken.
    pub fn wait(&mut self) {
        let view = Pid::from_child(&self.view);
        let states = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
        let mut woken = 0;
        loop {
            match waitid(WaitId::Pid(view), states) {
                Ok(Some(state)) if state.stopped() => {}
                Err(Errno::INTR) => continue,
                _ => break,
            }
            // One that stops again and again cannot have the terminal.
            let signal = if woken < 5 {
                Signal::CONT
            } else {
                Signal::KILL
            };
            let _ = kill_process(view, signal);
            woken += 1;
        }
        if let Ok(status) = self.view.wait() {
            self.tidy_after(status);
        }
    }

    /// Makes the terminal what it was, after a view that was killed and could not do so.
    fn tidy_after(&self, status: ExitStatus) {
        if status.code().is_some() {
            return;
        }
        if let Some(before) = &self.before {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
        give_back();
    }
}
