use crate::{HostAnswer, HostView, Symptom, host_facts};

rule! {
    621 "host-clocksource" Host(check) SUSPECT pitfalls [] {
        summary: "Reading the clock is slow.",
        why: "Each I/O is stamped twice. A clock that is a device takes a microsecond or more for each.",
        threshold: "A clocksource other than tsc, kvm-clock, a hypervisor's page or arch_sys_counter.",
        source: "clocksource in the kernel's admin guide.",
        example: "acpi_pm: a million stamps a second take a whole CPU.",
        remedy: "See in dmesg why the kernel does not trust the TSC. Where it does, and available_clocksource beside that file lists tsc, write tsc to current_clocksource.",
    }
    fires: |h| {
        h.insert(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            "acpi_pm",
        )
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    const PATH: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    HostAnswer::of_file(view, PATH, |clock| {
        (!clock.is_empty()).then(|| {
            host_facts::clocksource(clock).map(|at_most| {
                Symptom::new("", clock)
                    .wanted("tsc", "dmesg | grep -i -e tsc -e clocksource")
                    .at_most(at_most)
            })
        })
    })
}
