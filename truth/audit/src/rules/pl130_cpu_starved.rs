use crate::limit::{busy, throttled};
use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::{Quantity, Severity, StepEvidence, Witnessed};
use plimsoll_printable::human;

rule! {
    130 "cpu-starved" Run(check) SUSPECT pitfalls [51, 27] {
        summary: "The worker threads waited for a CPU.",
        why: "A thread that is ready and gets no CPU neither sends nor sees what has come back. Its waiting is in every \
            response time, and the storage gets the blame.",
        threshold: "A worker thread waited for a CPU for more than 1 % of the time; a note up to 5 %, and where CPUs had room (less than 80 % \
            busy) and no control group held the workers back: the wait is then the kernel's choice of a CPU, and no less load shortens it. Where the kernel does not tell \
            of threads: some task of the host waited for more than 10 % of the time, a note.",
        source: "/proc/self/task/*/schedstat, the 1 % of the catalogue; pressure stall information, as the doctor judges it.",
        example: "A build on the same two CPUs: the workers waited for 30 % of the time, and the 99th percentile was 8 ms on a \
            disk of 0.3.",
        remedy: "Stop what else runs, pin the workers to CPUs that nothing else uses, or use fewer workers than there are CPUs.",
    }
    fires: |o| o.witnessed().threads[1].waited_s = 180.0,
    clean: |o| o.witnessed().threads[1].waited_s = 5.9,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reported =
        |seen: &Witnessed| (!seen.threads.is_empty() || seen.pressure.is_some()).then_some(());
    others::ask(
        view,
        "how long threads waited for a CPU",
        reported,
        |step, seen, ()| {
            let found = match seen.threads.is_empty() {
                false => waited(step, seen),
                true => pressed(seen),
            };
            found.into_iter().collect()
        },
    )
}

fn waited(step: &StepEvidence, seen: &Witnessed) -> Option<RuleFinding> {
    let worst = seen.threads.iter().map(|t| t.waited_s).fold(0.0, f64::max);
    let share = worst / seen.observed_s;
    if share <= SOME {
        return None;
    }
    let all: f64 = seen.threads.iter().map(|t| t.waited_s).sum();
    let message = format!(
        "A worker was ready and got no CPU for {} of the time; all of them together waited {}, {} for each I/O.",
        human::percent(share.min(1.0)),
        human::duration(all),
        human::time(all * 1e9 / step.ios as f64),
    );
    // Where there was room, pinning or fewer workers take it away.
    let crowded = busy(seen) >= CROWDED || throttled(seen).is_some_and(|t| t > 0.0);
    let at_most = match share > MUCH && crowded {
        true => Severity::Suspect,
        false => Severity::Note,
    };
    let seen =
        RuleFinding::new(message)
            .at_most(at_most)
            .judged("waited", Quantity::Share(share), SOME);
    Some(seen.value(
        "waited_for_each_io",
        Quantity::Ns(all * 1e9 / step.ios as f64),
    ))
}

fn pressed(seen: &Witnessed) -> Option<RuleFinding> {
    let share = seen.pressure?.cpu_some_s / seen.observed_s;
    (share > PRESSED).then(|| {
        let message = format!(
            "Some task of the host waited for a CPU in {} of the time.",
            human::percent(share.min(1.0))
        );
        let found = RuleFinding::new(message).at_most(Severity::Note);
        found.judged("pressure", Quantity::Share(share), PRESSED)
    })
}

const SOME: f64 = 0.01;
const MUCH: f64 = 0.05;
const CROWDED: f64 = 0.8;
const PRESSED: f64 = 0.10;

#[test]
fn the_edges_are_at_one_and_at_five_percent_and_pressure_stands_in_for_threads() {
    use crate::known::{changed, found};
    let with = |s: f64| {
        found(check(
            &changed(|o| o.witnessed().threads[0].waited_s = s).view(),
        ))
    };
    let full = |s: f64, busy_s: f64| {
        let case = changed(|o| {
            o.witnessed().threads[0].waited_s = s;
            for cpu in &mut o.witnessed().cpus {
                (cpu.all_s, cpu.busy_s, cpu.steal_s) = (600.0, busy_s, 0.0);
            }
        });
        found(check(&case.view()))[0].at_most
    };
    assert_eq!(full(6.1, 500.0), Severity::Note);
    assert_eq!(full(30.1, 500.0), Severity::Suspect);
    assert_eq!(full(90.0, 200.0), Severity::Note);
    assert_eq!(with(30.1)[0].at_most, Severity::Note);
    let pressed = |s: f64| {
        let case = changed(|o| {
            o.witnessed().threads.clear();
            o.witnessed()
                .pressure
                .as_mut()
                .expect("pressure")
                .cpu_some_s = s;
        });
        found(check(&case.view())).len()
    };
    assert_eq!((pressed(59.0), pressed(61.0)), (0, 1));
}
