//! Whether a client has little or much in flight, and how much it may have beside those that have little.

use super::session::Connection;
use crate::pace::{FEW, LATELY, SHORT};
use plimsoll_array::IoKind;

/// For so long the share is what it was, nanoseconds.
const STANDS: u64 = 2_000_000;

/// How a client has borne itself lately.
#[derive(Debug, Default)]
pub(super) struct Bearing {
    /// Until when it counts as one with much in flight, nanoseconds.
    heavy_until: u64,
    /// Until when its share stands, nanoseconds.
    stands_until: u64,
    /// What it may have in flight, bytes and requests; none where the limits are enough.
    share: Option<(u64, usize)>,
}

impl Connection<'_> {
    /// The client has one more request with so many bytes of data. Its number where it is light and the request short.
    pub(super) fn bear(&mut self, op: IoKind, len: u32) -> Option<u64> {
        let data = match op {
            IoKind::Read | IoKind::Write => len,
            IoKind::Trim | IoKind::Zero | IoKind::Flush => 0,
        };
        let (requests, bytes) = self.outbox.size();
        let much = bytes + u64::from(data) > SHORT.into() || requests >= FEW;
        let bearing = &mut self.bearing;
        if !much && bearing.heavy_until == 0 {
            return Some(self.id);
        }
        let now = self.lab.model.now();
        if much || !self.longs.is_empty() {
            bearing.heavy_until = now + LATELY;
            self.look_at_share(now);
            return None;
        }
        if now < bearing.heavy_until {
            return None;
        }
        *bearing = Bearing::default();
        Some(self.id)
    }

    /// It has its share of what may be in the array beside light clients. One request it may have in any case.
    pub(super) fn has_its_share(&self) -> bool {
        let (requests, bytes) = self.outbox.size();
        let full = |(most_bytes, most): (u64, usize)| bytes >= most_bytes || requests >= most;
        requests > 0 && self.bearing.share.is_some_and(full)
    }

    /// A read or write of this length stands in line.
    pub(super) fn is_long(&mut self, len: u32) -> bool {
        if len > SHORT {
            return !self.longs.is_empty() || self.lab.model.is_long(self.id, len);
        }
        // Where a share is less than one request, those of all would still be much together.
        let (_, bytes) = self.outbox.size();
        let beyond = |most: u64| !self.longs.is_empty() || bytes + u64::from(len) > most;
        let small = |(most, _): (u64, usize)| most < SHORT.into() && beyond(most);
        if !self.bearing.share.is_some_and(small) {
            return false;
        }
        self.look_at_share(self.lab.model.now());
        self.bearing.share.is_some()
    }

    fn look_at_share(&mut self, now: u64) {
        if now >= self.bearing.stands_until {
            self.bearing.share = self.lab.model.share(self.id);
            self.bearing.stands_until = now + STANDS;
        }
    }
}
