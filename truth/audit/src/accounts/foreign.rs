//! What others had the disks of an account do.

use super::{Account, READ, WHOLE, WRITE};
use crate::others;

/// Foreign I/O on the disks of an account: neither asked for, nor written by the record's keeping. The rule that names it and the limit of
/// a step have it from here, so that both say the same.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Foreign {
    /// Bytes that others read.
    pub read_bytes: f64,
    /// Bytes that others wrote; `None` where layers make writes of their own, and nobody can tell.
    pub written_bytes: Option<f64>,
    /// By how many bytes both together may be off.
    pub blur_bytes: f64,
    /// All that the disks moved, bytes.
    pub moved_bytes: f64,
}

impl Foreign {
    /// Foreign I/O of an account.
    pub fn of(account: &Account<'_>) -> Foreign {
        let done = |d: usize| Account::done(&account.leaves, d).bytes;
        let beyond = |d: usize, own: f64| (done(d) - own).max(0.0);
        // What is written to a RAID makes it read.
        let reads_are_plain = account.asked[WRITE].ios == 0.0 || account.writes_are_plain();
        let fetched = account.fetched_bytes().filter(|_| reads_are_plain);
        let written = account.writes_are_plain().then(|| {
            let own = account.asked[WRITE].bytes;
            beyond(WRITE, own + account.record_bytes())
        });
        let mut blur_bytes = 0.0;
        if fetched.is_some() {
            blur_bytes += account.blur(READ);
        }
        if written.is_some() {
            blur_bytes += blur_of_writes(account);
        }
        Foreign {
            read_bytes: fetched.map_or(0.0, |own| beyond(READ, own)),
            written_bytes: written,
            blur_bytes,
            moved_bytes: done(READ) + done(WRITE),
        }
    }

    /// Both directions.
    pub fn bytes(&self) -> f64 {
        self.read_bytes + self.written_bytes.unwrap_or(0.0)
    }

    /// The part of all that the disks moved, 0..=1.
    pub fn share(&self) -> f64 {
        others::share(self.bytes(), self.moved_bytes)
    }
}

/// The record is written down when the kernel likes to: what it takes is known no better than to its own size.
fn blur_of_writes(account: &Account<'_>) -> f64 {
    let journal = match account.on_files() {
        true => JOURNAL * account.asked[WRITE].bytes,
        false => 0.0,
    };
    account.blur(WRITE) + account.record_bytes() + journal
}

impl Account<'_> {
    /// True where others may have read the disks without that it shows: less came to them than this load fetched, so that a layer between
    /// answered for some of it, and nobody tells whose the rest is.
    pub fn may_hide_readers(&self) -> bool {
        let own = self.fetched_bytes().unwrap_or(0.0);
        let did = Account::done(&self.leaves, READ).bytes;
        self.is_layered() && did > self.blur(READ) && did + self.blur(READ) < WHOLE * own
    }

    /// True where anything but partitions lies between the account's targets and the disks.
    pub fn is_layered(&self) -> bool {
        let is_disk = |name: &str| self.leaves.iter().any(|d| d.name == name);
        self.layers()
            .any(|l| l.kind != "partition" && !is_disk(&l.name))
    }
}

/// The part of what is written to files that their metadata may take.
const JOURNAL: f64 = 0.05;
