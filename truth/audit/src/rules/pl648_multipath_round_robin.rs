use crate::{HostAnswer, HostView, Symptom};

rule! {
    648 "multipath-round-robin" Host(check) NOTE pitfalls [] {
        summary: "A map gives its I/Os to the paths in turn, however slow one of them is.",
        why: "In turn, the slowest path sets the pace of all. service-time looks at the bytes that are out on each path.",
        threshold: "The selector round-robin in a map.",
        source: "multipath.conf(5): service-time is the default; the others are queue-length and historical-service-time.",
        example: "A path at half speed: with round-robin the map has twice that, with service-time three quarters of all.",
        remedy: "Set path_selector to service-time 0, unless the array's vendor asks for another.",
    }
    fires: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n`-+- policy='round-robin 0' prio=1 status=active\n  |- 2:0:0:1 sdb 8:16 active ready running\n  `- 3:0:0:1 sdc 8:32 active ready running\n")
    },
    clean: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n  |- 2:0:0:1 sdb 8:16 active ready running\n  `- 3:0:0:1 sdc 8:32 active ready running\n")
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for map in view.maps(&mut answer) {
        let turns = map.policies.iter().any(|p| p.starts_with("round-robin"));
        answer.look(turns.then(|| {
            Symptom::new(&map.name, "round-robin").wanted(
                "service-time 0",
                "multipathd show config | grep path_selector",
            )
        }));
    }
    answer
}
