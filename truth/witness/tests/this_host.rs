//! What the witness says of the host that the tests run on; printed, and checked for what must hold anywhere.

use plimsoll_witness::{Root, inventory};

#[test]
fn every_device_here_has_a_name_and_a_verdict_and_mounted_ones_are_refused() {
    let devices = inventory::list(&Root::system());
    println!("{}", inventory::table(&devices));
    for device in &devices {
        assert!(!device.names.is_empty(), "{}", device.path.display());
        if !device.uses.is_empty() {
            assert!(
                matches!(device.write, inventory::Write::Refused { .. }),
                "{device:?}"
            );
        }
    }
}
