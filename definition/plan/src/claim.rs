//! What a result is to stand for: the same run can be sound for one claim and void for another.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What is claimed of a result.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// What caches give: the working set may fit into one, and is meant to.
    Cached,
    /// What the storage gives for the time of the run, whatever comes after.
    Burst,
    /// What the storage gives for as long as it is asked.
    #[default]
    Sustained,
    /// What the device or the array itself gives: nothing between it and the generator may have a part in it.
    Device,
    /// What the host can issue; the storage is only there to answer.
    Host,
}

impl Claim {
    /// All, in the order of their numbers.
    pub const ALL: [Claim; 5] = [
        Claim::Cached,
        Claim::Burst,
        Claim::Sustained,
        Claim::Device,
        Claim::Host,
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Claim::Cached => "cached",
            Claim::Burst => "burst",
            Claim::Sustained => "sustained",
            Claim::Device => "device",
            Claim::Host => "host",
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is no claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no claim; there are cached, burst, sustained, device and host")]
pub struct ClaimError(String);

impl FromStr for Claim {
    type Err = ClaimError;

    fn from_str(text: &str) -> Result<Self, ClaimError> {
        let known = Claim::ALL.into_iter().find(|claim| claim.name() == text);
        known.ok_or_else(|| ClaimError(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_read_as_it_is_written() {
        for claim in Claim::ALL {
            assert_eq!(claim.to_string().parse(), Ok(claim));
        }
        let refused = "fast".parse::<Claim>().unwrap_err().to_string();
        assert!(refused.contains("sustained"), "{refused}");
    }
}
