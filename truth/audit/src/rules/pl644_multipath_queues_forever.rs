use crate::{HostAnswer, HostView, Symptom};

rule! {
    644 "multipath-queues-forever" Host(check) SUSPECT pitfalls [] {
        summary: "A map without any path holds its I/Os for ever.",
        why: "Nothing fails and nothing ends: an outage is one endless I/O, and with a small dev_loss_tmo the host may hang.",
        threshold: "no_path_retry queue, or a map with queue_if_no_path while none of its paths is up.",
        source: "multipath.conf(5).",
        example: "Both fabrics down for a minute: the application hangs until a boot, since multipathd was stopped as well.",
        remedy: "Set no_path_retry to a number: retries x polling_interval is the longest wait; or fail. What is queued now can be made to fail by dmsetup message MAP 0 fail_if_no_path, which loses what was not written.",
    }
    fires: |h| h.insert("/etc/multipath.conf", "defaults {\n no_path_retry queue\n}"),
    clean: crate::known::sound_multipath,
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for (path, conf) in view.multipath_confs() {
        for setting in conf.settings.iter().filter(|s| s.key == "no_path_retry") {
            answer.look((setting.value == "queue").then(|| {
                Symptom::new(
                    "",
                    format!("{path}, line {}: no_path_retry queue", setting.line),
                )
                .wanted(
                    "a number of retries, or fail",
                    "multipathd show config | grep no_path_retry",
                )
            }));
        }
    }
    for map in view.maps(&mut answer) {
        let down = !map
            .paths
            .iter()
            .any(crate::multipath::topology::Path::is_up);
        answer.look(
            (down && map.features.contains("queue_if_no_path")).then(|| {
                Symptom::new(&map.name, "no path is up, and I/O is queued")
                    .wanted("a path, or errors", "multipathd show maps status")
            }),
        );
    }
    answer
}
