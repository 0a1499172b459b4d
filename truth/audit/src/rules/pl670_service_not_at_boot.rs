use crate::multipath::topology;
use crate::{HostAnswer, HostView, Symptom};

rule! {
    670 "service-not-at-boot" Host(check) SUSPECT pitfalls [] {
        summary: "A service that storage needs is there now, and will not be after the next boot.",
        why: "What was started by hand is gone after a boot: the next measurement is one over single paths, or of LUNs that are not there.",
        threshold: "multipathd beside maps, openibd beside InfiniBand ports, opensmd beside a subnet manager that runs: disabled or masked, or, where systemd has no unit of its own for it, off in the runlevels 3 and 5.",
        source: "chkconfig(8); systemctl(1), list-unit-files. A published setup switched all three on.",
        example: "multipathd off in the runlevels 3 and 5: four paths today, one after the boot.",
        remedy: "Switch it on: `chkconfig multipathd on`, or `systemctl enable multipathd`.",
    }
    fires: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n");
        h.insert(CHKCONFIG, "multipathd  0:off  1:off  2:off  3:off  4:off  5:off  6:off\n");
    },
    clean: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n");
        h.insert("/sys/class/infiniband/mlx4_0/ports/1/link_layer", "InfiniBand");
        h.insert("/sys/class/infiniband/mlx4_0/ports/1/state", "4: ACTIVE");
        h.insert(CHKCONFIG, "multipathd  2:on  3:on  4:off  5:off  6:off\nopenibd  3:off  5:off\n");
        h.insert(UNITS, "multipathd.service generated -\nopenibd.service enabled enabled\n");
    },
}

const CHKCONFIG: &str = "/commands/chkconfig --list";
const UNITS: &str = "/commands/systemctl list-unit-files";

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let maps = view
        .host
        .text("/commands/multipath -ll")
        .map(topology::parse);
    let processes = view.host.text("/commands/processes").unwrap_or_default();
    let manages = processes.lines().any(|name| name == "opensm");
    let mut sysfs = view.host.files();
    let has_infiniband = sysfs.any(|(path, text)| {
        let is_layer = path.starts_with("/sys/class/infiniband/") && path.ends_with("/link_layer");
        is_layer && text.trim() == "InfiniBand"
    });
    let needed: [(bool, &[&str]); 3] = [
        (maps.is_some_and(|m| !m.is_empty()), &["multipathd"]),
        (has_infiniband, &["openibd"]),
        (manages, &["opensmd", "opensm"]),
    ];
    for (_, services) in needed.into_iter().filter(|(is_needed, _)| *is_needed) {
        let known = services
            .iter()
            .filter_map(|service| Some((service, at_boot(view, service)?)));
        // Under one of its names is enough.
        let known = known.min_by_key(|(_, (seen, _))| !seen.is_empty());
        if let Some((service, (seen, command))) = known {
            let symptom = Symptom::new(service, seen.clone()).wanted("started at boot", &command);
            answer.look((!seen.is_empty()).then_some(symptom));
        }
    }
    answer
}

/// How a service is not started at boot, empty where it is, and what changes that; `None` where nothing tells. A unit of its own
/// counts before a script beside it; one that is generated is made of the script.
fn at_boot(view: &HostView<'_>, service: &str) -> Option<(String, String)> {
    let line = |path: &str, name: &str| {
        let lines = view.host.text(path).unwrap_or_default().lines();
        let mut words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
        words.find(|words| words.first() == Some(&name))
    };
    let unit = line(UNITS, &format!("{service}.service"));
    let state = unit.and_then(|words| words.get(1).copied());
    if let Some(state) = state.filter(|state| *state != "generated") {
        let enable = format!("systemctl enable {service}");
        return Some(match state {
            "disabled" => (state.to_string(), enable),
            "masked" => (
                state.to_string(),
                format!("systemctl unmask {service}; {enable}"),
            ),
            _ => (String::new(), enable),
        });
    }
    let words = line(CHKCONFIG, service)?;
    // Which of the two the host boots into is not known: one that starts it is enough.
    let is_off = ["3:off", "5:off"].iter().all(|level| words.contains(level));
    let seen = if is_off {
        "off in the runlevels 3 and 5"
    } else {
        ""
    };
    Some((seen.to_string(), format!("chkconfig {service} on")))
}

#[test]
fn only_what_is_in_use_and_off_is_named() {
    let seen = |files: &[(&str, &str)]| {
        let answer = check(&HostView::of_all(&crate::known::host_with(files)));
        let all = answer.symptoms.iter();
        all.map(|s| format!("{}: {}", s.subject, s.seen))
            .collect::<Vec<_>>()
    };
    let off = (
        CHKCONFIG,
        "openibd 2:on 3:off 4:off 5:off 6:off\nopensmd 3:off 5:off\nmultipathd 3:on 5:off\n",
    );
    let layer = "/sys/class/infiniband/mlx4_0/ports/1/link_layer";
    let port = (layer, "InfiniBand");
    assert!(seen(&[off]).is_empty());
    assert!(seen(&[off, (layer, "Ethernet")]).is_empty());
    assert_eq!(
        seen(&[off, port]),
        ["openibd: off in the runlevels 3 and 5"]
    );
    let map = ("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n");
    assert!(seen(&[off, map]).is_empty());
    let runs = ("/commands/processes", "opensm\nsshd");
    assert_eq!(
        seen(&[off, runs]),
        ["opensmd: off in the runlevels 3 and 5"]
    );
    let unit = (
        UNITS,
        "opensm.service disabled enabled\nopensmd.service.d enabled\n",
    );
    assert_eq!(seen(&[unit, runs]), ["opensm: disabled"]);
    // A unit of its own says more than the script that it replaces, under whichever of its names.
    let enabled = (
        UNITS,
        "openibd.service enabled enabled\nopensm.service enabled enabled\n",
    );
    assert!(seen(&[off, enabled, port, runs]).is_empty());
    let masked = (UNITS, "openibd.service masked enabled\n");
    assert_eq!(seen(&[masked, port]), ["openibd: masked"]);
    assert!(seen(&[port, ("/commands/multipath -ll", "")]).is_empty());
}
