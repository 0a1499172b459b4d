//! A host that keeps the worker from its CPU is not taken for a target that has had enough.

use super::queue::schedule;
use super::stage::{MS, Played, Polled, S, Stage, US, open};
use plimsoll_engine::backend::{Backend, Request, Wait};
use plimsoll_engine::scripted::{Scripted, ScriptedAnswer, Servers, Time};
use plimsoll_measure::Demand;
use plimsoll_plan::*;

/// Wakes `by_ns` late from the first wait in each `every_ns`, the first time at `next_ns`.
fn waking_late<B: Backend>(
    inner: B,
    time: &Time,
    (every_ns, by_ns, mut next_ns): (u64, u64, u64),
) -> impl Backend {
    let time = time.clone();
    Polled::new(inner, move |inner, wait, out| {
        inner.poll(wait, out)?;
        let now = time.now_ns();
        if now >= next_ns {
            time.advance_to(now + by_ns);
            next_ns = now + every_ns;
            inner.poll(Wait::None, out)?;
        }
        Ok(())
    })
}

/// (share of I/Os that found no slot, p99 of lateness, ns) at 20,000 a second on 32 slots, of a target that serves
/// `servers` at a time in 100 us each, where the worker is kept from its CPU for 5 ms in each 100.
fn kept(servers: usize) -> (f64, u64) {
    let time = Time::default();
    let mut queue = Servers::new(servers);
    let device = Scripted::new(time.clone(), move |now, r: &Request| {
        ScriptedAnswer::done(queue.serve(now, 100 * US), r)
    });
    let backend = waking_late(device, &time, (100 * MS, 5 * MS, 50 * MS));
    let stage = Stage::new(open(20_000.0, Arrival::Exponential), &[32]);
    let total = stage.play_on(&time, backend).total();
    let stream = &total.streams[0];
    (
        stream.late_for_slot as f64 / stream.due as f64,
        total.lateness.quantile_ns(0.99).expect("a p99"),
    )
}

#[test]
fn bursts_after_waking_late_are_the_hosts_doing() {
    let (no_slot, lateness) = kept(8);
    assert!(no_slot < 0.001, "{no_slot}");
    assert!(lateness > 3 * MS, "{lateness}");
}

#[test]
fn what_comes_due_while_the_worker_is_kept_is_due_in_its_own_sample() {
    let time = Time::default();
    let device = Scripted::new(time.clone(), |now, r: &Request| {
        ScriptedAnswer::done(now + 100 * US, r)
    });
    let backend = waking_late(device, &time, (100_000 * MS, 1_500 * MS, 2_500 * MS));
    let stage = Stage::new(open(1_000.0, Arrival::Even), &[32]);
    let played = stage.play_on(&time, backend);
    let due: Vec<u64> = played
        .intervals
        .iter()
        .map(|(_, s)| s.streams[0].due)
        .collect();
    assert_eq!(due, [1_000; 10]);
    // None of it waits for a slot: it waits for the worker, which looked last at 2.5 s and comes back at 4 s.
    assert!(played.intervals.iter().all(|(_, s)| s.backlog_end == 0));
}

#[test]
fn a_target_that_is_too_slow_is_seen_through_them() {
    // It carries half of what is due; the other half is never issued, and so not counted.
    let (no_slot, _) = kept(1);
    assert!(no_slot > 0.45, "{no_slot}");
}

/// What is waited for in one of these times, is seen at its end.
fn away<B: Backend>(inner: B, time: &Time, times: &[(u64, u64)]) -> impl Backend {
    let (time, times) = (time.clone(), times.to_vec());
    Polled::new(inner, move |inner, wait, out| {
        inner.poll(wait, out)?;
        let now = time.now_ns();
        let mut now_in = times
            .iter()
            .filter(|(from, to)| (*from..*to).contains(&now));
        if let Some((_, to)) = now_in.next() {
            time.advance_to(*to);
            inner.poll(Wait::None, out)?;
        }
        Ok(())
    })
}

/// 5,000 a second on 32 slots of a target that carries 100,000, but does nothing in `stall`, by a worker that is away at
/// some times: what it counted, and (due, start) of each I/O.
fn play(stall: (u64, u64), absences: &[(u64, u64)]) -> (Played, Vec<(u64, u64)>) {
    let time = Time::default();
    let mut servers = Servers::new(32);
    let starts = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let seen = std::rc::Rc::clone(&starts);
    let device = move |now: u64, r: &Request| {
        seen.borrow_mut().push(now);
        let begins = if (stall.0..stall.1).contains(&now) {
            stall.1
        } else {
            now
        };
        ScriptedAnswer::done(servers.serve(begins, 320 * US), r)
    };
    let backend = away(Scripted::new(time.clone(), device), &time, absences);
    let stage = Stage::new(open(5_000.0, Arrival::Even), &[32]);
    let played = stage.play_on(&time, backend);
    let due = schedule(&stage);
    let starts = starts.borrow();
    assert_eq!(starts.len(), due.len());
    let pairs = due.iter().copied().zip(starts.iter().copied()).collect();
    (played, pairs)
}

