//! Somebody between clients and a server's socket.

use super::others::Server;
use plimsoll_plan::{NbdServer, NbdUri};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The same server by way of another socket, and the socket that it listens on itself.
pub fn by_way_of(server: &Server, socket: &Path) -> (String, PathBuf) {
    let uri: NbdUri = server.uri.parse().expect("an address");
    let NbdServer::Unix(itself) = uri.server else {
        panic!("a Unix socket");
    };
    let (old, new) = (itself.display().to_string(), socket.display().to_string());
    (server.uri.replace(&old, &new), itself)
}

/// How much of what is said is counted: bytes that clients send, or that the server sends.
#[derive(Debug, Clone, Copy)]
pub enum After {
    Sent(i64),
    Answered(i64),
}

/// Passes on what is said between clients and a server's socket. After so many bytes it does `then`, passes the last of them
/// on and cuts that connection, once.
pub fn cutting(
    server: PathBuf,
    socket: PathBuf,
    after: After,
    then: impl Fn() + Send + Sync + 'static,
) {
    let listener = UnixListener::bind(socket).expect("a socket");
    let (bytes, is_of_server) = match after {
        After::Sent(bytes) => (bytes, false),
        After::Answered(bytes) => (bytes, true),
    };
    let shared = Arc::new((AtomicI64::new(bytes), then));
    // The threads end with the test's process.
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = UnixStream::connect(&server) else {
                continue;
            };
            let ends = [(&client, &server, false), (&server, &client, true)];
            for (from, to, is_down) in ends {
                let counts = is_down == is_of_server;
                let from = from.try_clone().expect("a second handle");
                let to = to.try_clone().expect("a second handle");
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    let (left, then) = &*shared;
                    pass_on(from, to, |bytes| {
                        let before = if counts {
                            left.fetch_sub(bytes, Ordering::SeqCst)
                        } else {
                            0
                        };
                        let is_last = before > 0 && before <= bytes;
                        if is_last {
                            then();
                        }
                        is_last
                    });
                });
            }
        }
    });
}

/// Passes on what comes until an end, or until `is_last` says so of the bytes of a piece.
fn pass_on(mut from: UnixStream, mut to: UnixStream, mut is_last: impl FnMut(i64) -> bool) {
    let mut bytes = vec![0; 1000];
    while let Ok(n) = from.read(&mut bytes)
        && n > 0
    {
        let last = is_last(n as i64);
        if to.write_all(&bytes[..n]).is_err() || last {
            break;
        }
    }
    // One that is gone already needs no end.
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
