//! The shelf: the records below a folder as pages. They are listed, searched, shown, compared by `compare`'s rules, and a test is
//! followed over weeks. A record that is still written is shown while it grows.
//!
//! An index holds what is known of each record: an SQLite file among the user's caches that can be thrown away. A record is read again
//! where its size or time has changed. Nothing in the folder is ever changed. The content of a record may come from anywhere, so all
//! text enters a page through one place, and the browser runs nothing but the program's own script.

mod follow;
mod index;
mod item;
mod level;
mod page;
mod routes;
mod scan;
mod search;
mod shelf;
mod trend;

use plimsoll_http::{Http, HttpOptions};
use plimsoll_report::catalogue::Entry;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Options of a shelf: the folder that is served, and the address.
#[derive(Debug, Clone)]
pub struct ShelfOptions {
    /// The folder with the records.
    pub folder: PathBuf,
    /// The user's folder of caches; `None`: what is known of the records is kept in memory.
    pub cache: Option<PathBuf>,
    /// True where its pages may stop a run that goes on here.
    pub control: bool,
    /// Address that it is served on, and the clients that it answers.
    pub http: HttpOptions,
}

/// Reason why there is no shelf.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// The folder cannot be read.
    #[error("{} is no folder that can be read: {why}; name one with records in it", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        why: std::io::Error,
    },
    /// The index cannot be made.
    #[error("the index of the records cannot be made: {0}")]
    Index(#[from] rusqlite::Error),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {why}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        why: std::io::Error,
    },
    /// A thread cannot be had.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// A file that no record could be read from, and why.
pub type Unreadable = (PathBuf, String);

/// The records in a folder itself, the oldest first, and the files that look like records and cannot be read. Paths begin with the folder.
/// What the index among the user's caches knows of a record that has not changed is not read again.
///
/// # Errors
/// The folder cannot be read.
pub fn records_in(
    folder: &Path,
    cache: Option<&Path>,
) -> Result<(Vec<Entry>, Vec<Unreadable>), ShelfError> {
    let wrong = |why| ShelfError::Folder {
        folder: folder.to_owned(),
        why,
    };
    std::fs::read_dir(folder).map_err(wrong)?;
    let shelf = shelf::Shelf::open(folder, cache)?;
    let read = shelf.here();
    let (mut entries, mut unread) = read.map_err(|e| wrong(std::io::Error::other(e)))?;
    entries
        .iter_mut()
        .for_each(|entry| entry.record = folder.join(&entry.record));
    unread
        .iter_mut()
        .for_each(|(path, _)| *path = folder.join(&path));
    Ok((entries, unread))
}

/// A shelf that is served. It ends when it is dropped.
pub struct Server {
    http: Http,
    /// Reader, dropped after the pages.
    _reader: shelf::Reader,
}

impl Server {
    /// Listens, and begins to read the records.
    ///
    /// # Errors
    /// The folder cannot be read, or the address cannot be had.
    pub fn start(options: ShelfOptions) -> Result<Self, ShelfError> {
        let readable = std::fs::read_dir(&options.folder);
        readable.map_err(|why| ShelfError::Folder {
            folder: options.folder.clone(),
            why,
        })?;
        let shelf = shelf::Shelf::open(&options.folder, options.cache.as_deref())?;
        let reader = shelf.start_reader().map_err(ShelfError::Thread)?;
        let (address, control) = (options.http.address, options.control);
        let http = HttpOptions {
            // A report is made on it.
            stack: 8 << 20,
            ..options.http
        };
        let http = Http::start(http, routes::Pages::of(shelf, control));
        Ok(Server {
            http: http.map_err(|why| ShelfError::Listen { address, why })?,
            _reader: reader,
        })
    }

    /// Address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.http.address
    }
}
