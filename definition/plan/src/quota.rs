//! What ends a stream before its step: so much of its own.

use crate::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most that a stream does in a step, its warm-up too. An I/O that would go past it ends the stream and is not issued; the
/// others of its step go on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    /// Bytes moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// I/Os issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ios: Option<u64>,
}

impl Quota {
    /// Whether the stream goes on until its step ends.
    pub fn is_none(&self) -> bool {
        *self == Quota::default()
    }

    /// One of several equal parts; what is left over is the first one's.
    pub fn part(self, number: u32, of: u32) -> Quota {
        let part = |all: u64| {
            let rest = if number == 0 { all % u64::from(of) } else { 0 };
            all / u64::from(of) + rest
        };
        Quota {
            bytes: self.bytes.map(|b| Bytes(part(b.0))),
            ios: self.ios.map(part),
        }
    }
}

impl fmt::Display for Quota {
    /// `1GiB or 1000 I/Os`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.bytes, self.ios) {
            (Some(bytes), Some(ios)) => write!(f, "{bytes} or {ios} I/Os"),
            (Some(bytes), None) => write!(f, "{bytes}"),
            (None, Some(ios)) => write!(f, "{ios} I/Os"),
            (None, None) => f.write_str("no end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole() {
        let quota = Quota {
            bytes: Some(Bytes(10)),
            ios: None,
        };
        let parts: Vec<u64> = (0..3)
            .filter_map(|n| quota.part(n, 3).bytes.map(|b| b.0))
            .collect();
        assert_eq!(parts, [4, 3, 3]);
        assert_eq!(quota.part(0, 1), quota);
    }
}
