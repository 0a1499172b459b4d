//! `plimsoll doctor`: this host, hosts that were captured, and what is no host at all.

use crate::place::{TestFolder, holds};
use serde_json::Value;
use std::path::Path;

/// Writes a captured tree.
pub fn tree(place: &TestFolder, name: &str, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = place.path(&format!("{name}/{path}"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
}

/// A host with a map over two paths, one of them offline, and a configuration that multipathd ignores.
const ILL: &[(&str, &str)] = &[
    ("sys/block/sdb/size", "2048"),
    ("sys/block/sdb/queue/scheduler", "none [mq-deadline] kyber"),
    ("sys/block/sdb/queue/read_ahead_kb", "8192"),
    ("sys/block/sdb/queue/nr_requests", "2"),
    ("sys/block/sdb/device/queue_depth", "1"),
    ("sys/block/sdz/size", "2048"),
    ("sys/block/sdz/queue/scheduler", "[bfq]"),
    ("sys/block/dm-0/size", "2048"),
    ("sys/block/dm-0/dm/name", "lun0"),
    ("sys/block/dm-0/dm/uuid", "mpath-3600"),
    ("sys/block/dm-0/slaves/sdb", ""),
    ("sys/block/nvme0n1/wwid", "eui.0025"),
    ("sys/block/nvme1n1/wwid", "eui.0025"),
    ("sys/module/bfa/version", "3.0.2.2"),
    ("proc/sys/kernel/osrelease", "3.0.101-0.47"),
    (
        "etc/multipath.conf",
        "defaults { no_path_retry fail }\ndevices {\n device {\n  vendor \u{201c}SAN\u{201d}\n }\n}\n",
    ),
    (
        "commands/multipath -ll",
        "lun0 (3600) dm-0 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n  \
         |- 2:0:0:1 sdb 8:16 active ready running\n  `- 3:0:0:1 sdc 8:32 failed faulty offline\n",
    ),
    (
        "commands/dmesg",
        "[9.1]  rport-2:0-1: blocked FC remote port time out: removing target\n\
         [9.2] bfa 0000:05:00.0: target offline\n[9.3] blk_update_request: I/O error, dev sdc, sector 8\n\
         [9.4] multipath: failed to set fast_io_fail_tmo, error 22\n",
    ),
];

pub fn names(document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().expect("findings");
    let name = |f: &Value| f["name"].as_str().expect("a name").to_string();
    findings.iter().map(name).collect()
}

#[test]
fn what_this_host_s_disks_say_is_found_where_it_is_so() {
    let place = TestFolder::new();
    let document = place.plimsoll("doctor --json").json();
    let has = |rule: &str, disk: &str| {
        let all = document["findings"].as_array().expect("findings");
        all.iter().any(|f| {
            let subjects = f["subjects"].as_array().expect("subjects");
            f["name"] == rule && subjects.iter().any(|s| s == disk)
        })
    };
    for disk in document["devices"].as_array().expect("devices") {
        let disk = disk.as_str().expect("a name");
        // Other tests make and change these meanwhile.
        if ["loop", "zram", "dm-", "nbd"]
            .iter()
            .any(|p| disk.starts_with(p))
        {
            continue;
        }
        let read = |setting: &str| {
            let path = format!("/sys/block/{disk}/queue/{setting}");
            std::fs::read_to_string(path).unwrap_or_default()
        };
        let scheduler = read("scheduler");
        let bad = scheduler.contains('[') && !scheduler.contains("[none]");
        assert_eq!(has("host-io-scheduler", disk), bad, "{disk}: {scheduler}");
        let ahead: u64 = read("read_ahead_kb").trim().parse().unwrap_or(0);
        assert_eq!(has("host-read-ahead", disk), ahead > 128, "{disk}: {ahead}");
        assert_eq!(
            has("host-rotational-flag", disk),
            read("rotational").trim() == "1",
            "{disk}"
        );
    }
}

#[test]
fn a_captured_host_is_judged_by_what_is_in_it_alone() {
    let place = TestFolder::new();
    tree(&place, "ill", ILL);
    let document = place.plimsoll("doctor --root ill --json").json();
    let found = names(&document);
    for name in [
        "host-io-scheduler",
        "host-read-ahead",
        "host-few-requests",
        "device-queue-depth",
        "multipath-shared-braces",
        "multipath-odd-quotes",
        "multipath-path-down",
        "kernel-log-io-errors",
        "kernel-log-remote-port",
        "kernel-log-bfa",
        "kernel-log-error-22",
        "nvme-paths-apart",
    ] {
        assert!(
            found.iter().any(|f| f == name),
            "{name} is missing: {found:?}"
        );
    }
    // Nothing of this host: what the tree lacks is not observable, and not healthy.
    let healthy = document["healthy"].as_array().expect("healthy");
    assert!(
        !healthy
            .iter()
            .any(|h| h == "host-governor" || h == "host-steal")
    );
    let unseen = document["not_observable"].as_array().expect("unseen");
    assert!(unseen.iter().any(|u| u["name"] == "host-steal"));
    for finding in document["findings"].as_array().expect("findings") {
        for part in ["seen", "wanted", "why", "command", "source"] {
            assert!(
                !finding[part].as_str().expect("text").is_empty(),
                "{finding}"
            );
        }
    }
}

#[test]
fn a_target_is_its_whole_stack_and_nothing_else() {
    let place = TestFolder::new();
    tree(&place, "ill", ILL);
    let of = |target: &str| {
        place
            .plimsoll(&format!("doctor {target} --root ill --json"))
            .json()
    };
    assert_eq!(
        of("/dev/mapper/lun0")["devices"],
        serde_json::json!(["dm-0", "sdb"])
    );
    assert_eq!(of("sdb")["devices"], serde_json::json!(["sdb"]));
    let none = place.plimsoll("doctor /dev/sdq --root ill");
    none.refused(&["/dev/sdq", "no block device"]);
}

#[test]
fn the_text_has_the_worst_first_and_the_exit_code_says_how_bad() {
    let place = TestFolder::new();
    tree(&place, "ill", ILL);
    let done = place.plimsoll("doctor --root ill");
    assert_eq!(done.code, Some(1), "a path is down: {done:#?}");
    assert!(done.out.starts_with("invalid PL"), "{}", done.out);
    let severe = done.out.rfind("\ninvalid PL").unwrap_or(0);
    assert!(severe < done.out.find("\nsuspect PL").expect("a suspect one"));
    assert!(
        done.out
            .contains("echo none > /sys/block/$d/queue/scheduler")
            || done.out.contains("/sys/block/sdb/queue/scheduler")
    );
    done.ends_in(&["Answer", "Trust", "Next"]);
    let tail = &done.out[done.out.find("Checked ").expect("what was checked")..];
    assert!(tail.contains("Not observable"), "{tail}");

    let mild = [
        ("sys/block/sdb/size", "8"),
        ("sys/block/sdb/queue/scheduler", "[bfq] none"),
    ];
    tree(&place, "mild", &mild);
    assert_eq!(place.plimsoll("doctor --root mild").code, Some(0));
    assert_eq!(place.plimsoll("doctor --root mild --strict").code, Some(1));
}

#[test]
fn a_capture_of_this_host_says_what_the_host_says() {
    let place = TestFolder::new();
    place.plimsoll("doctor --capture host.tar.zst").ok();
    // What somebody else wrote is not replaced; what the doctor wrote, and nobody changed since, is.
    place.text("notes", "mine");
    let other = place.plimsoll("doctor --capture notes");
    other.refused(&["notes"]);
    let again = ["doctor", "--capture", "host.tar.zst"];
    place.plimsoll(&again).ok();
    let scheduler = |words: &[&str]| {
        let document = place.plimsoll(words).json();
        let all = document["findings"].as_array().expect("findings").clone();
        let is = |f: &Value| f["name"] == "host-io-scheduler";
        (
            document["devices"].clone(),
            all.into_iter().filter(is).collect::<Vec<_>>(),
        )
    };
    let packed = scheduler(&["doctor", "--root", "host.tar.zst", "--json"]);
    let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let read = place.plimsoll("doctor --root host.tar.zst --json").json();
    let unseen = read["not_observable"].as_array().expect("unseen");
    let lacks_clock = unseen.iter().any(|u| u["name"] == "host-clocksource");
    assert_eq!(lacks_clock, !Path::new(clock).exists());
    // The same tree, unpacked by another program.
    std::fs::create_dir(place.path("tree")).expect("made");
    let unpacked = std::process::Command::new("tar")
        .args(["--zstd", "-xf", "host.tar.zst", "-C", "tree"])
        .current_dir(place.folder())
        .status();
    match unpacked {
        Ok(status) if status.success() => {
            assert_eq!(scheduler(&["doctor", "--root", "tree", "--json"]), packed);
        }
        _ => {
            plimsoll_skipped::skipped!("tar with zstd is not here");
        }
    }
}

#[test]
fn what_changed_between_two_hosts_is_told() {
    let place = TestFolder::new();
    tree(&place, "a", ILL);
    tree(&place, "b", ILL);
    tree(
        &place,
        "b",
        &[
            ("sys/module/bfa/version", "3.1.2.1"),
            ("sys/block/sdb/queue/scheduler", "[none] mq-deadline kyber"),
        ],
    );
    let done = place.plimsoll("doctor --diff a b").ok();
    done.says(&["/sys/module/bfa/version: 3.0.2.2 -> 3.1.2.1"]);
    assert!(done.out.ends_with("2 differences.\n"), "{}", done.out);
    let same = place.plimsoll("doctor --diff a a").ok();
    assert_eq!(same.out, "0 differences.\n");
}

#[test]
fn what_is_no_host_is_refused_and_garbage_never_panics() {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("empty")).expect("made");
    place.text("noise", "\u{28}\u{b5} not a tar");
    std::fs::write(place.path("zeros"), [0u8; 8192]).expect("written");
    place
        .plimsoll("doctor --root empty")
        .refused(&["nothing of a host"]);
    place.plimsoll("doctor --root noise").refused(&["noise"]);
    place.plimsoll("doctor --root zeros").refused(&["zeros"]);
    place
        .plimsoll("doctor --root missing")
        .refused(&["missing"]);

    let long = "[1.0] \u{0}\u{fffd}{}{}\" x\n".repeat(200_000);
    for (path, _) in ILL {
        tree(
            &place,
            "odd",
            &[(path, "}{\u{201c}\u{0} \" 99999999999999999999 -1 [")],
        );
    }
    tree(&place, "odd", &[("commands/dmesg", &long)]);
    std::fs::write(
        place.path("odd/etc/multipath.conf"),
        [0xff, 0xfe, b'{', b'\n', 0],
    )
    .expect("written");
    let done = place.plimsoll("doctor --root odd");
    assert!(
        matches!(done.code, Some(0 | 1)) && !done.err.contains("panicked"),
        "{done:#?}"
    );
}

#[test]
fn a_target_that_became_another_under_its_name_is_told_from_two_records() {
    let place = TestFolder::new();
    let diff = |a: &str, b: &str| {
        place
            .plimsoll(&format!("doctor --diff '{a}' '{b}'"))
            .ok()
            .out
    };
    let persona = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../lab/array/personas/single-ssd.toml"
    ))
    .expect("a persona");
    let simulated = |record: &str| {
        let run = format!(
            "run lab:./own.toml?size=64m --for 200ms --warmup 0s --depth 1 -q --record {record}"
        );
        place.plimsoll(&run.split(' ').collect::<Vec<_>>());
        assert!(place.path(record).exists(), "{record}");
    };
    place.text("own.toml", &persona);
    simulated("a.plim");
    simulated("b.plim");
    assert_eq!(diff("a.plim", "b.plim"), "0 differences.\n");
    place.text("own.toml", &format!("{persona}\n# changed\n"));
    simulated("c.plim");
    let diff_text = diff("a.plim", "c.plim");
    assert!(
        diff_text.starts_with("target 1: persona's file: ")
            && diff_text.ends_with("\n1 difference.\n"),
        "{diff_text}"
    );

    let real = |record: &str| {
        let run = format!(
            "run disk.dat --size 1m --block 4k --for 200ms --warmup 0s --depth 1 -q --record {record}"
        );
        place.plimsoll(&run.split(' ').collect::<Vec<_>>());
        assert!(place.path(record).exists(), "{record}");
    };
    real("d.plim");
    std::fs::rename(place.path("disk.dat"), place.path("old.dat")).expect("moved");
    real("e.plim");
    let diff_text = diff("d.plim", "e.plim");
    holds!(diff_text, "target 1: files (inode and birth): ");
}

