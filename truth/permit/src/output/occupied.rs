//! Who uses a file that would be written.

use super::place::OutputPlace;
use plimsoll_witness::Root;
use plimsoll_witness::occupancy::{Subject, Use, uses_of_file};
use plimsoll_witness::openers::{self, Key};

/// The uses of the file that was found at a place: loop devices, swap, whoever has it open for writing. Of a file that may
/// not be read only the programs are known. Locks don't count: the file is replaced, and who reads it keeps the old one.
pub(super) fn uses(place: &OutputPlace) -> Vec<Use> {
    let Some(found) = &place.there else {
        return Vec::new();
    };
    let root = Root::system();
    let mut uses = match found.read() {
        Ok(file) => uses_of_file(&root, &file, &place.real_path()),
        Err(_) => {
            let (dev, inode) = found.identity();
            let subject = Subject::itself(place.real_path().display().to_string());
            openers::of(&root, &[(Key::File { dev, inode }, subject)])
        }
    };
    uses.retain(|used| !matches!(used, Use::Locked { .. }));
    uses
}
