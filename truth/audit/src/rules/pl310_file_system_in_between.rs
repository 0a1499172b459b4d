use crate::{RuleAnswer, RuleFinding, RunView, applies, findings};

rule! {
    310 "file-system-in-between" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTE] pitfalls [7] {
        summary: "A file system answers that may not do what is asked of it.",
        why: "Some file systems take O_DIRECT for a hint, copy on write, or keep a cache of their own: ZFS before 2.3, FUSE, \
            overlays. What comes back may come from memory, and what is written is written elsewhere.",
        threshold: "A target on zfs, btrfs, bcachefs, overlay, a FUSE or a network file system.",
        source: "statfs; OpenZFS has direct I/O from 2.3 on.",
        example: "A file on ZFS of a host with 256 GiB: reads come from the ARC, with O_DIRECT as without.",
        remedy: "Test the raw device, or name the file system with the result.",
    }
    fires: |o| o.environment.targets[0].filesystem = Some("zfs".into()),
    clean: |o| o.environment.targets[0].filesystem = Some("ext4".into()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let doubtful = |fs: &str| DOUBTFUL.contains(&fs) || fs.starts_with("fuse");
    findings(view.environment.targets.iter().filter_map(|t| {
        let fs = t.filesystem.as_deref().filter(|fs| doubtful(fs))?;
        Some(RuleFinding::new(format!("{} is a file on {fs}.", t.name)).text("filesystem", fs))
    }))
}

const DOUBTFUL: [&str; 9] = [
    "zfs", "btrfs", "bcachefs", "overlay", "nfs", "nfs4", "cifs", "ntfs3", "9p",
];
