//! What a drive's own log says of its health.

use serde::{Deserialize, Serialize};

/// A drive's health log (SMART). Counts are of its whole life and of all who use it, each at the first look, before the step began,
/// and at the last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveHealth {
    /// Of its spare blocks, the share that is left, 0..=1.
    pub spare: f64,
    /// Below this share it warns.
    pub spare_least: f64,
    /// How long it has been on, h.
    pub powered_h: u64,
    /// Bytes that hosts read, in steps of 512,000.
    pub read_bytes: (u64, u64),
    /// Bytes that hosts wrote, in steps of 512,000.
    pub written_bytes: (u64, u64),
    /// Data that it could not read back whole, or not keep.
    pub media_errors: (u64, u64),
    /// How often it made itself slower, to stay cool.
    pub slowed: (u64, u64),
    /// How long it did, s.
    pub slowed_s: (u64, u64),
    /// How long it was as hot as it warns of, min.
    pub hot_min: (u64, u64),
}

impl DriveHealth {
    /// What was seen now, after what was seen `before`.
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
