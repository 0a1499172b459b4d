//! Who keeps a run's nats-server: a process of its own, so that agents can be reached while one controller is gone and another has
//! not come yet.
//!
//! It ends the server at once where the run is over, or where its controller is gone and there is nothing to go on with; else a while
//! after the lease, which is when the agents stop by themselves.

use super::Secrets;
use crate::FleetError;
use crate::handover::{Holder, holder};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::{NamedTempFile, TempDir};

/// Task of a keeper: the first line of standard input. The second, which comes when the run has a record, is the path of its handover. The
/// end of the input says that the controller is gone.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// The program of nats-server.
    pub program: PathBuf,
    /// Address that the server is to listen on.
    pub listen: String,
    /// Certificate of the server, PEM.
    pub certificate: String,
    /// The certificate's key, PEM.
    pub key: String,
    /// Names and passwords that may connect.
    pub secrets: Secrets,
    /// Time for which agents go on without a controller.
    pub lease: Duration,
}

/// Time that the server is kept after the lease, in which agents close their records and say so.
const LONGER: Duration = Duration::from_secs(5);
/// Time between two looks for whether somebody is there.
const LOOK: Duration = Duration::from_millis(200);

/// Keeps a server as standard input says, until its run is over.
///
/// # Errors
/// [`FleetError::Named`] where it cannot be started.
pub fn keep_server() -> Result<(), FleetError> {
    let failed = |what: &str, e: &dyn std::fmt::Display| {
        FleetError::Named(format!("cannot start a nats-server: {what}: {e}"))
    };
    let mut input = BufReader::new(std::io::stdin());
    let mut line = String::new();
    input
        .read_line(&mut line)
        .map_err(|e| failed("standard input", &e))?;
    let task: Task = serde_json::from_str(&line).map_err(|e| failed("its task", &e))?;
    let (folder, config) = configured(&task).map_err(|e| failed("its files", &e))?;
    let server = Command::new(&task.program)
        .arg("-c")
        .arg(config.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| failed(&task.program.display().to_string(), &e))?;
    let mut server = Ends(server);
    watch(&mut server.0, &lines(input), task.lease);
    drop(server);
    drop(folder);
    Ok(())
}

/// Ends a server when dropped.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = (self.0.kill(), self.0.wait());
    }
}

/// The rest of standard input, line by line, on a thread of its own; it ends with the input.
fn lines(input: BufReader<std::io::Stdin>) -> Receiver<PathBuf> {
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for line in input.lines().map_while(Result::ok) {
            if tell.send(PathBuf::from(line)).is_err() {
                return;
            }
        }
    });
    told
}

/// Returns when the server is to end.
fn watch(server: &mut Child, told: &Receiver<PathBuf>, lease: Duration) {
    let mut handover: Option<PathBuf> = None;
    let mut alone: Option<Instant> = None;
    while matches!(server.try_wait(), Ok(None)) {
        let began_to_wait = Instant::now();
        match told.recv_timeout(LOOK) {
            Ok(path) => handover = Some(path),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let Some(path) = &handover else { return };
                match holder(path) {
                    Holder::Over => return,
                    Holder::Somebody => alone = None,
                    Holder::Nobody => {
                        let since = *alone.get_or_insert(began_to_wait);
                        if since.elapsed() > lease + LONGER {
                            return;
                        }
                    }
                }
                std::thread::sleep(LOOK);
            }
        }
    }
}

/// A folder with all that the server reads; it goes with the first of the two.
fn configured(task: &Task) -> std::io::Result<(TempDir, NamedTempFile)> {
    let folder = tempfile::Builder::new()
        .prefix("plimsoll-nats-")
        .tempdir()?;
    let file = |text: &str| {
        let mut file = NamedTempFile::new_in(folder.path())?;
        file.write_all(text.as_bytes())?;
        // The folder's end is theirs.
        file.into_temp_path().keep().map_err(|e| e.error)
    };
    let (certificate, key) = (file(&task.certificate)?, file(&task.key)?);
    let mut config = NamedTempFile::new_in(folder.path())?;
    config.write_all(configuration(task, &certificate, &key).as_bytes())?;
    Ok((folder, config))
}

fn configuration(task: &Task, certificate: &Path, key: &Path) -> String {
    format!(
        "listen: \"{}\"\nmax_payload: 8MB\n\
         authorization {{ user: \"{}\", password: \"{}\" }}\n\
         tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
        task.listen,
        task.secrets.user,
        task.secrets.password,
        certificate.display(),
        key.display()
    )
}
