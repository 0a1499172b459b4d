//! Name spaces that are there as long as a process of ours is. The kernel ends that process with the thread that started it,
//! so nothing is left behind, not even where a test is killed.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// A process that holds name spaces, and with it all that runs in its name space of processes.
pub struct Space {
    holder: Child,
    own_files: bool,
}

impl Space {
    /// Of networks alone: an end of links, with nothing in it.
    pub fn of_network() -> Result<Self, String> {
        Space::held(&["--net"], "ip link set lo up", false)
    }

    /// Of networks, mounts, processes and the host's name: `script` is run in it first, and makes of it what it should be.
    pub fn of_host(script: &str) -> Result<Self, String> {
        let unshared = [
            "--net",
            "--mount",
            "--uts",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
        ];
        Space::held(&unshared, &format!("ip link set lo up && {script}"), true)
    }

    fn held(unshared: &[&str], script: &str, own_files: bool) -> Result<Self, String> {
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "unshare"])
            .args(unshared);
        // Once it is made it says so, and stays until it is ended.
        let lasting = format!("set -e\n{script}\necho made\nexec sleep infinity");
        command.args(["--", "sh", "-c", &lasting]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut holder = command
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("setpriv: {e}"))?;
        let mut printed = String::new();
        let out = holder.stdout.take().expect("piped");
        let _ = BufReader::new(out).read_line(&mut printed);
        if printed == "made\n" {
            return Ok(Space { holder, own_files });
        }
        let _ = holder.kill();
        let mut why = String::new();
        if let Some(mut err) = holder.stderr.take() {
            let _ = err.read_to_string(&mut why);
        }
        let _ = holder.wait();
        Err(why.trim().to_string())
    }

    /// The process that the kernel knows it by.
    pub fn pid(&self) -> u32 {
        self.holder.id()
    }

    /// A program in it.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let pid = self.pid();
        let mut inside = Command::new("setpriv");
        inside.args(["--pdeathsig", "KILL", "nsenter"]);
        inside.arg(format!("--net=/proc/{pid}/ns/net"));
        if self.own_files {
            inside.arg(format!("--uts=/proc/{pid}/ns/uts"));
            inside.arg(format!("--pid=/proc/{pid}/ns/pid_for_children"));
            // Last: what is above is a path of ours.
            inside.arg(format!("--mount=/proc/{pid}/ns/mnt"));
        }
        inside.arg("--").arg(program);
        inside.stdin(Stdio::null());
        inside
    }

    /// Runs `ip` in it.
    pub fn ip(&self, words: &str) -> Result<(), String> {
        let mut command = self.command("ip");
        command.args(words.split_whitespace());
        let output = command.output().map_err(|e| e.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!(
                "ip {words}: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            )),
        }
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = (self.holder.kill(), self.holder.wait());
    }
}
