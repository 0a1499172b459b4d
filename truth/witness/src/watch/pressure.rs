//! How long something waited, from `/proc/pressure` (Linux 4.20).

use super::kept::Kept;
use crate::Root;
use plimsoll_evidence::witnessed::Pressure;

/// Looks at the host's pressure.
#[derive(Debug)]
pub(super) struct PressureSampler {
    cpu: Kept,
    memory: Kept,
    io: Kept,
    last: Option<Totals>,
}

/// cpu some, memory some, memory full, io some, io full; us.
type Totals = [u64; 5];

impl PressureSampler {
    pub fn new(root: &Root) -> Self {
        let file = |of: &str| Kept::new(root, format!("/proc/pressure/{of}"));
        let mut sampler = PressureSampler {
            cpu: file("cpu"),
            memory: file("memory"),
            io: file("io"),
            last: None,
        };
        sampler.last = sampler.totals();
        sampler
    }

    /// `None` where the kernel does not tell all of it.
    pub fn look(&mut self) -> Option<Pressure> {
        let now = self.totals();
        let before = std::mem::replace(&mut self.last, now)?;
        let now = now?;
        let waited = |n: usize| now[n].saturating_sub(before[n]) as f64 / 1e6;
        Some(Pressure {
            cpu_some_s: waited(0),
            memory_some_s: waited(1),
            memory_full_s: waited(2),
            io_some_s: waited(3),
            io_full_s: waited(4),
        })
    }

    fn totals(&mut self) -> Option<Totals> {
        let cpu_some = total(self.cpu.text()?, "some")?;
        let memory = self.memory.text()?;
        let (memory_some, memory_full) = (total(memory, "some")?, total(memory, "full")?);
        let io = self.io.text()?;
        let (io_some, io_full) = (total(io, "some")?, total(io, "full")?);
        Some([cpu_some, memory_some, memory_full, io_some, io_full])
    }
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=11413`, us.
fn total(text: &str, of: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_ascii_whitespace);
    let mut words = lines.find_map(|mut words| (words.next()? == of).then_some(words))?;
    words
        .find_map(|word| word.strip_prefix("total="))?
        .parse()
        .ok()
}
