use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    600 "host-io-scheduler" Host(check) SUSPECT pitfalls [] {
        summary: "A scheduler of the host orders the I/Os.",
        why: "A scheduler holds I/Os back, merges and sorts them, and takes CPU time for it, so a part of the latency is the host's.",
        threshold: "A scheduler other than none (noop before blk-mq).",
        source: "Vendors of flash arrays ask for none; sysfs-block of the kernel's ABI.",
        example: "mq-deadline on NVMe: 10 % fewer I/Os per second and 20 us more at the 99th percentile.",
        remedy: "Choose none, or noop where the kernel has that, and have a udev rule or elevator= for what shall outlast a boot.",
    }
    fires: |h| {
        h.insert(
            "/sys/block/sdx/queue/scheduler",
            "none [mq-deadline] kyber bfq",
        )
    },
    clean: |h| h.insert("/sys/block/sdx/queue/scheduler", "[none] mq-deadline"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    HostAnswer::of_queues(view, "scheduler", |device, text| {
        let chosen = host_facts::chosen_scheduler(text);
        host_facts::scheduler(chosen).map(|at_most| {
            let offered: Vec<&str> = text
                .split_whitespace()
                .map(|name| name.trim_matches(|c: char| c == '[' || c == ']'))
                .collect();
            let symptom = Symptom::new(device, chosen).at_most(at_most);
            match ["none", "noop"]
                .into_iter()
                .find(|name| offered.contains(name))
            {
                Some(name) => symptom.wanted(
                    name,
                    &format!("echo {name} > /sys/block/DISK/queue/scheduler"),
                ),
                None => symptom.wanted(
                    "none, which this kernel does not offer",
                    "cat /sys/block/DISK/queue/scheduler",
                ),
            }
        })
    })
}

#[test]
fn the_remedy_is_one_that_the_kernel_takes() {
    for (text, command) in [
        (
            "noop deadline [cfq]",
            "echo noop > /sys/block/DISK/queue/scheduler",
        ),
        (
            "[mq-deadline] none\n",
            "echo none > /sys/block/DISK/queue/scheduler",
        ),
        ("[deadline]", "cat /sys/block/DISK/queue/scheduler"),
    ] {
        let host = crate::known::host_with(&[("/sys/block/sdx/queue/scheduler", text)]);
        let symptoms = check(&HostView::of_all(&host)).symptoms;
        let commands: Vec<&str> = symptoms.iter().map(|s| s.command.as_str()).collect();
        assert!(
            commands.contains(&command)
                && !commands.iter().any(|c| c.contains("none") && command != *c),
            "{text}: {symptoms:#?}"
        );
    }
}
