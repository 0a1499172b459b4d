use crate::{HostAnswer, HostView, Symptom};
use std::collections::BTreeMap;

rule! {
    631 "host-storage-interrupts" Host(check) SUSPECT pitfalls [56] {
        summary: "All queues of a storage controller interrupt one CPU.",
        why: "Each completion is an interrupt. Where those of all queues go to one CPU, it is full before the storage is, and the queues are \
            as good as one.",
        threshold: "More than one CPU, and the interrupts of at least two I/O queues of one controller (NVMe, virtio, SAS, Fibre Channel, \
            AHCI) may go to one and the same CPU alone; a note where they may go to more, and 10,000 or more of them all went to one.",
        source: "/proc/interrupts and /proc/irq/N/smp_affinity_list (the kernel's documentation, core-api/irq/irq-affinity).",
        example: "nvme0q1 to nvme0q8 all on CPU 0, as a tuning script left them: 300,000/s, and 1,200,000/s with a CPU for each.",
        remedy: "Give each queue's interrupt a CPU of its own by /proc/irq/N/smp_affinity_list, or start irqbalance.",
    }
    fires: |h| two_queues(h, [[9, 0], [9, 0]], ["0", "0"]),
    clean: |h| two_queues(h, [[90_000, 0], [0, 90_000]], ["0", "1"]),
}

const PATH: &str = "/proc/interrupts";
/// Of fewer interrupts it is no wonder that one CPU has them.
const MANY: u64 = 10_000;

/// What drivers call the interrupts of their I/O queues, up to the first digit.
const DRIVERS: &[&str] = &[
    "nvme", "virtio", "megasas", "mpt", "smartpqi", "hpsa", "aacraid", "lpfc", "qla", "bfa", "ahci",
];

/// One line of `/proc/interrupts`.
struct Interrupt<'a> {
    number: u32,
    /// How many each CPU had: (CPU, count).
    counts: Vec<(u32, u64)>,
    /// The controller: `nvme0`.
    controller: &'a str,
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let Some(text) = view.host.text(PATH) else {
        answer.miss(PATH);
        return answer;
    };
    let mut controllers: BTreeMap<&str, Vec<Interrupt<'_>>> = BTreeMap::new();
    let cpus = cpus(text);
    for line in text.lines().skip(1) {
        if let Some(found) = interrupt(line, &cpus) {
            controllers.entry(found.controller).or_default().push(found);
        }
    }
    for (controller, queues) in controllers {
        if queues.len() < 2 || cpus.len() < 2 {
            continue;
        }
        let allowed = |q: &Interrupt<'_>| {
            let path = format!("/proc/irq/{}/smp_affinity_list", q.number);
            view.host.text(&path).map(str::to_string)
        };
        let allowed: Option<Vec<String>> = queues.iter().map(allowed).collect();
        match allowed {
            None => answer.miss(format!("/proc/irq/*/smp_affinity_list of {controller}")),
            Some(allowed) => answer.look(symptom(controller, &queues, &allowed)),
        }
    }
    answer
}

/// The CPUs of the columns; those that are offline have none.
fn cpus(text: &str) -> Vec<u32> {
    let header = text.lines().next().unwrap_or_default();
    let number = |word: &str| word.strip_prefix("CPU")?.parse().ok();
    header.split_whitespace().filter_map(number).collect()
}

/// `28: 0 13456 PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0`, where it is of an I/O queue.
fn interrupt<'a>(line: &'a str, cpus: &[u32]) -> Option<Interrupt<'a>> {
    let (number, rest) = line.split_once(':')?;
    let number = number.trim().parse().ok()?;
    let mut words = rest.split_whitespace();
    let counts: Option<Vec<u64>> = words
        .by_ref()
        .take(cpus.len())
        .map(|w| w.parse().ok())
        .collect();
    let name = words.last()?;
    let is_storage = DRIVERS.iter().any(|driver| name.starts_with(driver));
    Some(Interrupt {
        number,
        counts: cpus.iter().copied().zip(counts?).collect(),
        controller: controller(name).filter(|_| is_storage)?,
    })
}

/// `nvme0` of `nvme0q3`, `virtio1` of `virtio1-req.0`, `qla2xxx:host7` of neither; `None` for what is no I/O queue.
fn controller(name: &str) -> Option<&str> {
    let letters = name.find(|c: char| c.is_ascii_digit())?;
    let digits = name[letters..].find(|c: char| !c.is_ascii_digit());
    let (controller, queue) = name.split_at(digits.map_or(name.len(), |d| letters + d));
    let is_io = match &name[..letters] {
        // The first queue is for commands of administration.
        "nvme" => queue != "q0" && queue.starts_with('q'),
        "virtio" => queue.starts_with("-req"),
        _ => true,
    };
    is_io.then_some(controller)
}

