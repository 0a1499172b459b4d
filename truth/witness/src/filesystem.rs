//! File systems that several hosts may have at once.

use std::fs::File;

/// Magic numbers (`statfs`) of network and cluster file systems, and of FUSE, below which one may lie.
const SHARED: [i64; 15] = [
    0x6969,      // NFS
    0x517b,      // SMB
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x00c3_6400, // Ceph
    0x6573_5546, // FUSE
    0x0102_1997, // 9P
    0x5346_414f, // AFS
    0x7375_7245, // Coda
    0x7461_636f, // OCFS2
    0x0116_1970, // GFS2
    0x0bd0_0bd0, // Lustre
    0x4750_4653, // GPFS
    0x1983_0326, // BeeGFS
    0x2003_0528, // OrangeFS
];

/// True where other hosts may have the file's file system mounted, too: this kernel doesn't know all users of the file, and a
/// lock on it may reach other hosts.
pub fn is_shared_by_hosts(file: &File) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|found| SHARED.contains(&(found.f_type & 0xffff_ffff)))
}
