use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    603 "host-few-requests" Host(check) SUSPECT pitfalls [] {
        summary: "The block layer lets few requests of a device be out at once.",
        why: "What is beyond this number waits in the host, and its wait looks like latency of the array.",
        threshold: "nr_requests below 64 is suspect, below 256 a note. Not where the device itself takes no more at once (device/queue_depth, 32 of SATA) and has no scheduler: then there can be no more.",
        source: "sysfs-block of the kernel's ABI; campaigns on flash arrays used 1024.",
        example: "nr_requests=2: at a depth of 32, thirty I/Os wait in the host, and the mean latency is sixteen times the disk's.",
        remedy: "echo 1024 > /sys/block/DISK/queue/nr_requests, or as much as the driver takes.",
    }
    fires: |h| h.insert("/sys/block/sdx/queue/nr_requests", "2"),
    clean: |h| h.insert("/sys/block/sdx/queue/nr_requests", "1023"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_numbers(view, "nr_requests", |device, n| {
        // A loop device's number is fixed.
        let path = format!("/sys/block/{device}/device/queue_depth");
        // With a scheduler the block layer holds more than the device takes, and sorts and joins those.
        let scheduler = view
            .host
            .text(&format!("/sys/block/{device}/queue/scheduler"));
        let none = scheduler.is_some_and(|s| host_facts::chosen_scheduler(s) == "none");
        let own = view.host.number(&path).filter(|_| none);
        let few = host_facts::requests(n, None, own).filter(|_| !device.starts_with("loop"));
        few.map(|at_most| {
            Symptom::new(device, format!("{n} requests at once"))
                .wanted(
                    "256 or more, and no less than the depth of the test",
                    "echo 1024 > /sys/block/DISK/queue/nr_requests",
                )
                .at_most(at_most)
        })
    })
}

#[test]
fn a_sata_disk_without_a_scheduler_has_as_many_as_it_takes() {
    let of = |scheduler: &str, requests: &str, depth: &str| {
        let mut host = crate::known::host();
        host.insert("/sys/block/sdx/queue/scheduler", scheduler);
        host.insert("/sys/block/sdx/queue/nr_requests", requests);
        host.insert("/sys/block/sdx/device/queue_depth", depth);
        check(&HostView::of_all(&host)).symptoms.len()
    };
    let with = |requests, depth| of("[none] mq-deadline", requests, depth);
    // What PL600 asks for, the scheduler none, makes it this.
    assert_eq!(with("32", "32"), 0);
    assert_eq!((with("16", "32"), with("32", "64")), (1, 1));
    // A scheduler holds more than that, so that somebody made it so few.
    assert_eq!(of("none [mq-deadline]", "2", "1"), 1);
}
