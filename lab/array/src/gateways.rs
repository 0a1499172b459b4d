//! Controllers of an array whose cores are no limit: they have LUNs and ports in turn.

/// A gateway, as far as a failover matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Gateway {
    is_out: bool,
    /// Time until which requests for its LUNs wait for a takeover, nanoseconds.
    resume_ns: u64,
}

/// The gateways of an array.
#[derive(Debug, Clone)]
pub(crate) struct Gateways(Vec<Gateway>);

impl Gateways {
    /// Gateways that all work; `None` of no count.
    pub fn new(count: u32) -> Option<Self> {
        (count > 0).then(|| Gateways(vec![Gateway::default(); count as usize]))
    }

    /// Number of them.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// A gateway goes out, and requests for its LUNs wait until `until`. False when it is out already, or the last one.
    pub fn fail(&mut self, number: usize, until: u64) -> bool {
        let others = self
            .0
            .iter()
            .enumerate()
            .any(|(at, g)| at != number && !g.is_out);
        let changes = others && self.0.get(number).is_some_and(|g| !g.is_out);
        if changes {
            self.0[number] = Gateway {
                is_out: true,
                resume_ns: until,
            };
        }
        changes
    }

    /// A gateway comes back. False when it wasn't out.
    pub fn restore(&mut self, number: usize) -> bool {
        let gateway = self.0.get_mut(number);
        gateway.is_some_and(|g| std::mem::replace(&mut g.is_out, false))
    }

    /// Time that a request for a LUN waits for a takeover, nanoseconds.
    pub fn takeover(&self, now: u64, lun: u32) -> u64 {
        self.0[lun as usize % self.0.len()]
            .resume_ns
            .saturating_sub(now)
    }
}
