//! Devices and files that the kernel itself serves to other hosts: NVMe over Fabrics (nvmet), and SCSI (LIO: iSCSI, Fibre Channel).
//!
//! No process has them open. Their configuration names them.

use crate::Root;
use std::path::PathBuf;

const NVMET: &str = "/sys/kernel/config/nvmet/subsystems";
const LIO: &str = "/sys/kernel/config/target/core";

/// A device or file that is served now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The device or file, as it was named there.
    pub path: PathBuf,
    /// What serves it.
    pub by: String,
}

/// Exports that this host's kernel serves.
pub fn exports(root: &Root) -> Vec<Export> {
    let mut found = Vec::new();
    for subsystem in root.names(NVMET) {
        let folder = format!("{NVMET}/{subsystem}/namespaces");
        for number in root.names(&folder) {
            let by = format!("the NVMe target {subsystem}, namespace {number}");
            found.extend(served(
                root,
                &format!("{folder}/{number}"),
                "device_path",
                by,
            ));
        }
    }
    // iblock_0, fileio_1, pscsi_2: below each the backends by name.
    for kind in root.names(LIO) {
        for name in root.names(format!("{LIO}/{kind}")) {
            let by = format!("the SCSI target (LIO), backend {name}");
            found.extend(served(
                root,
                &format!("{LIO}/{kind}/{name}"),
                "udev_path",
                by,
            ));
        }
    }
    found
}

/// What a namespace or backend serves, where it is switched on.
fn served(root: &Root, folder: &str, path: &str, by: String) -> Option<Export> {
    let is_on = root.number(format!("{folder}/enable")) == Some(1u8);
    let path = root.word(format!("{folder}/{path}")).filter(|_| is_on)?;
    Some(Export {
        path: PathBuf::from(path),
        by,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_switched_on_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("sys/kernel/config");
        let put = |path: &str, text: &str| crate::root::file(&config, path, text);
        put("nvmet/subsystems/nqn.a/namespaces/1/enable", "1\n");
        put(
            "nvmet/subsystems/nqn.a/namespaces/1/device_path",
            "/dev/sdb\n",
        );
        put("nvmet/subsystems/nqn.a/namespaces/2/enable", "0\n");
        put(
            "nvmet/subsystems/nqn.a/namespaces/2/device_path",
            "/dev/sdc\n",
        );
        put("target/core/fileio_3/disk/enable", "1\n");
        put("target/core/fileio_3/disk/udev_path", "/srv/my disk\n");
        put("target/core/alua/lu_gps/x", "");
        let seen = exports(&Root::at(folder.path()));
        let told: Vec<(&str, &str)> = seen
            .iter()
            .map(|export| (export.path.to_str().unwrap(), export.by.as_str()))
            .collect();
        let expected = [
            ("/dev/sdb", "the NVMe target nqn.a, namespace 1"),
            ("/srv/my disk", "the SCSI target (LIO), backend disk"),
        ];
        assert_eq!(told, expected);
    }
}
