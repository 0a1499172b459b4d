//! A volume as it was found behind its servers.

use super::client::Client;
use super::error::ClientError;
use crate::EngineError;
use plimsoll_nbd::{Session, TransmissionFlags};
use plimsoll_plan::{Durability, NbdTarget, NbdUri};
use std::time::Duration;

/// Where paths are compared, in parts of the volume: a few places say whether they lead to one volume.
const COMPARED: u64 = 8;
/// How much is compared at each of them, bytes.
const COMPARED_BYTES: u64 = 4096;

/// One volume, and the ways to it.
#[derive(Debug)]
pub struct Volume {
    /// Target as the plan has it.
    pub plan: NbdTarget,
    /// Session that the first path that was reached agreed on.
    pub session: Session,
    /// True where one connection sees what another one wrote and flushes it: all paths say so that were reached.
    pub many: bool,
    /// Paths that could not be reached, and why.
    pub unreached: Vec<(NbdUri, String)>,
}

impl Volume {
    /// Looks at the volume by each of its paths. Fails where none leads there, or where they lead to different volumes.
    pub fn open(plan: &NbdTarget) -> Result<Self, EngineError> {
        let wrap = |uri: &NbdUri| {
            let uri = uri.to_string();
            move |source| EngineError::Nbd { uri, source }
        };
        let mut first: Option<Client> = None;
        let mut many = true;
        let mut unreached = Vec::new();
        let mut refusal = None;
        for uri in &plan.paths {
            let mut client = match Client::connect(uri, false, patience(plan)) {
                Ok(client) => client,
                Err(error) => {
                    unreached.push((uri.clone(), error.to_string()));
                    refusal.get_or_insert(wrap(uri)(error));
                    continue;
                }
            };
            many &= has(client.session(), TransmissionFlags::MULTI_CONN);
            match &mut first {
                None => first = Some(client),
                Some(first) => {
                    same(first.session(), client.session()).map_err(wrap(uri))?;
                    compare(first, &mut client).map_err(wrap(uri))?;
                    client.leave();
                }
            }
        }
        let Some(first) = first else {
            return Err(refusal.unwrap_or(EngineError::Empty));
        };
        let session = first.session().clone();
        first.leave();
        Ok(Volume {
            plan: plan.clone(),
            session,
            many,
            unreached,
        })
    }

    /// Longest time that a connection may take to be made and to answer its first read.
    pub fn patience(&self) -> Duration {
        patience(&self.plan)
    }

    /// Refuses a session that does not lead to this volume.
    pub fn accepts(&self, session: &Session) -> Result<(), ClientError> {
        same(&self.session, session)?;
        if self.many && !has(session, TransmissionFlags::MULTI_CONN) {
            return Err(ClientError::OtherVolume(
                "it does not offer MULTI_CONN any more".into(),
            ));
        }
        Ok(())
    }

    /// True where the export can do this.
    pub fn can(&self, flag: TransmissionFlags) -> bool {
        has(&self.session, flag)
    }

    /// A connection by the first path that leads there; `allocation`: with BLOCK_STATUS, where the server has it.
    pub fn client(&self, allocation: bool) -> Result<Client, EngineError> {
        let mut refusal = None;
        for uri in &self.plan.paths {
            match Client::connect(uri, allocation, self.patience()) {
                Ok(client) => return Ok(client),
                Err(source) => {
                    let uri = uri.to_string();
                    refusal.get_or_insert(EngineError::Nbd { uri, source });
                }
            }
        }
        Err(refusal.unwrap_or(EngineError::Empty))
    }

    /// Shortcoming of the export, in words: what a target of it needs and it cannot do.
    pub fn lacks(&self, durability: Durability, write: bool) -> Option<&'static str> {
        use TransmissionFlags as Flags;
        match durability {
            _ if write && self.can(Flags::READ_ONLY) => Some("is read-only"),
            Durability::Dsync | Durability::Sync if write && !self.can(Flags::FUA) => {
                Some("has no FUA, so that a write cannot be asked to be durable")
            }
            Durability::FsyncEvery(_) | Durability::FdatasyncEvery(_) | Durability::FsyncAtEnd
                if write && !self.can(Flags::FLUSH) =>
            {
                Some("has no FLUSH, so that writes cannot be made durable")
            }
            // It is made on a connection of its own.
            Durability::FsyncAtEnd if write && !self.many => Some(
                "does not offer MULTI_CONN, so that a flush at the end would not cover what other connections wrote; \
                 use dsync or fsync_every",
            ),
            _ => None,
        }
    }
}

fn patience(plan: &NbdTarget) -> Duration {
    Duration::from_nanos(plan.deadline().0).clamp(Duration::from_secs(1), Duration::from_secs(10))
}

fn has(session: &Session, flag: TransmissionFlags) -> bool {
    session.export.flags.contains(flag)
}

/// Whether two sessions can be of one volume.
fn same(one: &Session, other: &Session) -> Result<(), ClientError> {
    let (one, other) = (&one.export, &other.export);
    if one.size != other.size {
        return Err(ClientError::OtherVolume(format!(
            "it has {} bytes, not {}",
            other.size, one.size
        )));
    }
    // What a path may lack is checked once, and must be true of all of them.
    let needed = TransmissionFlags::FUA | TransmissionFlags::FLUSH | TransmissionFlags::TRIM;
    let missing = (one.flags & needed) - other.flags;
    let read_only = TransmissionFlags::READ_ONLY;
    if !missing.is_empty() || other.flags.contains(read_only) != one.flags.contains(read_only) {
        return Err(ClientError::OtherVolume("it can do other things".into()));
    }
    let (a, b) = (one.block_sizes, other.block_sizes);
    if b.minimum > a.minimum || b.maximum < a.maximum {
        return Err(ClientError::OtherVolume("its blocks are others".into()));
    }
    Ok(())
}

/// Compares a few places, twice where they differ, for somebody may be writing.
fn compare(one: &mut Client, other: &mut Client) -> Result<(), ClientError> {
    let (size, unit) = {
        let export = &one.session().export;
        (export.size, u64::from(export.block_sizes.minimum))
    };
    let length = COMPARED_BYTES.max(unit).min(size - size % unit);
    if length == 0 {
        return Ok(());
    }
    let mut ours = vec![0; length as usize];
    let mut theirs = ours.clone();
    for place in 0..COMPARED {
        let at = (size - length) / (COMPARED - 1).max(1) * place;
        let at = at - at % unit;
        let mut differs = true;
        for _ in 0..2 {
            one.read(at, &mut ours)?;
            other.read(at, &mut theirs)?;
            differs = ours != theirs;
            if !differs {
                break;
            }
        }
        if differs {
            return Err(ClientError::OtherVolume(format!(
                "it holds something else at byte {at}"
            )));
        }
    }
    Ok(())
}
