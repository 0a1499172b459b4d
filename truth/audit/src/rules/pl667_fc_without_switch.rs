use crate::{HostAnswer, HostView, Symptom};

rule! {
    667 "fc-without-switch" Host(check) SUSPECT pitfalls [] {
        summary: "A Fibre Channel port is connected to its array without a switch.",
        why: "Without a switch both ends settle between them whether the link is point-to-point or a loop. An adapter's driver may change \
            what it offers from one version to the next, and the array's LUNs are gone without an error that says why.",
        threshold: "A port_type of a direct connection or a private loop: a note; suspect where the port is not online or the kernel's log \
            has a port that the Brocade driver lost.",
        source: "scsi_transport_fc. A published case: with the Brocade driver 3.1.2.1 in the place of 3.0.2.2 LUNs vanished on direct \
            connections alone, until the array's ports were set from point-to-point to loop preferred.",
        example: "host5: Point-To-Point (direct nport connection), and connectivity lost in the log after an update of the kernel.",
        remedy: "Set the array's ports to loop preferred, or to what its vendor asks for with this driver, and compare the driver with the \
            last good run's (plimsoll doctor --diff).",
    }
    fires: |h| direct(h, "Linkdown"),
    clean: |h| {
        h.insert("/sys/class/fc_host/host5/port_type", "NPort (fabric via point-to-point)");
        h.insert("/sys/class/fc_host/host5/port_state", "Online");
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let log = view.host.text("/commands/dmesg").unwrap_or_default();
    let lost = log.lines().any(is_lost);
    for host in view.host.names("/sys/class/fc_host") {
        let folder = format!("/sys/class/fc_host/{host}");
        let Some(kind) = view.host.text(&format!("{folder}/port_type")) else {
            answer.miss(format!("{folder}/port_type"));
            continue;
        };
        let state = view.host.text(&format!("{folder}/port_state"));
        let state = state.unwrap_or("of unknown state");
        let is_direct = kind.starts_with("Point-To-Point") || kind.starts_with("LPort");
        answer.look(is_direct.then(|| {
            Symptom::new(host, format!("{kind}, {state}"))
                .wanted(
                    "the topology that the array's ports are set to",
                    "cat /sys/class/fc_host/DISK/port_type",
                )
                .note_if(state == "Online" && !lost)
        }));
    }
    answer
}

/// Whether a line of the log is the Brocade driver's (bfa), on a port or target that it lost. Other programs lose other connectivity.
fn is_lost(line: &str) -> bool {
    let of_port = ["Remote port (WWN", "Target (WWN"];
    line.contains("bfa ")
        && line.contains(" connectivity lost for ")
        && of_port.iter().any(|of| line.contains(of))
}

#[cfg(test)]
fn direct(host: &mut plimsoll_evidence::HostState, state: &str) {
    let kind = "Point-To-Point (direct nport connection)";
    host.insert("/sys/class/fc_host/host5/port_type", kind);
    host.insert("/sys/class/fc_host/host5/port_state", state);
}

#[test]
fn a_direct_connection_that_works_is_a_note() {
    use plimsoll_evidence::Severity;
    let worst = |state: &str, log: &str| {
        let mut host = crate::known::host();
        direct(&mut host, state);
        host.insert("/commands/dmesg", log);
        let answer = check(&HostView::of_all(&host));
        answer
            .symptoms
            .iter()
            .map(|s| s.at_most)
            .collect::<Vec<_>>()
    };
    let lost = "bfa 0000:86:00.0: Remote port (WWN = 21:00) connectivity lost for logical port (WWN = 10:00)";
    assert_eq!(worst("Online", ""), [Severity::Note]);
    assert_eq!(worst("Online", lost), [Severity::Invalid]);
    let target =
        "bfa 0000:86:00.0: Target (WWN = 21:00) connectivity lost for initiator (WWN = 10:00)";
    assert_eq!(worst("Online", target), [Severity::Invalid]);
    for other in [
        "NetworkManager[611]: <info> connectivity lost for eth0",
        "bfa 0000:86:00.0: Remote port (WWN = 21:00) online for logical port (WWN = 10:00)\nwwan0: connectivity lost",
    ] {
        assert_eq!(worst("Online", other), [Severity::Note], "{other}");
    }
    assert_eq!(worst("Linkdown", ""), [Severity::Invalid]);
}