/// (late for a slot, late by the host) of all I/Os; the samples must say the same, and what was due when.
fn counted(played: &Played, pairs: &[(u64, u64)]) -> (u64, u64) {
    let whole = played.whole();
    let stream = &whole.streams[0];
    let mut sum = Demand::default();
    for (number, (_, stats)) in played.intervals.iter().enumerate() {
        let demand = &stats.streams[0].demand;
        assert_eq!(demand.len(), 10);
        for (sample, d) in demand.iter().enumerate() {
            let from = number as u64 * S + sample as u64 * 100 * MS;
            let is_due = |due: u64| (from..from + 100 * MS).contains(&due);
            let due = pairs.iter().filter(|(due, _)| is_due(*due)).count();
            assert_eq!(d.due, due as u64, "sample {sample} of interval {number}");
            sum.merge(d);
        }
    }
    assert_eq!(sum.late_for_slot, stream.late_for_slot);
    assert_eq!(sum.late_by_host, stream.late_by_host);
    (stream.late_for_slot, stream.late_by_host)
}

fn count(pairs: &[(u64, u64)], which: impl Fn(u64, u64) -> bool) -> u64 {
    pairs
        .iter()
        .filter(|(due, start)| which(*due, *start))
        .count() as u64
}

const NO_STALL: (u64, u64) = (u64::MAX, u64::MAX);

#[test]
fn ios_that_a_worker_kept_from_its_cpu_sends_late_are_late_by_the_host() {
    let away = [(3_000 * MS, 3_020 * MS), (7_777 * MS, 7_797 * MS)];
    let (played, pairs) = play(NO_STALL, &away);
    // 95 and more are due in each of the two, and 1 ms or more before its end; those that then wait for slots behind the
    // burst came later.
    let late = count(&pairs, |due, start| start - due > MS);
    assert!((190..=220).contains(&late), "{late}");
    assert_eq!(counted(&played, &pairs), (0, late));
    // The second is seen in the sample in which they went out.
    let of =
        |interval: usize, sample: usize| played.intervals[interval].1.streams[0].demand[sample];
    assert_eq!(of(3, 0).late_by_host + of(7, 7).late_by_host, late);
    assert!(played.intervals.iter().all(|(_, s)| s.backlog_end == 0));
}

#[test]
fn an_absence_over_several_samples_leaves_each_what_was_due_in_it_and_no_backlog() {
    let (played, pairs) = play(NO_STALL, &[(3_050 * MS, 3_400 * MS)]);
    let late = count(&pairs, |due, start| start - due > MS);
    assert_eq!(counted(&played, &pairs), (0, late));
    let backlogs = |d: &Demand| d.backlog_end;
    let third: Vec<u64> = played.intervals[3].1.streams[0]
        .demand
        .iter()
        .map(backlogs)
        .collect();
    assert_eq!(third[..4], [0; 4]);
}

#[test]
fn ios_of_a_target_that_stalls_are_late_for_a_slot() {
    let (played, pairs) = play((3 * S, 3_200 * MS), &[]);
    let late = count(&pairs, |due, start| start > due);
    assert!(late > 900, "{late}");
    assert_eq!(counted(&played, &pairs), (late, 0));
}

#[test]
fn an_absence_and_a_stall_are_told_apart() {
    // The first absence is beside the stall, the second is over its end: what was due in that, or while it was worked off,
    // may have had a slot for all the worker knows.
    let stall = (5 * S, 5_200 * MS);
    let away = [(3_000 * MS, 3_020 * MS), (5_195 * MS, 5_220 * MS)];
    let (played, pairs) = play(stall, &away);
    // It was to look at the end of the sample.
    let unseen = 5_200 * MS..5_240 * MS;
    let is_hosts = |due: u64| due < 4 * S || unseen.contains(&due);
    let by_host = count(&pairs, |due, start| is_hosts(due) && start - due > MS);
    let for_slot = count(&pairs, |due, start| !is_hosts(due) && start > due);
    assert!(by_host > 190 && for_slot > 900, "{by_host} {for_slot}");
    assert_eq!(counted(&played, &pairs), (for_slot, by_host));
}
