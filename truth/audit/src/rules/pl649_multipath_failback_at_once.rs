use crate::{HostAnswer, HostView, Symptom};

rule! {
    649 "multipath-failback-at-once" Host(check) NOTE pitfalls [] {
        summary: "Maps go back to a path as soon as it shows up.",
        why: "A path that comes and goes takes the load with it each time, and each change stops the I/O for a moment.",
        threshold: "failback immediate.",
        source: "multipath.conf(5): manual is the default. Published settings for an array whose controllers all serve a LUN (group_by_serial, all paths in use) have immediate: there is no group to change, and it does no harm.",
        example: "A bad optic: the map changes its group every 20 s, and so does the latency.",
        remedy: "Set failback to a number of seconds, unless the array's vendor asks for immediate.",
    }
    fires: |h| h.insert("/etc/multipath.conf", "defaults {\n failback immediate\n}"),
    clean: crate::known::sound_multipath,
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for (path, conf) in view.multipath_confs() {
        for setting in conf.settings.iter().filter(|s| s.key == "failback") {
            answer.look((setting.value == "immediate").then(|| {
                Symptom::new(
                    "",
                    format!("{path}, line {}: failback immediate", setting.line),
                )
                .wanted(
                    "a number of seconds",
                    "multipathd show config | grep failback",
                )
            }));
        }
    }
    answer
}
