use crate::{HostAnswer, HostView, Symptom};

rule! {
    668 "infiniband-not-ready" Host(check) SUSPECT pitfalls [] {
        summary: "InfiniBand or its SRP targets are not there, or will not be after the next boot.",
        why: "A port without a subnet manager stays in INIT and carries nothing. SRP targets that are there by hand are gone after a boot, \
            and the next measurement is one of fewer paths.",
        threshold: "An InfiniBand port whose link is up in the state INIT; in /etc/infiniband/openib.conf ONBOOT=no, SRP_LOAD=no beside hosts of \
            SRP, or SRP_LOAD=yes with neither SRP_DAEMON_ENABLE=yes nor a running srp_daemon.",
        source: "infiniband_radix of the kernel's ABI; openib.conf of OFED.",
        example: "SRP_DAEMON_ENABLE=no: four paths today, and none after the boot until somebody logs in.",
        remedy: "Start a subnet manager (opensm) where no switch has one, and set ONBOOT, SRP_LOAD and SRP_DAEMON_ENABLE to yes.",
    }
    fires: |h| h.insert("/etc/infiniband/openib.conf", "ONBOOT=yes\nSRP_LOAD=yes\nSRP_DAEMON_ENABLE=no\n"),
    clean: |h| {
        h.insert("/etc/infiniband/openib.conf", "# OFED\nONBOOT=yes\nSRP_LOAD=yes\nSRP_DAEMON_ENABLE=yes\n");
        h.insert("/sys/class/infiniband/mlx4_0/ports/1/link_layer", "InfiniBand");
        h.insert("/sys/class/infiniband/mlx4_0/ports/1/state", "4: ACTIVE");
    },
}

const CONF: &str = "/etc/infiniband/openib.conf";

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    ports(view, &mut answer);
    if let Some(conf) = view.host.text(CONF) {
        answer.look(at_boot(view, conf));
    }
    answer
}

fn ports(view: &HostView<'_>, answer: &mut HostAnswer) {
    for adapter in view.host.names("/sys/class/infiniband") {
        for port in view
            .host
            .names(&format!("/sys/class/infiniband/{adapter}/ports"))
        {
            let folder = format!("/sys/class/infiniband/{adapter}/ports/{port}");
            if view.host.text(&format!("{folder}/link_layer")) != Some("InfiniBand") {
                continue;
            }
            match view.host.text(&format!("{folder}/state")) {
                None => answer.miss(format!("{folder}/state")),
                Some(state) => answer.look(state.contains("INIT").then(|| {
                    Symptom::new(
                        &format!("{adapter}/{port}"),
                        format!("state {state}: no subnet manager has set it up"),
                    )
                    .wanted("4: ACTIVE", "sminfo; systemctl status opensm")
                })),
            }
        }
    }
}

/// What the configuration leaves undone at the next boot.
fn at_boot(view: &HostView<'_>, conf: &str) -> Option<Symptom> {
    let value = |key: &str| {
        let lines = conf
            .lines()
            .rev()
            .filter_map(|line| line.trim().split_once('='));
        let mut own = lines.filter(|(name, _)| name.trim() == key);
        own.next().map(|(_, value)| value.trim().trim_matches('"'))
    };
    let is = |key: &str, word: &str| value(key).is_some_and(|v| v.eq_ignore_ascii_case(word));
    let hosts = view.host.names("/sys/class/scsi_host").into_iter();
    let device = |host: &&str| {
        view.host
            .text(&format!("/sys/class/scsi_host/{host}/local_ib_device"))
    };
    let has_srp = hosts.filter(|host| device(host).is_some()).count() > 0;
    let daemon = view.host.text("/commands/processes");
    let daemon = daemon.is_some_and(|all| all.lines().any(|p| p.contains("srp_daemon")));
    let (seen, wanted) = match () {
        () if is("ONBOOT", "no") => ("ONBOOT=no", "yes: else nothing of it is there after a boot"),
        () if has_srp && is("SRP_LOAD", "no") => (
            "SRP_LOAD=no, and hosts of SRP are in use",
            "yes: else they are gone after a boot",
        ),
        () if is("SRP_LOAD", "yes") && is("SRP_DAEMON_ENABLE", "no") && !daemon => (
            "SRP_LOAD=yes, SRP_DAEMON_ENABLE=no",
            "yes: else nobody logs in to the targets after a boot",
        ),
        () => return None,
    };
    Some(
        Symptom::new("", format!("{CONF}: {seen}"))
            .wanted(wanted, "grep -n = /etc/infiniband/openib.conf"),
    )
}

#[test]
fn what_is_missing_at_the_next_boot_is_named() {
    let seen = |files: &[(&str, &str)]| {
        let answer = check(&HostView::of_all(&crate::known::host_with(files)));
        answer
            .symptoms
            .first()
            .map(|s| s.seen.clone())
            .unwrap_or_default()
    };
    let conf = |text| (CONF, text);
    let srp = ("/sys/class/scsi_host/host13/local_ib_device", "mlx4_0");
    assert!(seen(&[conf("ONBOOT=no")]).ends_with("ONBOOT=no"));
    assert_eq!(seen(&[conf("SRP_LOAD=no")]), "");
    assert!(seen(&[conf("SRP_LOAD=no"), srp]).contains("hosts of SRP"));
    // The last one of a file counts, and a daemon that runs.
    let twice = "SRP_LOAD=yes\nSRP_DAEMON_ENABLE=yes\nSRP_DAEMON_ENABLE=no";
    assert!(seen(&[conf(twice)]).contains("SRP_DAEMON_ENABLE=no"));
    assert_eq!(
        seen(&[conf(twice), ("/commands/processes", "sshd\nsrp_daemon")]),
        ""
    );
    let port = |state| {
        [
            (
                "/sys/class/infiniband/mlx4_0/ports/1/link_layer",
                "InfiniBand",
            ),
            ("/sys/class/infiniband/mlx4_0/ports/1/state", state),
        ]
    };
    assert!(seen(&port("2: INIT")).contains("no subnet manager"));
    assert_eq!(seen(&port("1: DOWN")), "");
}
