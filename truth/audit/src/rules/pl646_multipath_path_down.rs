use crate::{HostAnswer, HostView, Symptom};
#[cfg(test)]
const MAP: &str = "m0 (3600) dm-2 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n  |- 2:0:0:1 sdb 8:16 active ready running\n  `- 3:0:0:1 sdc 8:32 active ghost running\n";

rule! {
    646 "multipath-path-down" Host(check) INVALID pitfalls [] {
        summary: "A path of a map is down.",
        why: "The load takes fewer ports, cables and controllers than the storage has, and the maximum is that of what is left.",
        threshold: "A path that is not active, ready or ghost, and running in multipath -ll.",
        source: "multipath(8).",
        example: "Two of four paths offline since a firmware update: half the throughput, and a report that blames the array.",
        remedy: "Find out why with dmesg and the switch's port, and bring the cable, the port or the controller back; multipathd takes the path in again by itself.",
    }
    fires: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n  |- 2:0:0:1 sdb 8:16 active ready running\n  `- 3:0:0:1 sdc 8:32 failed faulty offline\n")
    },
    clean: |h| h.insert("/commands/multipath -ll", MAP),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for map in view.maps(&mut answer) {
        let down = map.paths.iter().filter(|p| !p.is_up());
        answer.look(down.map(|p| {
            Symptom::new(
                &map.name,
                format!("{} is {} {} {}", p.device, p.map, p.checker, p.state),
            )
            .wanted("active ready running", "multipathd show paths")
        }));
    }
    answer
}
