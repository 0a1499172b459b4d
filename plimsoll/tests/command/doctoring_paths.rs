//! `plimsoll doctor` of captured hosts: over what the storage is reached, by how many paths, and under whose hypervisor.

use crate::doctoring::{names, tree};
use crate::place::TestFolder;

#[test]
fn the_transports_of_a_captured_host_are_a_table() {
    let place = TestFolder::new();
    tree(
        &place,
        "host",
        &[
            ("sys/class/fc_host/host5/port_state", "Online"),
            ("sys/class/fc_host/host5/speed", "8 Gbit"),
            ("sys/class/fc_host/host5/port_type", "LPort (private loop)"),
            ("sys/class/iscsi_session/session1/targetname", "iqn.a"),
            ("sys/class/iscsi_session/session1/state", "LOGGED_IN"),
            (
                "sys/class/iscsi_connection/connection1:0/persistent_address",
                "10.0.0.1",
            ),
            (
                "sys/class/iscsi_connection/connection1:0/persistent_port",
                "3260",
            ),
            (
                "proc/mounts",
                "//win/share /smb cifs rw,multichannel,addr=10.0.0.4 0 0\n",
            ),
            (
                "proc/fs/cifs/DebugData",
                "1) ConnectionId: 0x1 Hostname: win\n\tExtra Channels: 1\n",
            ),
        ],
    );
    let done = place.plimsoll("doctor --transports --root host").ok();
    for line in [
        "Fibre Channel host5: Online, 8 Gbit, LPort (private loop)",
        "iSCSI session1: iqn.a 10.0.0.1:3260, LOGGED_IN, 1 connection",
        "SMB over TCP /smb: //win/share, 2 channels",
    ] {
        assert!(done.out.lines().any(|l| l == line), "{line}: {done:#?}");
    }
    let document = place
        .plimsoll("doctor --transports --json --root host")
        .json();
    assert_eq!(document.as_array().map(Vec::len), Some(3));
    tree(
        &place,
        "bare",
        &[("proc/mounts", "/dev/sda1 / ext4 rw 0 0\n")],
    );
    let done = place.plimsoll("doctor --transports --root bare").ok();
    done.says(&["No storage over a network"]);
}

#[test]
fn a_control_domain_of_xen_is_no_guest_and_its_unpinned_vcpus_are_named() {
    let place = TestFolder::new();
    let list = |affinity: &str| {
        format!(
            "Name                              ID  VCPUs   CPU State   Time(s) CPU Affinity\n\
             Domain-0                           0     0     3   r--     842.1 {affinity}\n\
             Domain-0                           0     1     5   -b-     512.3 {affinity}\n"
        )
    };
    for (name, affinity) in [("free", "any cpu"), ("pinned", "0-7")] {
        tree(
            &place,
            name,
            &[
                ("sys/hypervisor/type", "xen"),
                ("proc/xen/capabilities", "control_d\n"),
                ("commands/xm vcpu-list", &list(affinity)),
            ],
        );
    }
    let free = place.plimsoll("doctor --root free").ok();
    let printed = free.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in [
        "it is no guest but Xen's control domain (Dom0)",
        "2 of 2 vcpus of Domain-0 may run on any CPU",
        "xm vcpu-set Domain-0 2; xm vcpu-pin Domain-0 all 0-1",
        "`all all` pins nothing",
    ] {
        assert!(printed.contains(says), "{says}: {printed}");
    }
    let pinned = names(&place.plimsoll("doctor --root pinned --json").json());
    assert!(
        !pinned.contains(&"dom0-vcpus-unpinned".to_string()),
        "{pinned:?}"
    );
}

