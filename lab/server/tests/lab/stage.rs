//! Small labs on sockets of their own.

use plimsoll_server::{Endpoint, Server, ServerOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A lab, and the folder that its sockets are in.
pub struct Stage {
    pub server: Server,
    pub folder: TempDir,
}

impl Stage {
    /// LUNs of 64 MiB behind two paths, answering at once.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same, with changes.
    pub fn with(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let folder = TempDir::new().unwrap();
        let server = Server::start(options(folder.path(), change)).unwrap();
        Stage { server, folder }
    }

    /// The socket of a path.
    pub fn socket(&self, path: usize) -> PathBuf {
        socket(self.folder.path(), path)
    }
}

/// What [`Stage::with`] starts.
pub fn options(folder: &Path, change: impl FnOnce(&mut ServerOptions)) -> ServerOptions {
    let mut options = ServerOptions::persona("scale-out-flash-8").unwrap();
    options.lun_bytes = Some(64 << 20);
    options.endpoints = (0..2)
        .map(|path| Endpoint::Unix(socket(folder, path)))
        .collect();
    options.timing = false;
    change(&mut options);
    options
}

fn socket(folder: &Path, path: usize) -> PathBuf {
    folder.join(format!("path{path}.sock"))
}

/// Waits for something that is about to come true.
pub fn soon(mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it never came true"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}
