//! A nats-server for one run.

use super::Secrets;
use super::certificate::Certificate;
use super::keeper::Task;
use crate::FleetError;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that ends when this is dropped; who keeps it also ends it where this process was killed.
#[derive(Debug)]
pub struct Server {
    keeper: Child,
    port: u16,
    login: (String, String),
}

/// Longest time that a server may take to listen.
const PATIENCE: Duration = Duration::from_secs(15);

/// The program: the one that was named, or in PATH, or beside this program.
pub fn find(named: Option<&Path>) -> Result<PathBuf, FleetError> {
    let missing = |where_: String| {
        FleetError::Named(format!(
            "{where_}; the hosts meet on one: install it (apt install nats-server, or go install \
             github.com/nats-io/nats-server/v2@latest), put it beside plimsoll, or name it by --nats-server PATH"
        ))
    };
    if let Some(path) = named {
        return match path.is_file() {
            true => Ok(path.to_path_buf()),
            false => Err(missing(format!(
                "there is no nats-server at {}",
                path.display()
            ))),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = std::env::current_exe().ok();
    let beside = beside.and_then(|p| p.parent().map(Path::to_path_buf));
    std::env::split_paths(&path)
        .chain(beside)
        .map(|folder| folder.join("nats-server"))
        .find(|p| p.is_file())
        .ok_or_else(|| missing("there is no nats-server in PATH".into()))
}

impl Server {
    /// Starts it on a free port of all addresses, kept by `keeper`, this program; `names` are those by which it is reached.
    pub fn start(
        keeper: &Path,
        program: PathBuf,
        certificate: &Certificate,
        secrets: &Secrets,
        names: &[String],
        lease: Duration,
    ) -> Result<Self, FleetError> {
        let failed = |what: &str, e: &dyn std::fmt::Display| {
            FleetError::Named(format!("cannot start a nats-server: {what}: {e}"))
        };
        let port = free_port().map_err(|e| failed("its port", &e))?;
        let address = match names.iter().any(|n| n.contains(':')) {
            true => "[::]",
            false => "0.0.0.0",
        };
        let task = Task {
            program,
            listen: format!("{address}:{port}"),
            certificate: certificate.certificate.clone(),
            key: certificate.key.clone(),
            secrets: secrets.clone(),
            lease,
        };
        let child = Command::new(keeper)
            .arg("keep-server")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // An interrupt at the terminal is for the run, which ends the server when it has ended.
            .process_group(0)
            .spawn()
            .map_err(|e| failed(&keeper.display().to_string(), &e))?;
        let mut server = Server {
            keeper: child,
            port,
            login: (secrets.user.clone(), secrets.password.clone()),
        };
        let json = serde_json::to_string(&task).map_err(|e| failed("its task", &e))?;
        server.tell(&json).map_err(|e| failed("its keeper", &e))?;
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > until {
                return Err(failed("it does not listen", &task.program.display()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// Says where the run's handover lies: with it another controller may come when this one is killed.
    pub fn handed_over(&mut self, path: &Path) {
        // A keeper that is gone has ended the server, which is felt.
        let _ = self.tell(&path.display().to_string());
    }

    fn tell(&mut self, line: &str) -> std::io::Result<()> {
        let Some(input) = &mut self.keeper.stdin else {
            return Ok(());
        };
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()
    }

    /// Port that the server listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// User and password.
    pub fn login(&self) -> (String, String) {
        self.login.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("0.0.0.0", 0))?.local_addr()?.port())
}
