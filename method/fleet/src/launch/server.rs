//! A nats-server for one run.

use super::Secrets;
use super::certificate::Certificate;
use crate::FleetError;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::{NamedTempFile, TempDir};

/// A server that ends when this is dropped, and when this process is killed: a shell waits for the end of its standard input.
#[derive(Debug)]
pub struct Server {
    child: Child,
    port: u16,
    login: (String, String),
    // Last: what the server has open lies in it.
    _folder: TempDir,
}

/// Waits for the end of standard input, then ends the server and removes its folder.
const KEEPER: &str = r#""$1" -c "$2" >/dev/null 2>&1 & server=$!; cat >/dev/null; kill "$server"; wait "$server"; rm -rf "$3""#;

/// How long a server may take to listen.
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
    /// Starts it on a free port of all addresses; `names` are those by which it is reached.
    pub fn start(
        program: &Path,
        certificate: &Certificate,
        secrets: &Secrets,
        names: &[String],
    ) -> Result<Self, FleetError> {
        let failed = |what: &str, e: &dyn std::fmt::Display| {
            FleetError::Named(format!("cannot start a nats-server: {what}: {e}"))
        };
        let folder = tempfile::Builder::new()
            .prefix("plimsoll-nats-")
            .tempdir()
            .map_err(|e| failed("its folder", &e))?;
        let file = |text: &str| {
            let mut file = NamedTempFile::new_in(folder.path())?;
            file.write_all(text.as_bytes())?;
            Ok(file)
        };
        let file = |text: &str| file(text).map_err(|e: std::io::Error| failed("its files", &e));
        let port = free_port().map_err(|e| failed("its port", &e))?;
        let (cert, key) = (file(&certificate.certificate)?, file(&certificate.key)?);
        let listen = match names.iter().any(|n| n.contains(':')) {
            true => "[::]",
            false => "0.0.0.0",
        };
        let config = file(&format!(
            "listen: \"{listen}:{port}\"\nmax_payload: 8MB\n\
             authorization {{ user: \"{}\", password: \"{}\" }}\n\
             tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
            secrets.user,
            secrets.password,
            cert.path().display(),
            key.path().display()
        ))?;
        let child = Command::new("/bin/sh")
            .args(["-c", KEEPER, "sh"])
            .args([program, config.path(), folder.path()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // An interrupt at the terminal is for the run, which ends the server when it has ended.
            .process_group(0)
            .spawn()
            .map_err(|e| failed(&program.display().to_string(), &e))?;
        let server = Server {
            child,
            port,
            login: (secrets.user.clone(), secrets.password.clone()),
            _folder: folder,
        };
        // They are read once, before it listens; the one that clients need stays.
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > until {
                return Err(failed("it does not listen", &program.display()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// Where it listens.
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
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("0.0.0.0", 0))?.local_addr()?.port())
}
