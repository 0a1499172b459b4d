//! One command of the shell, in a process group of its own, whose output is read without waiting for anybody who holds it.

mod at_work;
mod launcher;
mod members;
mod tail;

pub use at_work::AtWork;
pub(crate) use launcher::{Launcher, NOT_ALLOWED};
pub(crate) use tail::Tail;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};
use std::io::{self, ErrorKind, PipeReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Time that a process group which was asked to end has for it, before it is killed; and the longest wait for one that was killed.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// Time between two looks after a command while it runs.
pub(crate) const LOOK_AFTER: Duration = Duration::from_millis(5);
/// Number of reads from a command before the next one has its turn.
const READ_AT_ONCE: usize = 16;

/// A command that was begun.
#[derive(Debug)]
pub(crate) struct Job {
    child: Child,
    /// Number of the process group. The number stays this group's until the child is reaped and no other member is left.
    group: Pid,
    pipe: Option<PipeReader>,
    ended: Option<io::Result<ExitStatus>>,
    reaped: bool,
    at_work: AtWork,
}

impl Job {
    /// Begins `line`. What it writes to both streams comes in the order in which it writes it.
    pub fn begin(line: &str, launcher: &Launcher) -> io::Result<Self> {
        let (pipe, ours) = io::pipe()?;
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let mut command = Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(line)
            .stdin(Stdio::null())
            .stdout(ours.try_clone()?)
            .stderr(ours)
            .process_group(0);
        let (child, group) = launcher.start(&mut command)?;
        Ok(Job {
            child,
            group,
            pipe: Some(pipe),
            ended: None,
            reaped: false,
            at_work: launcher.at_work().clone(),
        })
    }

    /// Reads what is there.
    pub fn read(&mut self, into: &mut Tail) {
        let mut buffer = [0; 1 << 16];
        for _ in 0..READ_AT_ONCE {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(read) => into.add(&buffer[..read]),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    /// Exit of the command, whoever it has left behind; `None` while it runs. It is not reaped, so its group keeps its number.
    pub fn ended(&mut self) -> Option<&io::Result<ExitStatus>> {
        if self.ended.is_none() {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            self.ended = match waitid(WaitId::Pid(self.group), options) {
                Ok(None) => None,
                Ok(Some(status)) => {
                    let exited = status.exit_status().map(|code| (code & 0xff) << 8);
                    let raw = exited.or(status.terminating_signal()).unwrap_or(0);
                    Some(Ok(ExitStatus::from_raw(raw)))
                }
                Err(rustix::io::Errno::INTR) => None,
                Err(error) => Some(Err(error.into())),
            };
        }
        self.ended.as_ref()
    }

    /// True where somebody may write yet, the command or whom it has left behind.
    pub fn may_write(&self) -> bool {
        self.pipe.is_some()
    }

    /// True where one of its group was stopped and goes on only when it is told to.
    pub fn is_stopped(&self) -> bool {
        members::any(self.group, |state| state == 'T').unwrap_or(false)
    }

    /// True where nobody of its group lives, the command and whom it has left behind.
    fn is_left_by_all(&self) -> bool {
        !members::live(self.group)
    }

    /// Asks the whole group to end.
    pub fn ask_to_end(&self) {
        self.signal(Signal::TERM);
        // One that was stopped hears of it only when it goes on.
        self.signal(Signal::CONT);
    }

    /// Ends the whole group.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        // A group without members has nobody to hear it.
        let _ = kill_process_group(self.group, signal);
    }

    /// True where it has ended and nobody of its group is left.
    pub fn is_gone(&mut self) -> bool {
        if self.ended().is_none() {
            return false;
        }
        if !self.reaped {
            // It has ended, so this does not wait.
            let _ = self.child.wait();
            self.reaped = true;
        }
        let gone = test_kill_process_group(self.group).is_err() || !members::live(self.group);
        if gone {
            self.at_work.gone(self.group);
        }
        gone
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // One that has not ended would be left as it is; who drops it has killed it.
        if !self.reaped {
            let _ = self.child.try_wait();
        }
        self.at_work.gone(self.group);
    }
}

/// Waits until one of them has written something, or for `at_most`.
pub(crate) fn wait<'j>(jobs: impl Iterator<Item = &'j Job>, at_most: Duration) {
    let pipes = jobs.filter_map(|job| job.pipe.as_ref());
    let mut pipes: Vec<PollFd> = pipes.map(|p| PollFd::new(p, PollFlags::IN)).collect();
    let at_most = Timespec {
        tv_sec: at_most.as_secs() as _,
        tv_nsec: at_most.subsec_nanos() as _,
    };
    // Interrupted or not, whoever waits looks again.
    let _ = poll(&mut pipes, Some(&at_most));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Enclosure;

    fn launcher(at_work: &AtWork) -> Launcher {
        let enclosure = Enclosure::without_targets(&Default::default()).expect("a scratch folder");
        Launcher::new(at_work, Some(enclosure))
    }

    fn wrote(line: &str) -> (String, Job) {
        let mut tail = Tail::default();
        let mut job = Job::begin(line, &launcher(&AtWork::default())).unwrap();
        while job.ended().is_none() {
            job.read(&mut tail);
            wait(std::iter::once(&job), LOOK_AFTER);
        }
        job.read(&mut tail);
        (tail.text(), job)
    }

    #[test]
    fn both_streams_come_in_the_order_in_which_they_were_written() {
        let (text, mut job) = wrote("echo a; echo b >&2; echo c; exit 3");
        assert_eq!(text, "a\nb\nc\n");
        let status = job.ended().unwrap().as_ref().unwrap();
        assert_eq!(status.code(), Some(3));
        assert!(job.is_gone());
    }

    #[test]
    fn who_is_left_behind_holds_nobody_up_and_is_ended_with_the_group() {
        let (text, mut job) = wrote("sleep 1000 & echo begun");
        assert_eq!(text, "begun\n");
        assert!(!job.is_gone(), "its child lives");
        job.ask_to_end();
        while !job.is_gone() {
            wait(std::iter::empty(), LOOK_AFTER);
        }
    }

    #[test]
    fn who_leaves_at_once_leaves_nobody_and_says_what_is_not_put_back() {
        let at_work = AtWork::default();
        let mut job = Job::begin("trap '' TERM; sleep 1000", &launcher(&at_work)).unwrap();
        at_work.owe("undo it");
        assert_eq!(at_work.leave(), ["undo it"]);
        while job.ended().is_none() {
            wait(std::iter::empty(), LOOK_AFTER);
        }
        assert_eq!(job.ended().unwrap().as_ref().unwrap().signal(), Some(9));
        // And nothing begins any more.
        assert!(Job::begin("true", &launcher(&at_work)).is_err());
    }
}
