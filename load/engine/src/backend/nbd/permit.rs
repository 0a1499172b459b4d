//! Leave to write to a volume.

use super::client::Client;
use super::{ClientError, Volume};
use plimsoll_permit::Refusal;
use plimsoll_permit::target::{ExportPermit, VolumeReader, assess_export};
use plimsoll_plan::NbdTarget;

impl VolumeReader for Client {
    type Error = ClientError;

    fn size_bytes(&self) -> u64 {
        self.session().export.size
    }

    fn unit_bytes(&self) -> u64 {
        u64::from(self.session().export.block_sizes.minimum)
    }

    fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), ClientError> {
        self.read(offset, bytes)
    }

    fn leave(self) {
        Client::leave(self);
    }
}

/// Permit to write the volume, or the refusal of one; `destroy` has the names that were given with `--destroy`. A name is one of its
/// addresses, or all of them with commas between.
pub fn permit(target: &NbdTarget, destroy: &[String]) -> Result<ExportPermit, Refusal> {
    let first = target.paths.iter().take(1).map(ToString::to_string);
    let meant = destroy.iter().filter(|given| is_meant(given, target));
    let names: Vec<String> = first.chain(meant.cloned()).collect();
    assess_export(&target.to_string(), &names, destroy, || {
        Volume::open(target)
            .map_err(|error| error.to_string())?
            .client(false)
            .map_err(|error| error.to_string())
    })
}

/// True where a name given with `--destroy` means this volume.
pub fn is_meant(given: &str, target: &NbdTarget) -> bool {
    given == target.to_string() || given.parse().is_ok_and(|uri| target.paths.contains(&uri))
}
