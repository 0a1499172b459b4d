use crate::{HostAnswer, HostView, Symptom};

rule! {
    669 "vxvm-request-queue" Host(check) SUSPECT pitfalls [] {
        summary: "VxVM queues the I/Os of its volumes once more.",
        why: "With vol_use_rq the volume has a request queue of its own, with a scheduler that merges and holds I/Os back before those of \
            the disks do. Part of the latency is then the volume manager's.",
        threshold: "vxvm.vxio.vol_use_rq is 1, in the kernel or where no kernel says it in sysctl's files; a note where the two differ.",
        source: "sysctl of VxVM on Linux. A published test of a flash array set it to 0, with noop schedulers below.",
        example: "vol_use_rq = 1 above LUNs with noop: I/Os wait in a queue that nobody looked at.",
        remedy: "Write vxvm.vxio.vol_use_rq = 0 to /etc/sysctl.conf, and load it (sysctl -p).",
    }
    fires: |h| h.insert("/proc/sys/vxvm/vxio/vol_use_rq", "1"),
    clean: |h| {
        h.insert("/proc/sys/vxvm/vxio/vol_use_rq", "0");
        h.insert("/etc/sysctl.conf", "vm.swappiness = 1\nvxvm.vxio.vol_use_rq = 0\n");
    },
}

const KERNEL: &str = "/proc/sys/vxvm/vxio/vol_use_rq";

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let (now, at_boot) = (view.host.text(KERNEL), written(view));
    let wanted = "0";
    let command = "sysctl -w vxvm.vxio.vol_use_rq=0";
    let symptom = |seen: &str| Symptom::new("", seen).wanted(wanted, command);
    match (now, at_boot) {
        (None, None) => {
            // A host that has VxVM, and tells nothing of it.
            if view.host.text("/sys/module/vxio/version").is_some() {
                answer.miss(KERNEL);
            }
        }
        (Some("1"), Some("0")) => answer.look(Some(symptom(
            "vol_use_rq is 1, though sysctl's files have 0: they have not been loaded",
        ))),
        (Some("1"), _) => answer.look(Some(symptom("vol_use_rq is 1"))),
        (Some(_), Some("1")) => answer.look(Some(
            symptom("vol_use_rq is 0 now, and 1 after the next boot").note_if(true),
        )),
        (None, Some("1")) => answer.look(Some(symptom("vol_use_rq is 1 in sysctl's files"))),
        _ => answer.look(None),
    }
    answer
}

/// What sysctl's files say; the last one counts, which is `/etc/sysctl.conf` (`sysctl --system`).
fn written<'h>(view: &HostView<'h>) -> Option<&'h str> {
    let below = |folder: &'static str| {
        let files = view.host.files();
        files.filter(move |(path, _)| path.starts_with(folder))
    };
    let all = below("/etc/sysctl.d/").chain(below("/etc/sysctl.conf"));
    let lines = all.flat_map(|(_, text)| text.lines());
    let settings = lines.filter_map(|line| line.trim().trim_start_matches('-').split_once('='));
    let own = settings
        .filter(|(key, _)| matches!(key.trim(), "vxvm.vxio.vol_use_rq" | "vxvm/vxio/vol_use_rq"));
    own.last().map(|(_, value)| value.trim())
}

#[test]
fn the_kernel_counts_and_what_the_next_boot_brings_is_told() {
    let seen = |files: &[(&str, &str)]| {
        let answer = check(&HostView::of_all(&crate::known::host_with(files)));
        let first = answer.symptoms.first().map(|s| s.seen.clone());
        (
            first.unwrap_or_default(),
            answer.looked,
            answer.unseen.len(),
        )
    };
    let conf = |text| ("/etc/sysctl.conf", text);
    assert_eq!(seen(&[]), (String::new(), 0, 0));
    assert_eq!(seen(&[("/sys/module/vxio/version", "6.1")]).2, 1);
    assert!(
        seen(&[(KERNEL, "1"), conf("vxvm.vxio.vol_use_rq = 0")])
            .0
            .contains("not been loaded")
    );
    assert!(
        seen(&[(KERNEL, "0"), conf("vxvm.vxio.vol_use_rq=1")])
            .0
            .contains("after the next boot")
    );
    assert!(
        seen(&[conf("#vxvm.vxio.vol_use_rq = 0\nvxvm.vxio.vol_use_rq = 1")])
            .0
            .contains("in sysctl's files")
    );
    assert_eq!(
        seen(&[conf("vxvm.vxio.vol_use_rq = 0")]),
        (String::new(), 1, 0)
    );
}
