use crate::{HostAnswer, HostView, Symptom};

rule! {
    660 "hba-queue-depth" Host(check) SUSPECT pitfalls [] {
        summary: "An adapter's driver lets few commands of a LUN be out at once.",
        why: "What is beyond it waits in the host and looks like the array's latency. Depth x paths x LUNs has to exceed the concurrency of the test.",
        threshold: "lpfc_lun_queue_depth or ql2xmaxqdepth below 32 is suspect, below 64 a note.",
        source: "lpfc's and qla2xxx's module parameters; XtremIO's guides ask for 128 and 256.",
        example: "ql2xmaxqdepth=16 over two paths: at a depth of 256, 224 I/Os wait in the host.",
        remedy: "options qla2xxx ql2xmaxqdepth=128 in /etc/modprobe.d, a new initramfs, and a boot.",
    }
    fires: |h| h.insert("/sys/module/qla2xxx/parameters/ql2xmaxqdepth", "16"),
    clean: |h| h.insert("/sys/module/qla2xxx/parameters/ql2xmaxqdepth", "128"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for (driver, name) in [
        ("lpfc", "lpfc_lun_queue_depth"),
        ("qla2xxx", "ql2xmaxqdepth"),
    ] {
        let path = format!("/sys/module/{driver}/parameters/{name}");
        match view.host.text(&path).map(str::parse::<u64>) {
            None => {}
            Some(Err(_)) => answer.miss(path),
            Some(Ok(depth)) => answer.look((depth < 64).then(|| {
                Symptom::new("", format!("{name} is {depth}"))
                    .wanted("64 to 256", &format!("modinfo -p {driver} | grep {name}"))
                    .note_if(depth >= 32)
            })),
        }
    }
    answer
}
