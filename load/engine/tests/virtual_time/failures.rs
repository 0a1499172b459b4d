//! I/Os that fail, and I/Os that never come back.

use super::stage::{MS, Polled, S, Stage, US};
use plimsoll_engine::backend::{Action, Backend, Brought, Completion, Request, Wait};
use plimsoll_engine::scripted::{Scripted, ScriptedAnswer, Time};
use plimsoll_engine::worker::FailureKind;
use plimsoll_measure::Op;
use plimsoll_plan::*;
use std::io;

const EIO: i32 = 5;

#[test]
fn failed_ios_are_counted_and_located() {
    let mut n = 0;
    let mut bad = Vec::new();
    let played = Stage::new(Load::Max, &[4]).play(|now, r| {
        n += 1;
        if n % 1000 == 0 && bad.len() < 10 {
            bad.push((r.offset, now + MS));
            return ScriptedAnswer::failed(now + MS, EIO);
        }
        ScriptedAnswer::done(now + MS, r)
    });
    let read = &played.total().streams[0].ops[0];
    assert_eq!((read.errors, played.errors), (10, 10));
    assert_eq!(read.ios, 40_000 - 10);
    assert_eq!(read.response.count(), read.ios);
    let listed: Vec<(u64, u64)> = played
        .failures
        .iter()
        .map(|f| (f.offset, f.at_ns))
        .collect();
    assert_eq!(listed, bad);
    for f in &played.failures {
        assert_eq!(f.target.as_str(), "t0");
        assert_eq!(f.action, Action::Read);
        assert_eq!(f.length, 4096);
        assert_eq!(f.kind, FailureKind::Errno(EIO));
    }
    assert!(!played.too_many_errors);
}

#[test]
fn short_reads_are_failures() {
    let mut stage = Stage::new(Load::Max, &[1]);
    stage.step.limits.ios = Some(10);
    let mut n = 0;
    let played = stage.play(|now, r| {
        n += 1;
        match n {
            3 => ScriptedAnswer::short(now + MS, 512),
            7 => ScriptedAnswer::short(now + MS, 0),
            _ => ScriptedAnswer::done(now + MS, r),
        }
    });
    let kinds: Vec<FailureKind> = played.failures.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FailureKind::Short(512), FailureKind::Short(0)]);
    let read = &played.total().streams[0].ops[0];
    assert_eq!((read.ios, read.errors, read.bytes), (8, 2, 8 * 4096));
}

#[test]
fn too_many_errors_end_the_step() {
    let mut stage = Stage::new(Load::Max, &[8]);
    stage.options.max_errors = 50;
    let mut n = 0u64;
    let played = stage.play(|now, r| {
        n += 1;
        if n > 100 {
            ScriptedAnswer::failed(now + MS + n % 7 * US, EIO)
        } else {
            ScriptedAnswer::done(now + MS, r)
        }
    });
    assert!(played.too_many_errors && !played.limit);
    // What was in flight with the last of them still comes back, and fails as well: the step has ended before that.
    assert_eq!(played.total().errors(), 50);
    assert_eq!(played.failures.len(), 50);
    assert!(played.end_ns < 100 * MS);
    assert_eq!(played.intervals.len(), 1);
}

#[test]
fn errors_of_one_interval_are_all_counted_but_only_the_first_are_listed() {
    let mut stage = Stage::new(Load::Max, &[1]);
    stage.options.max_errors = 200;
    stage.step.limits.ios = Some(120);
    let played = stage.play(|now, _| ScriptedAnswer::failed(now + MS, EIO));
    assert_eq!((played.total().errors(), played.failures.len()), (120, 50));
}

#[test]
fn an_io_that_never_returns_is_listed_after_the_drain_deadline() {
    let mut n = 0;
    let mut hung = Vec::new();
    let played = Stage::new(Load::Max, &[4]).play(|now, r| {
        n += 1;
        if n == 100 || n == 200 {
            hung.push(r.offset);
            return ScriptedAnswer::never();
        }
        ScriptedAnswer::done(now + MS, r)
    });
    assert_eq!(played.end_ns, 10 * S + 5 * S);
    let mut listed: Vec<u64> = played.lost.iter().map(|f| f.offset).collect();
    listed.sort_unstable();
    hung.sort_unstable();
    assert_eq!(listed, hung);
    assert!(played.lost.iter().all(|f| f.kind == FailureKind::InFlight));
    // They have waited since, and that is in the times.
    assert_eq!(played.unfinished, 2);
    let waited = played.whole().streams[0].ops[0].response.max_ns();
    assert!(waited > Some(14 * S), "{waited:?}");
    // The two are in flight to the end.
    assert_eq!(played.intervals[9].1.depth_integral_ns, 4 * S);
}

