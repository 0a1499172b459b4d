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
pub use clock::now_ns;
pub use controller::{Crew, CrewOptions, FoundAgent, OnLost, late, who_is_there};
pub use error::FleetError;
pub use launch::{LaunchOptions, Launched, Reach, Secrets, keep_server, launch};
pub use link::{LEASE, SHORTEST_LEASE};
pub use seal::drawn_id;
pub use wire::{Nats, NatsOptions, Wire};
