//! Several workers on one target: what comes out is what one queue before the target's slots gives.

use super::stage::{MS, Played, S, Stage, US, open};
use plimsoll_draw::Draw;
use plimsoll_engine::backend::{Backend, Completion, Request, Wait};
use plimsoll_engine::scripted::{ScriptedAnswer, Time};
use plimsoll_engine::worker::Pause;
use plimsoll_measure::IntervalStats;
use plimsoll_plan::*;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::rc::Rc;

/// (completion, number of the submission, slot, result) of what one worker has out.
type Out = Rc<RefCell<BinaryHeap<Reverse<(u64, u64, u32, i32)>>>>;

/// One worker's way to the device that all have in common. It never waits: whoever plays the workers sees to that.
pub struct Door<F> {
    time: Time,
    device: Rc<RefCell<F>>,
    out: Out,
    submitted: u64,
}

impl<F: FnMut(u64, &Request) -> ScriptedAnswer> Backend for Door<F> {
    const NAME: &'static str = "door";

    fn queue(&mut self, request: Request) -> io::Result<()> {
        let now = self.time.now_ns();
        let answer = (self.device.borrow_mut())(now, &request);
        self.submitted += 1;
        if let Some(done) = answer.done_ns {
            let entry = (done.max(now), self.submitted, request.slot, answer.result);
            self.out.borrow_mut().push(Reverse(entry));
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn poll(&mut self, _: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        let now = self.time.now_ns();
        let mut waiting = self.out.borrow_mut();
        while let Some(Reverse((done, _, slot, result))) = waiting.peek().copied() {
            if done > now {
                break;
            }
            waiting.pop();
            out.push(Completion { slot, result });
        }
        Ok(())
    }
}

/// Plays the step with so many workers in the order of time: whoever has something to do first goes on.
pub fn play(
    stage: &mut Stage,
    workers: u32,
    device: impl FnMut(u64, &Request) -> ScriptedAnswer,
) -> Played {
    play_kept(stage, workers, |_, at| at, device)
}

/// The same on a host that lets a worker go on only when `kept`, told which and when, says.
pub fn play_kept(
    stage: &mut Stage,
    workers: u32,
    kept: impl Fn(usize, u64) -> u64,
    device: impl FnMut(u64, &Request) -> ScriptedAnswer,
) -> Played {
    stage.step.workers.count = Some(workers);
    let time = Time::default();
    let device = Rc::new(RefCell::new(device));
    let outs: RefCell<Vec<Out>> = RefCell::default();
    let mut cast = stage.workers(&time, |_| {
        let out = Out::default();
        outs.borrow_mut().push(Rc::clone(&out));
        Door {
            time: time.clone(),
            device: Rc::clone(&device),
            out,
            submitted: 0,
        }
    });
    assert_eq!(cast.workers.len(), workers as usize);
    let outs = outs.into_inner();
    // When each goes on, and with what.
    let wakes = |worker: usize, pause: Pause| {
        let until = match pause.wait {
            Wait::None => time.now_ns(),
            Wait::For { ns, .. } => time.now_ns().saturating_add(ns),
        };
        let first = outs[worker]
            .borrow()
            .peek()
            .map_or(u64::MAX, |Reverse(f)| f.0);
        (kept(worker, until.min(first)), pause)
    };
    let mut next: Vec<Option<(u64, Pause)>> = Vec::new();
    for (worker, (w, _)) in cast.workers.iter_mut().enumerate() {
        w.begin().expect("begins");
        let pause = w.put_out().expect("puts out");
        next.push(pause.map(|p| wakes(worker, p)));
    }
    let mut still = (0, 0);
    let first = |next: &[Option<(u64, Pause)>]| {
        let going = |w: usize| next[w].map(|(at, pause)| (at, w, pause));
        (0..next.len())
            .filter_map(going)
            .min_by_key(|(at, w, _)| (*at, *w))
    };
    while let Some((at, worker, pause)) = first(&next) {
        time.advance_to(at);
        let w = &mut cast.workers[worker].0;
        w.take_in(pause).expect("takes in");
        next[worker] = w.put_out().expect("puts out").map(|p| wakes(worker, p));
        still = if at == still.0 {
            (at, still.1 + 1)
        } else {
            (at, 0)
        };
        assert!(still.1 < 100_000, "the workers spin at {at} ns");
    }
    let mut all = Played::of(&cast.shared, time.now_ns());
    for ((worker, incoming), streams) in cast.workers.into_iter().zip(cast.streams) {
        worker.end(None);
        let mut own = Played::of(&cast.shared, 0);
        incoming.try_iter().for_each(|report| own.add(report));
        own.number_streams(&streams, stage.step.streams.len());
        add(&mut all, own);
    }
    all
}

fn add(all: &mut Played, own: Played) {
    for (at, (length_ns, stats)) in own.intervals.into_iter().enumerate() {
        if all.intervals.len() == at {
            all.intervals.push((length_ns, IntervalStats::new(0)));
        }
        all.intervals[at].0 = length_ns.max(all.intervals[at].0);
        all.intervals[at].1.merge(&stats);
    }
    if let Some((length_ns, stats)) = own.drain {
        let empty = || (0, IntervalStats::new(0));
        let (longest, whole) = all.drain.get_or_insert_with(empty);
        *longest = length_ns.max(*longest);
        whole.merge(&stats);
    }
    all.failures.extend(own.failures);
    all.lost.extend(own.lost);
    all.limit |= own.limit;
    all.unfinished += own.unfinished;
}

/// Sees that no more I/Os are at a device than its target has slots.
pub fn counting(
    slots: usize,
    mut device: impl FnMut(u64, &Request) -> ScriptedAnswer,
) -> impl FnMut(u64, &Request) -> ScriptedAnswer {
    let mut out: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    move |now, request| {
        while out.peek().is_some_and(|Reverse(done)| *done <= now) {
            out.pop();
        }
        let answer = device(now, request);
        out.push(Reverse(answer.done_ns.unwrap_or(u64::MAX)));
        assert!(out.len() <= slots, "{} I/Os on {slots} slots", out.len());
        answer
    }
}

/// Pseudorandom numbers above 0 and up to 1.
fn randoms() -> impl FnMut() -> f64 {
    let mut draw = Draw(7);
    move || draw.unit() + f64::EPSILON
}

/// A queue of Poisson arrivals before `slots` servers of exponential service times: M/M/c.
struct Queue {
    slots: u32,
    /// Mean number of busy servers: arrival rate times mean service time.
    load: f64,
    service_ns: f64,
}

impl Queue {
    /// The probability that an arrival finds all servers busy (Erlang C): with Erlang's B by its recursion
    /// `B(0) = 1, B(n) = a B(n-1) / (n + a B(n-1))`, it is `C = c B / (c - a (1 - B))`.
    fn waits(&self) -> f64 {
        let blocked =
            (1..=self.slots).fold(1.0, |b, n| self.load * b / (f64::from(n) + self.load * b));
        let c = f64::from(self.slots);
        c * blocked / (c - self.load * (1.0 - blocked))
    }

    /// Those who wait do so for an exponential time of mean `S / (c - a)`.
    fn mean_ns(&self) -> f64 {
        self.service_ns + self.waits() * self.service_ns / (f64::from(self.slots) - self.load)
    }

    /// The share of responses longer than `t`: the sum of an exponential wait, with probability C, and of the service.
    fn longer(&self, t_ns: f64) -> f64 {
        let waits = self.waits();
        let (serve, go) = (
            1.0 / self.service_ns,
            (f64::from(self.slots) - self.load) / self.service_ns,
        );
        let sum = (go * (-serve * t_ns).exp() - serve * (-go * t_ns).exp()) / (go - serve);
        (1.0 - waits) * (-serve * t_ns).exp() + waits * sum
    }

    fn quantile_ns(&self, q: f64) -> f64 {
        let (mut low, mut high) = (0.0, 100.0 * self.service_ns);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.longer(middle) > 1.0 - q {
                low = middle
            } else {
                high = middle
            }
        }
        low
    }
}

fn near(what: &str, got: f64, truth: f64, tolerance: f64) {
    assert!(
        (got / truth - 1.0).abs() <= tolerance,
        "{what}: {got}, in truth {truth}"
    );
}

/// Dealt out to 16 workers, 32 slots would make a tenth of the I/Os at a mean depth of 8 late for a slot.
#[test]
fn any_number_of_workers_gives_what_the_queue_gives() {
    for load in [8.0, 28.0] {
        let queue = Queue {
            slots: 32,
            load,
            service_ns: 1e6,
        };
        for workers in [1, 2, 4, 8, 16] {
            let mut stage = Stage::new(open(load * 1000.0, Arrival::Exponential), &[32]);
            let mut random = randoms();
            let device = counting(32, move |now, r| {
                ScriptedAnswer::done(now + (-random().ln() * 1e6) as u64, r)
            });
            let total = play(&mut stage, workers, device).total();
            let stream = &total.streams[0];
            let (late, response) = (
                stream.late_for_slot as f64 / stream.due as f64,
                &stream.ops[0].response,
            );
            let at = |q: f64| response.quantile_ns(q).expect("a quantile") as f64;
            println!(
                "{workers} workers at {load} of 32: late {late:.4} ({:.4}), p50 {:.0}, p99 {:.0}",
                queue.waits(),
                at(0.5),
                at(0.99)
            );
            assert!(
                (late - queue.waits()).abs() < 0.04,
                "{workers} workers at {load}: {late}, in truth {}",
                queue.waits()
            );
            near(
                "the mean",
                response.sum_ns() as f64 / response.count() as f64,
                queue.mean_ns(),
                0.03,
            );
            near("p50", at(0.5), queue.quantile_ns(0.5), 0.03);
            near("p99", at(0.99), queue.quantile_ns(0.99), 0.06);
            // Nobody is late by himself: time stands still while workers work.
            assert_eq!(total.lateness.max_ns(), Some(0), "{workers} workers");
        }
    }
}

#[test]
fn a_target_that_stalls_makes_late_what_comes_due_meanwhile() {
    let stalls = plimsoll_engine::scripted::Stalls {
        period_ns: 2 * S,
        length_ns: 100 * MS,
    };
    let late = |workers| {
        let mut stage = Stage::new(open(10_000.0, Arrival::Even), &[32]);
        let device = counting(32, |now, r: &Request| {
            ScriptedAnswer::done(stalls.done_ns(now, 100 * US), r)
        });
        let total = play(&mut stage, workers, device).whole();
        let response = &total.streams[0].ops[0].response;
        (
            total.streams[0].late_for_slot,
            response.count(),
            response.sum_ns(),
        )
    };
    let one = late(1);
    assert!(one.0 > 3_800, "{one:?}");
    // Even arrivals are the same whoever issues them. The last stall ends with the step, and is followed to its end.
    assert_eq!(one.1, 100_000);
    assert_eq!([late(2), late(4), late(16)], [one; 3]);
}