#[test]
fn a_target_that_hangs_whole_ends_every_kind_of_load() {
    let loads = [
        Load::Max,
        Load::MaxShared,
        super::stage::open(1000.0, Arrival::Exponential),
    ];
    for load in loads {
        let played = Stage::new(load.clone(), &[4]).play(|now, r| {
            if now > 2 * S {
                ScriptedAnswer::never()
            } else {
                ScriptedAnswer::done(now + MS, r)
            }
        });
        assert_eq!((played.lost.len(), played.end_ns), (4, 15 * S), "{load:?}");
        assert_eq!(played.intervals.len(), 10);
    }
}

/// Sleeps over the end of the drain: the first wait in it wakes at 16 s, and brings nothing.
fn oversleeping<B: Backend>(inner: B, time: &Time) -> impl Backend {
    let (time, mut slept) = (time.clone(), false);
    Polled::new(inner, move |inner, wait, out| {
        if time.now_ns() >= 10 * S && !slept {
            slept = true;
            time.advance_to(16 * S);
            return Ok(());
        }
        inner.poll(wait, out)
    })
}

#[test]
fn answers_that_came_while_the_worker_was_kept_from_its_cpu_are_no_lost_ios() {
    let time = Time::default();
    let mut number = 0;
    let device = move |now: u64, r: &Request| {
        number += 1;
        match now {
            // Out at the end: one fails and one is answered, both within the drain's five seconds.
            9_999_000_000.. if number % 2 == 0 => ScriptedAnswer::failed(12 * S, EIO),
            9_999_000_000.. => ScriptedAnswer::done(13 * S, r),
            _ => ScriptedAnswer::done(now + MS, r),
        }
    };
    let backend = oversleeping(Scripted::new(time.clone(), device), &time);
    let played = Stage::new(Load::Max, &[2]).play_on(&time, backend);
    let kinds: Vec<FailureKind> = played.failures.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FailureKind::Errno(EIO)]);
    assert_eq!(played.errors, 1);
    assert_eq!(played.lost.len(), 0);
    assert_eq!(played.unfinished, 0);
}

#[test]
fn what_fails_after_the_last_interval_is_still_listed() {
    let played = Stage::new(Load::Max, &[1]).play(|now, r| {
        if now == 9_999 * MS {
            ScriptedAnswer::failed(10 * S + MS, EIO)
        } else {
            ScriptedAnswer::done(now + MS, r)
        }
    });
    assert_eq!(played.total().errors(), 0);
    assert_eq!((played.errors, played.whole().errors()), (1, 1));
    assert_eq!(played.failures.len(), 1);
    assert_eq!(played.failures[0].kind, FailureKind::Errno(EIO));
    assert!(played.lost.is_empty());
}

/// A backend that copies, each time with a read and a write of 4 KiB.
struct Copying<B>(B);

impl<B: Backend> Backend for Copying<B> {
    const NAME: &'static str = "copying";
    const CHOOSES: bool = true;

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.0.queue(request)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        self.0.poll(wait, out)
    }

    fn chosen(&self, _: u32) -> Action {
        Action::Copy
    }

    fn take_brought(&mut self, _: u32) -> Vec<Brought> {
        let transfer = |op| Brought {
            op,
            ns: US,
            bytes: 4096,
        };
        [Op::Read, Op::Write].map(transfer).into()
    }
}

#[test]
fn what_a_copy_brings_counts_however_it_ends() {
    // What finds nothing to do, as trees say it.
    const BLOCKED: i32 = i32::MAX;
    let time = Time::default();
    let mut n = 0;
    let answers = Scripted::new(time.clone(), |now, _: &Request| {
        n += 1;
        match n {
            3 => ScriptedAnswer::failed(now + MS, BLOCKED),
            5 => ScriptedAnswer::failed(now + MS, EIO),
            _ => ScriptedAnswer::short(now + MS, 0),
        }
    });
    let played = Stage::new(Load::Max, &[1]).play_on(&time, Copying(answers));
    let mut total = played.total();
    let stream = &mut total.streams[0];
    let copy = stream.of(Op::Copy);
    let copies = copy.ios;
    assert_eq!((copy.bytes, copy.errors), (2 * 4096 * copies, 1));
    assert!(copies > 0 && stream.blocked == 1);
    let reads = stream.brought(Op::Read).expect("copies read");
    assert_eq!(reads.ios, copies + 2);
}
