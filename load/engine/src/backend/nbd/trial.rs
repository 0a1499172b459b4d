//! Paths that are down are tried in threads of their own, so that the loop never waits for them.

use super::client::Client;
use super::error::ClientError;
use super::stream::Stream;
use super::volume::Volume;
use plimsoll_nbd::Session;
use plimsoll_plan::NbdUri;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What a trial came to.
#[derive(Debug)]
pub(super) struct Tried {
    /// Index of the volume among the worker's.
    pub volume: usize,
    /// Index of the path among the volume's.
    pub path: usize,
    pub result: Result<(Stream, Session), ClientError>,
}

/// Where trials report.
#[derive(Debug)]
pub(super) struct Trials {
    sender: Sender<Tried>,
    receiver: Receiver<Tried>,
    /// Has something to read when a trial has reported.
    bell: UnixStream,
    button: Arc<UnixStream>,
}

impl Trials {
    pub fn new() -> io::Result<Self> {
        let (bell, button) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        button.set_nonblocking(true)?;
        let (sender, receiver) = channel();
        Ok(Trials {
            sender,
            receiver,
            bell,
            button: Arc::new(button),
        })
    }

    /// Descriptor to wait for.
    pub fn fd(&self) -> RawFd {
        self.bell.as_raw_fd()
    }

    /// Tries a path. Without a thread to do it in, the trial has failed.
    pub fn start(&self, volume: &Arc<Volume>, number: usize, path: usize) {
        let report = self.sender.clone();
        let button = Arc::clone(&self.button);
        let volume = Arc::clone(volume);
        let spawned = std::thread::Builder::new()
            .name("path-trial".into())
            .spawn(move || {
                let result = attempt(&volume, &volume.plan.paths[path]);
                let tried = Tried {
                    volume: number,
                    path,
                    result,
                };
                // The worker may have ended; then nobody waits. A full socket has rung already.
                if report.send(tried).is_ok() {
                    let _ = (&*button).write(&[1]);
                }
            });
        if let Err(error) = spawned {
            let _ = self.sender.send(Tried {
                volume: number,
                path,
                result: Err(ClientError::Connect(error)),
            });
        }
    }

    /// The next report.
    pub fn next(&mut self) -> Option<Tried> {
        let mut rung = [0; 16];
        // Nothing to read is as good.
        let _ = self.bell.read(&mut rung);
        self.receiver.try_recv().ok()
    }
}

/// Connects, and reads one block: a server that only answers the handshake is of no use.
pub(super) fn attempt(volume: &Volume, uri: &NbdUri) -> Result<(Stream, Session), ClientError> {
    let mut client = Client::connect(uri, false, volume.patience())?;
    volume.accepts(client.session())?;
    let unit = u64::from(client.session().export.block_sizes.minimum.max(512));
    let mut block = vec![0; unit.min(volume.session.export.size) as usize];
    if !block.is_empty() {
        client.read(0, &mut block)?;
    }
    client.into_parts()
}