#[test]
fn a_map_with_fewer_paths_than_are_expected_is_named_with_what_is_missing() {
    let place = TestFolder::new();
    // Two adapters, two ports of the array on each fabric; m1 lacks the second port behind the second adapter.
    let path = |adapter: u32, target: u32| {
        format!("  |- {adapter}:0:{target}:1 sdx 8:16 active ready running\n")
    };
    let map = |name: &str, paths: &[(u32, u32)]| {
        let paths: String = paths.iter().map(|(a, t)| path(*a, *t)).collect();
        format!(
            "{name} (3600{name}) dm-2 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n{paths}"
        )
    };
    let all = [(2, 0), (2, 1), (3, 0), (3, 1)];
    // Another array has targets of its own, which are none that m1 lacks.
    let other = [(2, 2), (2, 3), (3, 2), (3, 3)];
    let map_text = map("m0", &all) + &map("m1", &all[..3]) + &map("n0", &other);
    tree(&place, "host", &[("commands/multipath -ll", &map_text)]);
    let seen = |flags: &str| {
        let document = place
            .plimsoll(&format!("doctor --root host --json {flags}"))
            .json();
        let findings = document["findings"].as_array().expect("findings").clone();
        let found = findings
            .into_iter()
            .filter(|f| f["name"] == "multipath-single-path");
        found
            .map(|f| {
                (
                    f["subjects"].to_string(),
                    f["seen"].to_string(),
                    f["wanted"].to_string(),
                )
            })
            .collect::<Vec<_>>()
    };
    assert!(seen("").is_empty());
    let text = |t: &str| t.to_string();
    assert_eq!(
        seen("--paths 4"),
        [(
            text("[\"m1\"]"),
            text("\"3 paths, none by 3:0:1\""),
            text("\"4\"")
        )]
    );
    assert_eq!(seen("--paths 16").len(), 2);
    // Sysfs says where the ways go: two fabrics with an adapter each, and a second adapter on the second one that sees one port of two.
    let port = |name: &str, target: &str, port: &str| {
        let folder = format!("sys/class/fc_remote_ports/{name}");
        [
            (format!("{folder}/scsi_target_id"), target.to_string()),
            (format!("{folder}/port_name"), port.to_string()),
        ]
    };
    let fabric = |host: &str, fabric: &str| {
        (
            format!("sys/class/fc_host/{host}/fabric_name"),
            fabric.to_string(),
        )
    };
    let ports = [
        port("rport-2:0-7", "0", "0x50a"),
        port("rport-2:0-8", "1", "0x50b"),
        port("rport-3:0-7", "0", "0x50c"),
        port("rport-3:0-8", "1", "0x50d"),
        port("rport-4:0-2", "0", "0x50c"),
        // Another array's, which one adapter alone is meant to see; and adapters without a switch, which share no fabric.
        port("rport-3:0-9", "5", "0x60a"),
        port("rport-5:0-0", "0", "0x70a"),
        port("rport-6:0-0", "0", "0x70b"),
    ];
    let mut files: Vec<(String, String)> = ports.concat();
    files.extend([
        fabric("host2", "0x1"),
        fabric("host3", "0x2"),
        fabric("host4", "0x2"),
        fabric("host5", "0x0"),
        fabric("host6", "0x0"),
    ]);
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    tree(&place, "host", &files);
    assert_eq!(
        seen("--paths 4")[0].1,
        "\"3 paths, none by 3:0:1 (host3 on fabric 0x2 to port 0x50d)\""
    );
    let whole = map("m0", &[(2, 0), (2, 1), (3, 0), (3, 1), (4, 0)]);
    tree(&place, "host", &[("commands/multipath -ll", &whole)]);
    assert_eq!(
        seen("--paths 6")[0].1,
        "\"5 paths, none by host4 on fabric 0x2 to port 0x50d\""
    );
    let direct = map("m0", &[(5, 0), (6, 0)]);
    tree(&place, "host", &[("commands/multipath -ll", &direct)]);
    assert_eq!(
        seen("--paths 4")[0].1,
        "\"2 paths: 1 by adapter 5, 1 by adapter 6\""
    );
}

