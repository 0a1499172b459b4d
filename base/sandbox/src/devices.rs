//! Devices and folders that hold nobody's data.

/// Character devices that every program wants to write to. Their commands stay closed.
pub(crate) const HARMLESS: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Controls of the kernel and of terminals, by which a command takes a path away, makes a snapshot or drops caches. Not all of
/// them are on every host.
///
/// Character devices that hand commands to a disk (`/dev/sg0`, `/dev/bsg`, `/dev/nvme0`) are left out: such a command may be
/// a write. So is `/dev/shm`, where files lie.
pub const CONTROLS: &[&str] = &[
    "/proc",
    "/sys",
    "/dev/tty",
    "/dev/console",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/kmsg",
    "/dev/mapper/control",
    "/dev/loop-control",
    "/dev/nvme-fabrics",
    "/dev/ipmi0",
];
