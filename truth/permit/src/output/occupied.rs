//! Who uses a file that would be written.

use super::place::Place;
use plimsoll_witness::Root;
use plimsoll_witness::occupancy::{Use, uses_of_file};
use plimsoll_witness::openers;

/// The uses of the file that was found at a place: loop devices, swap, whoever has it open for writing. Of a file that may
/// not be read only the programs are known.
pub(super) fn uses(place: &Place) -> Vec<Use> {
    let Some(found) = &place.there else {
        return Vec::new();
    };
    let root = Root::system();
    match found.read() {
        Ok(file) => uses_of_file(&root, &file, &place.real_path()),
        Err(_) => {
            let (dev, inode) = found.identity();
            openers::of_file(&root, dev, inode)
        }
    }
}
