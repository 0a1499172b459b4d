//! A SCSI command to a device, by the kernel's SG_IO. What only asks is all that is sent from here.

use std::fs::File;
use std::os::fd::AsRawFd;

/// `SG_IO` of `scsi/sg.h`.
const SG_IO: libc::c_ulong = 0x2285;
const SG_DXFER_NONE: libc::c_int = -1;
const SG_DXFER_FROM_DEV: libc::c_int = -3;
const TIMEOUT_MS: libc::c_uint = 2_000;
const SENSE_BYTES: usize = 32;

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

/// What became of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    /// Whether the device did it, and has nothing to add.
    pub good: bool,
    /// How much of the answer it filled, bytes.
    pub length: usize,
    /// What it had to add; zeros where that was nothing.
    pub sense: [u8; SENSE_BYTES],
}

impl Done {
    /// Whether it did not do it, because it had to say first that something changed: a unit attention (SPC-4, 4.5.6 and 5.14).
    pub(crate) fn is_news(&self) -> bool {
        const UNIT_ATTENTION: u8 = 0x06;
        let key = match self.sense[0] & 0x7F {
            0x70 => self.sense[2],
            0x72 => self.sense[1],
            _ => return false,
        };
        !self.good && key & 0x0F == UNIT_ATTENTION
    }
}

/// Asks, for two seconds at most. The answer is filled from its beginning; none is fetched where it has no room. `None` where the
/// command did not get to the device, or this process may not send it.
pub(crate) fn ask(device: &File, command: &[u8], answer: &mut [u8]) -> Option<Done> {
    let mut command = command.to_vec();
    let mut sense = [0u8; SENSE_BYTES];
    let room = u32::try_from(answer.len()).ok()?;
    let mut header = SgIoHeader {
        interface_id: libc::c_int::from(b'S'),
        direction: match room {
            0 => SG_DXFER_NONE,
            _ => SG_DXFER_FROM_DEV,
        },
        command_length: u8::try_from(command.len()).ok()?,
        sense_length_max: sense.len() as u8,
        scatter_count: 0,
        transfer_length: room,
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
    if result != 0 || header.host_status != 0 {
        return None;
    }
    let missing = usize::try_from(header.residue).unwrap_or(0);
    Some(Done {
        good: header.status == 0 && header.driver_status == 0,
        length: answer.len().saturating_sub(missing),
        sense,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_scsi_device_is_not_asked() {
        let file = tempfile::tempfile().unwrap();
        assert!(ask(&file, &[0; 6], &mut []).is_none());
        assert!(ask(&file, &[0; 300], &mut [0; 4]).is_none());
    }

    #[test]
    fn news_are_told_from_other_failures_in_both_formats() {
        let with = |good, first: [u8; 3]| {
            let mut sense = [0; SENSE_BYTES];
            sense[..3].copy_from_slice(&first);
            let length = 0;
            Done {
                good,
                length,
                sense,
            }
            .is_news()
        };
        assert!(with(false, [0x70, 0, 0x06]) && with(false, [0xF0, 0, 0x26]));
        assert!(with(false, [0x72, 0x06, 0]));
        let others = [[0x70, 0x06, 0x05], [0x72, 0x05, 0x06], [0, 6, 6]];
        assert!(!others.into_iter().any(|first| with(false, first)));
        assert!(!with(true, [0x70, 0, 0x06]));
    }
}
