//! What another controller needs to go on with a run: a file beside the record, which only its owner reads, and which is there as
//! long as the run goes on. Who holds its lock is the run's controller.

use crate::controller::OnLost;
use crate::message::{Join, WireTarget};
use crate::{FleetError, NatsOptions};
use plimsoll_permit::output::{Found, OutputPermit, Rules};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Suffix of a handover's name, after the record's.
const SUFFIX: &str = ".attach";
/// The version of the file.
const VERSION: u32 = 1;
/// The longest that is read, bytes: a plan is the largest part of it.
const LONGEST: u64 = 64 << 20;
/// A keeper of a server asks for the lock too, for an instant.
const TRIES: u32 = 20;

/// A run as its controller knows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Handover {
    /// Of the file.
    pub version: u32,
    /// The run.
    pub run: String,
    /// The seed of the key that signs its orders.
    pub seed: String,
    /// The hosts, in the order of their numbers.
    pub names: Vec<String>,
    /// Time for which agents go on without a word from the controller.
    pub lease: Duration,
    /// Treatment of a lost host.
    pub on_lost: OnLost,
    /// Question to the hosts before the first step.
    #[serde(rename = "hire")]
    pub join: Join,
    /// Answer of each host: its targets, and the names of `--destroy` that mean something there.
    pub fits: Vec<(Vec<WireTarget>, Vec<String>)>,
    /// The targets of each: size and logical block, bytes.
    pub found: Vec<Vec<(u64, u32)>>,
    /// Server at which the hosts meet.
    pub server: NatsOptions,
    /// The server was started for this run, and ends with it.
    pub own_server: bool,
}

/// The file, and its lock.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    found: Found,
    /// The lock goes with it.
    _locked: File,
}

/// Holder of a handover's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// A controller.
    Somebody,
    /// Nobody: it was killed.
    Nobody,
    /// The run is over: the file is gone.
    Over,
}

/// Path of a record's handover.
pub fn beside(record: &Path) -> PathBuf {
    let mut path = record.as_os_str().to_owned();
    path.push(SUFFIX);
    path.into()
}

impl Handover {
    /// Of a run that has begun; whoever makes it adds what it knows of the hosts.
    pub fn new(run: &str, seed: String, join: Join, server: NatsOptions) -> Self {
        Handover {
            version: VERSION,
            run: run.into(),
            seed,
            names: Vec::new(),
            lease: Duration::from_nanos(join.lease_ns),
            on_lost: OnLost::default(),
            join,
            fits: Vec::new(),
            found: Vec::new(),
            server,
            own_server: false,
        }
    }

    /// Writes it beside a record, and holds it.
    ///
    /// # Errors
    /// [`FleetError::File`] where it cannot be written, or something else has the name.
    pub fn keep(&self, record: &Path) -> Result<Kept, FleetError> {
        let path = beside(record);
        let failed = |why: &dyn std::fmt::Display| file_error(&path, why);
        // What a run that was killed left has this name, and is of no use any more.
        let rules = Rules {
            overwrite: false,
            precious: &[],
        };
        let permit = OutputPermit::ask(&path, &rules).map_err(|e| failed(&e))?;
        let text = serde_json::to_vec(self).map_err(|e| failed(&e))?;
        let mut file = permit.open_private().map_err(|e| failed(&e))?;
        file.write_all(&text).map_err(|e| failed(&e))?;
        file.commit().map_err(|e| failed(&e))?;
        Kept::hold(&path)?.ok_or_else(|| failed(&"another controller holds it"))
    }

