use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, queue};
use plimsoll_evidence::Severity;

rule! {
    300 "memory-target" Run(check) [NOTE, INVALID, INVALID, INVALID, NOTHING] pitfalls [8] {
        summary: "The target is memory.",
        why: "A tmpfs file, a RAM disk and a zram device are memory of the host. They have none of the properties of \
            storage: no media, no queue, nothing that lasts.",
        threshold: "A file on tmpfs or ramfs, a loop device over one, or a RAM disk at the bottom of the stack: invalid; zram: suspect, for it is seldom \
            taken for a disk.",
        source: "statfs magic 0x01021994; major number 1.",
        example: "/tmp is a tmpfs on many distributions: 4 GiB/s of random writes.",
        remedy: "Test a file on a disk, or a device; claim host to measure the host alone.",
    }
    fires: |o| o.environment.targets[0].filesystem = Some("tmpfs".into()),
    clean: |o| o.environment.targets[0].filesystem = Some("xfs".into()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    findings(view.environment.targets.iter().filter_map(|target| {
        let of_memory = target.filesystem.as_deref().filter(|fs| is_memory(fs));
        let kind = |kind: &str| target.stack.iter().any(|l| l.kind == kind);
        let ram = target.stack.iter().any(|l| l.name.starts_with("ram"));
        let looped = target.stack.iter().find_map(|l| {
            let fs = queue::of(l, "loop/filesystem")?;
            is_memory(fs).then(|| format!("a loop device whose file lies on {fs}"))
        });
        let (what, severity) = match of_memory.or(looped.as_deref()) {
            Some(what) => (what, Severity::Invalid),
            None if ram => ("a RAM disk", Severity::Invalid),
            None if kind("zram") => ("zram", Severity::Suspect),
            None => return None,
        };
        Some(
            RuleFinding::new(format!(
                "{} is on {what}, which is memory of this host.",
                target.name
            ))
            .text("kind", what)
            .at_most(severity),
        )
    }))
}

fn is_memory(filesystem: &str) -> bool {
    ["tmpfs", "ramfs"].contains(&filesystem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_device_over_a_file_in_memory_is_memory_and_one_over_a_disks_file_is_none() {
        let on = |filesystem: &str| {
            let case = crate::known::changed(|o| o.queue("loop/filesystem", filesystem));
            check(&case.view())
        };
        assert!(crate::known::fires(on("tmpfs")));
        assert_eq!(on("ext4"), Ok(vec![]));
    }
}
