//! A host that keeps the worker from its CPU is not taken for a target that has had enough.

use super::stage::{MS, Stage, US, open};
use plimsoll_engine::backend::{Backend, Completion, Request, Wait};
use plimsoll_engine::scripted::{Answer, Scripted, Servers, Time};
use plimsoll_plan::*;
use std::io;

/// Wakes `by_ns` late from the first wait in each `every_ns`.
struct Kept<B> {
    inner: B,
    time: Time,
    every_ns: u64,
    by_ns: u64,
    next_ns: u64,
}

impl<B: Backend> Backend for Kept<B> {
    const NAME: &'static str = "kept";

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.inner.queue(request)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        self.inner.poll(wait, out)?;
        let now = self.time.now_ns();
        if now >= self.next_ns {
            self.time.advance_to(now + self.by_ns);
            self.next_ns = now + self.every_ns;
            self.inner.poll(Wait::None, out)?;
        }
        Ok(())
    }
}

/// (share of I/Os that found no slot, p99 of lateness, ns) at 20,000 a second on 32 slots, of a target that serves
/// `servers` at a time in 100 us each, where the worker is kept from its CPU for 5 ms in each 100.
fn kept(servers: usize) -> (f64, u64) {
    let time = Time::default();
    let mut queue = Servers::new(servers);
    let backend = Kept {
        inner: Scripted::new(time.clone(), move |now, r: &Request| {
            Answer::done(queue.serve(now, 100 * US), r)
        }),
        time: time.clone(),
        every_ns: 100 * MS,
        by_ns: 5 * MS,
        next_ns: 50 * MS,
    };
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
    let backend = Kept {
        inner: Scripted::new(time.clone(), |now, r: &Request| {
            Answer::done(now + 100 * US, r)
        }),
        time: time.clone(),
        every_ns: 100_000 * MS,
        by_ns: 1_500 * MS,
        next_ns: 2_500 * MS,
    };
    let stage = Stage::new(open(1_000.0, Arrival::Even), &[32]);
    let played = stage.play_on(&time, backend);
    let due: Vec<u64> = played
        .intervals
        .iter()
        .map(|(_, s)| s.streams[0].due)
        .collect();
    assert_eq!(due, [1_000; 10]);
    let behind: Vec<u64> = played
        .intervals
        .iter()
        .map(|(_, s)| s.backlog_end)
        .collect();
    // It looked last at 2.5 s, and comes back at 4 s.
    assert!(
        behind[2].abs_diff(500) <= 2 && behind[3].abs_diff(1_500) <= 2,
        "{behind:?}"
    );
    assert!(
        behind[..2].iter().chain(&behind[4..]).all(|b| *b == 0),
        "{behind:?}"
    );
}

#[test]
fn a_target_that_is_too_slow_is_seen_through_them() {
    // It carries half of what is due; the other half is never issued, and so not counted.
    let (no_slot, _) = kept(1);
    assert!(no_slot > 0.45, "{no_slot}");
}
