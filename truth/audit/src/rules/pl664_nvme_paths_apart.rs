use crate::{HostAnswer, HostView, Symptom};

rule! {
    664 "nvme-paths-apart" Host(check) INVALID pitfalls [] {
        summary: "One NVMe namespace shows as several disks.",
        why: "Without native multipath each controller's path is a disk of its own: a test of one takes one path, and writing to both destroys what the other wrote.",
        threshold: "Two NVMe disks with one wwid, and no map over both.",
        source: "nvme_core's parameter multipath in the kernel.",
        example: "nvme0n1 and nvme1n1 are the same namespace: tested as two disks it has twice the cache hits.",
        remedy: "Boot with nvme_core.multipath=Y, or put dm-multipath over them.",
    }
    fires: |h| {
        h.insert("/sys/block/nvme0n1/wwid", "eui.1");
        h.insert("/sys/block/nvme1n1/wwid", "eui.1");
    },
    clean: |h| {
        h.insert("/sys/block/nvme0n1/wwid", "eui.1");
        h.insert("/sys/block/nvme1n1/wwid", "eui.2");
        h.insert("/sys/block/nvme0c1n1/wwid", "eui.1");
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let names = view.host.names("/sys/block").into_iter();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    // nvme0c1n1 is a path of nvme0n1, which native multipath keeps from its users.
    let whole = |n: &&str| {
        n.strip_prefix("nvme")
            .is_some_and(|rest| !rest.contains('c'))
    };
    for name in names.filter(whole) {
        let path = format!("/sys/block/{name}/wwid");
        let Some(wwid) = view.host.text(&path).filter(|w| !w.is_empty()) else {
            answer.miss(path);
            continue;
        };
        let maps = maps_over(view, name);
        let apart = |n: &str| maps.is_empty() || maps_over(view, n) != maps;
        let twin = seen
            .iter()
            .find(|(n, w)| *w == wwid && apart(n))
            .map(|(n, _)| *n);
        answer.look(twin.map(|first| {
            Symptom::new("", format!("{first} and {name} are one namespace")).wanted(
                "one disk over both controllers",
                "cat /sys/module/nvme_core/parameters/multipath",
            )
        }));
        seen.push((name, wwid));
    }
    answer
}

/// The maps that a disk is in.
fn maps_over(view: &HostView<'_>, disk: &str) -> Vec<String> {
    let disks = view.host.disks().into_iter();
    let over = disks.filter(|map| {
        view.host
            .text(&format!("/sys/block/{map}/slaves/{disk}"))
            .is_some()
    });
    over.collect()
}
