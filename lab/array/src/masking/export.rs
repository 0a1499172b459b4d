//! What is shown to whom, and how it can be reached.

use super::EVERYONE;
use serde::{Deserialize, Serialize};

/// An export as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// The LUN, from 0.
    pub lun: u32,
    /// The ports, by name; all of them where nothing is said.
    pub ports: Option<Vec<String>>,
    /// To whom; to everyone where nothing is said.
    #[serde(default = "everyone")]
    pub igroup: String,
    /// The number by which the igroup's hosts know it; the first that is free, from 1, where nothing is said.
    pub lun_id: Option<u32>,
    /// The LUN's name, for those who look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The container that the LUN is in, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
}

fn everyone() -> String {
    EVERYONE.to_owned()
}

/// A LUN that an igroup sees, over which ports, and as which number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// Its number, which is never used again.
    pub id: u32,
    /// The LUN, from 0.
    pub lun: u32,
    /// The ports, by number; at least one.
    pub ports: Vec<u32>,
    /// To whom.
    pub igroup: String,
    /// The number by which the igroup's hosts know it.
    pub lun_id: u32,
    /// The LUN's name, for those who look.
    pub name: Option<String>,
    /// The container that the LUN is in, likewise.
    pub container: Option<String>,
}

impl Export {
    /// How it can be reached where these ports can be, in order.
    pub fn state(&self, ports_work: &[bool]) -> ExportState {
        let works = |port: &&u32| ports_work.get(**port as usize) == Some(&true);
        match self.ports.iter().filter(works).count() {
            0 => ExportState::Down,
            1 => ExportState::Degraded,
            _ => ExportState::Ha,
        }
    }

    /// Both show something to the same igroup over the same port.
    pub(super) fn meets(&self, igroup: &str, ports: &[u32]) -> bool {
        self.igroup == igroup && self.ports.iter().any(|p| ports.contains(p))
    }
}

/// How an export can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportState {
    /// Over two ports or more: one of them may go.
    Ha,
    /// Over one port.
    Degraded,
    /// Over none.
    Down,
}

impl ExportState {
    /// As an array prints it.
    pub fn name(self) -> &'static str {
        match self {
            ExportState::Ha => "HA",
            ExportState::Degraded => "degraded",
            ExportState::Down => "down",
        }
    }
}

impl Serialize for ExportState {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
