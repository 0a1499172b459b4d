//! A wire within one process.

use super::Wire;
use crate::FleetError;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

type Lines = HashMap<String, Vec<Sender<Vec<u8>>>>;

/// Board that joins all plugs.
#[derive(Debug, Clone, Default)]
pub struct Switchboard {
    lines: Arc<Mutex<Lines>>,
}

/// One who sends and listens.
#[derive(Debug)]
pub struct Plug {
    board: Switchboard,
    own: Sender<Vec<u8>>,
    incoming: Receiver<Vec<u8>>,
}

impl Switchboard {
    /// One more who sends and listens.
    pub fn plug(&self) -> Plug {
        let (own, incoming) = channel();
        Plug {
            board: self.clone(),
            own,
            incoming,
        }
    }
}

impl Wire for Plug {
    fn send(&self, subject: &str, bytes: Vec<u8>) -> Result<(), FleetError> {
        let mut lines = self
            .board
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(listeners) = lines.get_mut(subject) {
            listeners.retain(|l| l.send(bytes.clone()).is_ok());
        }
        Ok(())
    }

    fn fits(&self, _: usize) -> Result<(), FleetError> {
        Ok(())
    }

    fn listen(&self, subject: &str) -> Result<(), FleetError> {
        let mut lines = self
            .board
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        lines
            .entry(subject.into())
            .or_default()
            .push(self.own.clone());
        Ok(())
    }

    fn receive(&self, wait: Duration) -> Option<Vec<u8>> {
        self.incoming.recv_timeout(wait).ok()
    }
}