    /// Reads the one beside a record, and holds it.
    ///
    /// # Errors
    /// [`FleetError::Named`] where there is none, or its controller is alive.
    pub fn take(record: &Path) -> Result<(Handover, Kept), FleetError> {
        let path = beside(record);
        let named = |why: &str| FleetError::Named(format!("{}: {why}", record.display()));
        if !path.exists() {
            return Err(named(
                "there is no run of several hosts to go on with: it came to its end, or another program removed what a \
                 controller leaves beside the record",
            ));
        }
        let Some(kept) = Kept::hold(&path)? else {
            return Err(named("its controller is alive, and one is enough"));
        };
        let failed = |why: &dyn std::fmt::Display| file_error(&path, why);
        let metadata = kept._locked.metadata().map_err(|e| failed(&e))?;
        // A key that others could have written is nobody's.
        if metadata.mode() & 0o077 != 0 || metadata.len() > LONGEST {
            return Err(failed(&"it is not as a controller wrote it"));
        }
        let mut text = String::new();
        let mut file = &kept._locked;
        file.read_to_string(&mut text).map_err(|e| failed(&e))?;
        let handover: Handover = serde_json::from_str(&text).map_err(|e| failed(&e))?;
        match handover.version {
            VERSION => Ok((handover, kept)),
            other => Err(failed(&format!("it is of version {other}"))),
        }
    }
}

impl Kept {
    /// Nothing where somebody else holds it.
    fn hold(path: &Path) -> Result<Option<Self>, FleetError> {
        let failed = |e: std::io::Error| file_error(path, &e);
        let found = Found::at(path).map_err(failed)?;
        let found = found.ok_or_else(|| file_error(path, &"it is gone"))?;
        let locked = found.read().map_err(failed)?;
        for _ in 0..TRIES {
            if flock(&locked, FlockOperation::NonBlockingLockExclusive).is_ok() {
                return Ok(Some(Kept {
                    path: path.into(),
                    found,
                    _locked: locked,
                }));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(None)
    }

    /// Path of the handover.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run is over: nobody goes on with it.
    pub fn forget(self) {
        // Where something else has the name by now, that is not ours.
        let _ = self.found.remove();
    }
}

/// Holder of the lock of the handover at a path; asks for it for an instant.
pub fn holder(path: &Path) -> Holder {
    let Ok(Some(found)) = Found::at(path) else {
        return Holder::Over;
    };
    let Ok(file) = found.read() else {
        return Holder::Over;
    };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Holder::Nobody,
        Err(_) => Holder::Somebody,
    }
}

fn file_error(path: &Path, why: &dyn std::fmt::Display) -> FleetError {
    FleetError::File {
        path: path.display().to_string(),
        why: why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handover() -> Handover {
        let plan = serde_json::json!({
            "dialect": "native", "targets": [], "items": [], "max_errors": 50, "start_commands": [], "end_commands": [],
        });
        let join = Join {
            key: String::new(),
            version: String::new(),
            lease_ns: 7,
            own: None,
            plan: serde_json::from_value(plan).expect("a plan"),
            options: Default::default(),
        };
        Handover::new("r", "seed".into(), join, NatsOptions::default())
    }

    #[test]
    fn it_is_its_owners_alone_and_one_holds_it_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = folder.path().join("r.plim");
        assert_eq!(holder(&beside(&record)), Holder::Over);
        let kept = handover().keep(&record).expect("kept");
        let mode = std::fs::metadata(beside(&record)).expect("there").mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(holder(&beside(&record)), Holder::Somebody);
        let why = Handover::take(&record).expect_err("held").to_string();
        assert!(why.contains("is alive"), "{why}");
        drop(kept);
        assert_eq!(holder(&beside(&record)), Holder::Nobody);
        let (read, kept) = Handover::take(&record).expect("taken");
        assert_eq!((read.run.as_str(), read.seed.as_str()), ("r", "seed"));
        drop(kept);
        // What a killed run left is no reason against another.
        let kept = handover().keep(&record).expect("kept");
        kept.forget();
        assert_eq!(holder(&beside(&record)), Holder::Over);
        let why = Handover::take(&record).expect_err("gone").to_string();
        assert!(why.contains("no run of several hosts"), "{why}");
    }

    #[test]
    fn what_somebody_else_wrote_there_is_neither_replaced_nor_believed() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = folder.path().join("r.plim");
        std::fs::write(beside(&record), "mine").expect("written");
        assert!(handover().keep(&record).is_err());
        assert!(Handover::take(&record).is_err());
        assert_eq!(std::fs::read(beside(&record)).expect("there"), b"mine");
    }
}
