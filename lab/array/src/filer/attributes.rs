//! What a client remembers of files: the attributes that it was told, for a time.

use super::Call;
use plimsoll_operation::Op;
use std::collections::HashMap;

/// Attributes that the client of a mount knows.
#[derive(Debug)]
pub struct Attributes {
    /// How long it goes by what it was told, ns.
    timeout_ns: u64,
    told_ns: HashMap<u64, u64>,
}

impl Attributes {
    /// Knows nothing yet.
    pub fn new(timeout_ns: u64) -> Self {
        Attributes {
            timeout_ns,
            told_ns: HashMap::new(),
        }
    }

    /// True where the client can answer for an entry.
    pub fn knows(&self, entry: u64, now_ns: u64) -> bool {
        let told = self.told_ns.get(&entry);
        told.is_some_and(|told| now_ns < told.saturating_add(self.timeout_ns))
    }

    /// The filer has answered. All answers but that of a close tell the attributes of what they are on.
    pub(super) fn was_told(&mut self, call: &Call, now_ns: u64) {
        match call.op {
            Op::Delete | Op::Rmdir => {
                self.told_ns.remove(&call.entry);
            }
            Op::Close => {}
            _ if self.timeout_ns > 0 => {
                self.told_ns.insert(call.entry, now_ns);
            }
            _ => {}
        }
    }
}
