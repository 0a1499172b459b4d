//! Where a server listens, and the sockets that come of it.

use crate::unix_socket::{self, Bound};
use plimsoll_array::masking::Client;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, sockopt};
use std::fmt;
use std::io::IoSlice;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Duration;

/// A place to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A TCP address; port 0 takes a free one.
    Tcp(SocketAddr),
    /// A Unix socket. One that nobody listens on any more is replaced, and it goes when the server stops.
    Unix(PathBuf),
}

impl Endpoint {
    /// The URI of an export here, as NBD clients take it; `tls`: for those that insist on TLS.
    pub fn uri(&self, export: &str, tls: bool) -> String {
        let scheme = if tls { "nbds" } else { "nbd" };
        match self {
            Endpoint::Tcp(address) => format!("{scheme}://{address}/{export}"),
            Endpoint::Unix(socket) => {
                let socket = escaped(socket.as_os_str().as_bytes());
                format!("{scheme}+unix:///{export}?socket={socket}")
            }
        }
    }

    /// True where nobody but this host gets to it.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            Endpoint::Tcp(address) => address.ip().to_canonical().is_loopback(),
            Endpoint::Unix(_) => true,
        }
    }
}

/// Bytes that mean something in a URI, and those that are none of its characters, as `%20`.
fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"/-._~:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Endpoint::Tcp(address) => address.fmt(f),
            Endpoint::Unix(path) => path.display().fmt(f),
        }
    }
}

/// Who has connected.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// What to call it: its address, or its process.
    pub name: String,
    /// By what igroups know it.
    pub client: Client,
}

/// A socket that listens.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, Bound),
}

impl Listener {
    pub(crate) fn bind(endpoint: &Endpoint) -> std::io::Result<Self> {
        Ok(match endpoint {
            Endpoint::Tcp(address) => Listener::Tcp(TcpListener::bind(address)?),
            Endpoint::Unix(path) => {
                let (listener, bound) = unix_socket::bind(path)?;
                Listener::Unix(listener, bound)
            }
        })
    }

    /// Where it listens in fact.
    pub(crate) fn endpoint(&self) -> std::io::Result<Endpoint> {
        Ok(match self {
            Listener::Tcp(listener) => Endpoint::Tcp(listener.local_addr()?),
            Listener::Unix(_, bound) => Endpoint::Unix(bound.path().to_owned()),
        })
    }

    /// The next client.
    pub(crate) fn accept(&self) -> std::io::Result<(Stream, Caller)> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, peer) = listener.accept()?;
                stream.set_nodelay(true)?;
                // Finds out within a few minutes that a client's host is gone.
                sockopt::set_socket_keepalive(&stream, true)?;
                sockopt::set_tcp_keepidle(&stream, Duration::from_secs(60))?;
                sockopt::set_tcp_keepintvl(&stream, Duration::from_secs(10))?;
                let (name, client) = (peer.to_string(), Client::Ip(peer.ip()));
                Ok((Stream(stream.into()), Caller { name, client }))
            }
            Listener::Unix(listener, _) => {
                let (stream, _) = listener.accept()?;
                let fd = OwnedFd::from(stream);
                let peer = sockopt::socket_peercred(&fd)?;
                let name = format!("pid {}", peer.pid.as_raw_nonzero());
                let uid = peer.uid.as_raw();
                let client = Client::Unix { uid };
                Ok((Stream(fd), Caller { name, client }))
            }
        }
    }

    /// Wakes whoever waits in [`Listener::accept`], now and from now on.
    pub(crate) fn close(&self) {
        let fd = match self {
            Listener::Tcp(listener) => listener.as_fd(),
            Listener::Unix(listener, _) => listener.as_fd(),
        };
        // Closed already is closed as well.
        let _ = rustix::net::shutdown(fd, Shutdown::Both);
    }
}

/// A connected socket.
#[derive(Debug)]
pub(crate) struct Stream(OwnedFd);

impl Stream {
    /// Waits for bytes; 0 when the other side has hung up.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> rustix::io::Result<usize> {
        self.recv(buffer, RecvFlags::empty())
    }

    /// Bytes that are there; `None` when there are none, 0 when the other side has hung up.
    pub(crate) fn try_receive(&self, buffer: &mut [u8]) -> rustix::io::Result<Option<usize>> {
        match self.recv(buffer, RecvFlags::DONTWAIT) {
            Err(Errno::AGAIN) => Ok(None),
            other => other.map(Some),
        }
    }

    fn recv(&self, buffer: &mut [u8], flags: RecvFlags) -> rustix::io::Result<usize> {
        loop {
            match rustix::net::recv(&self.0, &mut *buffer, flags) {
                Err(Errno::INTR) => {}
                other => return other.map(|(_, n)| n),
            }
        }
    }

    /// Sends what the socket takes now; how many bytes that was.
    pub(crate) fn try_send(&self, bytes: &[u8]) -> rustix::io::Result<usize> {
        loop {
            match rustix::net::send(&self.0, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(0),
                other => return other,
            }
        }
    }

    /// As [`Stream::try_send`], of several pieces one after the other.
    pub(crate) fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> rustix::io::Result<usize> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        loop {
            let mut nothing_else = SendAncillaryBuffer::default();
            match rustix::net::sendmsg(&self.0, parts, &mut nothing_else, flags) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(0),
                other => return other,
            }
        }
    }

    /// Ends the conversation; whoever waits for bytes gets none.
    pub(crate) fn hang_up(&self) {
        // Closed already is closed as well.
        let _ = rustix::net::shutdown(&self.0, Shutdown::Both);
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_hides_what_would_mean_something_in_it() {
        let uri = |socket: &str| Endpoint::Unix(PathBuf::from(socket)).uri("a@v3_0/lun1", false);
        assert_eq!(
            uri("/run/array.sock-1"),
            "nbd+unix:///a@v3_0/lun1?socket=/run/array.sock-1"
        );
        assert_eq!(
            uri("my arrays/50%&more.sock"),
            "nbd+unix:///a@v3_0/lun1?socket=my%20arrays/50%25%26more.sock"
        );
    }

    #[test]
    fn only_loopback_and_sockets_are_out_of_other_hosts_reach() {
        let tcp = |text: &str| Endpoint::Tcp(text.parse().expect("an address"));
        for local in [
            "127.0.0.1:1",
            "127.9.9.9:1",
            "[::1]:1",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert!(tcp(local).is_local(), "{local}");
        }
        for reached in [
            "0.0.0.0:1",
            "[::]:1",
            "10.0.0.1:1",
            "[::ffff:0.0.0.0]:1",
            "[fe80::1]:1",
        ] {
            assert!(!tcp(reached).is_local(), "{reached}");
        }
        assert!(Endpoint::Unix(PathBuf::from("s")).is_local());
    }
}
