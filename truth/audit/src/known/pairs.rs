//! A fact that a run and the doctor both judge has one verdict, at the claim that the doctor judges for.

use super::{Observed, changed, host_with};
use crate::host::HostAnswer;
use crate::{Check, HostView};
use plimsoll_evidence::Severity;
use plimsoll_plan::{Caching, Claim};

/// How bad a rule of runs finds it.
fn of_run(code: &str, change: impl FnOnce(&mut Observed)) -> Option<Severity> {
    let rule = crate::find(code).expect("a rule");
    let case = changed(change);
    let Check::Run(check) = rule.check else {
        panic!("{code} looks at no run");
    };
    let Ok(seen) = check(&case.view()) else {
        return None;
    };
    let severities = seen
        .iter()
        .filter_map(|s| rule.finding(s, Claim::Device, crate::Dialect::Native));
    severities.map(|finding| finding.severity).max()
}

/// How bad a rule of the doctor's finds it.
fn of_host(code: &str, files: &[(&str, &str)]) -> Option<Severity> {
    let rule = crate::find(code).expect("a rule");
    let ill = host_with(files);
    let Check::Host(check) = rule.check else {
        panic!("{code} looks at no host");
    };
    let HostAnswer { symptoms, .. } = check(&HostView::of_all(&ill));
    let most = rule.severity.for_claim(Claim::Device)?;
    symptoms.iter().map(|s| most.min(s.at_most)).max()
}

fn agree(run: Option<Severity>, host: Option<Severity>, what: &str, wanted: Option<Severity>) {
    assert_eq!((run, host), (wanted, wanted), "{what}");
}

const SUSPECT: Option<Severity> = Some(Severity::Suspect);
const NOTE: Option<Severity> = Some(Severity::Note);

#[test]
fn governors_and_clocks() {
    const GOVERNOR: &str = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    for (name, wanted) in [
        ("performance", None),
        ("powersave", SUSPECT),
        ("schedutil", SUSPECT),
    ] {
        let run = of_run("PL303", |o| o.environment.host.governor = Some(name.into()));
        agree(run, of_host("PL620", &[(GOVERNOR, name)]), name, wanted);
    }
    const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let clocks = [
        ("tsc", None),
        ("kvm-clock", None),
        ("hyperv_clocksource_msr", None),
        ("hyperv_clocksource_tsc_page", None),
        ("arch_sys_counter", None),
        ("hpet", SUSPECT),
        ("acpi_pm", SUSPECT),
    ];
    for (name, wanted) in clocks {
        let run = of_run("PL302", |o| {
            o.environment.host.clocksource = Some(name.into())
        });
        agree(run, of_host("PL621", &[(CLOCK, name)]), name, wanted);
    }
}

#[test]
fn settings_of_queues() {
    for (name, wanted) in [
        ("none", None),
        ("noop", None),
        ("mq-deadline", SUSPECT),
        ("bfq", SUSPECT),
    ] {
        let run = of_run("PL306", |o| o.layer().scheduler = Some(name.into()));
        let text = format!("[{name}] other");
        let host = of_host("PL600", &[("/sys/block/sdx/queue/scheduler", &text)]);
        agree(run, host, name, wanted);
    }
    for (kib, wanted) in [
        ("0", None),
        ("128", None),
        ("129", NOTE),
        ("1023", NOTE),
        ("1024", SUSPECT),
    ] {
        let run = of_run("PL307", |o| {
            o.plan.targets[0].caching = Caching::Buffered;
            o.queue("read_ahead_kb", kib);
        });
        let host = of_host("PL601", &[("/sys/block/sdx/queue/read_ahead_kb", kib)]);
        agree(run, host, kib, wanted);
    }
    for (word, wanted) in [("write through", None), ("write back", NOTE)] {
        let run = of_run("PL311", |o| {
            super::writing(&mut o.plan);
            o.queue("write_cache", word);
        });
        let host = of_host("PL607", &[("/sys/block/sdx/queue/write_cache", word)]);
        agree(run, host, word, wanted);
    }
}

#[test]
fn disks_that_say_that_they_rotate() {
    let kinds = [("vdb", SUSPECT), ("nvme0n1", SUSPECT), ("sdb", NOTE)];
    for (name, wanted) in kinds {
        let run = of_run("PL305", |o| {
            o.layer().name = name.into();
            o.queue("rotational", "1");
        });
        let flag = format!("/sys/block/{name}/queue/rotational");
        let size = format!("/sys/block/{name}/size");
        agree(
            run,
            of_host("PL602", &[(&flag, "1"), (&size, "8")]),
            name,
            wanted,
        );
    }
}

#[test]
fn stolen_time_and_virtual_machines() {
    for (stolen, wanted) in [(9_u32, None), (11, SUSPECT), (400, SUSPECT)] {
        let run = of_run("PL110", |o| {
            for part in &mut o.courses[0].parts {
                part.steal = Some(f64::from(stolen) / 1000.0);
            }
        });
        let text = format!("cpu  0 0 0 {} 0 0 0 {stolen} 0 0", 1000 - stolen);
        agree(
            run,
            of_host("PL627", &[("/proc/stat", &text)]),
            &text,
            wanted,
        );
    }
    let run = of_run("PL304", |o| {
        o.environment.host.virtualization = Some("KVM".into())
    });
    let host = of_host(
        "PL626",
        &[
            ("/sys/class/dmi/id/sys_vendor", "QEMU"),
            ("/proc/cpuinfo", "flags : hypervisor"),
        ],
    );
    agree(run, host, "QEMU", NOTE);
    // A cloud's own metal carries its vendor's name, and the CPU says that it is none.
    let metal = [
        ("/sys/class/dmi/id/sys_vendor", "Amazon EC2"),
        ("/proc/cpuinfo", "flags : fpu"),
    ];
    assert_eq!(of_host("PL626", &metal), None);
}
