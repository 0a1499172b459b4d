use crate::{HostAnswer, HostView, Symptom};

rule! {
    643 "multipath-fast-fail" Host(check) SUSPECT pitfalls [] {
        summary: "A path is given up too late for the next one to be tried in time.",
        why: "A fast_io_fail_tmo that is not below dev_loss_tmo, or above 600 s, is not set: multipathd turns it off, or the kernel refuses it with error 22. Where it is off, I/O waits on a dead port until dev_loss_tmo.",
        threshold: "fast_io_fail_tmo off, above 600, or not below the same section's dev_loss_tmo.",
        source: "scsi_transport_fc of the kernel; multipath.conf(5).",
        example: "fast_io_fail_tmo 30 and dev_loss_tmo 20: a pulled cable is an outage of 20 s, where 5 would do.",
        remedy: "Set fast_io_fail_tmo 5 and a dev_loss_tmo above it.",
    }
    fires: |h| {
        h.insert(
            "/etc/multipath.conf",
            "defaults {\n fast_io_fail_tmo 30\n dev_loss_tmo 20\n}",
        )
    },
    clean: crate::known::sound_multipath,
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for (path, conf) in view.multipath_confs() {
        for setting in conf.settings.iter().filter(|s| s.key == "fast_io_fail_tmo") {
            let same = |key: &str| {
                let mut all = conf.settings.iter().rev();
                all.find(|s| s.key == key && s.begins == setting.begins)
            };
            let lost = same("dev_loss_tmo").map(|s| match s.value.as_str() {
                "infinity" => Some(u64::MAX),
                value => value.parse::<u64>().ok(),
            });
            let seconds = setting.value.parse::<u64>();
            if setting.value != "off" && seconds.is_err() || lost == Some(None) {
                answer.miss(format!("{path}, line {}: {}", setting.line, setting.value));
                continue;
            }
            let seconds = seconds.unwrap_or(u64::MAX);
            let below = lost.flatten().is_none_or(|l| seconds < l);
            answer.look((seconds > 600 || !below).then(|| {
                Symptom::new(
                    "",
                    format!(
                        "{path}, line {}: fast_io_fail_tmo {}",
                        setting.line, setting.value
                    ),
                )
                .wanted(
                    "5, and below dev_loss_tmo",
                    "multipathd show config | grep tmo",
                )
            }));
        }
    }
    answer
}
