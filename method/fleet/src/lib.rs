//! A rig of many hosts: one plan, one set of methods, one record, because a method only sees completed steps.
//!
//! The controller divides a plan, has every host look at it, and orders one step after the other. Agents carry out their parts
//! with all checks of a run of their own, into records of their own, and stream their intervals. Between them is a [`Wire`]
//! that may lose, repeat and reorder what it carries.
//!
//! | | |
//! |---|---|
//! | [`message`] | what goes over the wire, signed and bounded |
//! | [`link`] | from letters that may be lost to an order that is whole |
//! | [`clock`] | another host's clock, from round trips, with a bound |
//! | [`agent`] | who carries out a host's part |
//! | [`controller`] | who divides the plan, and puts together what comes back |
//! | [`handover`] | what another controller needs to go on with a run |
//! | [`launch`] | a server and agents for one run, over ssh |
//! | [`wire`] | NATS, and one within a process |

pub mod agent;
pub mod allowed;
pub mod clock;
pub mod controller;
mod error;
pub mod handover;
pub mod launch;
pub mod link;
pub mod message;
pub mod seal;
pub mod wire;

pub use agent::{AgentOptions, serve};
pub use allowed::Allowed;
pub use controller::{Crew, CrewOptions, OnLost, Seen, late, who_is_there};
pub use error::FleetError;
pub use launch::{LaunchOptions, Launched, Reach, Secrets, keep_server, launch};
pub use wire::{Nats, NatsOptions, Wire};

use std::time::Duration;

/// How long an agent goes on without a word from its controller, where nobody says.
pub const LEASE: Duration = Duration::from_secs(60);

/// The shortest lease: a word goes each second, and some may be lost.
pub const SHORTEST_LEASE: Duration = Duration::from_secs(6);

/// A word that nobody else draws: for a run, or an agent.
pub fn drawn_id() -> String {
    // A key of 32 random bytes; its first letter says what kind it is, and its last ones are a sum.
    nkeys::KeyPair::new_user().public_key()[2..26].to_string()
}

/// CLOCK_MONOTONIC of this host, ns: the clock that steps are begun by.
pub fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
