//! Hosts that carry out a plan together: who they are, and what each has.

use crate::{HostId, Location, Origins, TargetId};
use serde::{Deserialize, Serialize};

/// All hosts of a plan; none where it is carried out where it is read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hosts {
    /// They, in their order.
    pub list: Vec<Host>,
    /// A depth is that of all hosts together, as Vdbench's `threads=` is. Else each host has it for itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub depth_is_of_all: bool,
}

/// A host that carries out a part of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Its name in the definition.
    pub name: String,
    /// Where it is reached: a host name or an address.
    pub address: String,
    /// Who runs it there; `None`: whoever ssh takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// How an agent comes to be there.
    #[serde(default)]
    pub shell: Shell,
    /// Its part of rates, limits and split ranges, relative to the other hosts'.
    pub share: f64,
    /// Targets that are something else on this host: each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<(TargetId, Location)>,
    /// Where its fields were written.
    #[serde(default)]
    pub origins: Origins,
}

/// How an agent comes to be on a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shell {
    /// It is started over ssh, and ends with the run.
    #[default]
    Ssh,
    /// One runs there.
    Agent,
    /// It would be started over rsh, which sends all that is said in the clear: nobody does.
    Rsh,
}

impl Host {
    /// Whether it is the host that reads the plan: nothing is needed to reach it.
    pub fn is_here(&self) -> bool {
        const HERE: [&str; 4] = ["localhost", "127.0.0.1", "::1", "[::1]"];
        self.user.is_none() && HERE.contains(&self.address.as_str())
    }

    /// What ssh reaches it by: `10.0.0.7`, or `root@10.0.0.7` where a user is named.
    pub fn reached_by(&self) -> String {
        match &self.user {
            Some(user) => format!("{user}@{}", self.address),
            None => self.address.clone(),
        }
    }

    /// A host that is called what it is reached by.
    pub fn new(name: impl Into<String>) -> Host {
        let name = name.into();
        Host {
            address: name.clone(),
            name,
            user: None,
            shell: Shell::default(),
            share: 1.0,
            paths: Vec::new(),
            origins: Origins::default(),
        }
    }
}

/// Whether a text can only be the name or address of a host, or a user's: nothing that ssh takes for an option, and nothing that a
/// shell takes for a command.
pub fn names_somebody(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || ".-_:[]%".contains(c);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(fits)
}

impl Hosts {
    /// Whether the plan is carried out where it is read.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All, by their indices.
    pub fn ids(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.list.len() as u32).map(HostId)
    }
}
