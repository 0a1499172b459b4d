//! Who may come to which LUN, and that whoever may no more is gone.

use crate::registry::{Peer, Registry};
use plimsoll_array::masking::{Client, Masking, MaskingError};
use plimsoll_nbd::Export;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The array's igroups and exports, against the paths that clients come over.
#[derive(Debug)]
pub(crate) struct Access {
    masking: Mutex<Masking>,
    /// The port that each path leads to.
    ports: Vec<u32>,
}

impl Access {
    pub(crate) fn new(masking: Masking, ports: Vec<u32>) -> Self {
        let masking = Mutex::new(masking);
        Access { masking, ports }
    }

    /// Those of all LUNs that are there for a client that came over a path; the first is its default.
    pub(crate) fn exports(&self, all: &Arc<[Export]>, client: &Client, path: u32) -> Arc<[Export]> {
        let luns = self.masking().visible(client, self.port(path));
        if luns.iter().copied().eq(0..all.len() as u32) {
            // Mostly everyone sees everything; that takes no memory.
            return all.clone();
        }
        luns.iter().map(|l| all[*l as usize].clone()).collect()
    }

    /// True where a LUN is there for a client that came over a path.
    pub(crate) fn allows(&self, client: &Client, path: u32, lun: u32) -> bool {
        self.masking().sees(client, self.port(path), lun)
    }

    /// Changes igroups or exports. Whoever has a LUN that it must not have then is hung up on: when this returns, nothing
    /// that it sent is carried out any more.
    pub(crate) fn change<T>(
        &self,
        registry: &Registry,
        change: impl FnOnce(&mut Masking) -> Result<T, MaskingError>,
    ) -> Result<T, MaskingError> {
        let changed = change(&mut self.masking())?;
        let must_go = |peer: &Peer| {
            peer.lun
                .is_some_and(|lun| !self.allows(&peer.caller.client, peer.path, lun))
        };
        registry.expel(must_go);
        Ok(changed)
    }

    /// A look at igroups and exports.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Masking) -> T) -> T {
        look(&self.masking())
    }

    /// The port that a path leads to.
    fn port(&self, path: u32) -> u32 {
        self.ports[path as usize]
    }

    /// Each change is whole or not made at all, so a panic elsewhere harms nothing.
    fn masking(&self) -> MutexGuard<'_, Masking> {
        self.masking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
