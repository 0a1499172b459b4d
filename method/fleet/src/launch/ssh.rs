//! One host by ssh: this program is copied there once, and started as an agent that ends with its standard input. On this host it
//! is started as it is.

use super::{LaunchOptions, Secrets};
use crate::FleetError;
use plimsoll_printable::one_line;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A host that can be reached.
#[derive(Debug)]
pub struct Host {
    /// Destination for ssh: `user@host`; empty where it is this host.
    to: String,
    /// Name of the host's agent.
    pub name: String,
    /// Address of this host, as that one sees it.
    pub seen_from: String,
    ssh: Vec<String>,
    /// Path of the program there, for the shell there: from the user's home.
    program: String,
    agent: Option<Child>,
}

/// Longest time that an agent may take to say farewell.
const FAREWELL: Duration = Duration::from_secs(10);

impl Host {
    /// The host that this runs on.
    pub fn here(name: &str, options: &LaunchOptions) -> Self {
        Host {
            to: String::new(),
            name: name.into(),
            seen_from: "127.0.0.1".into(),
            ssh: Vec::new(),
            program: quoted(&options.program.display().to_string()),
            agent: None,
        }
    }

    /// Looks whether the host answers, and copies the program there where it is not yet.
    pub fn reach(to: &str, name: &str, options: &LaunchOptions) -> Result<Self, FleetError> {
        let hash = hash(options)?;
        let mut host = Host {
            to: to.into(),
            name: name.into(),
            seen_from: String::new(),
            ssh: options.ssh.clone(),
            program: format!(".cache/plimsoll/plimsoll-{}", &hash[..16]),
            agent: None,
        };
        // A name that begins so would be a flag of ssh.
        if to.starts_with('-') || host.name.is_empty() {
            return Err(host.failed("it is no name of a host"));
        }
        // Its name says what should be in it; what is run is what is in it.
        let asked = format!(
            "echo $SSH_CONNECTION; test -x {0} && sha256sum {0}",
            host.program
        );
        let answer = host.ask(&asked, Stdio::null())?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let mut lines = text.lines();
        let from = lines.next().and_then(|l| l.split(' ').next());
        match from {
            Some(address) if !address.is_empty() => host.seen_from = address.into(),
            _ => {
                let said = one_line(&String::from_utf8_lossy(&answer.stderr));
                return Err(host.failed(&said));
            }
        }
        if lines.next().and_then(|l| l.split(' ').next()) != Some(&hash) {
            host.copy(options)?;
        }
        Ok(host)
    }

    fn copy(&self, options: &LaunchOptions) -> Result<(), FleetError> {
        let program = File::open(&options.program).map_err(|e| self.failed(&e.to_string()))?;
        let to = &self.program;
        // It has its name only when it is whole.
        let receive = format!(
            "mkdir -p .cache/plimsoll && cat > {to}.$$ && chmod 700 {to}.$$ && mv -f {to}.$$ {to} && echo copied && {to} --version"
        );
        let answer = self.ask(&receive, program.into())?;
        if answer.status.success() {
            return Ok(());
        }
        let said = one_line(&String::from_utf8_lossy(&answer.stderr));
        let why = match answer.stdout.starts_with(b"copied") {
            true => format!(
                "plimsoll was copied to {} and does not run there: {said}; a static one runs everywhere (make dist)",
                self.to
            ),
            false => format!(
                "plimsoll cannot be copied to {}, into .cache/plimsoll of the home folder there: {said}; or start an agent there \
                 (plimsoll agent), and name its server with --nats",
                self.to
            ),
        };
        Err(FleetError::Named(why))
    }

    /// Starts the agent.
    pub fn start_agent(&mut self, port: u16, secrets: &Secrets) -> Result<(), FleetError> {
        let address = match self.seen_from.contains(':') {
            true => format!("[{}]", self.seen_from),
            false => self.seen_from.clone(),
        };
        let line = format!(
            "exec {} agent --nats tls://{address}:{port} --name {} --allow-destroy '*' --while-input",
            self.program,
            quoted(&self.name)
        );
        let mut child = self
            .command(&line)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| self.failed(&e.to_string()))?;
        let json = serde_json::to_string(secrets).unwrap_or_default() + "\n";
        if let Some(stdin) = &mut child.stdin {
            let written = stdin
                .write_all(json.as_bytes())
                .and_then(|()| stdin.flush());
            written.map_err(|e| self.failed(&e.to_string()))?;
        }
        self.agent = Some(child);
        Ok(())
    }

    /// True where the way to its agent has ended.
    pub fn has_ended(&mut self) -> bool {
        let Some(agent) = &mut self.agent else {
            return true;
        };
        !matches!(agent.try_wait(), Ok(None))
    }

    fn command(&self, line: &str) -> Command {
        let mut command = match self.ssh.split_first() {
            Some((ssh, flags)) => {
                let mut command = Command::new(ssh);
                command
                    .args(flags)
                    .args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"])
                    .args(["--", &self.to, line]);
                command
            }
            None => {
                let mut command = Command::new("sh");
                command.args(["-c", line]);
                command
            }
        };
        // An interrupt at the terminal is for the run.
        command.process_group(0);
        command
    }

    fn ask(&self, line: &str, input: Stdio) -> Result<Output, FleetError> {
        let mut command = self.command(line);
        let asked = command.stdin(input).output();
        asked.map_err(|e| self.failed(&format!("{}: {e}", self.ssh.join(" "))))
    }

    fn failed(&self, why: &str) -> FleetError {
        if self.ssh.is_empty() {
            return FleetError::Named(format!("no agent can be started here: {why}"));
        }
        FleetError::Named(format!(
            "{} cannot be reached by ssh: {why}; `{} {} true` must work without a question",
            self.to,
            self.ssh.join(" "),
            self.to
        ))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        drop(agent.stdin.take());
        let until = Instant::now() + FAREWELL;
        while Instant::now() < until {
            if !matches!(agent.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = agent.kill();
        let _ = agent.wait();
    }
}

/// SHA-256 of this program, as `sha256sum` prints it.
fn hash(options: &LaunchOptions) -> Result<String, FleetError> {
    let failed = |e: std::io::Error| FleetError::File {
        path: options.program.display().to_string(),
        why: e.to_string(),
    };
    let mut program = BufReader::new(File::open(&options.program).map_err(failed)?);
    let mut hasher = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        match program.read(&mut piece).map_err(failed)? {
            0 => break,
            n => hasher.update(&piece[..n]),
        }
    }
    let bytes = hasher.finalize();
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_word_of_the_shell() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("a'; rm x; '"), r"'a'\''; rm x; '\'''");
    }

    #[test]
    fn a_flag_is_no_host() {
        let options = LaunchOptions {
            ssh: vec!["false".into()],
            server: None,
            program: "/proc/self/exe".into(),
            lease: crate::LEASE,
        };
        for name in ["-oProxyCommand=touch x", "user@"] {
            let why = Host::reach(name, name.rsplit('@').next().unwrap_or(""), &options)
                .expect_err("refused");
            assert!(why.to_string().contains("no name of a host"), "{why}");
        }
    }
}
