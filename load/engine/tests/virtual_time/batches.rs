//! How many I/Os the kernel gets at once.

use super::stage::{MS, Stage};
use plimsoll_engine::backend::{Backend, Completion, Request, Wait};
use plimsoll_engine::scripted::{Scripted, ScriptedAnswer, Time};
use plimsoll_plan::*;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// Notes how many requests each hand-over has.
struct Counting<B> {
    inner: B,
    queued: usize,
    batches: Rc<RefCell<Vec<usize>>>,
}

impl<B: Backend> Backend for Counting<B> {
    const NAME: &'static str = "counting";

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.queued += 1;
        self.inner.queue(request)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.batches
            .borrow_mut()
            .push(std::mem::take(&mut self.queued));
        self.inner.flush()
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        self.batches
            .borrow_mut()
            .push(std::mem::take(&mut self.queued));
        self.inner.poll(wait, out)
    }
}

fn batches(load: Load, submit_batch: usize) -> Vec<usize> {
    let time = Time::default();
    let batches = Rc::new(RefCell::new(Vec::new()));
    let backend = Counting {
        inner: Scripted::new(time.clone(), |now, r: &Request| {
            ScriptedAnswer::done(now + MS, r)
        }),
        queued: 0,
        batches: Rc::clone(&batches),
    };
    let mut stage = Stage::new(load, &[32]);
    stage.options.submit_batch = submit_batch;
    stage.step.limits.ios = Some(3200);
    stage.play_on(&time, backend);
    let mut all = batches.take();
    all.retain(|b| *b > 0);
    all
}

#[test]
fn no_hand_over_is_larger_than_asked() {
    for load in [Load::Max, Load::MaxShared] {
        for (submit_batch, expected) in [(1, 1), (5, 5), (16, 16), (32, 32), (1000, 32)] {
            let all = batches(load.clone(), submit_batch);
            assert_eq!(all.iter().max(), Some(&expected), "{load:?} {submit_batch}");
            assert_eq!(all.len(), 100 * 32usize.div_ceil(expected));
        }
    }
}

/// How many completions come back at once, in a step whose I/Os take 1, 2, 3... 8 ms, over and over.
fn reaped(load: Load, reap_batch: u32) -> Vec<usize> {
    struct Reaping<B>(B, Rc<RefCell<Vec<usize>>>);
    impl<B: Backend> Backend for Reaping<B> {
        const NAME: &'static str = "reaping";

        fn queue(&mut self, request: Request) -> io::Result<()> {
            self.0.queue(request)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }

        fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
            self.0.poll(wait, out)?;
            self.1.borrow_mut().push(out.len());
            Ok(())
        }
    }
    let time = Time::default();
    let mut number = 0;
    let inner = Scripted::new(time.clone(), move |now, r: &Request| {
        number += 1;
        ScriptedAnswer::done(now + (1 + number % 8) * MS, r)
    });
    let counts = Rc::new(RefCell::new(Vec::new()));
    let mut stage = Stage::new(load, &[8]);
    stage.options.reap_batch = reap_batch;
    stage.step.limits.ios = Some(800);
    stage.play_on(&time, Reaping(inner, Rc::clone(&counts)));
    let mut all = counts.take();
    all.retain(|c| *c > 0);
    assert_eq!(all.iter().sum::<usize>(), 800);
    all
}

#[test]
fn a_closed_loop_waits_for_as_many_as_asked_while_so_many_are_out() {
    for load in [Load::Max, Load::MaxShared] {
        for reap in [2, 5, 8, 100] {
            let all = reaped(load.clone(), reap);
            // A sample's end, every 100 ms, and the last I/Os wait for no one.
            let short = all.iter().filter(|c| **c < reap.min(8) as usize).count();
            assert!(short <= 15, "{load:?} {reap}: {all:?}");
            assert!(all.len() <= 800 / reap.min(8) as usize + short);
        }
    }
}

#[test]
fn a_schedule_waits_for_the_first() {
    let load = super::stage::open(1000.0, Arrival::Even);
    assert_eq!(reaped(load.clone(), 8), reaped(load, 1));
}

#[test]
fn an_io_that_is_alone_does_not_wait_for_others() {
    let all = batches(super::stage::open(1000.0, Arrival::Even), 32);
    assert!(all.iter().all(|b| *b == 1));
}
