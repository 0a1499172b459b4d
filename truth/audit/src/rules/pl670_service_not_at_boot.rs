use crate::multipath::topology;
use crate::{HostAnswer, HostView, Symptom};

rule! {
    670 "service-not-at-boot" Host(check) SUSPECT pitfalls [] {
        summary: "A service that storage needs is there now, and will not be after the next boot.",
        why: "What was started by hand is gone after a boot: the next measurement is one over single paths, or of LUNs that are not there.",
        threshold: "multipathd beside maps, openibd beside InfiniBand adapters, opensmd beside a subnet manager that runs: off in the runlevels 3 or 5, or disabled.",
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
        h.insert("/sys/class/infiniband/mlx4_0/node_type", "1: CA");
        h.insert(CHKCONFIG, "multipathd  0:off  1:off  2:on  3:on  4:off  5:on  6:off\n");
        h.insert(UNITS, "openibd.service enabled enabled\nmultipathd.service disabled enabled\n");
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
    let needed: [(bool, &[&str]); 3] = [
        (maps.is_some_and(|m| !m.is_empty()), &["multipathd"]),
        (
            !view.host.names("/sys/class/infiniband").is_empty(),
            &["openibd"],
        ),
        (manages, &["opensmd", "opensm"]),
    ];
    for (_, services) in needed.into_iter().filter(|(is_needed, _)| *is_needed) {
        let known = services
            .iter()
            .find_map(|service| Some((service, at_boot(view, service)?)));
        if let Some((service, (seen, command))) = known {
            let symptom = Symptom::new(service, seen.clone()).wanted("started at boot", &command);
            answer.look((!seen.is_empty()).then_some(symptom));
        }
    }
    answer
}

/// How a service is not started at boot, empty where it is, and what changes that; `None` where nothing tells.
fn at_boot(view: &HostView<'_>, service: &str) -> Option<(String, String)> {
    let line = |path: &str, name: &str| {
        let lines = view.host.text(path).unwrap_or_default().lines();
        let mut words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
        words.find(|words| words.first() == Some(&name))
    };
    if let Some(words) = line(CHKCONFIG, service) {
        let off: Vec<&str> = words
            .iter()
            .filter_map(|w| w.strip_suffix(":off"))
            .filter(|level| ["3", "5"].contains(level))
            .collect();
        let seen = match off.is_empty() {
            true => String::new(),
            false => format!("off in runlevel {}", off.join(" and ")),
        };
        return Some((seen, format!("chkconfig {service} on")));
    }
    let words = line(UNITS, &format!("{service}.service"))?;
    let is_off = ["disabled", "masked"].contains(words.get(1)?);
    let seen = if is_off {
        words[1].to_string()
    } else {
        String::new()
    };
    Some((seen, format!("systemctl enable {service}")))
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
        "openibd 2:on 3:on 4:off 5:off 6:off\nopensmd 3:off 5:off\n",
    );
    let adapter = ("/sys/class/infiniband/mlx4_0/node_type", "1: CA");
    assert!(seen(&[off]).is_empty());
    assert_eq!(seen(&[off, adapter]), ["openibd: off in runlevel 5"]);
    let runs = ("/commands/processes", "opensm\nsshd");
    assert_eq!(seen(&[off, runs]), ["opensmd: off in runlevel 3 and 5"]);
    let unit = (
        UNITS,
        "opensm.service disabled enabled\nopensmd.service.d enabled\n",
    );
    assert_eq!(seen(&[unit, runs]), ["opensm: disabled"]);
    assert!(seen(&[adapter, ("/commands/multipath -ll", "")]).is_empty());
}