fn symptom(controller: &str, queues: &[Interrupt<'_>], allowed: &[String]) -> Option<Symptom> {
    const WANTED: &str = "a CPU for each queue, or several";
    let command = format!("grep {controller} /proc/interrupts");
    let only = allowed[0].parse::<u32>().ok();
    if let Some(cpu) = only.filter(|_| allowed.iter().all(|a| *a == allowed[0])) {
        let seen = format!(
            "the interrupts of all {} queues may go to CPU {cpu} alone",
            queues.len()
        );
        return Some(Symptom::new(controller, seen).wanted(WANTED, &command));
    }
    let used = queues
        .iter()
        .filter(|q| q.counts.iter().any(|(_, n)| *n > 0));
    let all = queues
        .iter()
        .flat_map(|q| &q.counts)
        .filter(|(_, n)| *n > 0);
    let (first, _) = all.clone().next()?;
    let sum = all.clone().fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
    let one = all.clone().all(|(cpu, _)| cpu == first);
    (one && sum >= MANY && used.count() >= 2).then(|| {
        let seen = format!(
            "all {sum} interrupts of {} queues went to CPU {first}",
            queues.len()
        );
        Symptom::new(controller, seen)
            .wanted(WANTED, &command)
            .note_if(true)
    })
}

/// Two queues, whose interrupts had so many on each of two CPUs and may go there.
#[cfg(test)]
fn two_queues(host: &mut plimsoll_evidence::HostState, counts: [[u64; 2]; 2], allowed: [&str; 2]) {
    let line = |n: usize| {
        let [a, b] = counts[n];
        format!(
            " 4{n}: {a} {b} PCI-MSIX-0000:03:00.0 {n}-edge nvme0q{}\n",
            n + 1
        )
    };
    let head = "      CPU0   CPU1\n  9: 0 5 IO-APIC 9-fasteoi acpi\n 39: 7 0 PCI-MSIX nvme0q0\n";
    host.insert(
        PATH,
        format!(
            "{head}{}{}NMI: 0 0 Non-maskable interrupts\n",
            line(0),
            line(1)
        ),
    );
    for (n, cpus) in allowed.iter().enumerate() {
        host.insert(format!("/proc/irq/4{n}/smp_affinity_list"), *cpus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::Severity;

    fn found(counts: [[u64; 2]; 2], allowed: [&str; 2]) -> Vec<(String, Severity)> {
        let mut host = crate::known::host();
        two_queues(&mut host, counts, allowed);
        let answer = check(&HostView::of_all(&host));
        let each = answer.symptoms.into_iter();
        each.map(|s| (s.seen, s.at_most)).collect()
    }

    #[test]
    fn what_may_go_to_one_cpu_alone_is_worse_than_what_went_there() {
        let alone = found([[0, 0], [0, 0]], ["1", "1"]);
        assert!(alone[0].0.contains("CPU 1 alone"), "{alone:?}");
        assert!(alone[0].1 > Severity::Note);
        let went = found([[9_000, 0], [9_000, 0]], ["0-1", "0-1"]);
        assert!(went[0].0.contains("18000 interrupts"), "{went:?}");
        assert_eq!(went[0].1, Severity::Note);
        // Few, spread, or of one queue.
        assert_eq!(found([[9, 0], [9, 0]], ["0-1", "0-1"]), []);
        assert_eq!(found([[9_000, 9], [9_000, 0]], ["0-1", "0-1"]), []);
        assert_eq!(found([[90_000, 0], [0, 0]], ["0-1", "0-1"]), []);
    }

    #[test]
    fn what_is_not_there_is_missed_and_odd_lines_are_passed_over() {
        let mut host = crate::known::host();
        host.remove(PATH);
        assert_eq!(check(&HostView::of_all(&host)).unseen, [PATH]);
        two_queues(&mut host, [[9, 0], [9, 0]], ["0", "0"]);
        host.remove("/proc/irq/41/smp_affinity_list");
        let missed = check(&HostView::of_all(&host)).unseen;
        assert!(missed[0].ends_with("of nvme0"), "{missed:?}");
        for odd in [
            "",
            "CPU0",
            "CPU0 CPU1\n1: x y z\n2:\n:\n3: 1",
            "CPU0 CPU1\n1: 1 1 nvme",
        ] {
            host.insert(PATH, odd);
            assert_eq!(check(&HostView::of_all(&host)).symptoms, []);
        }
    }

    #[test]
    fn queues_are_told_from_what_else_a_controller_interrupts_for() {
        for (name, is) in [
            ("nvme0q3", Some("nvme0")),
            ("nvme12q1", Some("nvme12")),
            ("nvme0q0", None),
            ("virtio1-req.0", Some("virtio1")),
            ("virtio2-input.0", None),
            ("megasas0-msix3", Some("megasas0")),
        ] {
            assert_eq!(controller(name), is, "{name}");
        }
    }
}
