//! Who uses a file that would be written.

use super::place::Place;
use plimsoll_witness::Root;
use plimsoll_witness::occupancy::{Use, uses_of_file};

/// The uses of the file that was found at a place: loop devices, swap, programs that have it open for writing.
pub(super) fn uses(place: &Place) -> Vec<Use> {
    uses_of_file(&Root::system(), &place.real_path())
}
