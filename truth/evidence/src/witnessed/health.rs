//! What a drive's own log says of its health.

use serde::{Deserialize, Serialize};

/// A drive's health log (SMART). Counts are of its whole life and of all who use it, each at the first look, before the step began,
/// and at the last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveHealth {
    /// Share of its spare blocks that is left, 0..=1.
    pub spare: f64,
    /// Share of spare blocks below which it warns, 0..=1.
    pub spare_least: f64,
    /// Time that the drive has been on, h.
    pub powered_h: u64,
    /// Bytes that hosts read, in steps of 512,000.
    pub read_bytes: (u64, u64),
    /// Bytes that hosts wrote, in steps of 512,000.
    pub written_bytes: (u64, u64),
    /// Data that it could not read back whole, or not keep.
    pub media_errors: (u64, u64),
    /// Times that the drive slowed itself down to stay cool.
    pub slowed: (u64, u64),
    /// Time that it was slowed down so, s.
    pub slowed_s: (u64, u64),
    /// Time that it was as hot as it warns of, min.
    pub hot_min: (u64, u64),
}

impl DriveHealth {
    /// Values seen now, with the counts of `before` as those of the beginning.
    pub fn since(self, before: &DriveHealth) -> Self {
        let (mut now, mut before) = (self, *before);
        for (count, first) in now.counts().into_iter().zip(before.counts()) {
            count.0 = first.0;
        }
        now
    }

    fn counts(&mut self) -> [&mut (u64, u64); 6] {
        [
            &mut self.read_bytes,
            &mut self.written_bytes,
            &mut self.media_errors,
            &mut self.slowed,
            &mut self.slowed_s,
            &mut self.hot_min,
        ]
    }
}
/// Health of a SATA or SCSI drive, as it tells it. Counts are of its whole life: before the step, and at its end. Each maker counts other
/// things, so what it does not tell is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DiskHealth {
    /// True where the drive says that it will fail soon.
    pub failing: Option<bool>,
    /// Sectors that it keeps elsewhere, because their own place had become bad.
    pub reallocated: Option<(u64, u64)>,
    /// Sectors that it could not read, and will give up at the next write to them.
    pub pending: Option<(u64, u64)>,
    /// Errors that it could not correct.
    pub uncorrected: Option<(u64, u64)>,
    /// Transfers whose checksum was wrong: those are the cable's.
    pub link_errors: Option<(u64, u64)>,
    /// Time that the drive has been on, h.
    pub powered_h: Option<u64>,
}

impl DiskHealth {
    /// Values seen now, with the counts of `before` as those of the beginning. A failure that was foretold before stays so.
    pub fn since(mut self, before: &DiskHealth) -> Self {
        let mut before = *before;
        for (now, first) in self.counts().into_iter().zip(before.counts()) {
            if let (Some(now), Some(first)) = (now, first) {
                now.0 = first.0;
            }
        }
        self.failing = match (before.failing, self.failing) {
            (Some(true), _) => Some(true),
            (before, now) => now.or(before),
        };
        self
    }

    fn counts(&mut self) -> [&mut Option<(u64, u64)>; 4] {
        [
            &mut self.reallocated,
            &mut self.pending,
            &mut self.uncorrected,
            &mut self.link_errors,
        ]
    }
}
