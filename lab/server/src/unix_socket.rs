//! A name for a Unix socket: it's taken from a socket that nobody listens on, and given up by whoever bound it.

use plimsoll_permit::output::Found;
use rustix::fs::FileType;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use std::io;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

/// The name that a listener has. It goes with this, unless it has come to be another's.
#[derive(Debug)]
pub(crate) struct Bound {
    path: PathBuf,
    /// Held, so that no other socket can get its inode number while this one is looked for.
    socket: Option<Found>,
}

impl Bound {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // It may have been removed by hand; there is nothing left to do then.
        let _ = self.socket.as_ref().map(Found::remove);
    }
}

/// Listens there. A socket that nobody listens on any more is replaced; whatever else is there makes it fail, with the
/// system's own words.
pub(crate) fn bind(path: &Path) -> io::Result<(UnixListener, Bound)> {
    if let Some(old) = Found::at(path)?
        && is_stale(&old)
    {
        old.remove()?;
    }
    let listener = UnixListener::bind(path)?;
    let made = Found::at(path)?.filter(|found| found.file_type() == FileType::Socket);
    let bound = Bound {
        path: path.to_owned(),
        socket: made,
    };
    Ok((listener, bound))
}

/// True for a socket that refuses connections. One whose queue is full, or that is of another kind, is alive.
fn is_stale(found: &Found) -> bool {
    if found.file_type() != FileType::Socket {
        return false;
    }
    let refused = || -> rustix::io::Result<bool> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let probe = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        // This very socket, whatever the name leads to now.
        let address = SocketAddrUnix::new(found.path())?;
        Ok(connect(&probe, &address) == Err(Errno::CONNREFUSED))
    };
    refused().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::net::{UnixDatagram, UnixStream};

    #[test]
    fn a_socket_that_nobody_listens_on_is_replaced_and_one_that_is_alive_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        drop(UnixListener::bind(&path).unwrap());
        let (listener, bound) = bind(&path).unwrap();
        UnixStream::connect(&path).unwrap();
        assert_eq!(bind(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        UnixStream::connect(&path).unwrap();
        drop((listener, bound));
        assert!(!path.exists());

        let _messages = UnixDatagram::bind(&path).unwrap();
        assert_eq!(bind(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        assert!(path.exists());
    }

    #[test]
    fn what_is_no_socket_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "mine").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for path in [&file, &link] {
            assert_eq!(bind(path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        }
        assert_eq!(fs::read(&file).unwrap(), b"mine");
        assert!(link.is_symlink());
    }

    #[test]
    fn a_socket_that_somebody_else_bound_there_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let bound = bind(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let _other = UnixListener::bind(&path).unwrap();
        drop(bound);
        UnixStream::connect(&path).expect("still there");

        let bound = bind(&folder.path().join("t")).unwrap();
        fs::rename(&path, folder.path().join("t")).unwrap();
        drop(bound);
        UnixStream::connect(folder.path().join("t")).expect("still there");
    }
}
