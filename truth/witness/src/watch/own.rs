//! What the kernel says that this process read and wrote, from `/proc/self/io`.

use super::kept::Kept;
use crate::Root;
use plimsoll_evidence::witnessed::OwnIo;

/// Looks at this process's I/O: that of all its threads, those that ended too.
#[derive(Debug)]
pub(super) struct OwnSampler {
    io: Kept,
    last: Option<OwnIo>,
}

impl OwnSampler {
    pub fn new(root: &Root) -> Self {
        let mut io = Kept::new(root, "/proc/self/io");
        let last = io.text().and_then(counts);
        OwnSampler { io, last }
    }

    /// `None` where the kernel does not tell.
    pub fn look(&mut self) -> Option<OwnIo> {
        let now = self.io.text().and_then(counts);
        let before = std::mem::replace(&mut self.last, now)?;
        let now = now?;
        let since = |of: fn(&OwnIo) -> u64| of(&now).saturating_sub(of(&before));
        Some(OwnIo {
            asked_read_bytes: since(|io| io.asked_read_bytes),
            asked_written_bytes: since(|io| io.asked_written_bytes),
            read_bytes: since(|io| io.read_bytes),
            written_bytes: since(|io| io.written_bytes),
            cancelled_bytes: since(|io| io.cancelled_bytes),
        })
    }
}

fn counts(text: &str) -> Option<OwnIo> {
    let named = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(n, _)| *n == name)?.1.trim().parse().ok()
    };
    Some(OwnIo {
        asked_read_bytes: named("rchar")?,
        asked_written_bytes: named("wchar")?,
        read_bytes: named("read_bytes")?,
        written_bytes: named("write_bytes")?,
        cancelled_bytes: named("cancelled_write_bytes")?,
    })
}
