//! One slot for each I/O that a worker may have in flight.

use crate::backend::Action;

/// Slot of an I/O, with what a worker must know until it comes back.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// Intended start, ns; in a closed loop the moment the slot became free.
    pub intended_ns: u64,
    /// Time at which the I/O could first have been issued: the later of its intended start and a slot being free, ns.
    pub ready_ns: u64,
    /// The stamp just before the submitting call, ns.
    pub submitted_ns: u64,
    /// Address on the target.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// The worker's stream.
    pub stream: u32,
    /// The worker's pool that the slot belongs to.
    pub pool: u32,
    /// Action of the I/O.
    pub action: Action,
    /// True between submission and completion.
    pub in_flight: bool,
}

impl Slot {
    /// A free slot of a pool.
    pub fn new(pool: u32) -> Self {
        Slot {
            intended_ns: 0,
            ready_ns: 0,
            submitted_ns: 0,
            offset: 0,
            length: 0,
            stream: 0,
            pool,
            action: Action::Read,
            in_flight: false,
        }
    }
}