#[test]
fn what_changed_between_the_hosts_of_two_runs_is_told_from_their_records() {
    use plimsoll_record::{Record, Recorder, RunStatus};
    let place = TestFolder::new();
    let run = "run null:1GiB --for 200ms --warmup 0s -q --record before.plim";
    place.plimsoll(&run.split(' ').collect::<Vec<_>>()).ok();
    let before = Record::open(&place.path("before.plim")).expect("a record");
    let mut environment = before.environment().clone();
    environment.host.drivers = vec![("bfa".into(), "3.1.2.1".into())];
    environment.host.kernel = "9.9".into();
    let write = |name: &str, environment: &_| {
        let made = Recorder::create(&place.path(name), environment, "{}").expect("made");
        made.finish(RunStatus::Completed).expect("written");
    };
    write("after.plim", &environment);
    environment.host.drivers[0].1 = "3.0.2.2".into();
    write("earlier.plim", &environment);

    let done = place.plimsoll("doctor --diff earlier.plim after.plim").ok();
    assert_eq!(done.out, "driver bfa: 3.0.2.2 -> 3.1.2.1\n1 difference.\n");
    let done = place.plimsoll("doctor --diff before.plim after.plim").ok();
    done.says(&["kernel: ", " -> 9.9\n"]);
    place
        .plimsoll("doctor --diff before.plim /")
        .refused(&["two captured hosts or the records of two runs"]);
    place
        .plimsoll("doctor --diff before.plim missing")
        .refused(&["missing: No such file"]);

    let targets = |names: [&str; 2]| {
        names
            .map(|name| plimsoll_evidence::EnvironmentTarget {
                name: name.into(),
                location: format!("/dev/{name}"),
                ..Default::default()
            })
            .to_vec()
    };
    environment.targets = targets(["sda", "sdb"]);
    write("ab.plim", &environment);
    environment.targets = targets(["sdb", "sda"]);
    write("ba.plim", &environment);
    environment.targets = targets(["sdc", "sdb"]);
    write("cb.plim", &environment);
    let done = place.plimsoll("doctor --diff ab.plim ba.plim").ok();
    assert_eq!(done.out, "0 differences.\n", "the order of targets is none");
    let done = place.plimsoll("doctor --diff ab.plim cb.plim").ok();
    assert_eq!(done.out, "targets: sda, sdb -> sdc, sdb\n1 difference.\n");
}

