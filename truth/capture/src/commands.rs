//! What commands of the system say, run without a shell and for no longer than they may.

use plimsoll_evidence::{HostState, without_secrets};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Time limit of one command.
const LIMIT: Duration = Duration::from_secs(10);

/// So much of the end of an output is kept, bytes.
const LONGEST: usize = 4 << 20;

/// Commands that are run. All of them only read.
const COMMANDS: &[&[&str]] = &[
    &["multipath", "-ll"],
    &["dmesg"],
    &["xl", "vcpu-list"],
    &["xm", "vcpu-list"],
    &["chkconfig", "--list"],
    &["vxdmpadm", "gettune", "all"],
    &["vxdmpadm", "getsubpaths"],
    &["systemctl", "list-unit-files"],
];

/// Asks them. One that is not there, fails or takes too long has said nothing.
pub(crate) fn ask(state: &mut HostState) {
    for words in COMMANDS {
        if let Some(text) = output(words, LIMIT) {
            let path = format!("/commands/{}", words.join(" "));
            let text = without_secrets(&path, &text);
            state.insert(path, text);
        }
    }
}

/// Standard output of a command, if it ends well in time.
fn output(words: &[&str], limit: Duration) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let pipe = child.stdout.take()?;
    let (says, said) = mpsc::channel();
    // Whoever inherited the pipe may hold it open: the thread is not waited for.
    std::thread::spawn(move || says.send(end_of(pipe)));
    let deadline = Instant::now() + limit;
    let well = ends_well(&mut child, deadline);
    if !well {
        return None;
    }
    let bytes = said.recv_timeout(Duration::from_secs(1)).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn ends_well(child: &mut Child, deadline: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(10));
            }
            _ => {
                // It may be stuck in the kernel on a dead path; then killing takes effect when that lets it go.
                let _ = child.kill();
                let _ = child.try_wait();
                return false;
            }
        }
    }
}

/// All of a pipe is read, so that its writer goes on, and its end is kept.
fn end_of(mut pipe: impl Read) -> Vec<u8> {
    let (mut kept, mut part) = (Vec::new(), vec![0; 64 << 10]);
    while let Ok(n) = pipe.read(&mut part) {
        if n == 0 {
            break;
        }
        kept.extend_from_slice(&part[..n]);
        if kept.len() > 2 * LONGEST {
            kept.drain(..kept.len() - LONGEST);
        }
    }
    kept.drain(..kept.len().saturating_sub(LONGEST));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_s_words_are_kept_and_one_that_fails_or_stays_says_nothing() {
        let limit = Duration::from_secs(10);
        assert_eq!(output(&["echo", "a b"], limit).as_deref(), Some("a b\n"));
        assert_eq!(output(&["false"], limit), None);
        assert_eq!(output(&["no-such-command-here"], limit), None);
        assert_eq!(output(&["sleep", "60"], Duration::ZERO), None);
    }
}
