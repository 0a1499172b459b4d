//! Over what a target is reached: the ports, sessions, controllers and mounts that its disks or its file lie behind.

use crate::{Root, host_state, mounts};
use plimsoll_evidence::{BlockLayer, Transport, transports};
use std::path::Path;

/// Networks and fabrics between this host and a file or a device with this stack; none of what is inside the host.
pub fn reached_over(root: &Root, path: &Path, stack: &[BlockLayer]) -> Vec<Transport> {
    let disks = stack.iter().filter(|layer| layer.slaves.is_empty());
    let mut names: Vec<String> = disks.flat_map(|disk| above(root, &disk.name)).collect();
    if stack.is_empty() {
        let all = mounts::mounts(root);
        // Where it does not exist yet, or is in a captured host, its own name must do.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        names.extend(mounts::holding(&all, &path).map(|m| m.point.display().to_string()));
    }
    if names.is_empty() {
        return Vec::new();
    }
    let all = transports(&host_state::of_transports(root)).into_iter();
    all.filter(|one| one.is_network() && names.contains(&one.name))
        .collect()
}

/// Names in a disk's place among the devices: `host5`, `session1`, `nvme0`; of a subsystem of NVMe those of its controllers.
fn above(root: &Root, disk: &str) -> Vec<String> {
    let Some(place) = root.link(format!("/sys/class/block/{disk}")) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for part in place.components() {
        let part = part.as_os_str().to_string_lossy().into_owned();
        if part.starts_with("nvme-subsys") {
            names.extend(root.names(format!("/sys/class/nvme-subsystem/{part}")));
        }
        names.push(part);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn layer(name: &str) -> BlockLayer {
        BlockLayer {
            name: name.into(),
            ..BlockLayer::default()
        }
    }

    #[test]
    fn disks_lie_behind_what_is_in_their_place_and_files_behind_their_mount() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("sys/class/fc_host/host5/port_state", "Online");
        put("sys/class/fc_host/host6/port_state", "Online");
        put("sys/class/iscsi_session/session1/state", "LOGGED_IN");
        for (controller, transport) in [("nvme0", "tcp"), ("nvme1", "tcp"), ("nvme2", "pcie")] {
            put(&format!("sys/class/nvme/{controller}/transport"), transport);
        }
        put("sys/class/nvme-subsystem/nvme-subsys0/nvme0", "");
        put("sys/class/nvme-subsystem/nvme-subsys0/nvme1", "");
        put("proc/mounts", "srv:/vol /mnt/nfs nfs4 rw,proto=rdma 0 0\n");
        put(
            "proc/self/mountinfo",
            "36 1 0:40 / /mnt/nfs rw shared:1 - nfs4 srv:/vol rw\n22 0 8:1 / / rw - ext4 /dev/sda1 rw\n",
        );
        fs::create_dir_all(folder.path().join("sys/class/block")).unwrap();
        let places = [
            (
                "sdb",
                "../../devices/pci0000:00/0000:00:03.0/host5/rport-5:0-0/target5:0:0/5:0:0:1/block/sdb",
            ),
            (
                "sdc",
                "../../devices/platform/host7/session1/target7:0:0/7:0:0:1/block/sdc",
            ),
            (
                "nvme0n1",
                "../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1",
            ),
            (
                "nvme2n1",
                "../../devices/pci0000:00/0000:00:04.0/nvme/nvme2/nvme2n1",
            ),
        ];
        for (name, place) in places {
            symlink(place, folder.path().join("sys/class/block").join(name)).unwrap();
        }
        let root = Root::at(folder.path());
        let over = |path: &str, disks: &[&str]| {
            let stack: Vec<BlockLayer> = disks.iter().map(|disk| layer(disk)).collect();
            let all = reached_over(&root, Path::new(path), &stack).into_iter();
            all.map(|t| t.name).collect::<Vec<_>>()
        };
        assert_eq!(over("/dev/sdb", &["sdb"]), ["host5"]);
        assert_eq!(over("/dev/dm-0", &["sdb", "sdc"]), ["host5", "session1"]);
        assert_eq!(over("/dev/nvme0n1", &["nvme0n1"]), ["nvme0", "nvme1"]);
        assert_eq!(over("/dev/nvme2n1", &["nvme2n1"]), [] as [&str; 0]);
        assert_eq!(over("/mnt/nfs/file", &[]), ["/mnt/nfs"]);
        assert_eq!(over("/file", &[]), [] as [&str; 0]);
    }
}
