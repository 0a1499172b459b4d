//! Who is connected, and that it stays within the limits.

use crate::endpoint::{Caller, Stream};
use crate::options::Limits;
use plimsoll_array::masking::Client;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long we wait for the thread of a client that was hung up on. It has nothing left to wait for itself.
const FAREWELL: Duration = Duration::from_secs(10);
/// How long a newcomer waits for the thread of one that was hung up on.
const ROOM: Duration = Duration::from_secs(1);

/// One connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub stream: Arc<Stream>,
    pub caller: Caller,
    /// The path that it came over.
    pub path: u32,
    /// The LUN, once it has chosen one.
    pub lun: Option<u32>,
    /// Its LUN was chosen through TLS.
    pub tls: bool,
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

    /// Takes a new connection and gives it a number. Where too many have not chosen yet, the oldest of them goes: of the
    /// same client, where that has too many itself, else of the client that has most. None when the server stops, or has
    /// no thread left.
    pub(crate) fn enter(&self, stream: Arc<Stream>, caller: Caller, path: u32) -> Option<u64> {
        let peer = Peer {
            stream,
            caller,
            path,
            lun: None,
            tls: false,
        };
        let mut inner = self.inner();
        inner.counts.accepted += 1;
        if inner.closed {
            peer.stream.hang_up();
            return None;
        }
        inner.make_room(&self.limits, &peer.caller.client);
        // Whoever was hung up on still has a thread for a moment. A flood must not be faster than that.
        let most = self.limits.sessions + self.limits.handshakes;
        let full = |inner: &mut Inner| inner.threads >= most && !inner.closed;
        let waited = self.left.wait_timeout_while(inner, ROOM, full);
        let (mut inner, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() || inner.closed {
            inner.counts.refused += 1;
            peer.stream.hang_up();
            return None;
        }
        let id = inner.next;
        inner.next += 1;
        inner.peers.insert(id, peer);
        inner.threads += 1;
        Some(id)
    }

    /// A connection has chosen a LUN, through TLS or not. False when it may not stay.
    pub(crate) fn choose(&self, id: u64, lun: u32, tls: bool) -> bool {
        let mut inner = self.inner();
        if inner.sessions >= self.limits.sessions {
            inner.counts.refused += 1;
            return false;
        }
        let Some(peer) = inner.peers.get_mut(&id) else {
            return false;
        };
        peer.lun = Some(lun);
        peer.tls = tls;
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
        self.left.notify_all();
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

impl Inner {
    /// Hangs up on whoever has dawdled longest, where another one would be too many.
    fn make_room(&mut self, limits: &Limits, newcomer: &Client) {
        let mut counts: Vec<(Client, usize)> = Vec::new();
        for peer in self.peers.values().filter(|p| p.lun.is_none()) {
            match counts.iter_mut().find(|c| c.0 == peer.caller.client) {
                Some(count) => count.1 += 1,
                None => counts.push((peer.caller.client, 1)),
            }
        }
        let own = counts.iter().find(|c| c.0 == *newcomer).map_or(0, |c| c.1);
        let all: usize = counts.iter().map(|c| c.1).sum();
        let whose = if own >= limits.handshakes_of_one {
            newcomer
        } else if all < limits.handshakes {
            return;
        } else {
            match counts.iter().max_by_key(|c| c.1) {
                Some((client, _)) => client,
                None => return,
            }
        };
        let dawdles = |p: &(&u64, &Peer)| p.1.lun.is_none() && p.1.caller.client == *whose;
        let dawdler = self.peers.iter().find(dawdles).map(|p| *p.0);
        if let Some(gone) = dawdler.and_then(|id| self.peers.remove(&id)) {
            gone.stream.hang_up();
            self.counts.refused += 1;
        }
    }
}
