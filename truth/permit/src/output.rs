//! What is written beside the targets: pages, exports, records, man pages, a lab's backing file.
//!
//! One rule for all of it. A permit is asked for a name before any work is done ([`OutputPermit::ask`]), and it is for
//! the file that has the name then, or for nobody having it. Opening consumes the permit: the content goes into a file
//! beside, which takes the name when it is whole. What loses the name must be the very file that was judged; else it
//! gets its name back and the writing is refused. So a link or a folder that is swapped meanwhile redirects nothing, and a
//! program that dies leaves the old file or the new one, and at most a file with a name of its own ([`temporary`]) beside.

mod backing;
mod error;
mod file;
mod folder;
mod found;
mod judge;
mod leftover;
mod mark;
mod occupied;
mod place;
mod precious;
mod sparse;
mod swap;
pub mod temporary;

pub use backing::{BackingFile, BackingPermit};
pub use error::OutputError;
pub use file::OutputFile;
pub use folder::{FolderPermit, LiveFile, OutputFolder, Pages, mark_record};
pub use found::Found;
pub use judge::{OutputPermit, Rules};
pub use precious::{Precious, refuse_descriptor};
