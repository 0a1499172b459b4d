//! A host without fault, what the rules say of it, and what of one with any.

use super::Known;
use crate::{Check, RULES, rules};
use plimsoll_evidence::HostState;

/// A host without fault, with one disk, where these files have these texts.
pub(crate) fn host_with(files: &[(&str, &str)]) -> HostState {
    let mut host = host();
    files
        .iter()
        .for_each(|(path, text)| host.insert(*path, *text));
    host
}

/// A configuration of dm-multipath without fault.
pub(crate) fn sound_multipath(host: &mut HostState) {
    let conf = "defaults {\n fast_io_fail_tmo 5\n dev_loss_tmo 600\n no_path_retry 12\n rr_min_io_rq 1\n failback manual\n}";
    host.insert("/etc/multipath.conf", conf);
}

/// A host without fault, with one disk.
pub(crate) fn host() -> HostState {
    let mut host = HostState::default();
    let queue = [
        ("scheduler", "[none] mq-deadline"),
        ("read_ahead_kb", "128"),
        ("rotational", "0"),
        ("nr_requests", "1023"),
        ("max_sectors_kb", "4096"),
        ("max_hw_sectors_kb", "32767"),
        ("rq_affinity", "2"),
        ("nomerges", "2"),
        ("write_cache", "write through"),
        ("iostats", "1"),
        ("wbt_lat_usec", "0"),
        ("io_poll", "0"),
        ("add_random", "0"),
    ];
    for (name, value) in queue {
        host.insert(format!("/sys/block/sdx/queue/{name}"), value);
    }
    for (path, text) in [
        ("/sys/block/sdx/size", "2048000"),
        ("/sys/block/sdx/alignment_offset", "0"),
        ("/sys/devices/system/cpu/online", "0-15"),
        ("/sys/devices/system/node/online", "0-1"),
        ("/proc/sys/kernel/numa_balancing", "0"),
        (
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "performance",
        ),
        (
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            "tsc",
        ),
        (
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "always [madvise] never",
        ),
        ("/commands/processes", "init\nirqbalance\nmultipathd"),
        ("/commands/dmesg", "[ 1.0] Linux version 6.12"),
        ("/commands/limits of the control group", ""),
        ("/proc/sys/kernel/osrelease", "6.12.0"),
        ("/proc/swaps", "Filename Type Size Used Priority"),
        (
            "/proc/interrupts",
            "CPU0 CPU1\n40: 9 0 PCI-MSIX nvme0q1\n41: 0 9 PCI-MSIX nvme0q2",
        ),
        ("/proc/irq/40/smp_affinity_list", "0"),
        ("/proc/irq/41/smp_affinity_list", "1"),
        ("/proc/cpuinfo", "flags : fpu tsc"),
        ("/proc/stat", "cpu  100 0 100 800 0 0 0 1 0 0"),
        ("/proc/mounts", "/dev/sdq1 / ext4 rw,relatime 0 0"),
        ("/sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2"),
        (
            "/proc/pressure/cpu",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=1",
        ),
        (
            "/proc/pressure/memory",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=1",
        ),
        (
            "/proc/pressure/io",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=1",
        ),
    ] {
        host.insert(path, text);
    }
    host
}

/// What each rule says of a host.
fn said(host: &HostState) -> Vec<(&'static crate::Rule, crate::HostAnswer)> {
    let view = crate::HostView::of_all(host);
    let ask = |rule: &&'static crate::Rule| match rule.check {
        Check::Host(check) => Some((*rule, check(&view))),
        _ => None,
    };
    RULES.iter().filter_map(ask).collect()
}

fn of_rule(host: &HostState, rule: &crate::Rule) -> crate::HostAnswer {
    let mut all = said(host).into_iter();
    all.find(|(r, _)| r.number == rule.number)
        .expect("a rule of hosts")
        .1
}

#[test]
fn each_rule_of_hosts_fires_on_its_case_and_looks_at_its_clean_one_in_silence() {
    for (rule, known) in rules::KNOWN {
        let Known::Host { fires, clean } = known else {
            continue;
        };
        let (mut ill, mut sound) = (host(), host());
        fires(&mut ill);
        clean(&mut sound);
        assert!(
            !of_rule(&ill, rule).symptoms.is_empty(),
            "{} does not fire",
            rule.code()
        );
        let answer = of_rule(&sound, rule);
        assert_eq!(answer.symptoms, [], "{}", rule.code());
        assert!(
            answer.looked > 0,
            "{} looks at nothing: {answer:?}",
            rule.code()
        );
        assert_eq!(answer.unseen, [""; 0], "{}", rule.code());
    }
    assert_eq!(
        crate::examine(&crate::HostView::of_all(&host())).findings,
        []
    );
}

#[test]
fn nothing_is_healthy_on_a_host_of_which_nothing_was_read() {
    let mut named = HostState::default();
    named.insert("/sys/block/sdx/size", "8");
    for bare in [HostState::default(), named] {
        let checkup = crate::examine(&crate::HostView::of_all(&bare));
        assert_eq!(checkup.findings, []);
        assert_eq!(checkup.healthy, [""; 0]);
        assert!(!checkup.not_observable.is_empty());
    }
}

#[test]
fn garbage_in_any_file_is_no_health_of_a_number_and_no_panic() {
    let garbage = [
        "",
        "\u{0}",
        "[",
        "]]{{\"",
        "99999999999999999999999",
        "-1",
        "\u{201c}x\u{201d} {",
        "a\nb\nc = }",
    ];
    let mut sound = host();
    for path in [
        "/etc/multipath.conf",
        "/etc/multipath/conf.d/a.conf",
        "/etc/iscsi/iscsid.conf",
        "/commands/multipath -ll",
        "/sys/block/sdx/device/queue_depth",
        "/sys/block/sdx/sdx1/start",
        "/sys/block/nvme0n1/wwid",
        "/sys/module/qla2xxx/parameters/ql2xmaxqdepth",
    ] {
        sound.insert(path, "");
    }
    for (path, _) in sound.files() {
        for text in garbage {
            let mut odd = sound.clone();
            odd.insert(path, text);
            crate::examine(&crate::HostView::of_all(&odd));
        }
    }
    let mut odd = sound.clone();
    odd.insert("/sys/block/sdx/queue/nomerges", "99999999999999999999999");
    let checkup = crate::examine(&crate::HostView::of_all(&odd));
    assert!(!checkup.healthy.contains(&"host-merges"));
    assert!(
        checkup
            .not_observable
            .iter()
            .any(|u| u.name == "host-merges")
    );
}

#[test]
fn devices_with_the_same_fault_share_a_finding_and_a_name_never_becomes_a_shell_s_word() {
    let mut host = host();
    for name in ["vda", "vdb"] {
        host.insert(format!("/sys/block/{name}/size"), "8");
        host.insert(format!("/sys/block/{name}/queue/scheduler"), "[bfq] none");
    }
    let found = |host: &HostState| {
        let all = crate::examine(&crate::HostView::of_all(host)).findings;
        all.into_iter()
            .find(|f| f.name == "host-io-scheduler")
            .expect("found")
    };
    let both = found(&host);
    assert_eq!(both.subjects, ["vda", "vdb"]);
    assert_eq!(
        both.command,
        "for d in vda vdb; do echo none > /sys/block/$d/queue/scheduler; done"
    );
    host.insert("/sys/block/x;reboot/queue/scheduler", "[bfq] none");
    assert!(!found(&host).command.contains("reboot"));
}
