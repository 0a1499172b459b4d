use crate::accounts::{self, Account, READ, WRITE};
use crate::{RuleAnswer, RuleFinding, RunView, applies, clean_unless, observable, others, queue};
use plimsoll_evidence::witnessed::DeviceUse;
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

rule! {
    148 "waited-above-the-device" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [34, 32, 57] {
        summary: "I/Os waited in the host, above the device.",
        why: "Between the tool and the device lie a scheduler, a queue of limited length and the limits of control groups. \
            What waits there is in flight for the tool and unknown to the device: the time is the host's, and the device \
            never had the depth that was asked for.",
        threshold: "In a closed loop of direct I/Os that arrive one for one, they took more than twice as long as the disks had \
            them, and 50 us more, while fewer than 90 % of those in flight were in the disks. A note where a worker was on a \
            CPU, or waited for one, for more than half of the time, or nobody saw whether it was: then it may be its own. Not \
            observable where the workers waited for a CPU for more than 5 % of their time, or the CPUs were busy for 95 %, unless a \
            queue on the way holds fewer than were in flight and was 60 % full.",
        source: "Time in the device by /proc/diskstats, which begins when a request has its tag. The factor is the catalogue's; \
            measured with nr_requests = 2 at depth 32.",
        example: "nr_requests = 2, depth 32: 1.6 ms for each I/O, of which the disk had 0.1.",
        remedy: "Raise nr_requests, lift io.max, choose the scheduler none, or use a depth that fits; and report the time in the \
            device beside the other.",
    }
    fires: |o| in_device(o, 1_200_000),
    clean: |o| in_device(o, 10_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let accounts = accounts::of(view)?;
    let closed = |a: &Account<'_>| a.step.offered.is_none() && !a.is_buffered();
    let closed: Vec<Account<'_>> = accounts.into_iter().filter(closed).collect();
    applies(!closed.is_empty())?;
    // Time in the disks is that of these I/Os only where nothing else is among them.
    let plain: Vec<Account<'_>> = closed
        .into_iter()
        .filter(|a| a.is_all && one_for_one(a))
        .collect();
    observable(
        !plain.is_empty(),
        "I/Os that arrive at the disks one for one, and nobody else's",
    )?;
    let (starved, fed): (Vec<_>, Vec<_>) = plain
        .iter()
        .partition(|a| is_starved(a) && !has_full_queue(a));
    let starved = starved.into_iter().any(|a| waited(a).is_some());
    clean_unless(
        accounts::judged(view, fed.into_iter().filter_map(waited)),
        starved,
        "what waited for the device: the workers waited for a CPU, and their I/Os with them",
    )
}

/// The disks whose counters begin where the kernel hands over: a loop device's own, for below it is a file.
fn disks<'a>(account: &'a Account<'_>) -> Vec<&'a DeviceUse> {
    match account.layers().any(|l| l.kind == "loop") {
        true => account.fronts.clone(),
        false => account.leaves.clone(),
    }
}

fn one_for_one(account: &Account<'_>) -> bool {
    let disks = disks(account);
    let asked: f64 = account.asked.iter().map(|m| m.ios).sum();
    let done: f64 = [READ, WRITE]
        .map(|d| Account::done(&disks, d).ios)
        .iter()
        .sum();
    asked > 0.0 && (done / asked - 1.0).abs() < ALIKE
}

fn waited(account: &Account<'_>) -> Option<RuleFinding> {
    let disks = disks(account);
    let ios: u64 = disks.iter().map(|d| d.ios()).sum();
    let ms: u64 = disks
        .iter()
        .map(|d| d.read_ms.saturating_add(d.write_ms))
        .sum();
    let in_device_ns = ms as f64 * 1e6 / ios.max(1) as f64;
    let all_ns = account.step.service_mean_ns.mean;
    let inside = ms as f64 / 1e3 / account.seen.observed_s;
    let asked = account.step.depth_mean;
    if all_ns < FACTOR * in_device_ns + LEAST_NS || inside >= FILLED * asked {
        return None;
    }
    let message = format!(
        "An I/O took {}, of which the disks had it for {}: of {} in flight {} were in {}.{}",
        human::time(all_ns),
        human::time(in_device_ns),
        human::number(asked),
        human::number(inside),
        Account::names(&disks),
        cause(account),
    );
    let at_most = match busy(account) {
        Some(share) if share <= HALF => Severity::Suspect,
        _ => Severity::Note,
    };
    Some(
        RuleFinding::new(message)
            .step(account.step.number)
            .at_most(at_most)
            .value("in_device", Quantity::Ns(in_device_ns))
            .judged(
                "in_all",
                Quantity::Ns(all_ns),
                FACTOR * in_device_ns + LEAST_NS,
            )
            .judged("depth_in_device", Quantity::Number(inside), FILLED * asked),
    )
}

/// What is known to hold I/Os back there.
fn cause(account: &Account<'_>) -> String {
    if account
        .seen
        .cgroup
        .as_ref()
        .is_some_and(|c| !c.io_limits.is_empty())
    {
        return " A control group limits its I/O (io.max, or blkio.throttle).".into();
    }
    match short_queue(account) {
        Some(tags) => format!(" A queue on the way holds {tags} requests."),
        None => String::new(),
    }
}

/// The shortest queue on the way, where it holds fewer requests than were in flight.
fn short_queue(account: &Account<'_>) -> Option<u64> {
    let levels = queue::levels(account.layers());
    let places = levels.iter().filter_map(|level| queue::places(level));
    places
        .min()
        .filter(|tags| (*tags as f64) < account.step.depth_mean)
}

/// Whether a queue on the way was mostly full: what else was in flight waited above it, whoever lacked a CPU.
fn has_full_queue(account: &Account<'_>) -> bool {
    let ms: u64 = disks(account)
        .iter()
        .map(|d| d.read_ms.saturating_add(d.write_ms))
        .sum();
    let inside = ms as f64 / 1e3 / account.seen.observed_s;
    short_queue(account).is_some_and(|tags| inside >= MOSTLY * tags as f64)
}

/// Whether it lacked CPUs: an I/O that is done then waits for a worker that has none, and looks as if the kernel had it.
fn is_starved(account: &Account<'_>) -> bool {
    let seen = account.seen;
    let waited: f64 = seen.threads.iter().map(|t| t.waited_s).sum();
    let throttled = seen.cgroup.as_ref().map_or(0.0, |c| c.throttled_s);
    let workers = seen.threads.len().max(1) as f64;
    let (busy, all) = seen.cpus.iter().fold((0.0, 0.0), |(busy, all), cpu| {
        (busy + cpu.busy_s + cpu.steal_s, all + cpu.all_s)
    });
    waited + throttled > STARVED * seen.observed_s * workers || others::share(busy, all) >= FULL
}

/// The share of the time that the busiest worker was on a CPU, or would have been.
fn busy(account: &Account<'_>) -> Option<f64> {
    let ran = account
        .seen
        .threads
        .iter()
        .map(|t| (t.ran_s + t.waited_s) / account.seen.observed_s);
    ran.reduce(f64::max)
}

const ALIKE: f64 = 0.05;
const FACTOR: f64 = 2.0;
const LEAST_NS: f64 = 50_000.0;
const FILLED: f64 = 0.9;
const HALF: f64 = 0.5;
/// A queue counts as full from here on: the share of its places that is taken on average.
const MOSTLY: f64 = 0.6;
/// A part of the workers' time.
const STARVED: f64 = 0.05;
/// A part of all CPUs' time.
const FULL: f64 = 0.95;

#[cfg(test)]
fn in_device(o: &mut crate::known::Observed, ms: u64) {
    o.device().read_ms = ms;
    o.queue("nr_requests", "2");
}

#[test]
fn the_members_of_a_raid_hold_what_their_queues_hold_together() {
    use crate::known::{Observed, changed};
    // 32 in flight on members of 16 places each, and the workers lacked a CPU.
    let with = |members: usize| {
        let case = changed(|o: &mut Observed| {
            in_device(o, 9_000_000);
            o.queue("nr_requests", "16");
            o.witnessed().threads[0].waited_s = 61.0;
            for n in 1..members {
                let mut member = o.layer().clone();
                member.name = format!("sd{n}");
                o.environment.targets[0].stack.push(member);
                let mut device = o.device().clone();
                device.name = format!("sd{n}");
                (device.reads, device.read_bytes, device.read_ms) = (0, 0, 0);
                o.witnessed().devices.push(device);
            }
        });
        check(&case.view())
    };
    assert!(crate::known::fires(with(1)));
    assert!(matches!(with(4), Err(crate::NotObservable(_))));
}

#[test]
fn it_names_the_queue_and_is_a_note_where_the_workers_were_busy() {
    use crate::known::{changed, found};
    let with = |ran_s: f64| {
        let case = changed(|o| {
            in_device(o, 1_200_000);
            o.witnessed().threads[0].ran_s = ran_s;
        });
        found(check(&case.view()))[0].clone()
    };
    let message = "An I/O took 3.20ms, of which the disks had it for 200us: of 32.0 in flight 2.00 were in sdx. \
                A queue on the way holds 2 requests.";
    assert_eq!(
        (with(290.0).at_most, with(290.0).message.as_str()),
        (Severity::Suspect, message)
    );
    assert_eq!(with(310.0).at_most, Severity::Note);
}

#[test]
fn what_waited_for_a_worker_without_a_cpu_is_not_said_to_wait_for_the_device() {
    use crate::known::{Observed, changed};
    let with = |starve: fn(&mut Observed)| {
        let case = changed(|o| {
            in_device(o, 1_200_000);
            o.queue("nr_requests", "1023");
            starve(o);
        });
        check(&case.view())
    };
    let unseen = |answer: RuleAnswer| matches!(answer, Err(crate::NotObservable(_)));
    // Two workers of 600 s.
    assert!(unseen(with(|o| o.witnessed().threads[0].waited_s = 61.0)));
    assert!(!unseen(with(|o| o.witnessed().threads[0].waited_s = 59.0)));
    fn busy(o: &mut Observed, busy_s: f64) {
        let cpus = o.witnessed().cpus.iter_mut();
        cpus.for_each(|c| c.busy_s = busy_s);
    }
    assert!(unseen(with(|o| busy(o, 571.0))));
    assert!(!unseen(with(|o| busy(o, 565.0))));
    // Behind a queue that is short and full they wait whoever lacks a CPU.
    assert!(!unseen(with(|o| {
        o.queue("nr_requests", "2");
        busy(o, 600.0);
    })));
    // Nothing to excuse is clean all the same.
    assert_eq!(
        with(|o| (o.device().read_ms, o.witnessed().threads[0].waited_s) = (18_600_000, 61.0)),
        Ok(vec![])
    );
}
