//! The requests in progress: so many at a time, and each for so long.

use std::collections::BTreeMap;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longest wait for the thread of a client that was hung up on. That thread has nothing left to wait for itself.
const FAREWELL: Duration = Duration::from_secs(2);

/// Requests in progress, the oldest first.
#[derive(Debug)]
pub(crate) struct OpenRequests {
    most: usize,
    inner: Mutex<Inner>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    open: BTreeMap<u64, (IpAddr, Arc<TcpStream>)>,
    /// Threads that are not gone yet; some of them may have been hung up on.
    threads: usize,
}

impl OpenRequests {
    /// For so many at a time.
    pub(crate) fn new(most: usize) -> Self {
        OpenRequests {
            most,
            inner: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// Takes a client, and gives it a number. Where too many are there, the oldest of those goes that come from the address
    /// with the most: whoever is slow makes room for whoever is not. None where even that makes no room.
    pub(crate) fn enter(&self, stream: Arc<TcpStream>, address: IpAddr) -> Option<u64> {
        let mut inner = self.inner();
        if inner.open.len() >= self.most
            && let Some(id) = inner.whose_turn_to_go()
            && let Some((_, gone)) = inner.open.remove(&id)
        {
            // Gone already is gone as well.
            let _ = gone.shutdown(Shutdown::Both);
        }
        let full = |inner: &mut Inner| inner.threads >= self.most;
        let waited = self.left.wait_timeout_while(inner, FAREWELL, full);
        let (mut inner, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        let id = inner.next;
        inner.next += 1;
        inner.open.insert(id, (address, stream));
        inner.threads += 1;
        Some(id)
    }

    /// A client's thread is done.
    pub(crate) fn leave(&self, id: u64) {
        let mut inner = self.inner();
        inner.open.remove(&id);
        inner.threads -= 1;
        self.left.notify_all();
    }

    /// Hangs up on all that are there: the server ends.
    pub(crate) fn hang_up(&self) {
        for (_, stream) in self.inner().open.values() {
            // Gone already is gone as well.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// A step here is whole or not made at all.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn whose_turn_to_go(&self) -> Option<u64> {
        let mut counts: BTreeMap<IpAddr, usize> = BTreeMap::new();
        for (address, _) in self.open.values() {
            *counts.entry(*address).or_default() += 1;
        }
        let most = counts.values().max()?;
        let of_many = |(_, (address, _)): &(&u64, &(IpAddr, _))| counts[address] == *most;
        self.open.iter().find(of_many).map(|(id, _)| *id)
    }
}
