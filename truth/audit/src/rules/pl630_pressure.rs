use crate::{HostAnswer, HostView, Symptom};

rule! {
    630 "host-pressure" Host(check) SUSPECT pitfalls [] {
        summary: "Tasks wait for CPU, memory or I/O already, without any test.",
        why: "What waits before the test will wait in the test, and its waiting is counted as the storage's.",
        threshold: "In the last ten seconds some task waited for more than 10 % of the time.",
        source: "psi in the kernel's accounting documentation.",
        example: "A backup at night: the I/O pressure is 40 % before the first I/O of the test.",
        remedy: "Find who it is with `top` and `pidstat -d 1`, and stop it for the time of the test.",
    }
    fires: |h| {
        h.insert(
            "/proc/pressure/io",
            "some avg10=41.00 avg60=0.00 avg300=0.00 total=1",
        )
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for what in ["cpu", "memory", "io"] {
        let path = format!("/proc/pressure/{what}");
        let share = view.host.text(&path).and_then(|text| {
            let line = text.lines().find(|l| l.starts_with("some"))?;
            let word = line
                .split_whitespace()
                .find_map(|w| w.strip_prefix("avg10="))?;
            word.parse::<f64>().ok()
        });
        match share {
            None => answer.miss(path),
            Some(percent) => answer.look((percent > 10.0).then(|| {
                Symptom::new(
                    "",
                    format!("tasks waited for {what} in {percent} % of the last 10 s"),
                )
                .wanted("less than 10 %", "pidstat -d -u 1 5")
            })),
        }
    }
    answer
}
