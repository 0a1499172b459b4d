//! What carries packets: NATS between hosts, and a switchboard within a process.

mod nats;
mod within;

pub use nats::{Nats, NatsOptions};
pub use within::{Plug, Switchboard};

use crate::FleetError;
use std::time::Duration;

/// Something that carries packets by subjects. It may lose them, repeat them and let one overtake another.
pub trait Wire: Send {
    /// Sends to whoever listens to a subject.
    ///
    /// # Errors
    /// [`FleetError::TooLong`] of what would never get through; what is lost on the way is no error.
    fn send(&self, subject: &str, bytes: Vec<u8>) -> Result<(), FleetError>;

    /// Refuses a packet of so many bytes where it would not get through.
    ///
    /// # Errors
    /// [`FleetError::TooLong`] where not.
    fn fits(&self, bytes: usize) -> Result<(), FleetError>;

    /// Listens to a subject from now on.
    fn listen(&self, subject: &str) -> Result<(), FleetError>;

    /// The next that came to one of the subjects, waiting for so long.
    fn receive(&self, wait: Duration) -> Option<Vec<u8>>;
}

/// Subject that all agents listen on.
pub const ALL: &str = "plimsoll.1.all";

/// Subject that one agent listens on.
pub fn of_agent(agent: &str) -> String {
    format!("plimsoll.1.agent.{agent}")
}

/// Subject that a controller listens on.
pub fn of_controller(controller: &str) -> String {
    format!("plimsoll.1.controller.{controller}")
}
