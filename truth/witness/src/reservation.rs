//! SCSI persistent reservations: another host of a cluster has claimed the LUN.

use crate::sg_io;
use std::fs::File;

/// PERSISTENT RESERVE IN and its service action READ RESERVATION (SPC-4, 6.15).
const PERSISTENT_RESERVE_IN: u8 = 0x5E;
const READ_RESERVATION: u8 = 0x01;
const ANSWER_BYTES: usize = 24;

/// A reservation that a device reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    /// The holder's key.
    pub key: u64,
    /// What it keeps others from: `write exclusive`, `exclusive access`…
    pub kind: &'static str,
}

/// The device's reservation; `None` where there is none, or where the device or the caller's rights don't let it be
/// asked (virtio, NVMe, loop; SCSI without CAP_SYS_RAWIO).
pub fn reservation(device: &File) -> Option<Reservation> {
    parse(&ask(device)?)
}

fn ask(device: &File) -> Option<[u8; ANSWER_BYTES]> {
    let mut command = [0u8; 10];
    command[0] = PERSISTENT_RESERVE_IN;
    command[1] = READ_RESERVATION;
    command[8] = ANSWER_BYTES as u8;
    let mut answer = [0u8; ANSWER_BYTES];
    let done = sg_io::ask(device, &command, &mut answer)?;
    done.good.then_some(answer)
}

/// Header: generation, length of what follows; then key, four obsolete bytes, one reserved, scope and type.
fn parse(answer: &[u8; ANSWER_BYTES]) -> Option<Reservation> {
    let length = u32::from_be_bytes(answer[4..8].try_into().ok()?);
    if length < 16 {
        return None;
    }
    let kind = match answer[21] & 0x0F {
        0x1 => "write exclusive",
        0x3 => "exclusive access",
        0x5 => "write exclusive, registrants only",
        0x6 => "exclusive access, registrants only",
        0x7 => "write exclusive, all registrants",
        0x8 => "exclusive access, all registrants",
        _ => "of an unknown kind",
    };
    Some(Reservation {
        key: u64::from_be_bytes(answer[8..16].try_into().ok()?),
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_a_descriptor_names_holder_and_kind() {
        let mut answer = [0u8; ANSWER_BYTES];
        answer[7] = 16;
        answer[8..16].copy_from_slice(&0xABCD_0001u64.to_be_bytes());
        answer[21] = 0x05;
        let held = parse(&answer).unwrap();
        assert_eq!(held.key, 0xABCD_0001);
        assert_eq!(held.kind, "write exclusive, registrants only");
    }

    #[test]
    fn an_answer_without_a_descriptor_is_no_reservation() {
        assert_eq!(parse(&[0; ANSWER_BYTES]), None);
    }

    #[test]
    fn what_is_no_scsi_device_has_none() {
        assert_eq!(reservation(tempfile::tempfile().as_ref().unwrap()), None);
    }
}