#[test]
fn a_port_without_a_switch_and_targets_that_a_boot_loses_are_named() {
    let place = TestFolder::new();
    let lost = "[  9.0] bfa 0000:86:00.0: Remote port (WWN = 21:00) connectivity lost for logical port (WWN = 10:00)\n";
    let host = |name: &str, log: &str, load: &str, queue: &str| {
        tree(
            &place,
            name,
            &[
                ("sys/class/fc_host/host5/port_state", "Online"),
                (
                    "sys/class/fc_host/host5/port_type",
                    "Point-To-Point (direct nport connection)",
                ),
                ("sys/class/infiniband/mlx4_0/node_type", "1: CA"),
                (
                    "sys/class/infiniband/mlx4_0/ports/1/link_layer",
                    "InfiniBand",
                ),
                ("sys/class/infiniband/mlx4_0/ports/1/state", "4: ACTIVE"),
                ("sys/class/scsi_host/host13/local_ib_device", "mlx4_0"),
                ("sys/class/scsi_host/host13/local_ib_port", "1"),
                ("etc/infiniband/openib.conf", load),
                ("etc/sysctl.conf", queue),
                ("commands/dmesg", log),
            ],
        );
    };
    host(
        "good",
        "",
        "ONBOOT=yes\nSRP_LOAD=yes\n",
        "vxvm.vxio.vol_use_rq = 0\n",
    );
    host(
        "bad",
        lost,
        "ONBOOT=yes\nSRP_LOAD=no\n",
        "vxvm.vxio.vol_use_rq = 1\n",
    );
    let found = |name: &str| {
        let done = place.plimsoll(&["doctor", "--json", "--root", name]).json();
        let findings = done["findings"].as_array().expect("findings").clone();
        let of = |rule: &str| {
            let finding = findings.iter().find(|f| f["rule"] == rule)?;
            Some(finding["severity"].as_str()?.to_string())
        };
        ["PL667", "PL668", "PL669"].map(|rule| of(rule).unwrap_or_default())
    };
    assert_eq!(found("good"), ["note", "", ""]);
    assert_eq!(found("bad"), ["suspect", "suspect", "suspect"]);
    let changed = place.plimsoll("doctor --diff good bad").ok();
    for line in [
        "/etc/infiniband/openib.conf: SRP_LOAD=yes -> SRP_LOAD=no",
        "/etc/sysctl.conf: vxvm.vxio.vol_use_rq = 0 -> vxvm.vxio.vol_use_rq = 1",
    ] {
        assert!(
            changed.out.lines().any(|l| l == line),
            "{line}: {changed:#?}"
        );
    }
    let ways = place.plimsoll("doctor --transports --root good").ok();
    for line in ["InfiniBand mlx4_0/1: ACTIVE", "SRP host13: over mlx4_0/1"] {
        assert!(ways.out.lines().any(|l| l == line), "{line}: {ways:#?}");
    }
}

#[test]
fn of_two_hosts_the_lines_that_a_rule_knows_come_before_those_that_are_to_be_tried() {
    let place = TestFolder::new();
    let conf = |more: &str| format!("defaults {{\n  polling_interval 5\n{more}}}\n");
    for (name, more, driver, others) in [
        ("fast", "", "3.0.2.2", "1"),
        ("slow", "  rr_min_io 4\n  max_fds 8192\n", "3.1.2.1", "2"),
    ] {
        tree(
            &place,
            name,
            &[
                ("etc/multipath.conf", &conf(more)),
                ("proc/sys/kernel/osrelease", "3.0.76-0.11-default"),
                ("sys/module/bfa/version", driver),
                ("sys/block/sdb/queue/nr_requests", others),
            ],
        );
    }
    let done = place.plimsoll("disturb --bisect fast slow").ok();
    let at = |text: &str| {
        done.out
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {done:#?}"))
    };
    let order = [
        "/etc/multipath.conf rr_min_io: (not there) -> rr_min_io 4",
        "PL645",
        "To be tried, the first half",
        "the other half",
        "1 more difference",
    ]
    .map(at);
    assert!(order.is_sorted(), "{done:#?}");
    done.says(&["max_fds", "/sys/module/bfa/version: 3.0.2.2 -> 3.1.2.1"]);
    place
        .plimsoll("disturb --bisect fast slow one.plim")
        .refused(&["the records of two disturbances"]);
}
