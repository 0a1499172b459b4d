use crate::{HostAnswer, HostView, Symptom};

rule! {
    645 "multipath-old-batch" Host(check) NOTE pitfalls [] {
        summary: "multipath.conf sets how long round-robin stays on a path by an option that this kernel does not use.",
        why: "rr_min_io is of maps made of bios, rr_min_io_rq of those made of requests, which is what kernels since 2.6.31 have. With the wrong one nothing changes, and nothing says so.",
        threshold: "rr_min_io without rr_min_io_rq, on a kernel of 2.6.31 or later, where queue_mode is not bio.",
        source: "multipath.conf(5); dm-mpath.c. A published case on SLES 11 SP3 (kernel 3.0.76) blames a left-over rr_min_io for failovers that went from less than a second to minutes. Maps of that kernel are made of requests and do not use it, so the setting alone does not explain it; what was set beside it (fast_io_fail_tmo, dev_loss_tmo) may.",
        example: "rr_min_io 20 as an old guide has it: paths change after each request, as if nothing were set.",
        remedy: "Take rr_min_io out, or set rr_min_io_rq (1 is the default), and measure a failover before and after with `plimsoll disturb`.",
    }
    fires: |h| h.insert("/etc/multipath.conf", "defaults {\n rr_min_io 20\n}"),
    clean: crate::known::sound_multipath,
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let kernel = view
        .host
        .text("/proc/sys/kernel/osrelease")
        .and_then(release);
    for (path, conf) in view.multipath_confs() {
        let has = |key: &str| conf.settings.iter().any(|s| s.key == key);
        let old = conf.settings.iter().find(|s| s.key == "rr_min_io");
        let Some(kernel) = kernel else {
            answer.miss("/proc/sys/kernel/osrelease");
            return answer;
        };
        let bio = conf
            .settings
            .iter()
            .any(|s| s.value.contains("queue_mode bio"));
        let found = old.filter(|_| kernel >= (2, 6, 31) && !has("rr_min_io_rq") && !bio);
        answer.look(found.map(|s| {
            Symptom::new(
                "",
                format!("{path}, line {}: rr_min_io {} alone", s.line, s.value),
            )
            .wanted("rr_min_io_rq", "multipathd show config | grep rr_min_io")
        }));
    }
    answer
}

/// `5.14.0-70.el9` as numbers.
fn release(text: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
        numbers.next().and_then(Result::ok).unwrap_or(0),
    ))
}
