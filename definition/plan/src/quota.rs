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
    /// How many times the bytes of its range are moved; whoever opens the target makes bytes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<u64>,
}

impl Quota {
    /// Whether the stream goes on until its step ends.
    pub fn is_none(&self) -> bool {
        *self == Quota::default()
    }

    /// With the passes as bytes, now that the size of the range is known.
    pub fn resolved(self, range_bytes: u64) -> Quota {
        let moved = self.passes.map(|n| Bytes(n.saturating_mul(range_bytes)));
        Quota {
            bytes: self.bytes.into_iter().chain(moved).min(),
            passes: None,
            ..self
        }
    }

    /// Part `number` of `of` equal ones; what is left over is the first one's.
    pub fn part(self, number: u32, of: u32) -> Quota {
        let part = |all: u64| {
            let rest = if number == 0 { all % u64::from(of) } else { 0 };
            all / u64::from(of) + rest
        };
        Quota {
            bytes: self.bytes.map(|b| Bytes(part(b.0))),
            ios: self.ios.map(part),
            passes: self.passes,
        }
    }
}

impl fmt::Display for Quota {
    /// `1GiB or 1000 I/Os`; nothing where there is no end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passes = self.passes.map(|n| match n {
            1 => "its range once".to_string(),
            n => format!("its range {n} times"),
        });
        let bytes = self.bytes.map(|b| b.to_string());
        let ios = self.ios.map(|n| format!("{n} I/Os"));
        let parts: Vec<String> = [bytes, passes, ios].into_iter().flatten().collect();
        f.write_str(&parts.join(" or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole() {
        let quota = Quota {
            bytes: Some(Bytes(10)),
            ..Quota::default()
        };
        let parts: Vec<u64> = (0..3)
            .filter_map(|n| quota.part(n, 3).bytes.map(|b| b.0))
            .collect();
        assert_eq!(parts, [4, 3, 3]);
        assert_eq!(quota.part(0, 1), quota);
    }

    #[test]
    fn passes_are_bytes_once_the_range_is_known() {
        let quota = Quota {
            bytes: Some(Bytes(100)),
            ios: Some(7),
            passes: Some(3),
        };
        let resolved = quota.resolved(20);
        assert_eq!((resolved.bytes, resolved.passes), (Some(Bytes(60)), None));
        assert_eq!(quota.resolved(50).bytes, Some(Bytes(100)));
        assert_eq!(quota.resolved(u64::MAX).bytes, Some(Bytes(100)));
        assert_eq!(quota.to_string(), "100B or its range 3 times or 7 I/Os");
    }
}
