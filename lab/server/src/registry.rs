//! Who is connected, and that it stays within the limits.

use crate::endpoint::{Caller, Stream};
use crate::options::Limits;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long we wait for the thread of a client that was hung up on. It has nothing left to wait for itself.
const FAREWELL: Duration = Duration::from_secs(10);

/// One connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub stream: Arc<Stream>,
    pub caller: Caller,
    /// The path that it came over.
    pub path: u32,
    /// The LUN, once it has chosen one.
    pub lun: Option<u32>,
}

/// All connections, the oldest first.
#[derive(Debug)]
pub(crate) struct Registry {
    limits: Limits,
    inner: Mutex<Inner>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    peers: BTreeMap<u64, Peer>,
    /// How many of them have a LUN.
    sessions: usize,
    /// Connections whose thread is not gone yet; some may have been hung up on already.
    threads: usize,
    counts: Counts,
    last_drop: Option<String>,
    closed: bool,
}

/// What became of connections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Came.
    pub accepted: u64,
    /// Got an export.
    pub sessions: u64,
    /// Were hung up on because there were too many.
    pub refused: u64,
    /// Were hung up on for what they sent, or for not taking what was sent to them.
    pub dropped: u64,
}

impl Registry {
    pub(crate) fn new(limits: Limits) -> Self {
        Registry {
            limits,
            inner: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// Takes a new connection and gives it a number. Where too many have not chosen yet, the oldest of them goes. None
    /// when the server stops.
    pub(crate) fn enter(&self, stream: Arc<Stream>, caller: Caller, path: u32) -> Option<u64> {
        let peer = Peer {
            stream,
            caller,
            path,
            lun: None,
        };
        let mut inner = self.inner();
        inner.counts.accepted += 1;
        if inner.closed {
            peer.stream.hang_up();
            return None;
        }
        if inner.peers.len() - inner.sessions >= self.limits.handshakes {
            let dawdler = inner.peers.iter().find(|p| p.1.lun.is_none()).map(|p| *p.0);
            if let Some(gone) = dawdler.and_then(|id| inner.peers.remove(&id)) {
                gone.stream.hang_up();
                inner.counts.refused += 1;
            }
        }
        let id = inner.next;
        inner.next += 1;
        inner.peers.insert(id, peer);
        inner.threads += 1;
        Some(id)
    }

    /// A connection has chosen a LUN. False when it may not stay.
    pub(crate) fn choose(&self, id: u64, lun: u32) -> bool {
        let mut inner = self.inner();
        if inner.sessions >= self.limits.sessions {
            inner.counts.refused += 1;
            return false;
        }
        let Some(peer) = inner.peers.get_mut(&id) else {
            return false;
        };
        peer.lun = Some(lun);
        inner.sessions += 1;
        inner.counts.sessions += 1;
        true
    }

    /// A connection is over; `why`, when that was our wish.
    pub(crate) fn leave(&self, id: u64, why: Option<String>) {
        let mut inner = self.inner();
        let peer = inner.peers.remove(&id);
        if let Some(why) = why {
            inner.counts.dropped += 1;
            // One that was hung up on already is not dropped for what it did then.
            inner.last_drop = peer.as_ref().map(|p| format!("{}: {why}", p.caller.name));
        }
        if peer.is_some_and(|p| p.lun.is_some()) {
            inner.sessions -= 1;
        }
        inner.threads -= 1;
        self.left.notify_all();
    }

    /// Hangs up on those, and waits until they are gone.
    pub(crate) fn expel(&self, who: impl Fn(&Peer) -> bool) {
        let inner = self.inner();
        let gone: Vec<u64> = inner
            .peers
            .iter()
            .filter(|p| who(p.1))
            .map(|p| *p.0)
            .collect();
        for id in &gone {
            inner.peers[id].stream.hang_up();
        }
        let some = |inner: &mut Inner| gone.iter().any(|id| inner.peers.contains_key(id));
        drop(self.left.wait_timeout_while(inner, FAREWELL, some));
    }

    /// Hangs up on everybody, and on whoever comes.
    pub(crate) fn close(&self) {
        let mut inner = self.inner();
        inner.closed = true;
        for peer in inner.peers.values() {
            peer.stream.hang_up();
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.inner().closed
    }

    /// Waits until nobody is connected any more.
    pub(crate) fn wait_until_empty(&self) {
        let inner = self.inner();
        let some = |inner: &mut Inner| inner.threads > 0;
        drop(self.left.wait_while(inner, some));
    }

    /// Everybody, what became of those who were here, and why the last one that was dropped was.
    pub(crate) fn look(&self) -> (Vec<Peer>, Counts, Option<String>) {
        let inner = self.inner();
        let peers = inner.peers.values().cloned().collect();
        (peers, inner.counts, inner.last_drop.clone())
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