#[test]
fn interrupts_on_one_cpu_and_links_with_errors_are_found_in_a_captured_tree() {
    let place = TestFolder::new();
    let interrupts = "            CPU0       CPU1\n  9:          0          3   IO-APIC   9-fasteoi   acpi\n \
                      40:       9000          0   PCI-MSIX-0000:03:00.0   1-edge      nvme0q1\n \
                      41:       9000          0   PCI-MSIX-0000:03:00.0   2-edge      nvme0q2\nNMI:          0          0   \
                      Non-maskable interrupts\n";
    let folder = "sys/class/fc_host/host7/statistics";
    let count = |name: &str| format!("{folder}/{name}");
    let with = |name: &str, second: &str, crc: &str| {
        tree(
            &place,
            name,
            &[
                ("proc/interrupts", interrupts),
                ("proc/irq/40/smp_affinity_list", "0\n"),
                ("proc/irq/41/smp_affinity_list", second),
                (&count("invalid_crc_count"), crc),
                (&count("link_failure_count"), "0x0\n"),
                (&count("loss_of_sync_count"), "0xffffffffffffffff\n"),
            ],
        );
        place
            .plimsoll(&format!("doctor --root {name} --json"))
            .json()
    };
    let ill = with("ill", "0\n", "0x1f\n");
    let finding = |document: &Value, name: &str| {
        let all = document["findings"].as_array().expect("findings");
        all.iter().find(|f| f["name"] == name).cloned()
    };
    let one = finding(&ill, "host-storage-interrupts").expect("both are on CPU 0");
    assert_eq!(one["subjects"][0], "nvme0", "{one:#}");
    assert_eq!(one["severity"], "suspect", "{one:#}");
    let crc = finding(&ill, "fc-link-errors").expect("31 wrong frames");
    assert_eq!(crc["seen"], "31 frames with an invalid CRC", "{crc:#}");
    assert_eq!(crc["subjects"][0], "host7", "{crc:#}");
    // What the adapter does not count is not healthy.
    let unseen = ill["not_observable"].to_string();
    assert!(unseen.contains("loss_of_sync_count"), "{unseen}");
    let well = with("well", "1\n", "0x0\n");
    for name in ["host-storage-interrupts", "fc-link-errors"] {
        let found = finding(&well, name);
        let severity = found.as_ref().map(|f| f["severity"].clone());
        // All of them went to CPU 0 so far, which is a note.
        assert!(severity.is_none_or(|s| s == "note"), "{found:#?}");
    }
    // Counters that went on are no change of a setup.
    let differ = place.plimsoll("doctor --diff ill well").ok().out;
    assert!(differ.contains("smp_affinity_list"), "{differ}");
    assert!(!differ.contains("invalid_crc_count"), "{differ}");
}
