use crate::{HostAnswer, HostView, Rule, Symptom};

pub const RULE: Rule = rule! {
    647 "multipath-single-path" Host(check) SUSPECT pitfalls [] {
        summary: "A map has one path.",
        why: "What is meant to survive a cable does not, and the load has one port's bandwidth.",
        threshold: "Fewer than two paths in multipath -ll.",
        source: "multipath(8).",
        example: "A zone that was forgotten on the second fabric: 780 MiB/s, which is one port of 8 Gbit/s.",
        remedy: "Look for the missing path: zoning, LUN masking, the second adapter; then rescan.",
    }
};

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for map in view.maps(&mut answer) {
        let n = map.paths.len();
        answer.look((n < 2).then(|| {
            Symptom::new(
                &map.name,
                format!("{n} path(s)"),
                "two or more",
                "multipath -v3 DISK",
            )
        }));
    }
    answer
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Host {
    fires: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n  `- 2:0:0:1 sdb 8:16 active ready running\n")
    },
    clean: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n  |- 2:0:0:1 sdb 8:16 active ready running\n  `- 3:0:0:1 sdc 8:32 active ready running\n")
    },
};
