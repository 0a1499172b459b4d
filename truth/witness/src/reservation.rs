//! SCSI persistent reservations: another host of a cluster has claimed the LUN.

use std::fs::File;
use std::os::fd::AsRawFd;

/// `SG_IO` of `scsi/sg.h`.
const SG_IO: libc::c_ulong = 0x2285;
const SG_DXFER_FROM_DEV: libc::c_int = -3;
/// PERSISTENT RESERVE IN and its service action READ RESERVATION (SPC-4, 6.15).
const PERSISTENT_RESERVE_IN: u8 = 0x5E;
const READ_RESERVATION: u8 = 0x01;
const ANSWER_BYTES: usize = 24;
const TIMEOUT_MS: libc::c_uint = 2_000;

/// `struct sg_io_hdr` of `scsi/sg.h`, interface version 3.
#[repr(C)]
struct SgIoHeader {
    interface_id: libc::c_int,
    direction: libc::c_int,
    command_length: libc::c_uchar,
    sense_length_max: libc::c_uchar,
    scatter_count: libc::c_ushort,
    transfer_length: libc::c_uint,
    transfer: *mut libc::c_void,
    command: *mut libc::c_uchar,
    sense: *mut libc::c_uchar,
    timeout_ms: libc::c_uint,
    flags: libc::c_uint,
    pack_id: libc::c_int,
    user: *mut libc::c_void,
    status: libc::c_uchar,
    masked_status: libc::c_uchar,
    message_status: libc::c_uchar,
    sense_length: libc::c_uchar,
    host_status: libc::c_ushort,
    driver_status: libc::c_ushort,
    residue: libc::c_int,
    duration_ms: libc::c_uint,
    info: libc::c_uint,
}

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
    let mut sense = [0u8; 32];
    let mut header = SgIoHeader {
        interface_id: libc::c_int::from(b'S'),
        direction: SG_DXFER_FROM_DEV,
        command_length: command.len() as u8,
        sense_length_max: sense.len() as u8,
        scatter_count: 0,
        transfer_length: ANSWER_BYTES as u32,
        transfer: answer.as_mut_ptr().cast(),
        command: command.as_mut_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms: TIMEOUT_MS,
        flags: 0,
        pack_id: 0,
        user: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        message_status: 0,
        sense_length: 0,
        host_status: 0,
        driver_status: 0,
        residue: 0,
        duration_ms: 0,
        info: 0,
    };
    // SAFETY: the descriptor is open for as long as `device` is borrowed; the header has the layout that SG_IO expects
    // and its three pointers are to arrays of the lengths given, which live until the call returns. No safe wrapper
    // for SG_IO exists in rustix or libc.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), SG_IO as _, &raw mut header) };
    let done =
        result == 0 && header.status == 0 && header.host_status == 0 && header.driver_status == 0;
    done.then_some(answer)
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
