//! A socket to a server: TCP, or a Unix domain's.

use super::waited::{SLICE, Waited};
use plimsoll_plan::NbdServer;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A connected socket.
#[derive(Debug)]
pub enum Socket {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a Unix domain socket.
    Unix(UnixStream),
}

impl Socket {
    /// Connects; to each address of a host's name in turn, waiting for each no longer than `patience`. Reads and writes
    /// wait a [`SLICE`] at most.
    pub fn dial(server: &NbdServer, patience: Duration) -> io::Result<Self> {
        let socket = Socket::connect(server, patience)?;
        let slice = Some(SLICE);
        match &socket {
            Socket::Tcp(s) => {
                s.set_read_timeout(slice)?;
                s.set_write_timeout(slice)?;
            }
            Socket::Unix(s) => {
                s.set_read_timeout(slice)?;
                s.set_write_timeout(slice)?;
            }
        }
        Ok(socket)
    }

    fn connect(server: &NbdServer, patience: Duration) -> io::Result<Self> {
        match server {
            NbdServer::Unix(path) => dial_unix(path, patience).map(Socket::Unix),
            NbdServer::Tcp { host, port } => {
                let mut refusal = io::Error::other("the name has no address");
                for address in (host.as_str(), *port).to_socket_addrs()? {
                    match TcpStream::connect_timeout(&address, patience) {
                        Ok(socket) => {
                            // A request must not wait for the last one's acknowledgement.
                            socket.set_nodelay(true)?;
                            return Ok(Socket::Tcp(socket));
                        }
                        Err(e) => refusal = e,
                    }
                }
                Err(refusal)
            }
        }
    }

    /// From now on reads and writes that would wait fail with [`io::ErrorKind::WouldBlock`].
    pub fn never_block(&self) -> io::Result<()> {
        match self {
            Socket::Tcp(s) => s.set_nonblocking(true),
            Socket::Unix(s) => s.set_nonblocking(true),
        }
    }

    /// Says that nothing more will be sent. The server answers what it has, and hangs up.
    pub fn end(&self) {
        // A socket that is broken needs no end.
        let _ = match self {
            Socket::Tcp(s) => s.shutdown(Shutdown::Write),
            Socket::Unix(s) => s.shutdown(Shutdown::Write),
        };
    }

    /// Closes so that nothing which the kernel still holds is sent any more.
    pub fn reset(self) {
        if let Socket::Tcp(socket) = &self {
            let at_once = libc::linger {
                l_onoff: 1,
                l_linger: 0,
            };
            // SAFETY: the option's value is a `linger` that lives through the call; the descriptor is open. A refusal
            // leaves an ordinary close.
            unsafe {
                libc::setsockopt(
                    socket.as_raw_fd(),
                    libc::SOL_SOCKET,
                    libc::SO_LINGER,
                    (&raw const at_once).cast(),
                    size_of::<libc::linger>() as libc::socklen_t,
                );
            }
        }
    }

    /// Descriptor of the socket.
    pub fn fd(&self) -> RawFd {
        match self {
            Socket::Tcp(s) => s.as_raw_fd(),
            Socket::Unix(s) => s.as_raw_fd(),
        }
    }
}

/// Connects to a socket in the file system. One whose server takes nobody lets us wait, too.
fn dial_unix(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    use rustix::net::sockopt::{Timeout, set_socket_timeout};
    use rustix::net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with,
    };
    let (family, cloexec) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
    let socket = socket_with(family, SocketType::STREAM, cloexec, None)?;
    set_socket_timeout(&socket, Timeout::Send, Some(SLICE))?;
    let address = SocketAddrUnix::new(path)?;
    Waited::new(patience).retry(|| Ok(connect(&socket, &address)?))?;
    Ok(socket.into())
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.read(into),
            Socket::Unix(s) => s.read(into),
        }
    }

    fn read_vectored(&mut self, into: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.read_vectored(into),
            Socket::Unix(s) => s.read_vectored(into),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.write(from),
            Socket::Unix(s) => s.write(from),
        }
    }

    fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.write_vectored(from),
            Socket::Unix(s) => s.write_vectored(from),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
